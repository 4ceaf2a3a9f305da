"""Checks of data_constrained. Symbols: N parameters, D tokens, U unique tokens, C FLOPs, R* is r_d or r_n.

The oracles: the integral of what repetitions are worth, the law without repetition, and optima that are planted by
choosing the best number of epochs first and making a law that has it.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from grader import expect, strategies

# The contract. Where it is not written with expm1, R* (1 - exp(-r / R*)) loses eps R* / r to rounding: 1e-11 or less.
WORTH = LOSS = 1e-9
# The contract. A search by values of the loss can place log N within sqrt(2 eps L / L''); planted laws have L < 21 and
# L'' > 0.1 * 0.05 (the least over the corners of what is drawn): 2e-6.
PLACE = 1e-3
SPENT = 1e-9
PREDICTED = 1e-6
ROUNDING = 1e-12

# Muennighoff et al. 2023, utils/parametric_fit.ipynb: E, A, B, alpha, beta, R_D*, R_N*.
PAPER = (math.exp(0.6254804), math.exp(6.255414), math.exp(7.3049974), 0.3526596, 0.3526596, 15.387756, 5.309743)
STARS = st.sampled_from([2.0, 5.309743, 15.387756, 60.0])


def worth(times, r_star):
    """How many units something is worth that is there so many times, at least once."""
    return 1 - r_star * math.expm1((1 - times) / r_star)


# --- effective tokens


@pytest.mark.core
@pytest.mark.hint("repetitions are epochs - 1; add up what each is worth: the integral of exp(-r / R*) from 0 on")
@given(unique=strategies.magnitudes(1, 1e12), epochs=st.integers(4, 400).map(lambda n: n / 4), r_star=STARS)
@example(unique=100.0, epochs=4.0, r_star=15.387756)
def test_worth_of_repetitions(learner, unique, epochs, r_star):
    """repeated tokens are worth the integral of exp(-r / R*)"""
    # Simpson's rule over 2000 steps of h <= 0.05: h**4 / 180 * r / R*⁴ < 3e-8 * 100 / 16, divided by the whole of at
    # least 1 + R* / 2.
    r = np.linspace(0, epochs - 1, 2001)
    weights = np.ones(2001)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    integral = weights @ np.exp(-r / r_star) * (epochs - 1) / 6000
    got = learner.effective_tokens(unique, epochs, r_star)
    expect.close(got, unique * (1 + integral), "effective tokens", rtol=3e-7, atol=0)


@pytest.mark.core
@pytest.mark.hint("two epochs are one repetition, four are three")
@pytest.mark.parametrize(
    ("epochs", "multiple"), [(1, 1), (2, 1.968199), (4, 3.725673), (8, 6.624119), (16, 10.582457), (40, 15.167465)]
)
def test_published_worth(learner, epochs, multiple):
    """four epochs are worth 3.73, sixteen 10.6, forty 15.2, as Muennighoff et al. fitted it"""
    got = learner.effective_tokens(1e9, epochs, 15.387756)
    expect.close(got, multiple * 1e9, f"effective tokens of {epochs} epochs", rtol=1e-6, atol=0)


@pytest.mark.core
@pytest.mark.hint("up to one epoch nothing is repeated")
@given(unique=strategies.magnitudes(1, 1e15), parts=st.integers(1, 1000), r_star=STARS)
@example(unique=1e9, parts=1000, r_star=2.0)
def test_up_to_one_epoch(learner, unique, parts, r_star):
    """up to one epoch, tokens are worth what they are"""
    got = learner.effective_tokens(unique, parts / 1000, r_star)
    expect.close(got, unique * parts / 1000, "effective tokens", rtol=WORTH, atol=0)


@pytest.mark.edge
@pytest.mark.hint("repetitions go on, their worth does not: R* of them is all there is, and the first epoch")
@given(unique=strategies.magnitudes(1, 1e12), epochs=st.integers(10_000, 10**6), r_star=STARS)
def test_worth_is_bounded(learner, unique, epochs, r_star):
    """any number of epochs is worth no more than 1 + R* of them"""
    # exp(-9999 / 60) is less than 1e-72.
    got = learner.effective_tokens(unique, epochs, r_star)
    expect.close(got, unique * (1 + r_star), "effective tokens", rtol=WORTH, atol=0)


# --- the loss

LEAST = st.integers(0, 30).map(lambda tenths: tenths / 10)
EXPONENTS = st.integers(20, 50).map(lambda hundredths: hundredths / 100)
CONSTANTS = st.integers(10, 5000).map(float)
LAWS = st.tuples(LEAST, CONSTANTS, CONSTANTS, EXPONENTS, EXPONENTS, STARS, STARS)


def law(params, tokens, theta):
    """The loss without repetition."""
    least, a, b, alpha, beta = theta[:5]
    return least + a / params**alpha + b / tokens**beta


def fed(tokens, theta):
    """The parameters for which so many tokens are compute-optimal."""
    _, a, b, alpha, beta = theta[:5]
    return (alpha * a / (beta * b) * tokens**beta) ** (1 / alpha)


PUBLISHED = [  # N, D, U, loss: the authors' notebook, with their constants
    (2.81e9, 55e9, 55e9, 2.3540987161),
    (2.81e9, 55e9, 14e9, 2.3768620551),
    (2.81e9, 55e9, 4e9, 2.4720390976),
    (8.67e9, 178e9, 25e9, 2.2269634075),
    (4.2465e9, 84e9, 12e9, 2.3328555923),
]


@pytest.mark.core
@pytest.mark.hint(
    "effective parameters as well as effective tokens; N_opt follows from the fresh tokens, and R_N* is not R_D*"
)
@pytest.mark.parametrize("row", range(len(PUBLISHED)))
def test_published_losses(learner, row):
    """the published law predicts what its authors say"""
    # Ten digits after the point.
    *sizes, want = PUBLISHED[row]
    expect.close(learner.loss(*sizes, PAPER), want, "predicted loss", rtol=0, atol=6e-11 + LOSS * want)


@pytest.mark.core
@pytest.mark.hint("nothing repeated and no parameter in excess: that is the law without repetition")
@given(theta=LAWS, tokens=strategies.magnitudes(1e8, 1e13), more=st.integers(0, 5), less=st.integers(1, 10))
def test_fresh_tokens(learner, theta, tokens, more, less):
    """on fresh tokens a model that is not too large has the loss of the law"""
    params = fed(tokens, theta) * less / 10 * (1 - 1e-12)
    assume(1e-3 < params < 1e15)
    got = learner.loss(params, tokens, tokens * (1 + more), theta)
    expect.close(got, law(params, tokens, theta), "predicted loss", rtol=LOSS, atol=0)


@pytest.mark.core
@pytest.mark.hint("fresh tokens are min(D, U); useful parameters min(N, N_opt); what is beyond them is repetition")
@given(
    theta=LAWS,
    unique=strategies.magnitudes(1e8, 1e12),
    epochs=st.sampled_from([0.2, 1.0, 1.5, 7.0, 60.0]),
    excess=st.sampled_from([0.3, 1.0, 2.0, 9.0]),
)
@example(theta=(1.5, 40.0, 10.0, 0.5, 0.25, 15.0, 5.0), unique=6.25e10, epochs=4.0, excess=2.0)
def test_effective_sizes(learner, theta, unique, epochs, excess):
    """the loss is that of the law for effective parameters and effective tokens"""
    fresh = unique * min(epochs, 1)
    useful = fed(fresh, theta)
    assume(1e-3 < useful < 1e13)
    tokens = fresh * worth(max(epochs, 1), theta[5])
    params = useful * (worth(excess, theta[6]) if excess > 1 else excess)
    got = learner.loss(useful * excess, unique * epochs, unique, theta)
    expect.close(got, law(params, tokens, theta), "predicted loss", rtol=LOSS, atol=0)


@pytest.mark.core
@pytest.mark.hint("more unique tokens can only help, for the same N and D")
@given(
    theta=LAWS,
    params=strategies.magnitudes(1e6, 1e12),
    tokens=strategies.magnitudes(1e8, 1e13),
    uniques=st.lists(strategies.magnitudes(1e6, 1e14), min_size=2, max_size=4),
)
def test_more_unique_tokens(learner, theta, params, tokens, uniques):
    """the more unique tokens, the lower the loss, and never under the law's"""
    losses = [expect.number(learner.loss(params, tokens, unique, theta), "loss") for unique in sorted(uniques)]
    for before, after in pairwise(losses):
        expect.at_most(after, before * (1 + 2 * LOSS), "loss with more unique tokens")
    expect.at_least(losses[-1], law(params, tokens, theta) * (1 - LOSS), "loss, against that without repetition")


# --- the best allocation


def log_slope(times, r_star):
    """By how many percent the worth grows when something that is there so many times grows by 1 %."""
    return times * math.exp((1 - times) / r_star) / worth(times, r_star)


def plant(unique, useful, epochs, least, alpha, beta, r_d, r_n, scale):
    """C, U, θ and the best N, for which the best number of epochs is known.

    A and B are such that U tokens are compute-optimal for ``useful`` parameters: αA/useful^α = βB/U^β = scale. With N =
    m * useful, 1 % more parameters gain scale * worth(m)^-α * log_slope(m), and 1 % fewer tokens cost the same with the
    epochs in the place of m. The gain falls with m, so one m makes them equal.
    """
    theta = (least, scale * useful**alpha / alpha, scale * unique**beta / beta, alpha, beta, r_d, r_n)
    if epochs <= 1:
        best = fed(unique * epochs, theta)
        return 6 * best * unique * epochs, unique, theta, best, epochs
    cost = worth(epochs, r_d) ** -beta * log_slope(epochs, r_d)
    low, high = 1.0, 1e6
    for _ in range(200):
        middle = math.sqrt(low * high)
        gain = worth(middle, r_n) ** -alpha * log_slope(middle, r_n)
        low, high = (middle, high) if gain > cost else (low, middle)
    return 6 * low * useful * unique * epochs, unique, theta, low * useful, epochs


def planted(shares):
    """Budgets with laws whose best allocation is known; from 1 to 2, a share is one of the 3 R_D* repetitions."""
    return st.builds(
        lambda share, r_d, **others: plant(
            epochs=share if share <= 1 else 1 + 3 * r_d * (share - 1), r_d=r_d, **others
        ),
        share=shares,
        unique=strategies.magnitudes(1e9, 1e12),
        useful=strategies.magnitudes(1e7, 1e10),
        least=LEAST,
        alpha=st.integers(25, 45).map(lambda hundredths: hundredths / 100),
        beta=st.integers(25, 45).map(lambda hundredths: hundredths / 100),
        r_d=STARS,
        r_n=STARS,
        scale=st.integers(1, 20).map(lambda steps: steps / 20),
    )


FEW = st.integers(1, 10).map(lambda tenths: tenths / 10)
MANY = st.integers(1, 19).map(lambda parts: 1 + parts / 20)


def allocation(learner, flops, unique, theta):
    """The learner's N, epochs and loss as three numbers."""
    values = expect.sequence(learner.best_allocation(flops, unique, theta), "(N, epochs, loss)")
    expect.length(values, 3, "(N, epochs, loss)")
    return tuple(expect.positive(value, name) for value, name in zip(values, ("N", "epochs", "loss"), strict=True))


@pytest.mark.core
@pytest.mark.hint("search over log N with D = C / (6 N); beyond one epoch both kinds of decay shape the valley")
@given(case=planted(MANY))
@example(case=plant(25e9, 1.27e9, 9.0, 1.87, 0.35, 0.35, 15.387756, 5.309743, 0.1))
def test_planted_allocation(learner, case):
    """N and epochs are those for which the law was made"""
    flops, unique, theta, best, epochs = case
    assume(1e5 < best < 1e15)
    params, got, _ = allocation(learner, flops, unique, theta)
    expect.close(got, epochs, "epochs", rtol=PLACE, atol=0)
    expect.close(params, best, "N", rtol=PLACE, atol=0)


@pytest.mark.core
@pytest.mark.hint("with tokens enough, nothing is repeated, and the answer is that of compute_optimal")
@given(case=planted(FEW))
def test_enough_tokens(learner, case):
    """where there are tokens enough, the best model is the compute-optimal one"""
    flops, unique, theta, _, _ = case
    _, a, b, alpha, beta, *_ = theta
    best = (alpha * a / (beta * b)) ** (1 / (alpha + beta)) * (flops / 6) ** (beta / (alpha + beta))
    assume(1e5 < best < 1e15)
    params, epochs, _ = allocation(learner, flops, unique, theta)
    expect.close(params, best, "N", rtol=PLACE, atol=0)
    expect.close(epochs, flops / (6 * best) / unique, "epochs", rtol=PLACE, atol=0)


@pytest.mark.core
@pytest.mark.hint("6 N D is the budget, D is epochs times U, and the loss is the law's at these")
@given(case=st.one_of(planted(FEW), planted(MANY)))
def test_budget_and_loss(learner, case):
    """every FLOP is spent, and the loss is what is predicted for the answer"""
    flops, unique, theta, best, _ = case
    assume(1e5 < best < 1e15)
    params, epochs, got = allocation(learner, flops, unique, theta)
    expect.close(6 * params * epochs * unique, flops, "6 N D", rtol=SPENT, atol=0)
    want = predicted(params, epochs * unique, unique, theta)
    expect.close(got, want, "loss at the N and epochs returned", rtol=PREDICTED, atol=0)


def predicted(params, tokens, unique, theta):
    """The law for effective sizes."""
    fresh = min(tokens, unique)
    useful = min(params, fed(fresh, theta))
    return law(useful * worth(params / useful, theta[6]), fresh * worth(tokens / fresh, theta[5]), theta)


@pytest.mark.core
@pytest.mark.hint("compare your loss with that at a neighbour, at the same FLOPs")
@given(case=st.one_of(planted(FEW), planted(MANY)), percent=st.integers(1, 200))
def test_no_neighbour_is_better(learner, case, percent):
    """no other N on the same budget has a lower predicted loss"""
    # 1 % away from an N that is within PLACE, the excess is at least 81 times as large as at that N.
    flops, unique, theta, best, _ = case
    assume(1e5 < best < 1e15)
    params, _, _ = allocation(learner, flops, unique, theta)
    here = predicted(params, flops / (6 * params), unique, theta)
    for factor in (1 + percent / 100, 1 / (1 + percent / 100)):
        there = predicted(params * factor, flops / (6 * params * factor), unique, theta)
        expect.at_most(here, there * (1 + ROUNDING), f"predicted loss at N, against that at {factor:.4g} N")


# --- edges


@pytest.mark.edge
@pytest.mark.hint("if repetitions hardly lose worth, they are fresh tokens")
@given(theta=LAWS, unique=strategies.magnitudes(1e9, 1e12), epochs=st.integers(1, 20), size=st.integers(1, 20))
def test_slow_decay(learner, theta, unique, epochs, size):
    """with a large R_D* and R_N*, repeated tokens and excess parameters are as good as fresh ones"""
    theta = (*theta[:5], 1e4, 1e4)
    params = fed(unique, theta) * size
    assume(1e-3 < params < 1e15)
    got = learner.loss(params, unique * epochs, unique, theta)
    # 20 times something is worth 1 + R* (1 - exp(-19 / R*)) > 20 (1 - 19² / (2 * 20 * 1e4)): 1 part in 1000 less.
    bound = law(params * (1 - 1e-3), unique * epochs * (1 - 1e-3), theta)
    expect.between(got, law(params, unique * epochs, theta) * (1 - LOSS), bound * (1 + LOSS), "loss")


@pytest.mark.edge
@pytest.mark.hint("sizes, budgets and constants are positive: raise ValueError for anything else")
@given(wrong=st.sampled_from([0.0, -0.5, -1e9]), place=st.integers(0, 2), constant=st.integers(1, 6))
def test_impossible_arguments(learner, wrong, place, constant):
    """sizes and constants that are not positive are errors"""
    for function, arguments in (
        (learner.effective_tokens, (1e9, 2.0, 15.0)),
        (learner.loss, (1e9, 1e11, 1e10, PAPER)),
        (learner.best_allocation, (1e21, 1e10, PAPER)),
    ):
        changed = list(arguments)
        if changed[place] is PAPER:
            continue
        changed[place] = wrong
        expect.raises(ValueError, function, *changed)
    theta = [*PAPER]
    theta[constant] = wrong
    expect.raises(ValueError, learner.loss, 1e9, 1e11, 1e10, tuple(theta))
    expect.raises(ValueError, learner.best_allocation, 1e21, 1e10, tuple(theta))
