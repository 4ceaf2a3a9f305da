"""Checks of compute_optimal. Symbols: N parameters, D tokens, C FLOPs, θ = (E, A, B, α, β).

The main oracle goes backwards: it chooses an optimum first, and makes the law that has it there.
"""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect

# The contract: N and D within 1 part in 1000. A search by values of the loss cannot do better than a relative
# sqrt(2 eps L / L''), L'' being the curvature over log N. Planted laws have L'' = t αβ(α + β) >= 0.05 * 0.1**2
# * 0.2 = 1e-4 and L < 10 (E <= 5, t (α + β) <= 4): 7e-6. Drawn laws (LAWS, BUDGETS) at their flattest (C = 9e25,
# α = β = 0.5, A = B = 10) have L'' = 2.5e-6, L < 6: 3e-5.
OPTIMUM = 1e-3
# Two answers are each within OPTIMUM of the truth: their ratio is within (1 + 1e-3) / (1 - 1e-3) - 1 < 2.1e-3.
TWO_ANSWERS = 2.1e-3
# The contract: 6ND = C within 1e-9. Powers of C/6 round by ln(C/6) eps < 70 * 2.2e-16 = 2e-14.
SPENT = 1e-9
# The contract: the loss within 1e-6, at the N and D returned. Two losses for one optimum differ by that each, and
# by αβ OPTIMUM**2 / 2 < 1e-6 between the N and D of the two answers.
LOSS, TWO_LOSSES = 1e-6, 3e-6
# Two evaluations of the law differ by rounding: less than 100 eps L, as α ln N < 40 and there are three terms.
ROUNDING = 1e-13


def law(params, tokens, theta):
    """The loss that the law predicts."""
    least, a, b, alpha, beta = theta
    return least + a / params**alpha + b / tokens**beta


def plant(params, tokens, least, alpha, beta, scale):
    """A budget, and a law whose optimum for it is known: C, θ, N, D.

    A = t β N^α and B = t α D^β make αA/N^α = βB/D^β = t αβ: 1 % more of N gains what 1 % less of D costs.
    """
    theta = (least, scale * beta * params**alpha, scale * alpha * tokens**beta, alpha, beta)
    return 6 * params * tokens, theta, params, tokens


def sizes(low, high):
    """Floats of one digit from 10**low to 9 * 10**high."""
    return st.builds(lambda digit, power: float(digit * 10**power), st.integers(1, 9), st.integers(low, high))


LEAST = st.integers(0, 50).map(lambda tenths: tenths / 10)
EXPONENTS = st.integers(10, 100).map(lambda hundredths: hundredths / 100)
SCALES = st.integers(1, 40).map(lambda steps: steps / 20)


def planted(params, tokens):
    """Budgets with laws whose optima are N and D from these strategies."""
    return st.builds(plant, params, tokens, LEAST, EXPONENTS, EXPONENTS, SCALES)


PLANTED = planted(sizes(6, 12), sizes(8, 14))
BY_HAND = (6e18, (1.5, 40.0, 10.0, 0.5, 0.25), 1.6e7, 6.25e10)  # the statement's example

# Laws and budgets in the neighbourhood of the published ones; at all of them N and D are above 10.
LAWS = st.tuples(
    LEAST,
    st.integers(10, 5000).map(float),
    st.integers(10, 5000).map(float),
    st.integers(20, 50).map(lambda hundredths: hundredths / 100),
    st.integers(20, 50).map(lambda hundredths: hundredths / 100),
)
BUDGETS = sizes(18, 25)


def answer(learner, flops, theta):
    """The learner's N, D and loss as three numbers; N and D such that the law can be evaluated there."""
    values = expect.sequence(learner.optimal_allocation(flops, theta), "(N, D, loss)")
    expect.length(values, 3, "(N, D, loss)")
    params, tokens, loss = (expect.number(value, name) for value, name in zip(values, ("N", "D", "loss"), strict=True))
    for value, name in ((params, "N"), (tokens, "D")):
        expect.finite(value, name)
        expect.true(value > 0, name, got=value, expected="more than 0")
    return params, tokens, loss


@pytest.mark.core
@pytest.mark.hint("training costs 6 FLOPs per parameter and token, and all of them are to be spent")
@given(flops=BUDGETS, theta=LAWS)
@example(flops=6e18, theta=(1.5, 40.0, 10.0, 0.5, 0.25))
def test_every_flop_is_spent(learner, flops, theta):
    """6 N D is the budget"""
    # Not the planted optima, which are whole numbers: whoever rounds would go unseen.
    params, tokens, _ = answer(learner, flops, theta)
    expect.close(6 * params * tokens, flops, "6 N D", rtol=SPENT, atol=0)


@pytest.mark.core
@pytest.mark.hint(
    "at the optimum, 1 % more parameters gain as much as 1 % fewer tokens cost; what does 1 % do to A / N^α?"
)
@given(case=PLANTED)
@example(case=BY_HAND)
def test_planted_optimum(learner, case):
    """N and D are those for which the law was made"""
    flops, theta, best_params, best_tokens = case
    params, tokens, _ = answer(learner, flops, theta)
    expect.close(params, best_params, "N", rtol=OPTIMUM, atol=0)
    expect.close(tokens, best_tokens, "D", rtol=OPTIMUM, atol=0)


@pytest.mark.core
@pytest.mark.hint("compare the law at your N and at a neighbour of it, with D = C / (6 N) for each")
@given(flops=BUDGETS, theta=LAWS, percent=st.integers(1, 200))
def test_no_neighbour_is_better(learner, flops, theta, percent):
    """no other N on the same budget has a lower predicted loss"""
    # 1 % away from an N that is within OPTIMUM, the excess is at least 81 times as large as at that N.
    params, _, _ = answer(learner, flops, theta)
    here = law(params, flops / (6 * params), theta)
    for factor in (1 + percent / 100, 1 / (1 + percent / 100)):
        there = law(params * factor, flops / (6 * params * factor), theta)
        expect.at_most(here, there * (1 + ROUNDING), f"predicted loss at N, against that at {factor:.4g} N")


@pytest.mark.core
@pytest.mark.hint("put the N and D that you return into the law, all three terms of it")
@given(case=PLANTED)
@example(case=BY_HAND)
def test_loss_is_that_of_the_law(learner, case):
    """the loss is what the law predicts for this N and D"""
    flops, theta, _, _ = case
    params, tokens, loss = answer(learner, flops, theta)
    expect.close(loss, law(params, tokens, theta), "loss at the N and D returned", rtol=LOSS, atol=0)


FITS = {  # name: θ; Hoffmann et al. 2022, appendix D.3 and TeX source, Besiroglu et al. 2024
    "printed": (1.69, 406.4, 410.7, 0.34, 0.28),
    "unrounded": (math.exp(0.5267228), math.exp(6.0073404), math.exp(6.0179186), 0.33917084, 0.2849083),
    "refitted": (1.8172, 482.01, 2085.43, 0.3478, 0.3658),
}
# C -> N, D, computed with these constants by hand and by minimising numerically.
OPTIMA = {
    "printed": {
        1e21: (1.82421770e9, 9.13633647e10),
        5.76e23: (3.21898592e10, 2.98230569e12),
        1e26: (3.30476955e11, 5.04321600e13),
    },
    "unrounded": {
        1e21: (2.21695489e9, 7.51781947e10),
        5.76e23: (4.03609384e10, 2.37853736e12),
        1e26: (4.24997552e11, 3.92159122e13),
    },
    "refitted": {
        1e21: (2.77845946e9, 5.99852792e10),
        5.76e23: (7.22487025e10, 1.32874359e12),
        1e26: (1.01593191e12, 1.64052989e13),
    },
}


@pytest.mark.core
@pytest.mark.hint("the constants come with the call, in the order E, A, B, α, β; none of them is built in")
def test_published_laws(learner):
    """Chinchilla's budget buys 32, 40 or 72 billion parameters, depending on whose fit is believed"""
    for fit, theta in FITS.items():
        for flops, (best_params, best_tokens) in OPTIMA[fit].items():
            params, tokens, _ = answer(learner, flops, theta)
            expect.close(params, best_params, f"N for {flops:g} FLOPs, law {fit}", rtol=OPTIMUM, atol=0)
            expect.close(tokens, best_tokens, f"D for {flops:g} FLOPs, law {fit}", rtol=OPTIMUM, atol=0)


@pytest.mark.core
@pytest.mark.hint("parameters and tokens play the same part in the law and in the cost")
@given(flops=BUDGETS, theta=LAWS)
def test_parts_exchanged(learner, flops, theta):
    """a law with the parts of N and D exchanged exchanges the answers"""
    least, a, b, alpha, beta = theta
    params, tokens, loss = answer(learner, flops, theta)
    other_params, other_tokens, other_loss = answer(learner, flops, (least, b, a, beta, alpha))
    expect.close(other_params, tokens, "N, against D before", rtol=TWO_ANSWERS, atol=0)
    expect.close(other_tokens, params, "D, against N before", rtol=TWO_ANSWERS, atol=0)
    expect.close(other_loss, loss, "loss, against the loss before", rtol=TWO_LOSSES, atol=0)


@pytest.mark.core
@pytest.mark.hint("however large the budget, A / N^α and B / D^β keep their proportion; do your exponents do that?")
@given(flops=sizes(18, 23), theta=LAWS, times=st.integers(2, 100))
def test_terms_fall_together(learner, flops, theta, times):
    """more compute shrinks both terms of the loss by the same factor"""
    # Each answer adds (α + β) OPTIMUM to the tolerance, and α + β <= 1 in LAWS.
    _, a, b, alpha, beta = theta
    proportions = []
    for budget in (flops, flops * times):
        params, tokens, _ = answer(learner, budget, theta)
        proportions.append((a / params**alpha) / (b / tokens**beta))
    what = f"(A / N^α) / (B / D^β) with {times} times the FLOPs, against that before"
    expect.close(proportions[1], proportions[0], what, rtol=TWO_ANSWERS, atol=0)


@pytest.mark.edge
@pytest.mark.hint("no size is too small or too large; where do your search or your shortcuts end?")
@given(case=st.one_of(planted(sizes(1, 4), sizes(10, 14)), planted(sizes(10, 14), sizes(1, 4))))
@example(case=plant(10.0, 10.0, 1.5, 0.5, 0.25, 1.0))
@example(case=plant(9e14, 9e14, 1.5, 0.5, 0.25, 1.0))
def test_lopsided_optima(learner, case):
    """a handful of parameters, or a handful of tokens, may be the best"""
    flops, theta, best_params, best_tokens = case
    params, tokens, _ = answer(learner, flops, theta)
    expect.close(params, best_params, "N", rtol=OPTIMUM, atol=0)
    expect.close(tokens, best_tokens, "D", rtol=OPTIMUM, atol=0)


@pytest.mark.edge
@pytest.mark.hint("E is the same for all N and D")
@given(flops=BUDGETS, theta=LAWS)
def test_irreducible_loss_moves_nothing(learner, flops, theta):
    """E adds to the loss, and changes neither N nor D"""
    least, *others = theta
    params, tokens, loss = answer(learner, flops, (0.0, *others))
    moved_params, moved_tokens, moved_loss = answer(learner, flops, (least, *others))
    expect.close(moved_params, params, "N, against that for E = 0", rtol=TWO_ANSWERS, atol=0)
    expect.close(moved_tokens, tokens, "D, against that for E = 0", rtol=TWO_ANSWERS, atol=0)
    expect.close(moved_loss, loss + least, "loss, against that for E = 0, plus E", rtol=TWO_LOSSES, atol=0)


@pytest.mark.edge
@pytest.mark.hint("without compute, or with a term that does not fall, there is no optimum: raise ValueError")
@given(which=st.sampled_from(["flops", "A", "B", "alpha", "beta"]), wrong=st.sampled_from([0.0, -0.5, -1e20]))
def test_impossible_arguments(learner, which, wrong):
    """a budget, A, B, α or β that is not positive is an error"""
    values = {"flops": 6e18, "E": 1.5, "A": 40.0, "B": 10.0, "alpha": 0.5, "beta": 0.25, which: wrong}
    flops, *theta = values.values()
    expect.raises(ValueError, learner.optimal_allocation, flops, tuple(theta))
