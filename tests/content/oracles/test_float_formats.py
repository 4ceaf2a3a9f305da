"""The reference of float_formats against ml_dtypes, numpy and torch: all codes, all midpoints, all specials."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter2" / "float_formats" / "reference.py", "reference_of_float_formats"
)
PEERS = {
    "fp16": "float16",
    "bf16": "bfloat16",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    "e2m1": "float4_e2m1fn",
    "e8m0": "float8_e8m0fnu",
}
BITS = {"fp16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "e2m1": 4, "e8m0": 8}


def peer(fmt):
    """The same format as a numpy dtype, and the integers that hold its codes."""
    name = PEERS[fmt]
    if fmt == "fp16":
        return np.dtype(np.float16), np.uint16
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="the independent implementation of small floats")
    return np.dtype(getattr(ml_dtypes, name)), np.uint16 if BITS[fmt] == 16 else np.uint8


def same(left, right):
    """Equal values, NaN and signs of zeros included."""
    np.testing.assert_array_equal(left, right)
    numbers = ~np.isnan(right)
    np.testing.assert_array_equal(np.signbit(left[numbers]), np.signbit(right[numbers]))


@pytest.mark.parametrize("fmt", PEERS)
def test_all_codes(fmt):
    """Every code decodes as in the peer, and encodes back to itself unless it is NaN."""
    dtype, integers = peer(fmt)
    codes = np.arange(2 ** BITS[fmt])
    with np.errstate(invalid="ignore"):
        want = codes.astype(integers).view(dtype).astype(np.float64)
    got = REFERENCE.decode(codes, fmt)
    same(got, want)
    numbers = ~np.isnan(got)
    np.testing.assert_array_equal(REFERENCE.encode(got[numbers], fmt, "special"), codes[numbers])


@pytest.mark.parametrize("fmt", PEERS)
def test_all_midpoints(fmt):
    """All midpoints, and the float32 beside them, round as in the peer; so does what overflows by default there."""
    dtype, _ = peer(fmt)
    values = np.unique(REFERENCE.decode(np.arange(2 ** BITS[fmt]), fmt))
    values = values[np.isfinite(values)]
    middle = ((values[1:] + values[:-1]) / 2).astype(np.float32)  # exact: at most 12 bits of mantissa
    top = np.float32(values[-1]) * np.array([1.01, 1.07, 1.2], dtype=np.float32) if fmt != "bf16" else middle[:0]
    x = np.concatenate(
        [np.nextafter(middle, np.float32(-np.inf)), middle, np.nextafter(middle, np.float32(np.inf)), top]
    )
    if fmt == "e8m0":
        # ml_dtypes 0.5.3 rounds what is just under this midpoint, a subnormal float32, up.
        x = x[~((x > 2.0**-127) & (x < 1.5 * 2.0**-127))]
    with np.errstate(all="ignore"):
        want = x.astype(dtype).astype(np.float64)
    same(REFERENCE.round_to(x.astype(np.float64), fmt, "special"), want)


def test_tf32_is_a_rounded_float32():
    """Rounding the 13 lowest bits of a float32 away in integers gives tf32, overflow included."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**32, 200_000, dtype=np.uint64)
    words[:1000] = words[:1000] & ~np.uint64(0x1FFF) | np.uint64(0x1000)  # ties
    x = words.astype(np.uint32).view(np.float32)
    words, x = words[np.isfinite(x)], x[np.isfinite(x)]
    kept = (words + np.uint64(0xFFF) + ((words >> np.uint64(13)) & np.uint64(1))) >> np.uint64(13)
    np.testing.assert_array_equal(REFERENCE.encode(x.astype(np.float64), "tf32", "special"), kept.astype(np.int64))
    with np.errstate(invalid="ignore"):
        back = (np.arange(2**19, dtype=np.uint32) << np.uint32(13)).view(np.float32).astype(np.float64)
    same(REFERENCE.decode(np.arange(2**19), "tf32"), back)


def test_published_casts():
    """Overflow and ties of E4M3, E5M2, fp16 and E2M1 at the numbers that libraries disagree on."""
    x = np.array([464.0, 465.0, 1000.0, 2.0**-10, 61439.0, 61440.0, np.inf])
    same(REFERENCE.round_to(x, "e4m3", "special"), np.array([448, np.nan, np.nan, 0, np.nan, np.nan, np.nan]))
    same(REFERENCE.round_to(x, "e4m3"), np.array([448.0, 448, 448, 0, 448, 448, 448]))
    same(REFERENCE.round_to(x[-3:], "e5m2", "special"), np.array([57344.0, np.inf, np.inf]))
    same(REFERENCE.round_to(np.array([65519.0, 65520.0]), "fp16", "special"), np.array([65504.0, np.inf]))
    same(REFERENCE.round_to(np.array([2.5, 5.0, 7.0, 0.25]), "e2m1"), np.array([2.0, 4.0, 6.0, 0.0]))


@pytest.mark.parametrize(("fmt", "finite", "distinct"), [("e4m3", 254, 253), ("e5m2", 248, 247), ("e2m1", 16, 15)])
def test_counts_of_values(fmt, finite, distinct):
    """Formats have as many finite codes and distinct values as published."""
    values = REFERENCE.decode(np.arange(2 ** BITS[fmt]), fmt)
    values = values[np.isfinite(values)]
    assert (len(values), len(np.unique(values))) == (finite, distinct)


def test_picture_draws_something():
    """The picture has a line for each format that is a number, and the line at which all is lost."""
    figure_module = pytest.importorskip("matplotlib.figure", reason="draws")
    picture = import_file(ROOT / "exercises" / "chapter2" / "float_formats" / "picture.py", "picture_of_formats")
    axes = figure_module.Figure().subplots()
    picture.draw(REFERENCE, axes)
    assert len(axes.lines) == 7 and len(axes.texts) == 7
