"""Checks of doremi. Symbols: k domains, αᵢ weights, λᵢ scores, η step size, c smoothing.

The oracle adds with fsum and exponentiates in plain Python. A rounding error of η λ is one of its exponential, so
float64 is right to about 10,000 * 2**-53 = 1e-12, relative; the contract allows 1e-9.
"""

from math import exp, fsum

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect, strategies

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
QUARTERS = st.integers(0, 20).map(lambda n: n / 4)  # nats, exact in binary
TOKENS = st.lists(st.tuples(QUARTERS, QUARTERS), max_size=3)  # (loss, reference loss) of each token
SOME_TOKENS = st.lists(st.tuples(QUARTERS, QUARTERS), min_size=1, max_size=3)
DOMAINS = st.lists(st.tuples(st.integers(1, 9), TOKENS), min_size=1, max_size=4)  # (weight, tokens)
FULL_DOMAINS = st.lists(st.tuples(st.integers(1, 9), SOME_TOKENS), min_size=1, max_size=4)
RATES = st.sampled_from([0.0, 0.5, 1.0, 1.75])
SMOOTHING = st.sampled_from([0.0, 1e-4, 1e-3, 0.1, 0.4, 1.0])


def shares(numbers):
    """Weights that sum to 1."""
    return [number / sum(numbers) for number in numbers]


def split(domains):
    """Weights, losses and reference losses from (weight, tokens) of each domain."""
    weights = shares([weight for weight, _ in domains])
    losses = [[loss for loss, _ in tokens] for _, tokens in domains]
    return weights, losses, [[ref for _, ref in tokens] for _, tokens in domains]


def step(learner, *args, **kwargs):
    """The learner's new weights and scores as arrays of k numbers."""
    answer = expect.sequence(learner.doremi_step(*args, **kwargs), "(weights, scores)")
    expect.length(answer, 2, "(weights, scores)")
    k = len(args[0])
    return expect.array(answer[0], "weights", shape=(k,)), expect.array(answer[1], "scores", shape=(k,))


def score(losses, refs, last):
    """λ of one domain."""
    gaps = [max(loss - ref, 0) for loss, ref in zip(losses, refs, strict=True)]
    return fsum(gaps) / len(gaps) if gaps else last


def updated(weights, scores, lr, smoothing):
    """α of the next step."""
    top = max(scores)
    grown = [weight * exp(lr * (each - top)) for weight, each in zip(weights, scores, strict=True)]
    return [(1 - smoothing) * each / fsum(grown) + smoothing / len(weights) for each in grown]


# --- one step


@pytest.mark.core
@pytest.mark.hint("clip every token, take the mean, exponentiate, normalise, and only then mix with 1/k")
@given(domains=FULL_DOMAINS, lr=RATES, smoothing=SMOOTHING)
def test_one_step(learner, domains, lr, smoothing):
    """scores are means of clipped excess losses, weights follow their exponentials"""
    weights, losses, refs = split(domains)
    got, scores = step(learner, weights, losses, refs, lr, smoothing)
    want = [score(*domain, 0) for domain in zip(losses, refs, strict=True)]
    expect.close(scores, want, "scores", **CLOSE)
    expect.close(got, updated(weights, want, lr, smoothing), "weights", **CLOSE)


PUBLISHED = [  # weights, excess loss of each domain, c -> new weights at η = 1, to eight digits
    ([1 / 3] * 3, [0.5, 0.1, -0.2], 1e-3, [0.43909728, 0.2944456, 0.26645712]),
    ([1 / 3] * 3, [0.5, 0.1, -0.2], 0.0, [0.43920315, 0.29440668, 0.26639018]),
    ([0.7, 0.2, 0.1], [0.3, 0.9, 0.0], 1e-3, [0.61455957, 0.32010281, 0.06533762]),
]


@pytest.mark.core
@pytest.mark.hint("a domain that the proxy already knows better than the reference model has score 0, not less")
@pytest.mark.parametrize("case", range(len(PUBLISHED)))
def test_known_updates(learner, case):
    """three updates with η = 1 that are known to eight digits"""
    weights, excess, smoothing, want = PUBLISHED[case]
    losses, refs = [[2 + each] for each in excess], [[2.0]] * 3
    got, _ = step(learner, weights, losses, refs, 1.0, smoothing)
    expect.close(got, want, "weights", rtol=0, atol=6e-9)


@pytest.mark.core
@pytest.mark.hint("clip before the mean: a token that the proxy knows well must not hide one that it does not")
@given(domains=FULL_DOMAINS, known=st.integers(1, 3), better=st.sampled_from([0.25, 1.5, 30.0]))
def test_known_tokens_hide_nothing(learner, domains, known, better):
    """how much better the proxy is on a token does not matter, only that it is not worse"""
    weights, losses, refs = split(domains)
    losses[0], refs[0] = losses[0] + [1.0] * known, refs[0] + [1.0] * known
    got, scores = step(learner, weights, losses, refs, 1.0, 0.01)
    refs[0] = refs[0][:-known] + [1 + better] * known
    again, same = step(learner, weights, losses, refs, 1.0, 0.01)
    expect.close(same, scores, f"scores where {known} tokens are {better} better instead of equal", **CLOSE)
    expect.close(again, got, f"weights where {known} tokens are {better} better instead of equal", **CLOSE)


@pytest.mark.core
@pytest.mark.hint("a domain's score is a mean over its own tokens, however many there are")
@given(domains=FULL_DOMAINS, times=st.integers(2, 4), order=strategies.seeds())
def test_neither_order_nor_amount(learner, domains, times, order):
    """the order of domains and tokens, and the number of copies of a batch, change nothing"""
    got, scores = step(learner, *split(domains), 1.0, 0.01)
    rng = np.random.default_rng(order)
    places = rng.permutation(len(domains)).tolist()
    mixed = []
    for place in places:
        weight, tokens = domains[place]
        copies = tokens * times if place == 0 else tokens
        mixed.append((weight, [copies[i] for i in rng.permutation(len(copies)).tolist()]))
    weights, losses, refs = split(mixed)
    again, same = step(learner, weights, losses, refs, 1.0, 0.01)
    expect.close(same, scores[places], f"scores, domains in the order {places}", **CLOSE)
    expect.close(again, got[places], f"weights, domains in the order {places}", **CLOSE)


@pytest.mark.core
@pytest.mark.hint("normalise first; then every domain gets c/k of a whole of 1")
@given(domains=FULL_DOMAINS, lr=RATES, smoothing=SMOOTHING)
def test_weights_stay_a_distribution(learner, domains, lr, smoothing):
    """weights sum to 1, none falls below c/k, and the domain with the highest score gains on all others"""
    weights, losses, refs = split(domains)
    got, scores = step(learner, weights, losses, refs, lr, smoothing)
    expect.close(got.sum(), 1, "the sum of the weights", rtol=1e-9, atol=0)
    expect.at_least(got, smoothing / len(weights) * (1 - 1e-9), "weights against c/k")
    plain, _ = step(learner, weights, losses, refs, lr, 0.0)
    growth = plain / np.array(weights)
    most = growth[scores.argmax()]
    expect.at_most(growth, most * (1 + 1e-9), "growth of weights, against that of the domain with the highest score")


@pytest.mark.core
@pytest.mark.hint("with equal scores the exponentials cancel; what is left moves a share c of the way to 1/k")
@given(domains=FULL_DOMAINS, smoothing=SMOOTHING, excess=QUARTERS)
def test_equal_scores(learner, domains, smoothing, excess):
    """where all domains have the same excess loss, only the smoothing moves the weights"""
    weights, losses, _ = split(domains)
    refs = [[loss - excess for loss in tokens] for tokens in losses]
    got, _ = step(learner, weights, losses, refs, 1.0, smoothing)
    want = [(1 - smoothing) * weight + smoothing / len(weights) for weight in weights]
    expect.close(got, want, "weights", **CLOSE)


@pytest.mark.core
@pytest.mark.hint("the weights are multiplied by exp(η λ): steps with one batch add up in the exponent")
@given(domains=FULL_DOMAINS, first=RATES, second=RATES)
def test_steps_add_up(learner, domains, first, second):
    """without smoothing, two steps on a batch are one step with the sum of their step sizes"""
    weights, losses, refs = split(domains)
    half, scores = step(learner, weights, losses, refs, first, 0.0)
    twice, _ = step(learner, half.tolist(), losses, refs, second, 0.0, scores.tolist())
    once, _ = step(learner, weights, losses, refs, first + second, 0.0)
    # Two roundings more than a step; a small weight keeps its relative precision.
    expect.close(twice, once, f"weights after steps of {first} and {second}", rtol=3e-9, atol=3e-12)


@pytest.mark.core
@pytest.mark.hint("no token, no news: the domain's last score counts again; at the first step that is 0")
@given(domains=DOMAINS, lr=RATES, smoothing=SMOOTHING, last=st.lists(QUARTERS, min_size=4, max_size=4))
@example(domains=[(1, []), (1, [(1.0, 0.5)])], lr=1.0, smoothing=0.0, last=[2.0, 3.0, 0.0, 0.0])
def test_missing_domains_keep_their_scores(learner, domains, lr, smoothing, last):
    """a domain without tokens keeps its score; one with tokens forgets it"""
    weights, losses, refs = split(domains)
    last = last[: len(weights)]
    for before, scores in ((last, last), ([0.0] * len(weights), None)):
        want = [score(*domain) for domain in zip(losses, refs, before, strict=True)]
        got, now = step(learner, weights, losses, refs, lr, smoothing, scores)
        expect.close(now, want, f"scores after scores of {scores}", **CLOSE)
        expect.close(got, updated(weights, want, lr, smoothing), f"weights after scores of {scores}", **CLOSE)


# --- a run


def batches_of(weights, steps):
    """(losses, refs) of each step with as many domains as there are weights."""
    cut = [[(1, tokens) for tokens in domains[: len(weights)]] for domains in steps]
    return [split(domains)[1:] for domains in cut]


@pytest.mark.core
@pytest.mark.hint("hand weights and scores on from step to step; the mean is over the weights after each step")
@given(
    numbers=st.lists(st.integers(1, 9), min_size=1, max_size=3),
    steps=st.lists(st.lists(TOKENS, min_size=3, max_size=3), min_size=1, max_size=5),
    lr=RATES,
    smoothing=SMOOTHING,
)
def test_run_is_the_mean_of_its_steps(learner, numbers, steps, lr, smoothing):
    """the answer is the mean of the weights after each step, scores carried along"""
    weights = shares(numbers)
    batches = batches_of(weights, steps)
    alpha, last, total = weights, [0.0] * len(weights), np.zeros(len(weights))
    for losses, refs in batches:
        last = [score(*domain) for domain in zip(losses, refs, last, strict=True)]
        alpha = updated(alpha, last, lr, smoothing)
        total += alpha
    got = expect.array(learner.doremi(weights, batches, lr, smoothing), "weights", shape=(len(weights),))
    expect.close(got, total / len(batches), "averaged weights", **CLOSE)


@pytest.mark.core
@pytest.mark.hint("one step: its weights are the mean; three equal steps: neither the last nor the first")
def test_known_run(learner):
    """one step is that step; the mean of three lies between the first and the last"""
    batch = ([[2.5], [2.1], [1.8]], [[2.0]] * 3)
    for steps, want in ((1, [0.43909728, 0.2944456, 0.26645712]), (3, [0.54816118, 0.24656661, 0.20527221])):
        got = expect.array(learner.doremi([1 / 3] * 3, [batch] * steps, 1.0, 1e-3), "weights", shape=(3,))
        expect.close(got, want, f"weights of a run of {steps} equal steps", rtol=0, atol=6e-9)


# --- edges


@pytest.mark.edge
@pytest.mark.hint("exp(1000) is too large for a float: what can be taken off all exponents without changing ratios?")
@given(high=st.sampled_from([800.0, 9000.0]), low=st.sampled_from([0.0, 750.0]), k=st.integers(2, 4))
def test_large_excess_does_not_overflow(learner, high, low, k):
    """scores of hundreds of nats give finite weights"""
    losses, refs = [[high], *[[low]] * (k - 1)], [[0.0]] * k
    got, _ = step(learner, shares(range(1, k + 1)), losses, refs, 1.0, 0.01)
    want = updated(shares(range(1, k + 1)), [high, *[low] * (k - 1)], 1.0, 0.01)
    expect.close(got, want, "weights", **CLOSE)


@pytest.mark.edge
@pytest.mark.hint("work on copies: the caller still needs the old weights and scores")
@given(domains=DOMAINS)
def test_arguments_stay(learner, domains):
    """neither weights nor scores nor losses are changed in place, be they lists or arrays"""
    weights, losses, refs = split(domains)
    scores = [0.5] * len(weights)
    expect.unchanged(learner.doremi_step, weights, losses, refs, 1.0, 1e-3, scores)
    arrays = [np.array(tokens) for tokens in losses], [np.array(tokens) for tokens in refs]
    expect.unchanged(learner.doremi_step, np.array(weights), *arrays, 1.0, 1e-3, np.array(scores))
    expect.unchanged(learner.doremi, np.array(weights), [arrays, arrays])


@pytest.mark.edge
@pytest.mark.hint("leave the defaults of the stub as they are")
def test_defaults(learner):
    """left to itself, a step has the paper's η = 1 and c = 0.001"""
    losses, refs, want = [[2.5], [2.1], [1.8]], [[2.0]] * 3, [0.43909728, 0.2944456, 0.26645712]
    got, _ = step(learner, [1 / 3] * 3, losses, refs)
    expect.close(got, want, "weights of a step", rtol=0, atol=6e-9)
    run = expect.array(learner.doremi([1 / 3] * 3, [(losses, refs)]), "weights", shape=(3,))
    expect.close(run, want, "weights of a run of one step", rtol=0, atol=6e-9)


@pytest.mark.edge
@pytest.mark.hint("compare lengths yourself: numpy spreads one loss over many tokens, zip drops what is left over")
@given(domains=st.lists(st.tuples(st.integers(1, 9), SOME_TOKENS), min_size=2, max_size=3))
def test_impossible_arguments(learner, domains):
    """domains or tokens that do not match, and impossible settings, are errors"""
    weights, losses, refs = split(domains)
    longer = [[*refs[0], 1.0], *refs[1:]]
    one = [[1.0]] * len(losses), [[1.0, 2.0]] * len(losses)
    for mine, theirs in ((losses[:-1], refs), (losses, refs[:-1]), (losses, longer), (longer, refs), one, one[::-1]):
        expect.raises(ValueError, learner.doremi_step, weights, mine, theirs)
        expect.raises(ValueError, learner.doremi, weights, [(mine, theirs)])
    expect.raises(ValueError, learner.doremi_step, weights, losses[:-1], refs[:-1])
    expect.raises(ValueError, learner.doremi_step, weights, losses[:1], refs[:1], scores=[0.5])
    expect.raises(ValueError, learner.doremi_step, weights, losses, refs, scores=[0.5] * (len(weights) - 1))
    expect.raises(ValueError, learner.doremi_step, weights, losses, refs, lr=-0.5)
    for smoothing in (-0.1, 1.1):
        expect.raises(ValueError, learner.doremi_step, weights, losses, refs, smoothing=smoothing)
    expect.raises(ValueError, learner.doremi, weights, [])
