"""The reference of triton_swiglu_rmsnorm, in Triton's interpreter, against torch's silu and rms_norm in float64."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.catalog import import_file

torch = pytest.importorskip("torch", reason="the exercise is about tensors")

ROOT = Path(__file__).parents[3]
PATH = ROOT / "solutions" / "chapter8" / "triton_swiglu_rmsnorm" / "reference.py"
CASES = [  # rows, width, dtype, dtype of the weight, standard deviation of the inputs, eps
    (3, 1, torch.float32, torch.float32, 1.0, 1e-6),
    (4, 37, torch.float32, torch.float32, 1.0, 1e-5),
    (2, 128, torch.float16, torch.float16, 1.0, 1e-6),
    (3, 1000, torch.float16, torch.float32, 200.0, 1e-6),
    (2, 5, torch.float32, torch.float32, 1e-3, 1.0),
    (1, 8192, torch.float32, torch.float32, 1.0, 1e-6),
    (5, 8193, torch.float32, torch.float32, 3.0, 1e-6),
    (3, 20_000, torch.float16, torch.float16, 1.0, 1e-6),
    (0, 12, torch.float32, torch.float32, 1.0, 1e-6),
]
UNTOUCHED = -777.5


def drawn(case):
    """gate, up and weight of a case."""
    rows, width, dtype, weight_dtype, size, _ = case
    draw = torch.Generator().manual_seed(rows * width)
    gate, up = size * torch.randn(2, rows, width, generator=draw, dtype=torch.float64)
    weight = 1 + torch.randn(width, generator=draw, dtype=torch.float64) / 2
    return gate.to(dtype), up.to(dtype), weight.to(weight_dtype)


def answers():
    """What the reference gives: the plain function, one with strided inputs, and a buffer with a block in it."""
    reference = import_file(PATH, "reference_of_triton_swiglu_rmsnorm")
    found = []
    for case in CASES:
        gate, up, weight = drawn(case)
        both = torch.cat([up, gate], dim=1)
        buffer = torch.full((len(gate) + 3, len(weight) + 5), UNTOUCHED, dtype=gate.dtype)
        plain = reference.swiglu_rmsnorm(gate, up, weight, case[-1])
        strided = reference.swiglu_rmsnorm(both[:, len(weight) :], up, weight, case[-1])
        filled = reference.swiglu_rmsnorm_into(buffer, 2, 3, torch.cat([gate, up], dim=1), weight, case[-1])
        found.append((plain, strided, filled))
    return found


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """The answers, from a process of their own: Triton reads at import whether to interpret."""
    pytest.importorskip("triton", reason="interprets kernels")
    path = tmp_path_factory.mktemp("answers") / "answers.pt"
    environment = os.environ | {"TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, __file__, path], env=environment, check=True)
    return torch.load(path)


def exact(case):
    """torch's own functions in float64."""
    gate, up, weight = (each.double() for each in drawn(case))
    hidden = torch.nn.functional.silu(gate) * up
    return torch.nn.functional.rms_norm(hidden, weight.shape, weight, case[-1])


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: "-".join(map(str, CASES[at])))
def test_equals_torch_in_float64(answered, at):
    """Values agree within a few roundings of float32, and one of float16 where that is the dtype."""
    plain, strided, _ = answered[at]
    want, dtype = exact(CASES[at]), CASES[at][2]
    assert plain.dtype == dtype
    # silu's error grows with |gate|: exp is off by |gate| units of float32's last place.
    tolerance = 2.0**-24 * (32 + 8 * CASES[at][4]) + (2.0**-11 if dtype == torch.float16 else 0)
    for got in (plain, strided):
        torch.testing.assert_close(
            got.double(), want, rtol=tolerance, atol=2.0**-25 if dtype == torch.float16 else 1e-30
        )


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: "-".join(map(str, CASES[at])))
def test_only_the_block_is_written(answered, at):
    """In the buffer stands the same answer, and around it what was there."""
    plain, _, filled = answered[at]
    rows, width = plain.shape
    assert torch.equal(filled[2 : 2 + rows, 3 : 3 + width], plain)
    filled[2 : 2 + rows, 3 : 3 + width] = UNTOUCHED
    assert (filled == UNTOUCHED).all()


def test_example_of_the_statement():
    """torch in float64 gives the table's numbers."""
    gate, up, weight = torch.tensor([[1.0, -2.0], [3.0, 0.5], [1.0, 2.0]], dtype=torch.float64)
    hidden = torch.nn.functional.silu(gate) * up
    assert hidden.tolist() == pytest.approx([2.193176, -0.119203], abs=1e-6)
    normed = torch.nn.functional.rms_norm(hidden, (2,), weight, 1e-6)
    assert normed.tolist() == pytest.approx([1.412129, -0.153503], abs=1e-6)


def test_bytes_of_the_statement():
    """3n at 8192 x 14336 in bf16 is 704,643,072 bytes: 168 microseconds at 4.2 TB/s, and four times that for 12n."""
    fused = 3 * 8192 * 14336 * 2
    assert fused == 704_643_072
    assert round(fused / 4.2e12 * 1e6) == 168 and round(4 * fused / 4.2e12 * 1e6) == 671


if __name__ == "__main__":
    torch.save(answers(), sys.argv[1])
