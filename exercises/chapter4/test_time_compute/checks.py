"""Checks of test_time_compute. Symbols: n samples drawn, c of them right, k of them used, m votes.

The oracles count: all sets of k samples, all sequences of votes, binomials as whole numbers of any size, and the KL
divergence as an integral.
"""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect

# The contract. Logarithms of factorials up to 10,000! are below 1e5 and round to 2e-11; sums of a few thousand
# probabilities to 1e-12.
CLOSE = 1e-9


def exact(n, c, k):
    """The share of sets with at least one right sample, as a fraction."""
    return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))


def estimates(largest):
    """(n, c, k) with c and k in their ranges."""
    return st.integers(1, largest).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))


# --- pass@k


@pytest.mark.core
@pytest.mark.hint("how many sets of k samples are there, and how many of them have no right one?")
@given(case=estimates(8))
@example(case=(5, 2, 3))
@example(case=(5, 4, 2))
def test_sets_of_samples(learner, case):
    """the estimate is the share of the sets of k samples that have a right one"""
    n, c, k = case
    sets = [min(chosen) < c for chosen in combinations(range(n), k)]  # samples 0 to c - 1 are the right ones
    expect.close(learner.pass_at_k(n, c, k), sum(sets) / len(sets), "pass@k", rtol=0, atol=CLOSE)


@pytest.mark.core
@pytest.mark.hint("the samples of a set are different ones: they are not put back")
@given(n=st.integers(1, 9), k=st.integers(1, 9), percent=st.integers(0, 100))
@example(n=4, k=3, percent=50)
def test_unbiased(learner, n, k, percent):
    """on average over what may be drawn, the estimate is 1 - (1 - p)^k"""
    k, p = min(k, n), percent / 100
    mean = 0.0
    for c in range(n + 1):
        chance = math.comb(n, c) * p**c * (1 - p) ** (n - c)
        mean += chance * expect.number(learner.pass_at_k(n, c, k), "pass@k")
    expect.close(mean, 1 - (1 - p) ** k, f"mean of pass@{k} for p = {p:g}", rtol=0, atol=CLOSE)


@pytest.mark.core
@pytest.mark.hint("C(10000, 100) has 242 digits: divide factors before you multiply, or add logarithms")
@given(case=estimates(10_000))
@example(case=(200, 10, 100))
@example(case=(10_000, 1, 100))
@example(case=(10_000, 40, 5000))
@settings(max_examples=20)
def test_ten_thousand_samples(learner, case):
    """the estimate is exact for up to ten thousand samples"""
    expect.close(learner.pass_at_k(*case), float(exact(*case)), "pass@k", rtol=0, atol=CLOSE)


# --- coverage

SAMPLES = st.lists(
    st.integers(5, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), min_size=1, max_size=6
)


@pytest.mark.core
@pytest.mark.hint("estimate for each problem by itself, then take the mean: a problem counts once, whatever its n")
@given(samples=SAMPLES, k=st.integers(1, 5))
@example(samples=[(5, 5), (5, 0), (5, 1), (8, 1)], k=2)
def test_mean_over_problems(learner, samples, k):
    """coverage is the mean of the problems' estimates"""
    want = float(sum(exact(n, c, k) for n, c in samples) / len(samples))
    expect.close(learner.coverage(samples, k), want, "coverage", rtol=0, atol=CLOSE)


@pytest.mark.core
@pytest.mark.hint("what the model never solves stays unsolved, however many samples there are: is p averaged too soon?")
@given(easy=st.integers(1, 5), hard=st.integers(0, 5), n=st.integers(1, 200), k=st.integers(1, 200))
def test_hopeless_problems(learner, easy, hard, n, k):
    """problems that are always or never solved are covered in proportion, for any k"""
    samples = [(n, n)] * easy + [(n, 0)] * hard
    got = learner.coverage(samples, min(n, k))
    expect.close(got, easy / (easy + hard), "coverage", rtol=0, atol=CLOSE)


# --- majority votes


def weights(size):
    """Probabilities of so many answers, in parts of their sum."""
    return (
        st.lists(st.integers(0, 9), min_size=size, max_size=size)
        .filter(any)
        .map(lambda parts: [part / sum(parts) for part in parts])
    )


# At most 4**6 = 4096 sequences of votes.
VOTES = st.sampled_from([(1, 5), (2, 9), (2, 10), (3, 3), (3, 6), (3, 7), (4, 4), (4, 5), (4, 6)]).flatmap(
    lambda sizes: st.tuples(weights(sizes[0]), st.integers(1, sizes[1]))
)


def counted(probabilities, votes):
    """The probability that answer 0 wins, over all sequences of votes."""
    total = 0.0
    for sequence in product(range(len(probabilities)), repeat=votes):
        counts = [sequence.count(answer) for answer in range(len(probabilities))]
        if counts[0] == max(counts):
            total += math.prod(probabilities[answer] for answer in sequence) / counts.count(counts[0])
    return total


@pytest.mark.core
@pytest.mark.hint("the most votes win, half of them or not; t answers that are level win with probability 1/t each")
@given(case=VOTES)
@example(case=([0.4, 0.35, 0.25], 3))
@example(case=([0.6, 0.4], 2))
def test_all_sequences_of_votes(learner, case):
    """the accuracy is the sum over all sequences of votes in which the right answer wins"""
    probabilities, votes = case
    got = learner.majority_vote_accuracy(probabilities, votes)
    expect.close(got, counted(probabilities, votes), "accuracy", rtol=0, atol=CLOSE)


@pytest.mark.core
@pytest.mark.hint("somebody wins each vote: let each answer be the right one in turn, and add up")
@given(probabilities=st.integers(2, 4).flatmap(weights), votes=st.integers(1, 6))
def test_somebody_wins(learner, probabilities, votes):
    """the probabilities of winning add up to 1 over the answers"""
    total = 0.0
    for place in range(len(probabilities)):
        turned = [*probabilities[place:], *probabilities[:place]]
        total += expect.number(learner.majority_vote_accuracy(turned, votes), "accuracy")
    expect.close(total, 1, "sum over the answers", rtol=0, atol=len(probabilities) * CLOSE)


ACCURACIES = [  # by enumeration
    ([0.6, 0.4], {1: 0.6, 3: 0.648, 5: 0.68256, 9: 0.73343232}),
    ([0.4, 0.35, 0.25], {1: 0.4, 3: 0.422, 5: 0.44344, 7: 0.465212}),
    ([0.3, 0.5, 0.2], {1: 0.3, 3: 0.276, 5: 0.25758, 7: 0.237546}),
]


@pytest.mark.core
@pytest.mark.hint("votes make the most frequent answer certain, which need not be the right one")
@pytest.mark.parametrize("row", range(len(ACCURACIES)))
def test_votes_sharpen(learner, row):
    """voting helps where the right answer is the most frequent one, at 40 % too, and hurts elsewhere"""
    probabilities, accuracies = ACCURACIES[row]
    for votes, want in accuracies.items():
        got = learner.majority_vote_accuracy(probabilities, votes)
        expect.close(got, want, f"accuracy of {votes} votes", rtol=0, atol=1e-6)


# --- best of n


@pytest.mark.core
@pytest.mark.hint("the best of n has the density n u^(n - 1) over the rank u: integrate it times its logarithm")
@given(n=st.integers(1, 2000))
@example(n=1)
@example(n=4)
def test_divergence_is_the_integral(learner, n):
    """the divergence is the integral of q log(q / p) over the ranks"""
    # With v = u^n, ranks of the best are uniform over v, and log q = log n + (n - 1) / n log v. Over w = -log v that is
    # an integral of exp(-w) times a straight line, for which two points of Gauss and Laguerre are exact.
    points, weights_of = np.polynomial.laguerre.laggauss(2)
    want = float(weights_of @ (math.log(n) - (n - 1) / n * points))
    expect.close(learner.best_of_n_kl(n), want, "KL", rtol=0, atol=CLOSE)


# --- edges


@pytest.mark.edge
@pytest.mark.hint("sets of all samples, sets of one, no right sample, fewer wrong ones than k")
@given(n=st.integers(1, 10_000), part=st.integers(1, 99))
def test_ends_of_the_ranges(learner, n, part):
    """one sample is right as often as the samples are, and all of them together whenever one is"""
    c = max(n * part // 100, 1)
    expect.close(learner.pass_at_k(n, c, 1), c / n, "pass@1", rtol=0, atol=CLOSE)
    expect.close(learner.pass_at_k(n, c, n), 1, "pass@n", rtol=0, atol=CLOSE)
    expect.close(learner.pass_at_k(n, c, n - c + 1), 1, "pass@k with k - 1 wrong samples", rtol=0, atol=CLOSE)
    expect.close(learner.pass_at_k(n, 0, c), 0, "pass@k without a right sample", rtol=0, atol=CLOSE)


@pytest.mark.edge
@pytest.mark.hint("with two answers an even number of votes may be level: then the last vote adds nothing")
@given(percent=st.integers(0, 100), pairs=st.integers(1, 6))
@example(percent=60, pairs=1)
def test_even_votes(learner, percent, pairs):
    """with two answers, 2 m votes are as good as 2 m - 1"""
    probabilities = [percent / 100, 1 - percent / 100]
    odd = expect.number(learner.majority_vote_accuracy(probabilities, 2 * pairs - 1), "accuracy")
    got = learner.majority_vote_accuracy(probabilities, 2 * pairs)
    expect.close(got, odd, f"accuracy of {2 * pairs} votes", rtol=0, atol=2 * CLOSE)


@pytest.mark.edge
@pytest.mark.hint("log n - (n - 1) / n, also for a billion samples")
@given(power=st.integers(0, 9), digit=st.integers(1, 9))
def test_more_samples_diverge_more(learner, power, digit):
    """the divergence grows with log n, and is less than that by 1 at most"""
    n = max(digit * 10 ** (power - 1), 1) if power == 9 else digit * 10**power
    got = expect.number(learner.best_of_n_kl(n), "KL")
    expect.between(got, max(math.log(n) - 1, 0) - CLOSE, math.log(n) + CLOSE, "KL")
    expect.close(got + 1 - 1 / n, math.log(n), "KL + (n - 1)/n", rtol=0, atol=CLOSE)


@pytest.mark.edge
@pytest.mark.hint("no samples, more right ones than samples, a set larger than what was drawn: raise ValueError")
@given(n=st.integers(1, 50), more=st.integers(1, 5))
def test_impossible_samples(learner, n, more):
    """numbers of samples that cannot be are errors"""
    for arguments in ((n, 0, n + more), (n, n + more, 1), (n, -more, 1), (n, 1, 0), (n, 0, -more), (0, 0, 1)):
        expect.raises(ValueError, learner.pass_at_k, *arguments)
    expect.raises(ValueError, learner.coverage, [], 1)
    expect.raises(ValueError, learner.coverage, [(n + more, 0), (n, 0)], n + more)
    expect.raises(ValueError, learner.best_of_n_kl, 1 - more)


@pytest.mark.edge
@pytest.mark.hint("probabilities are not negative and add up to 1, and somebody has to vote: raise ValueError")
@given(votes=st.integers(1, 5), parts=st.integers(1, 9))
def test_impossible_votes(learner, votes, parts):
    """probabilities that cannot be, and no votes, are errors"""
    half = parts / 20
    for probabilities in ([], [half], [half, half], [0.9, 0.9], [-half, 1 + half], [1 + half, -half]):
        expect.raises(ValueError, learner.majority_vote_accuracy, probabilities, votes)
    for none in (0, -votes):
        expect.raises(ValueError, learner.majority_vote_accuracy, [1 - half, half], none)


# --- scale

MANY = [  # probabilities, votes, accuracy: by enumeration; level answers by symmetry
    ([0.2] * 5, 25, 0.2),
    ([0.25] * 4, 50, 0.25),
    ([0.6, 0.4], 101, 0.979103),
    ([0.4, 0.35, 0.25], 21, 0.546618),
    ([0.3, 0.5, 0.2], 21, 0.141666),
]


@pytest.mark.scale
@pytest.mark.hint("only the counts of votes matter, not their order: 25 votes among 5 answers can fall in 23,751 ways")
def test_many_votes(learner):
    """25 votes among 5 answers, 50 among 4 and 101 among 2 take no more than 5 seconds of CPU time each"""
    for probabilities, votes, want in MANY:
        got = learner.majority_vote_accuracy(probabilities, votes)
        expect.close(got, want, f"accuracy of {votes} votes", rtol=0, atol=1e-6)
