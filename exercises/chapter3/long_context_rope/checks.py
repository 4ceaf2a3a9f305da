"""Checks of long_context_rope. Symbols: d dimensions of a head, b base, L trained length, s factor, θ frequencies.

Mostly laws: what stays, what is divided by s, and what lies on a line between. The tolerance of 1e-5 is the contract's:
with float32 throughout, b ** (-2i / d) is off by up to ln(b) <= 18.5 roundings of 6e-8, and the rest adds a few more.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from grader import expect

METHODS = ("none", "linear", "ntk", "yarn", "llama3")
STRETCHING = METHODS[1:]
RELATIVE = 1e-5

DIMS = st.one_of(st.sampled_from([64, 128]), st.integers(2, 128).map(lambda half: 2 * half))
BASES = st.one_of(st.sampled_from([10_000, 500_000, 1_000_000]), st.integers(100, 10**7))
FACTORS = st.one_of(st.sampled_from([2, 4, 8, 32]), st.floats(1.25, 64))
LENGTHS = st.sampled_from([64, 100, 2048, 4096, 8192, 32_768, 131_072])


def frequencies(learner, dim, base, method, factor, length):
    """The learner's frequencies as an array of shape (dim // 2,)."""
    got = learner.rope_frequencies(dim, base, method, factor, length)
    return expect.array(got, f"frequencies, {method}", shape=(dim // 2,)).astype(np.float64)


def plain(dim, base):
    """b ** (-2i / d), number by number."""
    return np.array([base ** -(2 * i / dim) for i in range(dim // 2)])


def kept(got, dim, base, factor):
    """How much of the way from θ / s to θ each frequency is: 1 is untouched, 0 is interpolated."""
    theta = plain(dim, base)
    return (got - theta / factor) / (theta - theta / factor)


def fuzz(factor):
    """What the contract's tolerance makes of ``kept``."""
    return RELATIVE * factor / (factor - 1)


@pytest.mark.core
@pytest.mark.hint("pair i has the exponent -2i/d: the first turns by one radian per token, the last hardly at all")
@given(dim=DIMS, base=BASES, factor=FACTORS, length=LENGTHS)
@example(dim=4, base=10_000, factor=2, length=4096)
def test_plain_frequencies(learner, dim, base, factor, length):
    """without stretching, pair i turns by b ** (-2i / d) radians per token"""
    assume(length <= base)
    expect.close(frequencies(learner, dim, base, "none", factor, length), plain(dim, base), rtol=RELATIVE, atol=0)


@pytest.mark.core
@pytest.mark.hint("a factor of 1 stretches nothing: put s = 1 into each formula")
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=20)
@given(dim=DIMS, base=BASES, length=LENGTHS)
def test_factor_one_changes_nothing(learner, method, dim, base, length):
    """at a factor of 1 all methods coincide"""
    assume(length <= base)
    expect.close(frequencies(learner, dim, base, method, 1, length), plain(dim, base), rtol=RELATIVE, atol=0)


@pytest.mark.core
@pytest.mark.hint("squeezing s times as many positions into the trained range divides every angle by s")
@given(dim=DIMS, base=BASES, factor=FACTORS, length=LENGTHS)
def test_interpolation_divides_all(learner, dim, base, factor, length):
    """position interpolation divides all frequencies by the factor"""
    assume(length <= base)
    got = frequencies(learner, dim, base, "linear", factor, length)
    expect.close(got * factor, plain(dim, base), "frequencies, linear, times the factor", rtol=RELATIVE, atol=0)


@pytest.mark.core
@pytest.mark.hint("the exponent d / (d - 2) is there so that the last pair, i = d/2 - 1, is divided by exactly s")
@given(dim=DIMS, base=BASES, factor=FACTORS, length=LENGTHS)
@example(dim=128, base=10_000, factor=4, length=4096)
def test_ntk_keeps_the_first_and_divides_the_last(learner, dim, base, factor, length):
    """with the NTK base the first pair is untouched, the last divided by the factor, all between in even ratios"""
    assume(length <= base)
    got = frequencies(learner, dim, base, "ntk", factor, length)
    theta = plain(dim, base)
    expect.close(got[0], 1.0, "the first frequency", rtol=RELATIVE, atol=0)
    expect.close(got[-1] * factor, theta[-1], "the last frequency, times the factor", rtol=RELATIVE, atol=0)
    even = got[0] * (got[-1] / got[0]) ** (np.arange(dim // 2) / (dim // 2 - 1))
    expect.close(got, even, "frequencies, ntk", rtol=RELATIVE, atol=0)


def ends_of_ramp(dim, base, length):
    """The indices, not rounded, of pairs that make 32 turns and 1 turn in the trained length."""
    return [dim * math.log(length / (2 * math.pi * turns)) / (2 * math.log(base)) for turns in (32, 1)]


def clear_of_integers(*values):
    """Whether rounding up or down is no matter of the last digits."""
    return all(abs(value - round(value)) > 1e-3 for value in values)


@pytest.mark.core
@pytest.mark.hint("32 turns and more: untouched; one turn and fewer: divided by s; which end of the index is which?")
@given(dim=DIMS, base=BASES, factor=FACTORS, length=LENGTHS)
@example(dim=128, base=10_000, factor=4, length=4096)
@example(dim=64, base=10_000, factor=8, length=64)
def test_yarn_keeps_fast_pairs_and_divides_slow_ones(learner, dim, base, factor, length):
    """YaRN leaves pairs of 32 turns and more alone, and divides those of one turn and fewer"""
    assume(length <= base and clear_of_integers(*ends_of_ramp(dim, base, length)))
    share = kept(frequencies(learner, dim, base, "yarn", factor, length), dim, base, factor)
    turns = length * plain(dim, base) / (2 * math.pi)
    # As low is rounded down and high up, pairs of 32 turns lie up to low, and pairs of one turn from high on.
    low, high = math.floor(ends_of_ramp(dim, base, length)[0]), math.ceil(ends_of_ramp(dim, base, length)[1])
    index = np.arange(dim // 2)
    fast, slow = share[(turns >= 32) & (index <= low)], share[(turns <= 1) & (index >= high)]
    expect.close(fast, np.ones(len(fast)), "what is kept of pairs of 32 turns and more", rtol=0, atol=fuzz(factor))
    expect.close(slow, np.zeros(len(slow)), "what is kept of pairs of one turn and fewer", rtol=0, atol=fuzz(factor))


@pytest.mark.core
@pytest.mark.hint("the ramp is straight in the index i, from floor(c(32)) to ceil(c(1)), and L is the trained length")
@given(dim=DIMS, base=BASES, factor=FACTORS, length=LENGTHS)
@example(dim=128, base=10_000, factor=32, length=4096)
@example(dim=64, base=10_000, factor=8, length=64)
@example(dim=64, base=10_000, factor=8, length=150)
def test_yarn_ramp_is_straight_in_the_index(learner, dim, base, factor, length):
    """between them YaRN goes over in equal steps from pair to pair"""
    assume(length <= base and clear_of_integers(*ends_of_ramp(dim, base, length)))
    share = kept(frequencies(learner, dim, base, "yarn", factor, length), dim, base, factor)
    low, high = ends_of_ramp(dim, base, length)
    low, high = max(math.floor(low), 0), math.ceil(high)
    line = np.interp(np.arange(dim // 2), [low, high], [1, 0])
    expect.close(share, line, "what is kept of each pair", rtol=0, atol=fuzz(factor))


@pytest.mark.core
@pytest.mark.hint("turns are L / λ with the trained length L: 4 and more are kept, 1 and fewer divided, a line between")
@given(dim=DIMS, base=BASES, factor=FACTORS, length=LENGTHS)
@example(dim=128, base=500_000, factor=8, length=8192)
def test_llama3_ramp_is_straight_in_the_turns(learner, dim, base, factor, length):
    """Llama 3 keeps pairs of 4 turns and more, divides those of one and fewer, with a straight line in turns between"""
    assume(length <= base)
    share = kept(frequencies(learner, dim, base, "llama3", factor, length), dim, base, factor)
    turns = length * plain(dim, base) / (2 * math.pi)
    expect.close(share, np.interp(turns, [1, 4], [0, 1]), "what is kept of each pair", rtol=0, atol=2 * fuzz(factor))


@pytest.mark.core
@pytest.mark.hint("a later pair never turns faster, and nothing is stretched by more than the factor")
@pytest.mark.parametrize("method", STRETCHING)
@settings(max_examples=20)
@given(dim=DIMS, base=BASES, factor=FACTORS, length=LENGTHS)
def test_order_and_bounds(learner, method, dim, base, factor, length):
    """frequencies fall with the index and lie between θ / s and θ"""
    assume(length <= base and clear_of_integers(*ends_of_ramp(dim, base, length)))
    got, theta = frequencies(learner, dim, base, method, factor, length), plain(dim, base)
    expect.at_most(got[1:], got[:-1] * (1 + 2 * RELATIVE), "each frequency, by the one before it")
    expect.between(got, theta / factor * (1 - RELATIVE), theta * (1 + RELATIVE), "frequencies")


# Peers' own numbers: ratios θ' / θ at some pairs, from transformers 5.24 (float32), five digits.
YARN_PAIRS = [0, 20, 21, 30, 32, 40, 45, 46, 63]
YARN = {  # s -> ratios for d = 128, b = 10,000, L = 4096
    4: [1, 1, 0.97115, 0.71154, 0.65385, 0.42308, 0.27885, 0.25, 0.25],
    16: [1, 1, 0.96394, 0.63942, 0.56731, 0.27885, 0.09856, 0.0625, 0.0625],
    32: [1, 1, 0.96274, 0.6274, 0.55288, 0.25481, 0.06851, 0.03125, 0.03125],
}
LLAMA3 = {28: 1, 29: 0.82817, 30: 0.64374, 32: 0.37112, 34: 0.19021, 35: 0.125, 63: 0.125}


@pytest.mark.core
@pytest.mark.hint("work through the statement's table for one pair by hand, with the logarithms written out")
def test_figures_of_published_models(learner):
    """Llama 2 stretched by YaRN, and Llama 3.1"""
    for factor, ratios in YARN.items():
        got = frequencies(learner, 128, 10_000, "yarn", factor, 4096) / plain(128, 10_000)
        expect.close(got[YARN_PAIRS], ratios, f"ratios of YaRN, s = {factor}", rtol=2e-5, atol=5e-6)
    got = frequencies(learner, 128, 500_000, "llama3", 8, 8192) / plain(128, 500_000)
    expect.close(got[list(LLAMA3)], list(LLAMA3.values()), "ratios of Llama 3.1", rtol=2e-5, atol=5e-6)


# --- attention


@pytest.mark.core
@pytest.mark.hint("0.1 ln(s) + 1, the natural logarithm, once: queries and keys each bring it along")
@given(factor=st.one_of(st.just(1), FACTORS), more=FACTORS)
@example(factor=4, more=4)
def test_attention_factor(learner, factor, more):
    """YaRN's factor begins at 1 and grows by 0.1 for each factor of e; other methods have none"""
    factors = [expect.number(learner.attention_factor("yarn", s), "the factor") for s in (factor, more, factor * more)]
    expect.close(factors[0], 1 + math.log(factor) / 10, f"the factor for s = {factor}", rtol=RELATIVE, atol=0)
    expect.close(factors[2] - 1, factors[0] + factors[1] - 2, "logarithms add up", rtol=0, atol=5 * RELATIVE)
    for method in ("none", "linear", "ntk", "llama3"):
        expect.close(learner.attention_factor(method, factor), 1, f"the factor of {method}", rtol=RELATIVE, atol=0)


# --- edges


@pytest.mark.edge
@pytest.mark.hint("a head of 4 dimensions has two pairs: the first and the last")
@settings(max_examples=20)
@given(base=BASES, factor=FACTORS, length=LENGTHS)
def test_smallest_head(learner, base, factor, length):
    """with four dimensions the methods keep the first pair and divide the last where they should"""
    assume(length <= base)
    last = base**-0.5
    for method, want in (("none", last), ("linear", last / factor), ("ntk", last / factor)):
        first = 1 / factor if method == "linear" else 1
        got = frequencies(learner, 4, base, method, factor, length)
        expect.close(got, [first, want], f"frequencies, {method}", rtol=RELATIVE, atol=0)


@pytest.mark.edge
@pytest.mark.hint("the trained length matters to yarn and llama3 only")
@settings(max_examples=20)
@given(dim=DIMS, factor=FACTORS, lengths=st.lists(LENGTHS, min_size=2, max_size=2, unique=True))
def test_what_depends_on_the_length(learner, dim, factor, lengths):
    """none, linear and ntk do not depend on the trained length"""
    for method in ("none", "linear", "ntk"):
        one, two = (frequencies(learner, dim, 10**6, method, factor, length) for length in lengths)
        expect.close(one, two, f"frequencies, {method}, for two lengths", rtol=RELATIVE, atol=0)


@pytest.mark.edge
@pytest.mark.hint("pairs need an even number of dimensions, and a context is not made shorter: raise ValueError")
@settings(max_examples=15)
@given(
    dim=st.one_of(st.integers(2, 60).map(lambda half: 2 * half + 1), st.integers(-4, 3)),
    factor=st.floats(-2, 0.99),
    method=st.sampled_from(METHODS),
    wrong=st.sampled_from(["", "YaRN", "pi", "llama"]),
)
def test_impossible_arguments(learner, dim, factor, method, wrong):
    """impossible arguments are errors, whatever the method"""
    expect.raises(ValueError, learner.rope_frequencies, dim, 10_000, method, 2, 4096)
    expect.raises(ValueError, learner.rope_frequencies, 64, 10_000, method, factor, 4096)
    expect.raises(ValueError, learner.rope_frequencies, 64, 10_000, wrong, 2, 4096)
    expect.raises(ValueError, learner.attention_factor, method, factor)
    expect.raises(ValueError, learner.attention_factor, wrong, 2)
