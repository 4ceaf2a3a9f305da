"""The reference of training_flops against torch's FLOP counter on the meta device, and published figures."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

torch = pytest.importorskip("torch", reason="counts the FLOPs of torch modules")
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

REFERENCE = import_file(
    Path(__file__).parents[3] / "solutions" / "chapter4" / "training_flops" / "reference.py",
    "reference_of_training_flops",
)


def drawn(seed: int) -> dict[str, int | bool]:
    """A random config whose sizes have nothing to do with one another, heads apart."""
    draw = np.random.default_rng(seed)
    kv_heads = int(draw.integers(1, 4))
    sizes = {name: int(draw.integers(1, 40)) for name in ("vocab", "hidden", "head_dim", "ffn")}
    return {
        **sizes,
        "layers": int(draw.integers(1, 4)),
        "heads": kv_heads * int(draw.integers(1, 4)),
        "kv_heads": kv_heads,
        "gated": bool(draw.integers(2)),
    }


class Layer(torch.nn.Module):
    """Attention and MLP of torch's own products, without norms; attention sees everything."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        hidden, width = config["hidden"], config["head_dim"]
        heads = [config["heads"], config["kv_heads"], config["kv_heads"]]
        self.projections = torch.nn.ModuleList(torch.nn.Linear(hidden, count * width) for count in heads)
        self.out = torch.nn.Linear(config["heads"] * width, hidden)
        self.ups = torch.nn.ModuleList(
            torch.nn.Linear(hidden, config["ffn"]) for _ in range(2 if config["gated"] else 1)
        )
        self.down = torch.nn.Linear(config["ffn"], hidden)

    def forward(self, x):
        """x has the shape (batch, seq, hidden)."""
        q, k, v = (
            projection(x).unflatten(-1, (-1, self.config["head_dim"])).transpose(1, 2)
            for projection in self.projections
        )
        group = self.config["heads"] // self.config["kv_heads"]
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        seen = torch.softmax(q @ k.transpose(-1, -2), -1) @ v
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        ups = [up(x) for up in self.ups]
        return x + self.down(torch.relu(ups[0]) * ups[-1])


def counted(config, seq, recompute):
    """FLOPs of two sequences, forward and backward, as torch counts them."""
    with torch.device("meta"):
        embedding = torch.nn.Embedding(config["vocab"], config["hidden"])
        layers = [Layer(config) for _ in range(config["layers"])]
        head = torch.nn.Linear(config["hidden"], config["vocab"])
        tokens = torch.zeros(2, seq, dtype=torch.long)
    with FlopCounterMode(display=False) as counter:
        x = embedding(tokens)
        for layer in layers:
            if recompute == "full":
                x = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False, early_stop=False)
            else:
                x = layer(x)
        head(x).sum().backward()
    return counter.get_total_flops()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("recompute", ["none", "full"])
def test_torch_counts_as_many(seed, recompute):
    """Random models take as many FLOPs as torch's counter finds, which knows of no mask."""
    config, seq = drawn(seed), int(np.random.default_rng(seed + 100).integers(1, 30))
    want = counted(config, seq, recompute) / (2 * seq)
    assert REFERENCE.flops_per_token(config, seq, False, recompute) == want


@pytest.mark.parametrize("seed", range(8))
def test_causal_half_is_subtracted(seed):
    """torch's count less the pairs above the diagonal is the causal one."""
    config, seq = drawn(seed), int(np.random.default_rng(seed + 200).integers(1, 30))
    above = np.triu(np.ones((seq, seq)), 1).sum()
    hidden_pairs = 3 * 4 * config["layers"] * config["heads"] * config["head_dim"] * above / seq
    want = counted(config, seq, "none") / (2 * seq) - hidden_pairs
    assert REFERENCE.flops_per_token(config, seq, True, "none") == pytest.approx(want, rel=1e-12)


PALM = {"hidden": 18_432, "layers": 118, "heads": 48, "kv_heads": 1, "head_dim": 256, "ffn": 73_728, "gated": True}
GPT3 = {"hidden": 12_288, "layers": 96, "heads": 96, "kv_heads": 96, "head_dim": 128, "ffn": 49_152, "gated": False}
LLAMA = {"hidden": 16_384, "layers": 126, "heads": 128, "kv_heads": 8, "head_dim": 128, "ffn": 53_248, "gated": True}


def test_utilization_of_palm():
    """Chowdhery et al. 2022, appendix B: an MFU of 46.2 %."""
    flops = REFERENCE.flops_per_token({**PALM, "vocab": 256_000}, 2048, False, "none")
    assert flops * 238_300 / 6144 / 275e12 == pytest.approx(0.46229, abs=1e-5)


def test_batch_of_gpt3():
    """Narayanan et al. 2021: 4.511e18 FLOPs per batch of 1536 sequences, recomputed, by its equation 3."""
    flops = REFERENCE.flops_per_token({**GPT3, "vocab": 51_200}, 2048, False, "full")
    assert flops * 1536 * 2048 == pytest.approx(4.511e18, rel=1e-4)


def test_gpt3_of_its_paper():
    """Brown et al. 2020, table D.1: 3.14e23 FLOPs, without attention."""
    weights = REFERENCE.flops_per_token({**GPT3, "vocab": 50_257}, 2048, False, "none") - 12 * 96 * 12_288 * 2048
    assert REFERENCE.training_flops(weights / 6, 300e9) == pytest.approx(3.14e23, rel=2e-3)


def test_llama_405b():
    """Megatron-LM's code gives Llama 3 405B 2.52396e12 FLOPs per token; it halves attention exactly."""
    flops = REFERENCE.flops_per_token({**LLAMA, "vocab": 128_256}, 8192, True, "none")
    assert flops == pytest.approx(2.52396e12, rel=1e-5)
