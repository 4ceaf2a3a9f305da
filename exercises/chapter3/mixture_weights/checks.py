"""Checks of mixture_weights. Symbols: nᵢ tokens of source i, D tokens of the budget, N epochs at most.

The oracle for caps knows no order of sources: it tries every set of capped sources, in exact fractions. The contract
allows a relative error of 1e-9. A solution in float64 needs far less: with up to 200 sources, whose weights differ by
a factor of 100 at most, what is left after the caps is at least D / (200 * 100), so even the sum of all rounding
errors, 200 * 2**-53 * D, is 4.4e-10 of it.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect, strategies

RTOL = 1e-9
EVERYWHERE = float("inf")

SIZES = st.lists(st.integers(0, 1000), min_size=1, max_size=5).filter(any)
WEIGHTED = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1000)), min_size=1, max_size=5).filter(
    lambda sources: any(weight * size for weight, size in sources)
)
TEMPERATURES = st.sampled_from([0.25, 0.5, 1.0, 1.25, 1.43, 2.0, 3.33, 5.0, 20.0])
EPOCHS = st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.25, 3.0, 4.0, 16.0])
PERCENT = st.integers(1, 99)


def read(answer, sizes, what="weights"):
    """An answer as an array with one entry per source."""
    return expect.array(answer, what, shape=(len(sizes),))


def capacity(weights, sizes, max_epochs):
    """Tokens that the sources of positive weight give within the cap."""
    return max_epochs * sum(size for weight, size in zip(weights, sizes, strict=True) if weight)


def filled(weights, sizes, budget, max_epochs):
    """Tokens per source: of all ways to say who is capped, the one that keeps every condition, in fractions."""
    caps = [Fraction(max_epochs) * size for size in sizes]
    for capped in product((False, True), repeat=len(sizes)):
        left = Fraction(budget) - sum(cap for cap, at in zip(caps, capped, strict=True) if at)
        free = sum(weight for weight, at in zip(weights, capped, strict=True) if not at)
        if not free or left < 0:
            continue
        level = left / free
        if all(
            (level * weight >= cap) if at else (level * weight <= cap)
            for weight, cap, at in zip(weights, caps, capped, strict=True)
        ):
            tokens = [cap if at else level * weight for weight, cap, at in zip(weights, caps, capped, strict=True)]
            return [float(each) for each in tokens]
    raise AssertionError("the budget cannot be filled")


def made_sizes(seed, count):
    """Sizes from a million to ten trillion tokens, evenly in the exponent, in no order."""
    return [int(size) for size in 10 ** np.random.default_rng(seed).uniform(6, 13, count)]


# --- temperature


@pytest.mark.core
@pytest.mark.hint("raise each size to the power 1/t, not t, and divide by the sum of these powers")
@given(sizes=SIZES, t=TEMPERATURES)
@example(sizes=[400, 90, 10], t=2.0)
def test_temperature_is_undone_by_its_power(learner, sizes, t):
    """weights to the power t are in proportion to the sizes, and the weights sum to 1"""
    weights = read(learner.temperature_weights(sizes, t), sizes)
    expect.between(weights, 0, 1, "weights")
    expect.close(weights.sum(), 1, "the sum of the weights", rtol=RTOL, atol=0)
    back = np.power(weights / weights.max(), t)
    # An error of 1e-9 in each of two weights grows t-fold. Both are powers of numbers from 1e-3 on.
    want = np.array(sizes) / max(sizes)
    expect.close(back, want, f"(weight / largest weight) to the power {t}", rtol=(2 * t + 1) * RTOL, atol=0)


PUBLISHED = {  # p(L) in proportion to |L|^α, section 3.2 of mT5 (Xue et al. 2021); α of XLM-R and mT5, and of mBERT
    0.3: [0.532405, 0.266835, 0.133734, 0.067026],
    0.7: [0.801744, 0.159969, 0.031918, 0.006368],
}


@pytest.mark.core
@pytest.mark.hint("the multilingual papers' α is 1/t: 0.3 is t = 3.33")
@pytest.mark.parametrize("alpha", sorted(PUBLISHED))
def test_alpha_of_multilingual_models(learner, alpha):
    """t = 1/0.3 and t = 1/0.7 give the proportions of mT5 and of mBERT"""
    weights = read(learner.temperature_weights([1000, 100, 10, 1], 1 / alpha), range(4))
    expect.close(weights, PUBLISHED[alpha], f"weights at α = {alpha}", rtol=0, atol=6e-7)  # six printed digits


@pytest.mark.core
@pytest.mark.hint("t = 1 is in proportion to size, and the hotter it is, the more equal are the sources")
@given(seed=strategies.seeds(), count=st.integers(1, 200), t=st.sampled_from([1.0, 1.43, 2.0, 3.33]))
def test_hotter_is_flatter(learner, seed, count, t):
    """t = 1 draws every source for the same epochs; at t = infinity all sources weigh the same"""
    sizes = made_sizes(seed, count)
    cold = read(learner.temperature_weights(sizes, 1.0), sizes)
    expect.close(cold, np.array(sizes) / sum(sizes), "weights at t = 1", rtol=RTOL, atol=0)
    warm = read(learner.temperature_weights(sizes, t), sizes)
    hot = read(learner.temperature_weights(sizes, t + 1), sizes)
    expect.at_most(hot.max(), warm.max() * (1 + RTOL), f"the largest weight at t = {t + 1} against t = {t}")
    expect.at_least(hot.min(), warm.min() * (1 - RTOL), f"the smallest weight at t = {t + 1} against t = {t}")
    flat = read(learner.temperature_weights(sizes, EVERYWHERE), sizes)
    expect.close(flat, [1 / count] * count, "weights at t = infinity", rtol=RTOL, atol=0)


@pytest.mark.edge
@pytest.mark.hint("0 to the power of 0 is 1: what does a source without tokens get at t = infinity?")
@given(sizes=SIZES, t=st.sampled_from([0.25, 1.0, 3.33, EVERYWHERE]), blanks=st.integers(1, 3))
def test_nothing_from_empty_sources(learner, sizes, t, blanks):
    """an empty source has weight 0 and takes nothing from the others, at every t"""
    sizes = [size for size in sizes if size]
    padded = [0] * blanks + sizes
    weights = read(learner.temperature_weights(padded, t), padded)
    expect.equal(weights[:blanks], [0.0] * blanks, "weights of the empty sources")
    alone = read(learner.temperature_weights(sizes, t), sizes)
    expect.close(weights[blanks:], alone, "the other weights, with and without them", rtol=RTOL, atol=0)


# --- a cap on epochs


@pytest.mark.core
@pytest.mark.hint("after handing on what a capped source cannot take, look again: who is over the cap now?")
@given(sources=WEIGHTED, percent=PERCENT, max_epochs=EPOCHS)
@example(sources=[(6, 400), (2, 90), (1, 10)], percent=80, max_epochs=1.0)
def test_capped_weights_are_the_only_ones(learner, sources, percent, max_epochs):
    """of all ways to choose who is capped, the answer is the one that keeps every condition"""
    weights, sizes = [weight for weight, _ in sources], [size for _, size in sources]
    budget = capacity(weights, sizes, max_epochs) * percent / 100
    got = read(learner.capped_weights(weights, sizes, budget, max_epochs), sizes)
    want = np.array(filled(weights, sizes, budget, max_epochs)) / budget
    expect.close(got, want, rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("uncapped sources keep the ratios that were wanted; whoever is capped would have had more")
@given(seed=strategies.seeds(), count=st.integers(2, 200), percent=PERCENT, max_epochs=EPOCHS)
def test_caps_hold(learner, seed, count, percent, max_epochs):
    """weights sum to 1, no source is over its cap, and the uncapped ones keep their ratios"""
    sizes = made_sizes(seed, count)
    weights = [int(weight) for weight in np.random.default_rng(seed).integers(1, 100, count)]
    budget = capacity(weights, sizes, max_epochs) * percent / 100
    got = read(learner.capped_weights(weights, sizes, budget, max_epochs), sizes)
    expect.close(got.sum(), 1, "the sum of the weights", rtol=RTOL, atol=0)
    caps, wanted = max_epochs * np.array(sizes) / budget, np.array(weights)
    expect.at_most(got, caps * (1 + RTOL), "weights, each against max_epochs * size / budget")
    free = got < caps * (1 - 2 * RTOL)
    expect.true(free.any(), "some source is below its cap, as the budget is less than they can give", got=got)
    levels = got[free] / wanted[free]
    expect.close(levels, levels[[0] * len(levels)], "uncapped weights over wanted ones", rtol=2 * RTOL, atol=0)
    expect.at_most((caps / wanted)[~free], levels.max() * (1 + 4 * RTOL), "cap over wanted weight, where capped")


@pytest.mark.core
@pytest.mark.hint("weights need not sum to 1; and where no source reaches its cap there is nothing to do")
@given(
    weights=st.lists(st.integers(1, 9), min_size=1, max_size=5),
    scale=st.sampled_from([0.01, 1, 7]),
    spare=st.sampled_from([1.01, 3.0]),
)
def test_nothing_to_cap(learner, weights, scale, spare):
    """where no source reaches its cap, the weights stay as they were wanted"""
    sizes, budget = [100 * weight for weight in weights], 100 * sum(weights)
    got = read(learner.capped_weights([scale * weight for weight in weights], sizes, budget, spare), sizes)
    expect.close(got, np.array(weights) / sum(weights), rtol=RTOL, atol=0)


@pytest.mark.edge
@pytest.mark.hint("add up what the sources of positive weight can give: is it less than the budget?")
@given(
    sizes=st.sampled_from([[1], [64], [8, 8], [1, 2, 1], [16, 4, 8, 4]]),  # nothing is rounded: powers of two
    max_epochs=st.sampled_from([0.25, 1.0, 4.0]),
    excess=st.sampled_from([1.01, 2.0, 100.0]),
    unwanted=st.integers(0, 500),
)
def test_budget_that_cannot_be_filled(learner, sizes, max_epochs, excess, unwanted):
    """a budget beyond all caps is an error, whatever sources of weight 0 have; one that just fits is none"""
    most, weights, padded = max_epochs * sum(sizes), [*sizes, 0], [*sizes, unwanted]
    got = read(learner.capped_weights(weights, padded, most, max_epochs), padded)
    expect.close(got, np.array(weights) / sum(weights), "weights where all are capped", rtol=RTOL, atol=0)
    expect.raises(ValueError, learner.capped_weights, weights, padded, most * excess, max_epochs)


# --- UniMax


@pytest.mark.core
@pytest.mark.hint("share equally; what a capped source cannot take goes to the others in equal parts, and so on")
@given(sizes=SIZES, percent=PERCENT, max_epochs=EPOCHS)
@example(sizes=[400, 10, 90], percent=25, max_epochs=4.0)
@example(sizes=[5, 20, 50, 400], percent=21, max_epochs=4.0)
def test_unimax_shares_equally(learner, sizes, percent, max_epochs):
    """of all ways to choose who is capped, the answer is the one in which all others get equally much"""
    budget = capacity(sizes, sizes, max_epochs) * percent / 100
    got = read(learner.unimax(sizes, budget, max_epochs), sizes, "tokens")
    expect.close(got, filled([1] * len(sizes), sizes, budget, max_epochs), "tokens", rtol=RTOL, atol=0)


FINEWEB2 = {  # characters -> budget in the example of the package unimax-sampling: 250 billion, 4 epochs at most
    179955884499: 69230291658.66666,
    184595788282: 69230291658.66666,
    42541080893: 69230291658.66667,
    10027573389: 40110293556,
    549707867: 2198831468,
}


@pytest.mark.core
@pytest.mark.hint("the answer is in tokens and in the order of the sizes, which need not be sorted")
def test_languages_of_fineweb_2(learner):
    """five languages of FineWeb-2: two are drawn for 4 epochs, the other three get 69.2 billion each"""
    got = read(learner.unimax(list(FINEWEB2), 250_000_000_000, 4), FINEWEB2, "characters")
    expect.close(got, list(FINEWEB2.values()), "characters", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("a larger budget takes nothing away from anybody, and no source goes over its cap")
@given(seed=strategies.seeds(), count=st.integers(1, 200), percent=PERCENT, more=PERCENT, max_epochs=EPOCHS)
def test_more_budget_harms_nobody(learner, seed, count, percent, more, max_epochs):
    """every source gets at least as much of a larger budget, which is used up"""
    sizes = made_sizes(seed, count)
    small, large = (capacity(sizes, sizes, max_epochs) * part / 100 for part in sorted((percent, more)))
    before = read(learner.unimax(sizes, small, max_epochs), sizes, "tokens")
    after = read(learner.unimax(sizes, large, max_epochs), sizes, "tokens")
    expect.at_least(after, before * (1 - 2 * RTOL), "tokens of the larger budget")
    expect.at_most(after, max_epochs * np.array(sizes) * (1 + RTOL), "tokens against the cap")
    expect.close([before.sum(), after.sum()], [small, large], "all tokens together", rtol=RTOL, atol=0)


@pytest.mark.edge
@pytest.mark.hint("with all sources at their caps the rest of the budget stays unused: that is no error here")
@given(sizes=SIZES, max_epochs=EPOCHS, excess=st.sampled_from([1.01, 2.0, 50.0]))
@example(sizes=[5, 20, 50, 400], max_epochs=4.0, excess=1.5)
def test_unimax_beyond_all_caps(learner, sizes, max_epochs, excess):
    """a budget beyond all caps leaves every source at its cap"""
    budget = capacity(sizes, sizes, max_epochs) * excess
    got = read(learner.unimax(sizes, budget, max_epochs), sizes, "tokens")
    expect.close(got, [max_epochs * size for size in sizes], "tokens", rtol=RTOL, atol=0)


# --- errors


@pytest.mark.edge
@pytest.mark.hint("a temperature, a budget and a number of epochs are above 0, and so is one size; none is negative")
@given(wrong=st.integers(-3, 0), sizes=SIZES)
def test_impossible_arguments(learner, wrong, sizes):
    """impossible arguments are errors"""
    zeros, ones = [0] * len(sizes), [1] * len(sizes)
    expect.raises(ValueError, learner.temperature_weights, sizes, float(wrong))
    expect.raises(ValueError, learner.temperature_weights, zeros, 2.0)
    expect.raises(ValueError, learner.temperature_weights, [*sizes, wrong - 1], 2.0)
    expect.raises(ValueError, learner.capped_weights, ones, sizes, wrong, 4)
    expect.raises(ValueError, learner.capped_weights, ones, sizes, 0.1, wrong)
    expect.raises(ValueError, learner.capped_weights, zeros, sizes, 0.1, 4)
    expect.raises(ValueError, learner.capped_weights, [*ones, wrong - 1], [*sizes, 1], 0.1, 4)
    expect.raises(ValueError, learner.capped_weights, [*ones, 1], [*sizes, wrong - 1], 0.1, 4)
    expect.raises(ValueError, learner.unimax, sizes, wrong, 4)
    expect.raises(ValueError, learner.unimax, sizes, 1, wrong)
    expect.raises(ValueError, learner.unimax, zeros, 1, 4)
    expect.raises(ValueError, learner.unimax, [*sizes, wrong - 1], 1, 4)
