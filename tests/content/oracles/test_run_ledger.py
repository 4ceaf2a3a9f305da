"""The reference of run_ledger against torch's FLOP counter, exact fractions and published runs."""

from fractions import Fraction
from pathlib import Path

import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
plan_run = import_file(ROOT / "solutions/chapter1/run_ledger/reference.py", "reference_run_ledger").plan_run
SMALL = (10**9, 2 * 10**10, 8, 1e15, 0.4, 2**19, 2, 2.5)


def test_flops_are_what_torch_counts():
    """6 N D is what torch's counter finds in a forward and a backward pass of a stack of matrices."""
    torch = pytest.importorskip("torch", reason="counts FLOPs with torch")
    from torch.utils.flop_counter import FlopCounterMode

    layers = torch.nn.Sequential(*(torch.nn.Linear(m, n, bias=False) for m, n in ((48, 96), (96, 32), (32, 500))))
    tokens = torch.randn(24, 48, requires_grad=True)  # as if a layer came before: its gradient is wanted too
    with FlopCounterMode(display=False) as counter:
        layers(tokens).sum().backward()
    params = sum(weight.numel() for weight in layers.parameters())
    assert plan_run(params, 24, *SMALL[2:])["flops"] == counter.get_total_flops()


@pytest.mark.parametrize("tokens", [1, 2**19 - 1, 2**19, 2**19 + 1, 3 * 10**13 + 7])
def test_entries_are_those_of_exact_fractions(tokens):
    """Each entry is the exact one up to the rounding of double precision."""
    params, gpus, peak, mfu, batch, size, price = 7 * 10**10 + 1, 2047, 989.4e12, 0.413, 2**19, 4, 2.19
    got = plan_run(params, tokens, gpus, peak, mfu, batch, size, price)
    hours = Fraction(6 * params * tokens) / (gpus * Fraction(peak) * Fraction(mfu)) / 3600
    want = {
        "flops": 6 * params * tokens,
        "days": hours / 24,
        "steps": tokens // batch + bool(tokens % batch),
        "gpu_hours": hours * gpus,
        "cost": hours * gpus * Fraction(price),
        "disk_bytes": tokens * size,
    }
    assert got.keys() == want.keys()
    for key, value in want.items():
        assert got[key] == pytest.approx(float(value), rel=1e-14, abs=0)


def test_palm_utilization():
    """238,300 tokens per second on 6,144 chips are an MFU of 45.7 % without and 46.2 % with attention."""
    throughput, peak = 238_300, 6144 * 275e12
    day = plan_run(540_350_000_000, throughput * 86_400, 6144, 275e12, 0.457, 2**22, 4, 0)
    assert day["days"] == pytest.approx(1, rel=1e-3)
    attention = 12 * 118 * 48 * 256 * 2048  # appendix B: 12 L H Q T per token
    assert throughput * (6 * 540.35e9 + attention) / peak == pytest.approx(0.462, abs=5e-4)


def test_megatron_days():
    """The Megatron-LM paper's 34 and 84 days, whose 8 T P / (n X) counts recomputation."""
    for params, tokens, gpus, speed, days in ((175e9, 300e9, 1024, 140e12, 34), (1008e9, 450e9, 3072, 163e12, 84)):
        got = plan_run(int(params), int(tokens), gpus, 312e12, speed * 6 / 8 / 312e12, 2**22, 2, 0)["days"]
        assert got == pytest.approx(8 * tokens * params / (gpus * speed) / 86_400, rel=1e-12)
        assert round(got) == days


def test_deepseek_bill():
    """DeepSeek-V3's table 1: 2.664 million GPU-hours and 5.328 million dollars for 14.8 trillion tokens."""
    mfu = 6 * 37e9 * 1e12 / (180_000 * 3600) / 989.4e12
    got = plan_run(37 * 10**9, 148 * 10**11, 2048, 989.4e12, mfu, 15_360 * 4096, 4, 2)
    assert got["gpu_hours"] == pytest.approx(2.664e6)
    assert got["cost"] == pytest.approx(5.328e6)
    assert got["days"] < 61  # "less than two months"


def test_attention_that_is_left_out():
    """The statement's 3 % for GPT-3 at a context of 2,048: 12 L d T over 6 N."""
    share = 12 * 96 * 12_288 * 2048 / (6 * 174.6e9)
    assert share == pytest.approx(0.03, abs=0.003)
