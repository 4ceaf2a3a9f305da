"""Checks of synthetic_data. Symbols: X inputs (T, d), w true weights, σ noise, ŵᵢ the model of generation i.

No generator is asked for. What must hold whatever is drawn is checked exactly; the draws themselves are judged by their
distribution, with bounds that a right solution misses less than once in 10**9 times. With S = XᵀX = LLᵀ, the steps
ŵᵢ - ŵᵢ₋₁ of mode "replace", times Lᵀ/σ, are independent standard normal numbers. For these

    P(Σ a (z² - 1) >= 2 |a| √u + 2 max(a) u) <= exp(-u)   and   P(Σ a (z² - 1) <= -2 |a| √u) <= exp(-u)

(Laurent and Massart 2000, lemma 1); u = 21.5 makes both together less than 1e-9.
"""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

MODES = ("replace", "accumulate")
NOISE = st.sampled_from([0.25, 1.0, 3.5, 10.0])
SHAPES = st.tuples(st.integers(1, 4), st.integers(0, 12))  # d, T - d
U = 21.5


def inputs(shape, seed):
    """X of shape (T, d), small singular values raised to 0.3, and w."""
    d, more = shape
    rng = np.random.default_rng(seed)
    left, sizes, right = np.linalg.svd(rng.normal(size=(d + more, d)), full_matrices=False)
    x = left * np.clip(sizes, 0.3, 30) @ right
    return x, rng.uniform(-5, 5, d)


def chain(learner, x, w, sigma, generations, mode, seed):
    """The learner's models as an array of shape (generations, d)."""
    models = learner.fit_generations(x, w, sigma, generations, mode, seed)
    return expect.array(models, "the models", shape=(generations, x.shape[1]))


def errors(learner, x, sigma, generations, mode):
    """The learner's expected errors as an array of shape (generations,)."""
    return expect.array(learner.expected_error(x, sigma, generations, mode), "the errors", shape=(generations,))


def one_fit(x):
    """tr((XᵀX)⁻¹) from the singular values: the squared error of one fit at σ = 1."""
    return float((1 / np.linalg.svd(x, compute_uv=False) ** 2).sum())


def weighted_squares_within(total, weights, what):
    """Ask that a number is Σ a z² for independent standard normal z."""
    weights = np.asarray(weights)
    spread = 2 * np.sqrt((weights**2).sum() * U)
    expect.between(total, weights.sum() - spread, weights.sum() + spread + 2 * weights.max() * U, what)


# --- what must hold whatever is drawn


@pytest.mark.core
@pytest.mark.hint("without noise every model is the truth; fit by least squares, without an intercept")
@given(shape=SHAPES, data=strategies.seeds(), generations=st.integers(1, 8), mode=st.sampled_from(MODES))
def test_without_noise_nothing_is_lost(learner, shape, data, generations, mode):
    """without noise every generation has the true weights"""
    x, w = inputs(shape, data)
    models = chain(learner, x, w, 0.0, generations, mode, 1)
    expect.close(models, np.tile(w, (generations, 1)), "the models", rtol=0, atol=1e-6)


@pytest.mark.core
@pytest.mark.hint("in mode accumulate all labels so far are fitted together: the i-th set is an i-th of them")
@settings(max_examples=25)
@given(shape=SHAPES, data=strategies.seeds(), sigma=NOISE, generations=st.integers(1, 12), seed=strategies.seeds())
@example(shape=(1, 0), data=0, sigma=1.0, generations=2, seed=0)
def test_accumulated_steps_are_smaller(learner, shape, data, sigma, generations, seed):
    """with the same noise, the step of generation i is an i-th of what it is where data is replaced"""
    # With the same X every time, the fit to i sets of labels is the mean of i fits. So ŵᵢ = ŵᵢ₋₁ + eᵢ / i.
    x, w = inputs(shape, data)
    steps = {}
    for mode in MODES:
        models = chain(learner, x, w, sigma, generations, mode, seed)
        steps[mode] = np.diff(models, axis=0, prepend=w[None])
    i = np.arange(1, generations + 1)[:, None]
    # Two models per step, each right to 1e-6, times up to 12.
    expect.close(steps["accumulate"] * i, steps["replace"], "i times the step of generation i", rtol=0, atol=5e-5)


@pytest.mark.core
@pytest.mark.hint("sigma times standard normal numbers, which know nothing of w, sigma, the mode or the chain's length")
@settings(max_examples=25)
@given(
    shape=SHAPES,
    data=strategies.seeds(),
    sigma=NOISE,
    generations=st.tuples(st.integers(1, 6), st.integers(0, 6)),
    mode=st.sampled_from(MODES),
    seed=strategies.seeds(),
)
def test_noise_follows_from_the_seed(learner, shape, data, sigma, generations, mode, seed):
    """errors are in proportion to sigma, do not depend on w, and a longer chain begins like a shorter one"""
    x, w = inputs(shape, data)
    short, more = generations
    errors = chain(learner, x, w, sigma, short, mode, seed) - w
    unit = chain(learner, x, 0 * w, 1.0, short + more, mode, seed)
    expect.close(errors, sigma * unit[:short], f"errors against {sigma} times those at sigma 1, w 0", rtol=0, atol=2e-5)
    other = chain(learner, x, 0 * w, 1.0, short, mode, (seed + 1) % 2**31)
    # Independent normal numbers are never that close: 1e-9 of their size has a probability of 1e-9.
    gap = np.abs(other - unit[:short]).max()
    expect.true(gap > 1e-9 * np.abs(unit).max(), "another seed gives other models", got=other)


@pytest.mark.core
@pytest.mark.hint("a new number for every row and every generation, normal, with mean 0 and standard deviation 1")
@pytest.mark.parametrize("shape", [(3, 5), (1, 0), (2, 20)], ids=["8_by_3", "1_by_1", "22_by_2"])
def test_noise_is_white(learner, shape):
    """the steps of 3,000 generations are independent and normal, as large as sigma and X make them"""
    (x, w), sigma, count = inputs(shape, 5), 2.5, 3000
    models = chain(learner, x, w, sigma, count, "replace", 17)
    steps = np.diff(models, axis=0, prepend=w[None])
    z = steps @ np.linalg.cholesky(x.T @ x) / sigma  # (generations, d), standard normal
    weighted_squares_within(float((z**2).sum()), np.ones(z.size), "the sum of the squared steps, in units of sigma")
    positive = int((z > 0).sum())
    expect.binomial_within(positive, z.size, 0.5, "steps above 0")
    # Half of all standard normal numbers lie within 0.6744897501960817 of 0.
    expect.binomial_within(int((np.abs(z) < 0.6744897501960817).sum()), z.size, 0.5, "steps of less than 0.674")
    # Signs of pairs that share no step are independent: pair generations 1-2, 3-4, ..., and columns 1-2.
    same = int((z[::2] * z[1::2] > 0).sum())
    expect.binomial_within(same, z[::2].size, 0.5, "neighbouring generations that go the same way")
    if z.shape[1] > 1:
        together = int((z[:, 0] * z[:, 1] > 0).sum())
        expect.binomial_within(together, count, 0.5, "generations in which two directions agree in sign")


# --- the closed forms


@pytest.mark.core
@pytest.mark.hint("one fit has the error σ² tr((XᵀX)⁻¹); what do n independent steps add up to, whole ones and i-ths?")
@given(shape=SHAPES, data=strategies.seeds(), sigma=NOISE, generations=st.integers(1, 20))
def test_closed_forms(learner, shape, data, sigma, generations):
    """errors grow by that of one fit per generation where data is replaced, by an i²-th of it where it accumulates"""
    x, _ = inputs(shape, data)
    for mode in MODES:
        got = errors(learner, x, sigma, generations, mode)
        steps = np.diff(got, prepend=0)
        i = np.arange(1, generations + 1)
        want = sigma**2 * one_fit(x) * (np.ones(generations) if mode == "replace" else 1 / i**2)
        # Each error is right to 1e-6; steps are differences of errors up to the last.
        expect.close(steps, want, f"growth per generation, mode {mode}", rtol=1e-6, atol=2e-6 * want.sum())
        expect.close(got, want.cumsum(), f"errors, mode {mode}", rtol=1e-6, atol=0)


@pytest.mark.core
@pytest.mark.hint("1 + 1/4 + 1/9 + ... never passes π²/6")
@given(shape=SHAPES, data=strategies.seeds(), sigma=NOISE)
@settings(max_examples=10)
def test_accumulating_is_bounded(learner, shape, data, sigma):
    """after 10,000 generations the error is 10,000 fold in one mode, and still below π²/6 fold in the other"""
    x, _ = inputs(shape, data)
    replaced, accumulated = (errors(learner, x, sigma, 10_000, mode) for mode in MODES)
    expect.close(replaced[-1] / replaced[0], 10_000, "growth where data is replaced", rtol=3e-6, atol=0)
    # What is missing to π²/6 after n terms lies between 1/(n + 1) and 1/n.
    growth, limit = accumulated[-1] / accumulated[0], np.pi**2 / 6
    expect.between(growth, limit - 1e-4 - 5e-6, limit - 1 / 10_001 + 5e-6, "growth where data accumulates")


@pytest.mark.core
@pytest.mark.hint("run your own chain for many seeds: is its mean squared error what your formula says?")
@pytest.mark.parametrize("mode", MODES)
def test_simulation_agrees_with_the_formula(learner, mode):
    """the squared errors of 400 chains of 6 generations have the mean that the closed form gives"""
    (x, w), sigma, seeds, generations = inputs((4, 20), 9), 1.5, 400, 6
    ends = np.array([chain(learner, x, w, sigma, generations, mode, seed)[-1] for seed in range(seeds)])
    mean = float(((ends - w) ** 2).sum(axis=1).mean())
    formula = expect.positive(errors(learner, x, sigma, generations, mode)[-1], "the error of generation 6")
    # ŵ - w is normal with a covariance in proportion to (XᵀX)⁻¹, whose eigenvalues share the error.
    eigenvalues = 1 / np.linalg.svd(x, compute_uv=False) ** 2
    weights = np.repeat(formula * eigenvalues / eigenvalues.sum() / seeds, seeds)
    weighted_squares_within(mean, weights, f"mean squared error of {seeds} chains, formula {formula:.4g}")


# --- edges


@pytest.mark.edge
@pytest.mark.hint("there are two modes, at least one generation, and no negative noise")
@given(wrong=st.integers(-3, 0), mode=st.sampled_from(MODES))
@settings(max_examples=10)
def test_impossible_arguments(learner, wrong, mode):
    """impossible arguments are errors"""
    x, w = inputs((2, 3), 1)
    for sigma, generations, name in ((wrong - 0.5, 3, mode), (1.0, wrong, mode), (1.0, 3, "mix"), (1.0, 3, mode[:-1])):
        expect.raises(ValueError, learner.fit_generations, x, w, sigma, generations, name, 0)
        expect.raises(ValueError, learner.expected_error, x, sigma, generations, name)


@pytest.mark.edge
@pytest.mark.hint("work on copies: labels and models are new arrays")
@given(shape=SHAPES, data=strategies.seeds(), mode=st.sampled_from(MODES))
@settings(max_examples=15)
def test_arguments_stay(learner, shape, data, mode):
    """X and w are left as they were, and without noise nothing is expected to be lost"""
    x, w = inputs(shape, data)
    expect.unchanged(learner.fit_generations, x, w, 1.0, 4, mode, 0)
    expect.unchanged(learner.expected_error, x, 1.0, 4, mode)
    expect.close(errors(learner, x, 0.0, 4, mode), [0] * 4, "errors without noise", rtol=0, atol=1e-12)


@pytest.mark.scale
@pytest.mark.hint("do not fit all rows again: with the same X each time, sums or means of what was fitted are enough")
def test_accumulating_takes_no_longer_each_time(learner):
    """in mode accumulate, 4 times the generations take about 4 times as long"""
    # Stacking all rows makes 16; a fit per generation makes 4, and twice that is allowed for caches and the clock.
    x, w = inputs((4, 56), 3)
    small, large = ((x, w, 1.0, count, "accumulate", 0) for count in (500, 2000))
    expect.growth(learner.fit_generations, small, large, at_most=8, what="a chain of 2,000 against one of 500")
