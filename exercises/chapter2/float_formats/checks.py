"""Checks of float_formats.

The oracle climbs a ladder: the values of a format in order, each one spacing above the one before, and the code is
the number of the rung. Neighbours and midpoints are exact in float64, so nothing here has a tolerance.
"""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

# bits of exponent and mantissa, bias, number of finite codes from zero on, what overflow becomes
FIELDS = {
    "fp16": (5, 10, 15, 31 << 10, np.inf),
    "bf16": (8, 7, 127, 255 << 7, np.inf),
    "tf32": (8, 10, 127, 255 << 10, np.inf),
    "e4m3": (4, 3, 7, 127, np.nan),
    "e5m2": (5, 2, 15, 31 << 2, np.inf),
    "e2m1": (2, 1, 1, 8, 6.0),
    "e8m0": (8, 0, 127, 255, np.nan),
}
NUMBERS = [name for name in FIELDS if name != "e8m0"]
MODES = ("saturate", "special")
formats = pytest.mark.parametrize("fmt", FIELDS)


@lru_cache
def ladder(fmt):
    """The finite values from the smallest on, and the one that would come next if exponents went on."""
    _, mantissa, bias, count, _ = FIELDS[fmt]
    if fmt == "e8m0":
        return 2.0 ** np.arange(-bias, count - bias + 1)
    binade = np.maximum((np.arange(count) >> mantissa) - 1, 0)  # the first two have the same spacing
    return np.concatenate([[0.0], np.cumsum(2.0 ** (1 - bias - mantissa + binade))])


def half(fmt):
    """Number of codes without sign bit."""
    return 1 << (FIELDS[fmt][0] + FIELDS[fmt][1])


def rungs(fmt, seed, most=600):
    """Finite codes without sign bit: all of a small format, some of a large one, the ends of its parts among them."""
    count, mantissa = FIELDS[fmt][3], FIELDS[fmt][1]
    if count <= most:
        return np.arange(count)
    ends = [0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, (1 << mantissa) + 1, (2 << mantissa) - 1, 2 << mantissa]
    some = np.random.default_rng(seed).integers(0, count, most)
    return np.unique(np.concatenate([ends, [count - 2, count - 1], some]))


def nearest(x, fmt, overflow):
    """Codes and values for x by comparing it with the midpoints between rungs."""
    steps, (*_, count, special) = ladder(fmt), FIELDS[fmt]
    size = np.where(np.isnan(x), 0.0, np.abs(x))
    middle = (steps[:-1] + steps[1:]) / 2
    code = np.searchsorted(middle, size)  # the lower of two where it is a tie
    tie = np.append(middle, np.nan)[code] == size
    code = code + (tie if fmt == "e8m0" else tie & (code % 2 == 1))
    value = np.append(steps[:-1], special if overflow == "special" else steps[-2])[np.minimum(code, count)]
    if overflow == "saturate" or fmt == "e2m1":
        code = np.minimum(code, count - 1)
    if fmt == "e8m0":
        return np.where(x > 0, code, 255), np.where(x > 0, value, np.nan)
    code, value = code + half(fmt) * np.signbit(x), np.copysign(value, x)
    return code, np.where(np.isnan(x), np.nan, value)


def same(got, want, what):
    """Ask for equal values, and for equal signs of zeros."""
    expect.equal(got, want, what)
    zeros = np.asarray(want) == 0
    signs = np.copysign(1.0, expect.array(got, what)[zeros])
    expect.equal(signs, np.copysign(1.0, np.asarray(want)[zeros]), f"signs of the zeros in {what}")


def judge(learner, x, fmt, overflow):
    """Ask for the right values, and for the right codes wherever these are numbers."""
    code, value = nearest(x, fmt, overflow)
    same(learner.round_to(x, fmt, overflow), value, f"values in {fmt}, overflow={overflow!r}")
    codes = expect.array(learner.encode(x, fmt, overflow), f"codes in {fmt}", shape=x.shape)
    known = ~np.isnan(value)
    expect.equal(codes[known], code[known], f"codes in {fmt}, overflow={overflow!r}")
    if not known.all():
        # NaN may have several codes: any one of the format's beyond infinity, under either sign.
        body = expect.array(codes[~known]) % half(fmt)
        lowest = FIELDS[fmt][3] + (FIELDS[fmt][4] == np.inf)
        expect.true(bool((body >= lowest).all()), f"NaN gets a code of NaN in {fmt}")
        expect.between(codes[~known], 0, (1 if fmt == "e8m0" else 2) * half(fmt) - 1, f"codes of NaN in {fmt}")


# --- decoding


@pytest.mark.core
@pytest.mark.hint("an exponent field of 0 means subnormal; which codes are no numbers differs from format to format")
@formats
@settings(max_examples=2)
@given(seed=strategies.seeds())
def test_codes_climb_a_ladder(learner, fmt, seed):
    """each code stands for its value: subnormal, normal, infinite or NaN, of both signs"""
    count, special = FIELDS[fmt][3:]
    beyond = np.array([c for c in (count, count + 1, half(fmt) - 1) if count <= c < half(fmt)], dtype=np.int64)
    past = np.where((beyond == count) & (special == np.inf), np.inf, np.nan)
    below = rungs(fmt, seed)
    codes, values = np.append(below, beyond), np.append(ladder(fmt)[below], past)
    if fmt != "e8m0":
        codes, values = np.append(codes, codes + half(fmt)), np.append(values, -values)
    same(learner.decode(codes, fmt), values, f"values of codes of {fmt}")


@pytest.mark.core
@pytest.mark.hint("a value of the format is its own nearest value; what code does it have?")
@formats
@settings(max_examples=2)
@given(seed=strategies.seeds())
def test_values_find_their_codes(learner, fmt, seed):
    """every value of a format is encoded as its own code, and kept by rounding"""
    codes = rungs(fmt, seed)
    values = ladder(fmt)[codes]
    if fmt != "e8m0":
        codes, values = np.append(codes, codes + half(fmt)), np.append(values, -values)
    for overflow in MODES:
        expect.equal(learner.encode(values, fmt, overflow), codes, f"codes of values of {fmt}")
        same(learner.round_to(values, fmt, overflow), values, f"values of {fmt}")


PUBLISHED = {  # computed with ml_dtypes and numpy
    "bf16": (0x3F80, 0xC020, 0x3DCD, 0x4049),
    "fp16": (0x3C00, 0xC100, 0x2E66, 0x4248),
    "e4m3": (0x38, 0xC2, 0x1D, 0x45),
    "e5m2": (0x3C, 0xC1, 0x2E, 0x42),
    "e2m1": (0x2, 0xC, 0x0, 0x5),
}
RANGES = {  # largest finite, smallest normal, smallest above zero; the last two are equal in a scale
    "fp16": (65504.0, 2.0**-14, 2.0**-24),
    "bf16": (3.3895313892515355e38, 2.0**-126, 2.0**-133),
    "tf32": ((2 - 2.0**-10) * 2.0**127, 2.0**-126, 2.0**-136),
    "e4m3": (448.0, 2.0**-6, 2.0**-9),
    "e5m2": (57344.0, 2.0**-14, 2.0**-16),
    "e2m1": (6.0, 1.0, 0.5),
    "e8m0": (2.0**127, 2.0**-127, 2.0**-127),
}


@pytest.mark.core
@pytest.mark.hint("work one of the README's examples through by hand, and compare bit by bit")
@pytest.mark.parametrize("fmt", PUBLISHED)
def test_examples_of_the_statement(learner, fmt):
    """1, -2.5, 0.1 and 3.14159265 have the codes that the statement prints"""
    x = np.array([1.0, -2.5, 0.1, 3.14159265])
    expect.equal(learner.encode(x, fmt), PUBLISHED[fmt], f"codes in {fmt}")


@pytest.mark.core
@pytest.mark.hint("compare with the table of the README: bias, largest finite value, smallest normal, smallest of all")
@formats
def test_ranges_of_the_statement(learner, fmt):
    """largest, smallest normal and smallest value of a format are those of the table"""
    ends = np.array(RANGES[fmt])
    expect.equal(learner.round_to(ends, fmt), ends, f"ends of {fmt}")
    expect.equal(learner.round_to(ends[:1] * 4, fmt), ends[:1], f"four times the largest value of {fmt}")
    codes = np.array([FIELDS[fmt][3] - 1, 0 if fmt == "e8m0" else 1])
    expect.equal(learner.decode(codes, fmt), ends[[0, 2]], f"largest and smallest code of {fmt}")


# --- rounding


@pytest.mark.core
@pytest.mark.hint("round to the nearest, from all bits of x; which neighbour gets what lies exactly between the two?")
@formats
@settings(max_examples=2)
@given(seed=strategies.seeds())
def test_midpoints_and_their_neighbours(learner, fmt, seed):
    """midway between two values the even code wins, and a hair beside it the nearer value"""
    lower = rungs(fmt, seed)[:-1]
    middle = (ladder(fmt)[lower] + ladder(fmt)[lower + 1]) / 2
    x = np.concatenate([np.nextafter(middle, 0), middle, np.nextafter(middle, np.inf)])
    judge(learner, x if fmt == "e8m0" else np.append(x, -x), fmt, "saturate")


@pytest.mark.core
@pytest.mark.hint("is there a value of the format that is nearer to x than yours?")
@formats
@settings(max_examples=4)
@given(seed=strategies.seeds(), overflow=st.sampled_from(MODES), count=st.integers(1, 300))
def test_no_value_is_nearer(learner, fmt, seed, overflow, count):
    """rounding finds the nearest value, over the whole range of a format and somewhat beyond"""
    rng = np.random.default_rng(seed)
    steps = ladder(fmt)
    low, high = np.log2(steps[steps > 0][[0, -2]])
    x = 2.0 ** rng.uniform(low - 3, high + 2, count)
    judge(learner, x if fmt == "e8m0" else x * rng.choice([-1, 1], count), fmt, overflow)


# --- overflow, NaN, zero


@pytest.mark.edge
@pytest.mark.hint("round first, as if exponents went on; overflow is what is then larger than the largest finite value")
@formats
@pytest.mark.parametrize("overflow", MODES)
def test_overflow(learner, fmt, overflow):
    """what rounds to more than the largest value saturates or becomes special, infinity too; less does not"""
    last, over = ladder(fmt)[-2:]
    middle = (last + over) / 2
    x = np.array([last, np.nextafter(middle, 0), middle, np.nextafter(middle, np.inf), over, 3.7 * over, 1e300, np.inf])
    judge(learner, x if fmt == "e8m0" else np.append(x, -x), fmt, overflow)


@pytest.mark.edge
@pytest.mark.hint("NaN is no large number, and must not be hidden; where it cannot be kept, that is an error")
@formats
def test_nan_is_kept_or_refused(learner, fmt):
    """NaN stays NaN under both kinds of overflow; e2m1, which has none, refuses it"""
    x = np.array([[1.0, np.nan], [2.0, 0.5]])
    for overflow in MODES:
        if fmt == "e2m1":
            expect.raises(ValueError, learner.encode, x, fmt, overflow)
            expect.raises(ValueError, learner.round_to, x, fmt, overflow)
        else:
            judge(learner, x, fmt, overflow)


@pytest.mark.edge
@pytest.mark.hint("the sign bit is set for -0.0 as well, and for a negative number that rounds to zero")
@pytest.mark.parametrize("fmt", NUMBERS)
def test_small_numbers_and_signs_of_zero(learner, fmt):
    """what is nearest to zero becomes a zero of its own sign; half of the smallest value does, a hair more does not"""
    smallest = RANGES[fmt][2]
    x = np.array([0.0, 5e-324, smallest / 3, smallest / 2, np.nextafter(smallest / 2, 1), 0.75 * smallest])
    judge(learner, np.append(x, -x), fmt, "special")


@pytest.mark.edge
@pytest.mark.hint("zero has no exponent of its own: what does your way to find the exponent say of it?")
@pytest.mark.parametrize("fmt", NUMBERS)
def test_zero(learner, fmt):
    """0.0 has code 0, -0.0 the sign bit alone, and both are kept by rounding"""
    x = np.array([0.0, -0.0])
    codes = np.array([0, half(fmt)])
    expect.equal(learner.encode(x, fmt), codes, f"codes of 0.0 and -0.0 in {fmt}")
    same(learner.round_to(x, fmt), x, f"0.0 and -0.0 in {fmt}")
    same(learner.decode(codes, fmt), x, f"values of codes 0 and {half(fmt)} of {fmt}")


@pytest.mark.edge
@pytest.mark.hint("a scale has no zero and no sign: what of x can it hold, and what not?")
@pytest.mark.parametrize("overflow", MODES)
def test_scales_are_positive(learner, overflow):
    """in e8m0 zero and negative numbers are NaN, small ones 2**-127, and 1.5 goes up to 2"""
    x = np.array([0.0, -0.0, -1.0, -3e-300, -np.inf, 5e-324, 2.0**-128, 2.0**-127, 1.4, 1.5, 3.0, 0.75, 0.0])
    judge(learner, x, "e8m0", overflow)
    judge(learner, np.array([1.0, 1e-320, 5e-39]), "e8m0", overflow)


# --- arguments


@pytest.mark.edge
@pytest.mark.hint("same shape out as in, also for an empty array and for one without axes; and leave x as it is")
@settings(max_examples=12)
@given(
    shape=strategies.shapes(min_dims=0, min_side=0, max_side=4), seed=strategies.seeds(), fmt=st.sampled_from(NUMBERS)
)
@example(shape=(), seed=1, fmt="e4m3")
@example(shape=(0,), seed=1, fmt="bf16")
def test_any_shape(learner, shape, seed, fmt):
    """arrays of any shape are answered in that shape, and not changed"""
    x = strategies.normal(seed, shape, scale=2.0)
    code, value = nearest(x, fmt, "saturate")
    got = expect.unchanged(learner.round_to, x, fmt)
    expect.shape(got, shape, "round_to")
    expect.equal(got, value)
    codes = expect.unchanged(learner.encode, x, fmt)
    expect.shape(codes, shape, "encode")
    expect.equal(codes, code)
    values = expect.unchanged(learner.decode, np.asarray(code, dtype=np.int64), fmt)
    expect.shape(values, shape, "decode")
    expect.equal(values, value)


@pytest.mark.edge
@pytest.mark.hint("ValueError for a name that is unknown, and for a code that has more bits than the format")
@formats
def test_impossible_arguments(learner, fmt):
    """unknown formats, unknown kinds of overflow and impossible codes are errors"""
    one, bits = np.array([1.0]), sum(FIELDS[fmt][:2]) + (fmt != "e8m0")
    expect.shape(learner.decode(np.array([0, 2**bits - 1]), fmt), (2,), "first and last code")
    for code in (-1, 2**bits, 2**bits + 5):
        expect.raises(ValueError, learner.decode, np.array([0, code]), fmt)
    for function in (learner.encode, learner.round_to):
        expect.raises(ValueError, function, one, fmt, "wrap")
        expect.raises(ValueError, function, one, fmt + "x", "saturate")
    expect.raises(ValueError, learner.decode, np.array([0]), fmt + "x")


# --- scale


@pytest.mark.scale
@pytest.mark.hint("arithmetic on the number itself, or a search in sorted values, instead of a comparison with all")
def test_thirty_thousand_numbers(learner):
    """30,000 numbers are rounded to tf32 without comparing each with half a million values"""
    x = strategies.normal(7, (30_000,), scale=3.0)
    same(learner.round_to(x, "tf32"), nearest(x, "tf32", "saturate")[1], "values in tf32")
