"""The reference of fp8_scaling against ml_dtypes, torch's float8 tensors, DeepGEMM's recipe, and published scales."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
GIVEN = import_file(ROOT / "exercises" / "chapter5" / "fp8_scaling" / "given.py", "given_of_fp8_scaling")


@pytest.fixture(scope="module")
def reference():
    """The reference, which imports ``given``."""
    before = sys.modules.get("given")
    sys.modules["given"] = GIVEN
    try:
        return import_file(ROOT / "solutions" / "chapter5" / "fp8_scaling" / "reference.py", "reference_of_fp8_scaling")
    finally:
        if before is None:
            del sys.modules["given"]
        else:
            sys.modules["given"] = before


def numbers(seed, shape, spread=8):
    """Float32 numbers of very different sizes."""
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(shape) * 10.0 ** rng.uniform(-spread, spread, shape)).astype(np.float32)


def test_given_rounding():
    """The given cast agrees with ml_dtypes on all codes, all midpoints and their neighbours, and random numbers."""
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="a peer's FP8 numbers")
    codes = np.arange(127, dtype=np.uint8).view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    middles = (codes[:-1] + codes[1:]) / 2
    near = np.concatenate([np.nextafter(middles, np.float32(side)) for side in (0, np.inf)])
    special = np.array([0, 448, 463.9, 464, 464.1, 500, 1e30, np.inf, np.nan, 2**-10, 2**-11], dtype=np.float32)
    values = np.concatenate([codes, middles, near, special, numbers(1, 5000)])
    for x in (values, -values):
        with np.errstate(all="ignore"):
            want = x.astype(ml_dtypes.float8_e4m3fn).astype(np.float32)
        np.testing.assert_array_equal(GIVEN.to_e4m3(x), want)


@pytest.mark.parametrize(
    ("algorithm", "margin", "amaxes", "want"),
    [
        ("max", 0, [1, 2, 10, 1, 1, 1, 1, 0], [1, 448, 224, 44.8, 44.8, 44.8, 448, 448]),
        ("most_recent", 0, [1, 2, 10, 1, 1, 1, 1, 0], [1, 448, 224, 44.8, 448, 448, 448, 448]),
        ("max", 1, [1, 2, 4], [1, 224, 112]),
    ],
)
def test_scales_of_transformer_engine(reference, algorithm, margin, amaxes, want):
    """The scales that Transformer Engine's update uses, with a history of three steps."""
    scale, used = 1.0, []
    for step in range(len(amaxes)):
        used.append(scale)
        scale = reference.delayed_scale(amaxes[max(0, step - 2) : step + 1], scale, algorithm, margin)
    assert used == pytest.approx(want)
    assert reference.delayed_scale([3.0, math.inf], 7.0, algorithm, margin) == 7.0


@pytest.mark.parametrize("scale", [1.0, 0.37, 2.0**-9, 3000.0])
def test_saturating_cast(reference, scale):
    """``quantize`` is torch's cast of clamped numbers."""
    torch = pytest.importorskip("torch", reason="a peer's FP8 numbers")
    x = numbers(3, (40, 50), 6)
    want = (torch.from_numpy(x) * scale).clamp(-448, 448).to(torch.float8_e4m3fn).float().numpy()
    np.testing.assert_array_equal(reference.quantize(x, scale), want)
    np.testing.assert_array_equal(reference.quantize(np.array([np.inf, -np.inf, np.nan]), scale), [448, -448, np.nan])


def deep_gemm(torch, x, block, power_of_two):
    """DeepGEMM's recipe: pad, amax of at least 1e-4, x times 1 / sf; rounds factors up by their bits."""
    (rows, columns), (height, width) = x.shape, block
    padded = torch.zeros(-(-rows // height) * height, -(-columns // width) * width)
    padded[:rows, :columns] = torch.from_numpy(x)
    view = padded.view(-1, height, padded.shape[1] // width, width)
    factors = view.abs().amax(dim=(1, 3), keepdim=True).clamp(1e-4) / 448.0
    if power_of_two:
        bits = factors.view(torch.int)
        exponent = ((bits >> 23) & 0xFF) + (bits & 0x7FFFFF).bool().int()
        factors = (exponent.clamp(1, 254) << 23).view(torch.float)
    q = (view * (1.0 / factors)).clamp(-448, 448).to(torch.float8_e4m3fn).float()
    return q.reshape(padded.shape)[:rows, :columns].numpy(), factors[:, 0, :, 0].numpy()


@pytest.mark.parametrize("power_of_two", [False, True])
@pytest.mark.parametrize(("shape", "block"), [((300, 200), (128, 128)), ((7, 300), (1, 128)), ((5, 6), (2, 3))])
def test_recipe_of_deepgemm(reference, shape, block, power_of_two):
    """Factors agree to the last bits, codes but for one in a thousand (x / sf against x times 1 / sf)."""
    torch = pytest.importorskip("torch", reason="a peer's recipe")
    x = numbers(5, shape, 3)
    q, factors = reference.blockwise_quantize(x, block, power_of_two)
    want, want_factors = deep_gemm(torch, x, block, power_of_two)
    np.testing.assert_allclose(factors, want_factors, rtol=0 if power_of_two else 3e-7)
    assert (q != want).mean() < 1e-3
    if shape == (300, 200):
        assert factors.shape == (3, 2)


def test_powers_of_two(reference):
    """0.2232 is rounded up to 0.25, and 0.00612 to 2**-7."""
    for factor, want in ((0.2232, 0.25), (0.00612, 0.0078125), (0.5, 0.5)):
        _, found = reference.blockwise_quantize(np.array([[448 * factor]], dtype=np.float32), (1, 1), True)
        assert found[0, 0] == want


@pytest.mark.parametrize(("m", "n", "k", "block"), [(3, 5, 300, 128), (16, 130, 256, 64), (4, 4, 7, 3)])
def test_product(reference, m, n, k, block):
    """The product is that of the dequantized matrices in float64."""
    a, b = numbers(1, (m, k), 1), numbers(2, (n, k), 1)
    (qa, sa), (qb, sb) = reference.blockwise_quantize(a, (1, block)), reference.blockwise_quantize(b, (block, block))
    whole_a = qa.astype(np.float64) * np.repeat(sa, block, 1)[:, :k]
    whole_b = qb.astype(np.float64) * np.repeat(np.repeat(sb, block, 0), block, 1)[:n, :k]
    found = reference.fp8_matmul(qa, sa.astype(np.float32), qb, sb.astype(np.float32), block)
    want = whole_a @ whole_b.T
    assert np.abs(found - want).max() < 1e-5 * (np.abs(whole_a) @ np.abs(whole_b).T).max()
    exact = a.astype(np.float64) @ b.T
    assert 0 < np.abs(want - exact).max() < 0.13 * (np.abs(a) @ np.abs(b).T).max()


def test_outliers(reference):
    """A column ten million times as large: one factor loses all other numbers, blocks keep an error of 2.6 %."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((128, 512)).astype(np.float32)
    found = {}
    for size in (1e3, 1e7):
        spoiled = x.copy()
        spoiled[:, 0] *= size
        for block in ((128, 512), (1, 128)):
            q, factors = reference.blockwise_quantize(spoiled, block)
            back = q * factors.repeat(block[0], 0).repeat(block[1], 1)
            rest = np.s_[:, 128:]
            found[size, block] = np.sqrt(((back - x)[rest] ** 2).mean() / (x[rest] ** 2).mean())
    assert found[1e7, (128, 512)] == pytest.approx(1, abs=0.01)
    assert found[1e7, (1, 128)] == pytest.approx(0.0257, abs=0.001)
    assert found[1e3, (128, 512)] == pytest.approx(0.0265, abs=0.001)


def test_picture(reference):
    """The picture has four curves; one factor for the tensor ends at an error of 100 %."""
    figure = pytest.importorskip("matplotlib.figure", reason="draws the picture").Figure()
    picture = import_file(ROOT / "exercises" / "chapter5" / "fp8_scaling" / "picture.py", "picture_of_fp8_scaling")
    axes = figure.subplots()
    picture.draw(reference, axes)
    assert len(axes.lines) == 5
    ends = [line.get_ydata()[-1] for line in axes.lines[:4]]
    assert ends[0] > 0.99 and ends[2] < 0.03 and ends[3] < 0.03
