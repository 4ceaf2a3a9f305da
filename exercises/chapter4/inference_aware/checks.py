"""Checks of inference_aware. Symbols: N parameters, D training tokens, I tokens of inference, θ = (E, A, B, α, β).

The main oracle goes backwards: it chooses the best N and D for a demand, and makes a law and a target that have them.
"""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect

# The contract. A search by values of the cost can place log N within sqrt(2 eps / κ), where κ = p - 1 + α + βp is the
# curvature of log cost over log N on the curve of equal loss and p = 1 + I/(3D); κ >= 0.3 here, so 4e-8, and D moves
# by p <= 101 times that.
PLACE = 1e-3
QUALITY = 1e-9
FLOPS = 1e-6


def law(params, tokens, theta):
    """The loss that the law predicts."""
    least, a, b, alpha, beta = theta
    return least + a / params**alpha + b / tokens**beta


def plant(params, tokens, demand, least, alpha, beta, scale):
    """A target, I and θ for which N and D are the best: l, I, θ, N, D.

    With p = 1 + I/(3D), the terms sβ for N and sα/p for D make αA/N^α = p βB/D^β.
    """
    p = 1 + demand / 3
    from_params, from_tokens = scale * beta, scale * alpha / p
    theta = (least, from_params * params**alpha, from_tokens * tokens**beta, alpha, beta)
    return least + from_params + from_tokens, demand * tokens, theta, params, tokens


def sizes(low, high):
    """Floats of one digit from 10**low to 9 * 10**high."""
    return st.builds(lambda digit, power: float(digit * 10**power), st.integers(1, 9), st.integers(low, high))


LEAST = st.integers(0, 50).map(lambda tenths: tenths / 10)
EXPONENTS = st.integers(15, 60).map(lambda hundredths: hundredths / 100)
SCALES = st.integers(1, 40).map(lambda steps: steps / 20)
DEMANDS = st.sampled_from([0.0, 0.1, 0.7, 3.0, 20.0, 300.0])  # I/D
SERVED = st.sampled_from([0.1, 0.7, 3.0, 20.0, 300.0])


def planted(demands=DEMANDS):
    """Targets, demands and laws whose best N and D are known."""
    return st.builds(plant, sizes(6, 11), sizes(8, 13), demands, LEAST, EXPONENTS, EXPONENTS, SCALES)


BY_HAND = (1.54, 1.875e11, (1.5, 40.0, 10.0, 0.5, 0.25), 4e6, 6.25e10)  # the statement's example


def answer(learner, target, inference_tokens, theta):
    """The learner's N, D and flops as three positive numbers."""
    values = expect.sequence(learner.cheapest_model(target, inference_tokens, theta), "(N, D, flops)")
    expect.length(values, 3, "(N, D, flops)")
    return tuple(expect.positive(value, name) for value, name in zip(values, ("N", "D", "flops"), strict=True))


@pytest.mark.core
@pytest.mark.hint("1 % more parameters save some data: when does what they save in training pay for serving them?")
@given(case=planted())
@example(case=BY_HAND)
def test_planted_optimum(learner, case):
    """N and D are those for which target and law were made"""
    target, inference_tokens, theta, best_params, best_tokens = case
    params, tokens, _ = answer(learner, target, inference_tokens, theta)
    expect.close(params, best_params, "N", rtol=PLACE, atol=0)
    expect.close(tokens, best_tokens, "D", rtol=PLACE, atol=0)


@pytest.mark.core
@pytest.mark.hint("given N, the target says what B / D^β has to be, and so D")
@given(case=planted())
@example(case=BY_HAND)
def test_quality_is_held(learner, case):
    """the law predicts the target for the answer"""
    target, inference_tokens, theta, _, _ = case
    params, tokens, _ = answer(learner, target, inference_tokens, theta)
    expect.close(law(params, tokens, theta), target, "predicted loss", rtol=QUALITY, atol=0)


@pytest.mark.core
@pytest.mark.hint("6 N D for training, 2 N for every token of inference, both for the N and D that you return")
@given(case=planted())
@example(case=BY_HAND)
def test_flops_of_a_lifetime(learner, case):
    """the FLOPs are those of training and inference"""
    target, inference_tokens, theta, _, _ = case
    params, tokens, flops = answer(learner, target, inference_tokens, theta)
    want = 6 * params * tokens + 2 * params * inference_tokens
    expect.close(flops, want, "FLOPs at the N and D returned", rtol=FLOPS, atol=0)


@pytest.mark.core
@pytest.mark.hint("along the curve of equal loss, compare the FLOPs at your N with those at a neighbour of it")
@given(case=planted(), percent=st.integers(1, 200))
def test_no_neighbour_is_cheaper(learner, case, percent):
    """no other model of the same quality is cheaper over its lifetime"""
    target, inference_tokens, theta, _, _ = case
    least, a, b, alpha, beta = theta
    params, tokens, _ = answer(learner, target, inference_tokens, theta)
    here = params * (6 * tokens + 2 * inference_tokens)
    for other in (params * (1 + percent / 100), params / (1 + percent / 100)):
        left = target - least - a / other**alpha
        if left <= 1e-9:
            continue  # too small for the target, however many tokens it sees
        there = other * (6 * (b / left) ** (1 / beta) + 2 * inference_tokens)
        # An N that is off by PLACE costs a part of κ PLACE² / 2 too much; a neighbour at 1 % a hundred times that. The
        # D that is returned may differ from the curve's by QUALITY * target / (β b), where b >= 0.05 * 0.15 / 101.
        slack = 10 * QUALITY / (0.15 * 7e-5)
        expect.at_most(here, there * (1 + slack), f"FLOPs at N, against those at {other / params:.4g} N")


SARDANA = (1.69, 406.4, 410.7, 0.336, 0.283)  # the constants of Sardana et al. 2024
HOFFMANN = (1.69, 406.4, 410.7, 0.34, 0.28)
# Compute-optimal N whose quality is wanted, its D and loss; I; the best N and D, and the FLOPs saved.
PUBLISHED = [
    (SARDANA, 30e9, 1.5559011e12, 1e13, 1.3612831e10, 4.4262367e12, 0.27985),
    (SARDANA, 7e9, 2.7643562e11, 1e11, 5.9997223e9, 3.2502201e11, 0.00846),
    (SARDANA, 13e9, 5.7648557e11, 2e12, 6.9685956e9, 1.2478397e12, 0.17447),
    (SARDANA, 70e9, 4.2547413e12, 1e13, 4.1551337e10, 7.9225034e12, 0.11949),
    (HOFFMANN, 30e9, 2.7377744e12, 1e13, 1.5864654e10, 6.0523425e12, 0.18246),
]


@pytest.mark.core
@pytest.mark.hint("the constants come with the call; inference takes 2 FLOPs per parameter and token, not 6")
@pytest.mark.parametrize("row", range(len(PUBLISHED)))
def test_published_trade(learner, row):
    """a 30B model for 10¹³ tokens of inference: better 13.6B on 2.84 times the data, for 28 % fewer FLOPs"""
    # Each number has eight digits; the loss of the first model moves by 1e-9 with them.
    theta, usual_params, usual_tokens, demand, best_params, best_tokens, saved = PUBLISHED[row]
    params, tokens, flops = answer(learner, law(usual_params, usual_tokens, theta), demand, theta)
    expect.close(params, best_params, "N", rtol=PLACE, atol=0)
    expect.close(tokens, best_tokens, "D", rtol=PLACE, atol=0)
    usual = usual_params * (6 * usual_tokens + 2 * demand)
    expect.close(1 - flops / usual, saved, "share of the FLOPs that is saved", rtol=0, atol=2e-5)


@pytest.mark.core
@pytest.mark.hint("without inference only training costs: what does Hoffmann's equation 4 say about 6 N D?")
@given(case=planted(st.just(0.0)))
@example(case=(1.53, 0.0, (1.5, 40.0, 10.0, 0.5, 0.25), 1.6e7, 6.25e10))
def test_without_inference(learner, case):
    """without inference the answer is the compute-optimal model for its own budget"""
    target, _, theta, _, _ = case
    _, a, b, alpha, beta = theta
    params, tokens, flops = answer(learner, target, 0.0, theta)
    best = (alpha * a / (beta * b)) ** (1 / (alpha + beta)) * (flops / 6) ** (beta / (alpha + beta))
    # N and D of the answer are off by PLACE each at most, the FLOPs by both.
    expect.close(params, best, "N, against the best for these FLOPs", rtol=3.1 * PLACE, atol=0)
    expect.close(tokens, flops / (6 * best), "D, likewise", rtol=5.1 * PLACE, atol=0)


@pytest.mark.core
@pytest.mark.hint("who is used more should be smaller, and trained longer")
@given(case=planted(st.sampled_from([0.1, 0.7, 3.0, 20.0])), times=st.integers(2, 10))
@example(case=BY_HAND, times=4)
def test_more_demand(learner, case, times):
    """with more inference the best model is smaller and sees more data, and the bill grows by 2 N per token"""
    target, demand, theta, _, _ = case
    params, tokens, flops = answer(learner, target, demand, theta)
    more_params, more_tokens, more_flops = answer(learner, target, times * demand, theta)
    expect.at_most(more_params, params * (1 - 2.1 * PLACE), "N for more inference")
    expect.at_least(more_tokens, tokens * (1 + 2.1 * PLACE), "D for more inference")
    # Each bill is at most that of the other model for the same demand. An N that is off by PLACE adds κ PLACE² / 2, and
    # κ < 110 for up to 200 D: 6e-5.
    more, slack = (times - 1) * demand, 1e-4
    expect.at_most(more_flops, (flops + 2 * params * more) * (1 + slack), "FLOPs, against those of the first model")
    expect.at_least(more_flops, (flops + 2 * more_params * more) * (1 - slack), "FLOPs, less those of the second")


@pytest.mark.edge
@pytest.mark.hint("near the smallest model that can reach the target, D changes fast: does your search resolve that?")
@given(case=planted(st.just(300.0)))
@example(case=plant(9e11, 9e13, 300.0, 0.0, 0.6, 0.15, 0.05))
@example(case=plant(1e6, 1e8, 300.0, 5.0, 0.15, 0.6, 2.0))
def test_heavy_demand(learner, case):
    """for a model that serves 300 times what it was trained on, too"""
    target, inference_tokens, theta, best_params, best_tokens = case
    params, tokens, _ = answer(learner, target, inference_tokens, theta)
    expect.close(params, best_params, "N", rtol=PLACE, atol=0)
    expect.close(tokens, best_tokens, "D", rtol=PLACE, atol=0)


@pytest.mark.edge
@pytest.mark.hint("E is the part of the target that neither parameters nor data can change")
@given(case=planted(), more=st.integers(1, 20).map(lambda quarters: quarters / 4))
def test_irreducible_loss_moves_nothing(learner, case, more):
    """E and the target moved by the same amount change nothing"""
    target, inference_tokens, theta, best_params, best_tokens = case
    moved = (theta[0] + more, *theta[1:]) if theta[0] + more <= 5 else (0.0, *theta[1:])
    params, tokens, _ = answer(learner, target - theta[0] + moved[0], inference_tokens, moved)
    # Adding to target and E rounds by eps * 10, in a reducible loss of at least 0.007: 3e-13.
    expect.close(params, best_params, "N", rtol=PLACE, atol=0)
    expect.close(tokens, best_tokens, "D", rtol=PLACE, atol=0)


@pytest.mark.edge
@pytest.mark.hint("no model reaches E or less, and nobody serves a negative number of tokens: raise ValueError")
@given(
    which=st.sampled_from(["target", "demand", "A", "B", "alpha", "beta"]), wrong=st.sampled_from([0.0, -0.5, -1e12])
)
def test_impossible_arguments(learner, which, wrong):
    """a target that is not above E, a negative demand, and a law whose terms do not fall are errors"""
    values = {"target": 1.54, "demand": 2e11, "E": 1.5, "A": 40.0, "B": 10.0, "alpha": 0.5, "beta": 0.25}
    if which == "demand":
        wrong = min(wrong, -1.0)
    values[which] = 1.5 + max(wrong, -1.5) if which == "target" else wrong
    target, demand, *theta = values.values()
    expect.raises(ValueError, learner.cheapest_model, target, demand, tuple(theta))
