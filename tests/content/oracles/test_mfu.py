"""The reference of mfu against torch's FLOP counter on random models, and published utilizations."""

import sys
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

torch = pytest.importorskip("torch", reason="trains and counts")
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def given():
    """What the statement hands over."""
    return import_file(ROOT / "exercises" / "chapter5" / "mfu" / "given.py", "given_of_mfu")


@pytest.fixture(scope="module")
def reference(given):
    """The reference, which imports ``given``."""
    before = sys.modules.get("given")
    sys.modules["given"] = given
    try:
        return import_file(ROOT / "solutions" / "chapter5" / "mfu" / "reference.py", "reference_of_mfu")
    finally:
        if before is None:
            del sys.modules["given"]
        else:
            sys.modules["given"] = before


def model_of(dense, head, layers, heads, head_dim, **experts):
    """A model as the learner gets it."""
    none = dict.fromkeys(("embedding_weights", "expert_weights", "experts", "active_experts"), 0)
    sizes = {"dense_weights": dense, "head_weights": head, "layers": layers, "heads": heads, "head_dim": head_dim}
    return {**none, **sizes, **experts}


def chip_of(dense):
    """A chip whose sparse rate is twice the dense one."""
    return {"dense_flops": dense, "sparse_flops": 2 * dense}


def test_palm(reference):
    """PaLM 540B: 46.2 %, and 45.7 % without attention."""
    model = model_of(540.35e9 - 256_000 * 18_432, 256_000 * 18_432, 118, 48, 256)
    assert reference.mfu(model, 2048, False, 238_300, 6144, chip_of(275e12)) == pytest.approx(0.46229, abs=5e-6)
    no_attention = {**model, "head_dim": 0}
    assert reference.mfu(no_attention, 2048, False, 238_300, 6144, chip_of(275e12)) == pytest.approx(0.45726, abs=5e-6)


@pytest.mark.parametrize(
    ("hidden", "layers", "batch", "flops"), [(25_600, 128, 3072, 5.1391e19), (12_288, 96, 1536, 4.511e18)]
)
def test_formula_of_megatron(reference, hidden, layers, batch, flops):
    """HFU with full recomputation is 96 B s L h² (1 + s/6h + V/16Lh) per batch, for 1T and GPT-3."""
    vocab, seq = 51_200, 2048
    formula = 96 * batch * seq * layers * hidden**2 * (1 + seq / (6 * hidden) + vocab / (16 * layers * hidden))
    assert formula == pytest.approx(flops, rel=1e-4)
    model = model_of(12 * layers * hidden**2, vocab * hidden, layers, hidden // 128, 128)
    found = reference.hfu(model, seq, False, "full", batch * seq, 1, chip_of(1.0))
    assert found == pytest.approx(formula, rel=1e-12)


def test_llama_3(reference):
    """Megatron-LM's code says 2.52396e12 FLOPs per token of Llama 3 405B; 430 TFLOPs of 989.4 are 43.46 %."""
    layer = 2 * 16_384**2 + 2 * 16_384 * 1024 + 3 * 16_384 * 53_248
    model = model_of(126 * layer, 128_256 * 16_384, 126, 128, 128)
    assert reference.mfu(model, 8192, True, 1, 1, chip_of(1.0)) == pytest.approx(2.52396e12, rel=1e-5)
    rate = 430e12 * 16_384 / 2.52396e12
    assert reference.mfu(model, 8192, True, rate, 16_384, chip_of(989.4e12)) == pytest.approx(0.4346, abs=5e-5)


def test_experts(reference):
    """A token of a mixture pays for the experts that it visits."""
    mixture = model_of(100, 10, 1, 1, 1, expert_weights=7, experts=64, active_experts=6)
    dense = model_of(142, 10, 1, 1, 1)
    for recompute in ("none", "selective", "full"):
        args = (3, True, recompute, 5.0, 2, chip_of(1e3))
        assert reference.hfu(mixture, *args) == pytest.approx(reference.hfu(dense, *args), rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_counter_of_torch(reference, given, seed):
    """For random models the counted FLOPs of a real step are HFU's, with and without recomputation."""
    draw = np.random.default_rng(seed)
    heads = int(draw.integers(1, 4))
    config = {name: int(draw.integers(1, 24)) for name in ("layers", "ffn", "seq", "batch")}
    config |= {"vocab": int(draw.integers(2, 30)), "heads": heads, "hidden": heads * int(draw.integers(1, 7))}
    config["layers"] = min(config["layers"], 3)
    for recompute in (False, True):
        trainer = given.Trainer({**config, "recompute": recompute}, [1.0])
        with FlopCounterMode(display=False) as counter:
            trainer.step()
        per_token = counter.get_total_flops() / trainer.tokens_per_step
        assert trainer.counted_step() == counter.get_total_flops()
        way = "full" if recompute else "none"
        assert reference.hfu(trainer.model, config["seq"], False, way, 1, 1, chip_of(1.0)) == pytest.approx(per_token)
        assert per_token >= reference.mfu(trainer.model, config["seq"], False, 1, 1, chip_of(1.0)) * (1 - 1e-12)


def test_training_is_real(given):
    """The given trainer learns: its loss on its own tokens falls."""
    torch.manual_seed(0)
    config = {"hidden": 16, "heads": 2, "vocab": 11, "layers": 1, "ffn": 16, "seq": 8, "batch": 4, "recompute": False}
    trainer = given.Trainer(config, [0.1])

    def loss():
        x = trainer._embedding[trainer._tokens[:, :-1]]
        for weights in trainer._layers:
            x = given.layer(x, weights, 2)
        return trainer._loss(x)

    before = loss().item()
    for _ in range(30):
        trainer.step()
    assert loss().item() < before - 0.1


@pytest.mark.parametrize("recompute", [False, True])
def test_gradients_are_right(given, recompute):
    """The gradients that the given trainer puts together layer by layer are autograd's."""
    config = {"hidden": 6, "heads": 2, "vocab": 7, "layers": 3, "ffn": 5, "seq": 4, "batch": 2, "recompute": recompute}
    trainer = given.Trainer(config, [0.1])
    weights, gradients = trainer._backward()
    x = trainer._embedding[trainer._tokens[:, :-1]]
    for each in trainer._layers:
        x = given.layer(x, each, 2)
    for found, want in zip(gradients, torch.autograd.grad(trainer._loss(x), weights), strict=True):
        torch.testing.assert_close(found, want)


def test_virtual_clock(given):
    """The clock shows launches until somebody waits, and then what the device took."""
    config = {"hidden": 2, "heads": 1, "vocab": 2, "layers": 1, "ffn": 1, "seq": 1, "batch": 1, "recompute": False}
    trainer = given.Trainer(config, [2.0, 0.5])
    trainer.step()
    trainer.step()
    assert trainer.clock() == pytest.approx(2 * given.LAUNCH_S)
    trainer.synchronize()
    assert trainer.clock() == pytest.approx(2.5)
    trainer.step()
    trainer.synchronize()
    assert trainer.clock() == pytest.approx(3.0)


def test_measured_run(reference):
    """The statement's run: 20 tokens per second after two steps of warm-up."""
    config = {"hidden": 8, "heads": 2, "vocab": 10, "layers": 2, "ffn": 12, "seq": 5, "batch": 2, "recompute": True}
    found = reference.measure(config, [9, 3, 0.5, 0.25, 0.75, 0.5], 2, 4, chip_of(1e6))
    assert found["tokens_per_s"] == pytest.approx(20)
    assert 1 < found["hfu"] / found["mfu"] < 8 / 6
