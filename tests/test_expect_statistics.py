"""The statistical expectations: false alarms are as rare as promised, and real shifts are found."""

import math
from itertools import product

import numpy as np
import pytest
import torch

from grader import expect
from grader.expect import Mismatch
from grader.expect.statistics import band, divergence


def passes(question, *args, **kwargs):
    """Whether a question passes; any exception but Mismatch gets through."""
    try:
        question(*args, **kwargs)
    except Mismatch:
        return False
    return True


def binomial(n, p, k):
    """The probability of k successes in n trials."""
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize("p", [0.0, 0.003, 0.1, 0.5, 0.93, 1.0])
@pytest.mark.parametrize("n", [1, 7, 150])
@pytest.mark.parametrize("false_alarm", [0.3, 0.01, 1e-6])
def test_binomial_false_alarms(n, p, false_alarm):
    """Summed exactly over all outcomes, binomial_within fails a right answer no more often than promised."""
    odds = sum(
        binomial(n, p, k) for k in range(n + 1) if not passes(expect.binomial_within, k, n, p, false_alarm=false_alarm)
    )
    assert odds <= false_alarm


@pytest.mark.parametrize("p", [(0.2, 0.3, 0.5), (0.01, 0.49, 0.5), (0.0, 0.1, 0.9), (1 / 3, 1 / 3, 1 / 3)])
@pytest.mark.parametrize("n", [1, 5, 16])
@pytest.mark.parametrize("false_alarm", [0.5, 0.05, 1e-3])
def test_multinomial_false_alarms(n, p, false_alarm):
    """Summed exactly over all outcomes, same_distribution fails right answers no more often than promised."""
    odds = 0.0
    for first, second in product(range(n + 1), repeat=2):
        counts = (first, second, n - first - second)
        if counts[2] >= 0 and not passes(expect.same_distribution, counts, p, false_alarm=false_alarm):
            ways = math.comb(n, first) * math.comb(n - first, second)
            odds += ways * math.prod(q**k for q, k in zip(p, counts, strict=True))
    assert odds <= false_alarm


@pytest.mark.parametrize("mean", [0.02, 0.5])
def test_mean_false_alarms(mean):
    """Samples on the two ends, the hardest case, are a binomial: mean_within keeps its promise there."""
    n, odds = 60, 0.0
    for k in range(n + 1):
        samples = [3.0] * k + [-1.0] * (n - k)
        if not passes(expect.mean_within, samples, -1 + 4 * mean, (-1, 3), false_alarm=0.05):
            odds += binomial(n, mean, k)
    assert odds <= 0.05


def test_power_of_the_binomial():
    """10 standard errors off is found at 1e-9, 3 are not held against anybody."""
    n, p = 10_000, 0.2
    error = math.sqrt(n * p * (1 - p))
    for sign in (-1, 1):
        assert passes(expect.binomial_within, round(n * p + sign * 3 * error), n, p)
        assert not passes(expect.binomial_within, round(n * p + sign * 10 * error), n, p)


def test_power_of_the_mean():
    """A mean that is off by 10 standard errors is found, and near the end of the range the band is narrow."""
    samples = np.random.default_rng(0).uniform(0, 1, 10_000)
    expect.mean_within(samples, 0.5, bounds=(0, 1))
    assert not passes(expect.mean_within, samples, 0.45, bounds=(0, 1))
    rare = np.random.default_rng(0).random(10_000) < 0.001
    assert not passes(expect.mean_within, rare.astype(float), 0.02, (0, 1)), "Hoeffding's plain band is 0.033 wide"


def test_power_of_the_counts():
    """One bad cell is found, and so are shifts of a fifth in a thousand cells that no cell shows alone."""
    rng = np.random.default_rng(0)
    p = np.full(1000, 1e-3)
    expect.same_distribution(rng.multinomial(100_000, p), p)
    bad = p.copy()
    bad[7] *= 3
    assert not passes(expect.same_distribution, rng.multinomial(100_000, bad / bad.sum()), p)
    tilted = p * np.tile([0.8, 1.2], 500)
    with pytest.raises(Mismatch, match="all together are"):
        expect.same_distribution(rng.multinomial(100_000, tilted), p)


@pytest.mark.parametrize("seed", range(20))
def test_right_draws_pass(seed):
    """Draws from the distribution itself pass, as array, list, tensor and dict."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(12))
    counts = rng.multinomial(5000, p)
    for form in (counts, counts.tolist(), torch.from_numpy(counts), counts.astype(float).reshape(3, 4)):
        expect.same_distribution(form, p)
    names = "abcdefghijkl"
    expect.same_distribution(dict(zip(names, counts.tolist(), strict=True)), dict(zip(names, p, strict=True)))


@pytest.mark.parametrize(
    ("counts", "p", "text"),
    [
        (
            [900, 100],
            [0.5, 0.5],
            "expected 394 to 606 of 1000; got 900 of 1000 (it: outcome 0: probability 0.5; ",
        ),
        ({"a": 9, "z": 1}, {"a": 1.0}, "expected outcomes ['a']; got outcomes ['z'] as well (it)"),
        ({"a": 400}, {"a": 0.5, "b": 0.5}, "expected 134 to 266 of 400; got 400 of 400 (it: outcome 'a'"),
        ({"a": None}, {"a": 1.0}, "expected counts; got [None] (it: got a list that holds None)"),
        ([5, 1], [1, 0], "expected never 1; got 1 of 6 (it)"),
        ([0, 0], [0.5, 0.5], "expected some draws; got none (it: [0, 0])"),
        ([1.5, 1], [0.5, 0.5], "expected counts: whole numbers from 0 up; got [1.5, 1] (it)"),
        ([-1, 1], [0.5, 0.5], "expected counts: whole numbers from 0 up; got [-1, 1] (it)"),
        ([1, 2, 3], [0.5, 0.5], "expected 2 counts; got 3 counts (it)"),
        (None, [0.5, 0.5], "expected counts; got None (it: your function returned None"),
    ],
    ids=[
        "off",
        "unknown",
        "missing",
        "held None",
        "impossible",
        "none",
        "fraction",
        "negative",
        "too many",
        "no return",
    ],
)
def test_wording_of_counts(counts, p, text):
    """Wrong counts read as the range that was allowed, and malformed ones say what is wrong with them."""
    with pytest.raises(Mismatch) as caught:
        expect.same_distribution(counts, p, "it")
    assert str(caught.value).startswith(text)
    assert caught.value.value is counts


def test_wording_of_means_and_trials():
    """Both say the range that was allowed."""
    with pytest.raises(Mismatch, match=r"expected a mean of 0\.396891 to 0\.603109; got 0\.75 \(it: over 1000 samples"):
        expect.mean_within([0.75] * 1000, 0.5, (0, 1), "it")
    with pytest.raises(Mismatch, match="expected values from 0 to 1; got"):
        expect.mean_within([0.5, 1.5], 0.5, (0, 1))
    with pytest.raises(Mismatch, match="expected some samples; got"):
        expect.mean_within([], 0.5, (0, 1))
    with pytest.raises(Mismatch, match="expected 397 to 603 of 1000; got 900 of 1000"):
        expect.binomial_within(900, 1000, 0.5)
    for successes in (101, -1, 0.5, float("nan"), True):
        with pytest.raises(Mismatch, match=r"expected a (count|number)"):
            expect.binomial_within(successes, 100, 0.5)


def test_the_allowed_range_is_the_verdict():
    """The range in the message has exactly the counts that pass."""
    for n, p in [(30, 0.5), (200, 0.01), (300, 0.9)]:
        low, high = (n * edge for edge in band(p, math.log(2 / 1e-4) / n))
        for k in range(n + 1):
            assert passes(expect.binomial_within, k, n, p, false_alarm=1e-4) == (low <= k <= high)


def test_rounding_at_the_edge_is_no_alarm():
    """A sample that arithmetic pushed over its bound by a hair, and a mean on the bound, pass."""
    expect.mean_within([0.1] * 7, 0.1, (0.1, 0.7))
    expect.mean_within([0.7 + 1e-16, 0.1 - 1e-17] * 50, 0.4, (0.1, 0.7))
    expect.mean_within([3, 3], 3, (3, 3))


def test_divergence():
    """KL of coins: zero at itself, infinite where ruled out, above Pinsker's bound."""
    for m, p in product(np.linspace(0, 1, 41).tolist(), repeat=2):
        assert divergence(m, p) >= 2 * (m - p) ** 2 - 1e-12
        assert m != p or divergence(m, p) == 0
    assert divergence(0.1, 0.0) == divergence(0.9, 1.0) == np.inf


def test_the_authors_mistakes_are_no_verdicts():
    """Probabilities that are none, and a mean outside of its bounds, are a fault of the check."""
    for wrong in ([0.5, 0.6], [1.5, -0.5]):
        with pytest.raises(ValueError, match="of a check"):
            expect.same_distribution([1, 2], wrong)
    with pytest.raises(ValueError, match="a check asks"):
        expect.binomial_within(1, 2, 1.5)
    with pytest.raises(ValueError, match="a check asks"):
        expect.mean_within([0.5], 2, (0, 1))
