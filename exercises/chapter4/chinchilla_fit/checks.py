"""Checks of chinchilla_fit. Symbols: N parameters, D tokens, θ = (E, A, B, α, β), r = log prediction - log loss.

The oracles: the Huber loss written out run by run, the planted law, and a descent of another kind (iterated weighted
least squares, damped), which looks for lower ground from the planted law and from the learner's answer.
"""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

DELTA = 1e-3
EXCESS = 1e-7  # the contract; what BFGS and the oracle below leave is under 1e-8
EXPONENTS = 0.01  # the contract
# Rounding in r is some eps * log(1e15) < 1e-14, and r moves the sum by delta per run at most.
ROUNDING = 1e-12
FITS = settings(max_examples=4)

STRAY = (1e-6, 7.0, 7.0, 0.1, 0.1)  # E is too small to feel a pull in log E: descents end in a law without it
STEEP = (1.0, 1e5, 1e6, 0.7, 0.7)


# --- runs


def law(theta, n, d):
    """What the law predicts."""
    least, a, b, alpha, beta = theta
    return least + a / n**alpha + b / d**beta


def made_runs(seed, count, theta, noise, outliers=0):
    """Runs of 1e18 to 3e21 FLOPs, from a sixth to six times the usual size, whose losses scatter about a law."""
    draw = np.random.default_rng(seed)
    flops = 10 ** draw.uniform(18, 21.5, count)
    n = np.sqrt(flops / 120) * 10 ** draw.uniform(-0.8, 0.8, count)
    d = flops / (6 * n)
    loss = law(theta, n, d) * np.exp(noise * np.clip(draw.standard_normal(count), -4, 4))
    wrong = draw.choice(count, outliers, replace=False)
    loss[wrong] *= 1 + draw.uniform(0.3, 1, outliers)
    return n, d, loss


def near(seed, theta, n, d):
    """A start in the neighbourhood: other exponents and another E, each term of the same size amid the runs."""
    draw = np.random.default_rng(seed + 1)
    least, a, b, alpha, beta = theta
    up, down = draw.uniform(-0.05, 0.05, 2)
    middle_n, middle_d = np.exp(np.log(n).mean()), np.exp(np.log(d).mean())
    return least * 0.95, a * middle_n**up, b * middle_d**down, alpha + up, beta + down


LAWS = st.builds(
    lambda least, a, b, alpha, beta: (least / 100, float(a), float(b), alpha / 1000, beta / 1000),
    st.integers(151, 199),
    st.integers(201, 599),
    st.integers(301, 2499),
    st.integers(301, 399),
    st.integers(281, 399),
)
CHINCHILLA = (1.8172, 482.01, 2085.43, 0.3478, 0.3658)  # Besiroglu et al. 2024
HOFFMANN = (1.69, 406.4, 410.7, 0.34, 0.28)  # Hoffmann et al. 2022, as printed
SEEDS = strategies.seeds()


def fitted(learner, runs, starts):
    """The learner's law, five positive numbers."""
    answer = expect.sequence(learner.fit_parametric(*runs, list(starts)), "(E, A, B, alpha, beta)")
    expect.length(answer, 5, "(E, A, B, alpha, beta)")
    return tuple(expect.positive(value, name) for value, name in zip(answer, ("E", "A", "B", "α", "β"), strict=True))


# --- oracles


def slopes(theta, n, d):
    """How log prediction changes with log E, log A, log B, α and β: (runs, 5)."""
    least, a, b, alpha, beta = theta
    from_n, from_d = a / n**alpha, b / d**beta
    parts = [np.full_like(n, least), from_n, from_d, -from_n * np.log(n), -from_d * np.log(d)]
    return np.stack(parts, axis=1) / law(theta, n, d)[:, None]


def objective(theta, runs):
    """The sum of Huber losses."""
    n, d, loss = runs
    size = np.abs(np.log(law(theta, n, d)) - np.log(loss))
    return float(np.where(size <= DELTA, size**2 / 2, DELTA * (size - DELTA / 2)).sum())


def lower(theta, runs):
    """The law where damped, weighted least squares end from here (Holland and Welsch 1977; Levenberg 1944)."""
    n, d, loss = runs
    damping, here = 1e-3, objective(theta, runs)
    for _ in range(300):
        residual = np.log(law(theta, n, d)) - np.log(loss)
        weights = np.minimum(1, DELTA / np.maximum(np.abs(residual), 1e-300))
        slope = slopes(theta, n, d)
        bend = (slope * weights[:, None]).T @ slope
        step = np.linalg.solve(bend + damping * np.diag(np.diag(bend)), -slope.T @ (weights * residual))
        step = np.clip(step, -1, 1)
        there = (*(np.array(theta[:3]) * np.exp(step[:3])), *(np.array(theta[3:]) + step[3:]))
        if (value := objective(there, runs)) < here:
            gained, theta, here, damping = here - value, there, value, damping / 4
            if gained < 1e-13:
                break
        elif (damping := 8 * damping) > 1e8:
            break
    return theta


def expect_lowest(got, runs, known):
    """Ask for the least objective, and for the exponents that have it."""
    value = objective(got, runs)
    lowest = min((lower(theta, runs) for theta in (known, got)), key=lambda theta: objective(theta, runs))
    expect.at_most(value, objective(lowest, runs) + EXCESS, "huber_log_loss of the law")
    expect.close(got[3], lowest[3], "α", rtol=0, atol=EXPONENTS)
    expect.close(got[4], lowest[4], "β", rtol=0, atol=EXPONENTS)


def expect_planted(got, theta, runs, noise):
    """Ask for the planted E, α and β, within what noise and outliers can do.

    To first order the fit moves by C Jᵀψ, where J are the slopes of the ordinary runs, C = (Jᵀ J)⁻¹, and ψ is r cut at
    δ. Noise adds a variance of at most noise² C: 6.2 standard deviations are exceeded once in 10**9. An outlier adds at
    most δ |C J|. The contract's excess adds sqrt(2 EXCESS C). Noise of 5e-4 leaves 95 % of the runs within δ, so that
    the curvature is at least 0.95 Jᵀ J less chance; second-order terms are small. Both are covered by a factor of 1.5.
    """
    n, d, loss = runs
    wrong = loss > 1.1 * law(theta, n, d)
    slope = slopes(theta, n, d)
    inverse = np.linalg.inv(slope[~wrong].T @ slope[~wrong])
    deviation = np.sqrt(np.diag(inverse))
    band = 6.2 * noise * deviation + DELTA * np.abs(inverse @ slope[wrong].T).sum(axis=1)
    band = 1.5 * (band + math.sqrt(2 * EXCESS) * deviation)
    expect.close(math.log(got[0]), math.log(theta[0]), "log E", rtol=0, atol=band[0])
    expect.close(got[3], theta[3], "α", rtol=0, atol=band[3])
    expect.close(got[4], theta[4], "β", rtol=0, atol=band[4])


# --- the objective

LOSSES = st.integers(11, 60).map(lambda tenths: tenths / 10)
RUN = st.tuples(strategies.magnitudes(1e6, 1e12), strategies.magnitudes(1e8, 1e13), LOSSES)
RUNS = st.lists(RUN, min_size=1, max_size=5).map(
    lambda runs: tuple(np.array(column, dtype=np.float64) for column in zip(*runs, strict=True))
)
DELTAS = st.sampled_from([1e-3, 0.01, 0.1, 1.0, 10.0])
ANY_LAW = st.tuples(
    st.integers(1, 30).map(lambda tenths: tenths / 10),
    st.integers(1, 2000).map(float),
    st.integers(1, 2000).map(float),
    st.integers(0, 10).map(lambda tenths: tenths / 10),
    st.integers(0, 10).map(lambda tenths: tenths / 10),
)


def huber(residual, delta):
    """The area under min(|r|, δ), which is what the Huber loss is."""
    size = abs(residual)
    return size**2 / 2 if size <= delta else delta**2 / 2 + delta * (size - delta)


@pytest.mark.core
@pytest.mark.hint("one residual per run, log prediction - log loss; then r²/2 or δ(|r| - δ/2) for each; then the sum")
@given(theta=ANY_LAW, runs=RUNS, delta=DELTAS)
@example((1.5, 40.0, 10.0, 0.5, 0.25), (np.array([1.6e7, 1e6]), np.array([6.25e10, 1e12]), np.array([1.53, 1.5])), 1e-3)
def test_sum_of_huber_losses(learner, theta, runs, delta):
    """the objective is the sum of the Huber losses of all runs"""
    n, d, loss = runs
    want = sum(
        huber(math.log(law(theta, size, tokens)) - math.log(seen), delta)
        for size, tokens, seen in zip(n.tolist(), d.tolist(), loss.tolist(), strict=True)
    )
    got = learner.huber_log_loss(theta, n, d, loss, delta)
    expect.close(got, want, "huber_log_loss", rtol=1e-9, atol=ROUNDING * delta * len(n))


@pytest.mark.core
@pytest.mark.hint("what is a parabola up to δ is a line beyond it, and falls off alike on both sides")
@given(theta=LAWS, n=strategies.magnitudes(1e7, 1e11), d=strategies.magnitudes(1e9, 1e12), percent=st.integers(1, 300))
@example(theta=CHINCHILLA, n=7e10, d=1.4e12, percent=100)
@example(theta=CHINCHILLA, n=7e10, d=1.4e12, percent=101)
def test_parabola_and_line(learner, theta, n, d, percent):
    """a residual of r costs r²/2 up to δ and δ(|r| - δ/2) beyond, above and below"""
    residual = DELTA * percent / 100
    want = residual**2 / 2 if percent <= 100 else DELTA * (residual - DELTA / 2)
    for sign in (1, -1):
        loss = law(theta, n, d) * math.exp(sign * residual)
        got = learner.huber_log_loss(theta, np.array([n]), np.array([d]), np.array([loss]), DELTA)
        # Here r itself is what rounds: by 1e-15 or so, times its slope, which is at most δ.
        expect.close(got, want, "huber_log_loss of one run", rtol=1e-9, atol=ROUNDING * DELTA)


@pytest.mark.core
@pytest.mark.hint("a sum over all runs grows with the runs; a mean does not")
@given(theta=LAWS, seed=SEEDS, count=st.integers(1, 6), times=st.integers(2, 5))
def test_runs_add_up(learner, theta, seed, count, times):
    """runs that are there several times count several times"""
    runs = made_runs(seed, count, theta, 0.005)
    once = expect.number(learner.huber_log_loss(theta, *runs, DELTA), "huber_log_loss")
    got = learner.huber_log_loss(theta, *(np.tile(values, times) for values in runs), DELTA)
    expect.close(got, times * once, "huber_log_loss", rtol=1e-9, atol=ROUNDING * DELTA * count * times)


# --- the fit


@pytest.mark.core
@pytest.mark.hint("how far does your descent get? print the gradient where it stops: it should be next to zero")
@given(theta=LAWS, seed=SEEDS, count=st.integers(100, 200), noise=st.sampled_from([0.0, 2e-4, 5e-4]))
@example(theta=CHINCHILLA, seed=1, count=150, noise=0.0)
@FITS
def test_planted_law_is_found(learner, theta, seed, count, noise):
    """the law that made the runs is found again"""
    runs = made_runs(seed, count, theta, noise)
    starts = [near(seed, theta, *runs[:2]), STEEP]
    expect_planted(fitted(learner, runs, starts), theta, runs, noise)


@pytest.mark.core
@pytest.mark.hint("a run that is far off may pull with δ and not more: is it Huber's loss that is least, for log loss?")
@given(theta=LAWS, seed=SEEDS, count=st.integers(150, 240), noise=st.sampled_from([2e-4, 5e-4]))
@FITS
def test_outliers_hardly_move_it(learner, theta, seed, count, noise):
    """five runs that went wrong do not spoil the law"""
    runs = made_runs(seed, count, theta, noise, outliers=5)
    starts = [near(seed, theta, *runs[:2]), STEEP]
    got = fitted(learner, runs, starts)
    expect_planted(got, theta, runs, noise)
    expect_lowest(got, runs, theta)


@pytest.mark.core
@pytest.mark.hint("the sum of all losses is about 0.003: which step is so small that the descent may end there?")
@given(theta=LAWS, seed=SEEDS, count=st.integers(100, 200), noise=st.sampled_from([0.002, 0.005]))
@example(theta=HOFFMANN, seed=38, count=150, noise=0.005)  # scipy's tolerances stop 200 times too high here
@example(theta=HOFFMANN, seed=10, count=150, noise=0.005)  # and here
@FITS
def test_no_law_is_better(learner, theta, seed, count, noise):
    """no law fits the runs better than the answer"""
    runs = made_runs(seed, count, theta, noise, outliers=3)
    starts = [near(seed, theta, *runs[:2]), STEEP]
    expect_lowest(fitted(learner, runs, starts), runs, theta)


@pytest.mark.core
@pytest.mark.hint("descend from all of the starts, and keep the end with the least objective")
@given(theta=LAWS, seed=SEEDS, place=st.integers(0, 2))
@example(theta=CHINCHILLA, seed=4, place=2)
@example(theta=CHINCHILLA, seed=4, place=0)
@FITS
def test_best_of_all_starts(learner, theta, seed, place):
    """a start in the wrong valley does no harm, be it the first or the last"""
    runs = made_runs(seed, 120, theta, 0.002)
    starts = [STRAY, (1e-5, 5.0, 9.0, 0.1, 0.12)]
    starts.insert(place, near(seed, theta, *runs[:2]))
    expect_lowest(fitted(learner, runs, starts), runs, theta)


@pytest.mark.core
@pytest.mark.hint("parameters and tokens play the same part in the law")
@given(theta=LAWS, seed=SEEDS)
@FITS
def test_parts_exchanged(learner, theta, seed):
    """runs with N and D exchanged have the law with its two terms exchanged"""
    n, d, loss = made_runs(seed, 120, theta, 0.002, outliers=2)
    least, a, b, alpha, beta = near(seed, theta, n, d)
    got = fitted(learner, (d, n, loss), [(least, b, a, beta, alpha), STEEP])
    expect_lowest((got[0], got[2], got[1], got[4], got[3]), (n, d, loss), theta)


# --- edges


@pytest.mark.edge
@pytest.mark.hint("another unit for N changes A, by unit ** α, and nothing else")
@given(theta=LAWS, seed=SEEDS, unit=st.sampled_from([0.01, 7.0, 100.0]))
@FITS
def test_another_unit(learner, theta, seed, unit):
    """counting parameters in another unit moves A only"""
    n, d, loss = made_runs(seed, 120, theta, 0.002)
    least, a, b, alpha, beta = near(seed, theta, n, d)
    got = fitted(learner, (n / unit, d, loss), [(least, a / unit**alpha, b, alpha, beta)])
    expect_lowest((got[0], got[1] * unit ** got[3], *got[2:]), (n, d, loss), theta)


@pytest.mark.edge
@pytest.mark.hint("no run comes first: is anything sorted, or are the last runs left out?")
@given(theta=LAWS, seed=SEEDS)
@FITS
def test_order_of_runs(learner, theta, seed):
    """runs may come in any order, and are left as they are"""
    runs = made_runs(seed, 120, theta, 0.002, outliers=5)
    order = np.argsort(-runs[2])  # the outliers come first
    sorted_runs = tuple(values[order] for values in runs)
    starts = [near(seed, theta, *runs[:2])]
    expect.unchanged(learner.fit_parametric, *sorted_runs, starts)
    expect_lowest(fitted(learner, sorted_runs, starts), runs, theta)


@pytest.mark.edge
@pytest.mark.hint("five numbers can go through five runs: nothing is wrong with so few of them")
@given(theta=LAWS, seed=SEEDS, count=st.integers(5, 10))
@example(theta=CHINCHILLA, seed=6, count=5)
@FITS
def test_few_runs(learner, theta, seed, count):
    """five to ten runs that lie on the start are fitted by it"""
    runs = made_runs(seed, count, theta, 0.0)
    expect.at_most(objective(fitted(learner, runs, [theta]), runs), EXCESS, "huber_log_loss of the law")


@pytest.mark.edge
@pytest.mark.hint(
    "four runs cannot tell five numbers, a run has three, and without a start there is nothing: ValueError"
)
@given(count=st.integers(0, 4), missing=st.integers(0, 2))
def test_impossible_arguments(learner, count, missing):
    """too few runs, runs without all their numbers, and no starts are errors"""
    runs = made_runs(0, 8, CHINCHILLA, 0.0)
    starts = [CHINCHILLA]
    expect.raises(ValueError, learner.fit_parametric, *(values[:count] for values in runs), starts)
    uneven = [values[:-1] if place == missing else values for place, values in enumerate(runs)]
    expect.raises(ValueError, learner.fit_parametric, *uneven, starts)
    expect.raises(ValueError, learner.fit_parametric, *runs, [])


# --- scale


@pytest.mark.scale
@pytest.mark.hint("one numpy expression for all runs, and no loop over them; a gradient by hand spares ten evaluations")
def test_many_runs_and_starts(learner):
    """2000 runs are fitted from 16 starts in 5 seconds of CPU time"""
    runs = made_runs(5, 2000, CHINCHILLA, 0.005, outliers=5)
    starts = [
        (least, a, b, alpha, beta)
        for least in (1.0, 2.0)
        for a, alpha in ((400, 0.35), (1e5, 0.7))
        for b, beta in ((20, 0.15), (1000, 0.35), (1e4, 0.45), (1e6, 0.7))
    ]
    expect_lowest(fitted(learner, runs, [near(5, CHINCHILLA, *runs[:2]), *starts[1:]]), runs, CHINCHILLA)
