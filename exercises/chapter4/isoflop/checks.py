"""Checks of isoflop. Symbols: N parameters, C FLOPs, x = log N.

The oracles: planted parabolas and power laws, the normal equations of least squares (what is left over is orthogonal to
what was fitted), and profiles of a scaling law, whose shape is the same at every budget.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from grader import expect, strategies

# The contract. A fit over log N of about 20 and a width of at least log 2 loses a factor of (20 / 0.35)**4 = 1e7 on eps
# where logarithms are not centred and normal equations are solved: 2e-9 in the coefficients, divided by the curvature
# of 0.01 at least.
SIZE, LOSS, EXPONENT = 1e-4, 1e-6, 1e-6
ALL = math.inf


def minimum(learner, n, loss, window=ALL):
    """The learner's N and loss as two positive numbers."""
    answer = expect.sequence(learner.isoflop_minimum(np.array(n), np.array(loss), window), "(N, loss)")
    expect.length(answer, 2, "(N, loss)")
    return tuple(expect.positive(value, name) for value, name in zip(answer, ("N", "loss"), strict=True))


def line(learner, budgets, n_opt):
    """The learner's exponent and factor as two numbers."""
    answer = expect.sequence(learner.fit_exponent(np.array(budgets), np.array(n_opt)), "(a, k)")
    expect.length(answer, 2, "(a, k)")
    return expect.number(answer[0], "a"), expect.positive(answer[1], "k")


MIDDLES = strategies.magnitudes(1e8, 1e10)
BENDS = st.integers(2, 50).map(lambda hundredths: hundredths / 100)
LEVELS = st.integers(15, 40).map(lambda tenths: tenths / 10)
# Sizes as multiples of the best one, on both sides of it, largest at least twice the smallest.
BELOW = st.lists(st.integers(1, 18).map(lambda parts: parts / 25), min_size=1, max_size=4)
ABOVE = st.lists(st.integers(3, 40).map(lambda halves: halves / 2), min_size=1, max_size=4)


def parabola(n, best, level, bend):
    """Losses that lie on a parabola over log N."""
    return level + bend * np.log(np.asarray(n) / best) ** 2


# --- the minimum of a profile


@pytest.mark.core
@pytest.mark.hint("the parabola lies over log N, not over N; its vertex is at -c1 / (2 c2)")
@given(best=MIDDLES, level=LEVELS, bend=BENDS, below=BELOW, above=ABOVE)
@example(best=5.03968e8, level=2.6, bend=0.156, below=[0.2, 0.8], above=[3.2])
def test_planted_parabola(learner, best, level, bend, below, above):
    """runs on a parabola have its vertex, wherever they lie on it"""
    n = best * np.array([*below, *above])
    assume(len(set(n)) >= 3)
    size, loss = minimum(learner, n, parabola(n, best, level, bend))
    expect.close(size, best, "N", rtol=SIZE, atol=0)
    expect.close(loss, level, "loss", rtol=LOSS, atol=0)


@pytest.mark.core
@pytest.mark.hint("least squares, all runs alike: not the lowest three, and not the lowest one")
@given(seed=strategies.seeds(), best=MIDDLES, bend=BENDS, count=st.integers(4, 12))
def test_least_squares(learner, seed, best, bend, count):
    """where runs scatter, no parabola with another vertex comes nearer to them"""
    draw = np.random.default_rng(seed)
    steps = np.linspace(-1.5, 1.5, count) + draw.uniform(-0.1, 0.1, count)
    n = best * np.exp(steps)
    loss = parabola(n, best, 2.5, bend) + 0.05 * bend * draw.uniform(-1, 1, count)
    size, lowest = minimum(learner, n, loss)
    # A parabola with this vertex has one number left, its bend. If it is the least-squares one, then what it leaves
    # over is orthogonal to 1, x and x². An error of SIZE in N or LOSS in the loss moves these sums by no more than
    # count * (2 * bend * 1.7 * SIZE + 2.5 * LOSS) * max(1, x²), with bend <= 0.5 and x² <= 3.
    x = np.log(n / size)
    fitted = (loss - lowest) @ x**2 / (x**2 @ x**2)
    left = loss - lowest - fitted * x**2
    for power, name in enumerate(("1", "x", "x²")):
        allowed = count * (3.4 * bend * SIZE + 2.5 * LOSS) * 3
        expect.close(left @ x**power, 0, f"sum of residuals times {name}", rtol=0, atol=allowed)


@pytest.mark.core
@pytest.mark.hint("the lowest loss of the profile plus the window: who is above it is left out, who is at it stays")
@given(best=MIDDLES, level=LEVELS, bend=BENDS, count=st.integers(1, 4), wild=st.integers(1, 3))
@example(best=1e9, level=2.0, bend=0.25, count=1, wild=1)
def test_window(learner, best, level, bend, count, wild):
    """runs above the window are left out"""
    n = best * np.exp(np.linspace(-1, 1, 2 * count + 1))
    loss = parabola(n, best, level, bend)
    window = 1.05 * bend
    # Far-off runs that are not on the parabola: just above the window.
    far = best * np.exp(1.5 + np.arange(wild))
    sizes, losses = np.append(n, far), np.append(loss, np.full(wild, level + 1.1 * bend))
    size, lowest = minimum(learner, sizes, losses, window)
    expect.close(size, best, "N", rtol=SIZE, atol=0)
    expect.close(lowest, level, "loss", rtol=LOSS, atol=0)


@pytest.mark.core
@pytest.mark.hint("another unit for N moves the vertex by that unit, and a constant in the loss does not move it")
@given(seed=strategies.seeds(), best=MIDDLES, unit=st.sampled_from([0.01, 3.0, 100.0]), shift=st.integers(0, 5))
def test_units(learner, seed, best, unit, shift):
    """counting N in another unit scales the answer, adding to all losses shifts it"""
    draw = np.random.default_rng(seed)
    n = best * np.exp(draw.permutation(np.linspace(-1.5, 1.5, 7)))
    loss = parabola(n, best, 2.5, 0.2) + 0.01 * draw.uniform(-1, 1, 7)
    size, lowest = minimum(learner, n, loss)
    other_size, other_lowest = minimum(learner, n / unit, loss + shift)
    # Two answers, each within the contract.
    expect.close(other_size * unit, size, "N in the first unit", rtol=2.1 * SIZE, atol=0)
    expect.close(other_lowest, lowest + shift, "loss", rtol=2.1 * LOSS, atol=0)


# --- the exponent


@pytest.mark.core
@pytest.mark.hint("a line through (log C, log N): its slope is the exponent, and the factor is exp of its intercept")
@given(
    exponent=st.integers(20, 80).map(lambda hundredths: hundredths / 100),
    middle=MIDDLES,
    steps=st.lists(st.integers(-6, 6), min_size=2, max_size=6, unique=True),
)
@example(exponent=0.5, middle=1e9, steps=[-2, 0, 2])
def test_planted_power_law(learner, exponent, middle, steps):
    """minima that follow a power law have its exponent and its factor"""
    budgets = 1e20 * 3.0 ** np.array(steps)
    n_opt = middle * (budgets / 1e20) ** exponent
    a, k = line(learner, budgets, n_opt)
    expect.close(a, exponent, "a", rtol=0, atol=EXPONENT)
    expect.close(k * budgets**a, n_opt, "k C**a", rtol=SIZE, atol=0)


@pytest.mark.core
@pytest.mark.hint("least squares over log N; not the slope between the first and the last budget, nor over N itself")
@given(seed=strategies.seeds(), count=st.integers(3, 9))
def test_scattered_minima(learner, seed, count):
    """where minima scatter, no other line comes nearer to their logarithms"""
    draw = np.random.default_rng(seed)
    budgets = 10 ** draw.uniform(18, 22, count)
    budgets[:2] = 3e18, 3e20
    n_opt = 0.1 * budgets**0.5 * np.exp(draw.uniform(-0.3, 0.3, count))
    a, k = line(learner, budgets, n_opt)
    x = np.log(budgets) - np.log(budgets).mean()
    left = np.log(n_opt) - math.log(k) - a * np.log(budgets)
    # Each residual may be off by SIZE, and the line's tilt by EXPONENT; |x| is less than 10.
    expect.close(left.sum(), 0, "sum of residuals over log N", rtol=0, atol=count * SIZE)
    allowed = count * (10 * SIZE + 100 * EXPONENT)
    expect.close(left @ x, 0, "sum of residuals times log C", rtol=0, atol=allowed)


# Hoffmann et al. 2022, figure 4, runs as Besiroglu et al. 2024 reconstructed them: the minima of parabolas through the
# runs within 0.06 powers of ten of each budget, and within 0.4 nats of its lowest loss.
BUDGETS = [6e18, 1e19, 3e19, 6e19, 1e20, 3e20, 6e20, 1e21, 3e21]
MINIMA = [1.637e8, 2.482e8, 5.029e8, 7.483e8, 9.937e8, 1.676e9, 2.223e9, 2.821e9, 4.136e9]


@pytest.mark.core
@pytest.mark.hint("all nine budgets, and an N in parameters")
def test_chinchilla(learner):
    """the minima of Chinchilla's profiles lie on C to the power of 0.52, and foretell 76 billion parameters"""
    # The minima have four digits: 1.4e-4 each, which moves the exponent by less than 1e-4 and the forecast by 1e-3.
    a, k = line(learner, BUDGETS, MINIMA)
    expect.close(a, 0.5178, "a", rtol=0, atol=2e-4)
    expect.close(k * 5.76e23**a, 7.639e10, "N for 5.76e23 FLOPs", rtol=2e-3, atol=0)


def law(theta, n, flops):
    """The loss of a scaling law for models of n parameters that cost so many FLOPs."""
    least, a, b, alpha, beta = theta
    return least + a / n**alpha + b / (flops / (6 * n)) ** beta


@pytest.mark.core
@pytest.mark.hint(
    "a valley of this law has the same shape at every budget: your vertex should be off by the same factor"
)
@given(
    a=st.integers(300, 600).map(float),
    b=st.integers(300, 600).map(float),
    alpha=st.integers(28, 42).map(lambda hundredths: hundredths / 100),
    beta=st.integers(28, 42).map(lambda hundredths: hundredths / 100),
    width=st.sampled_from([2.0, 5.0, 10.0]),
)
def test_profiles_of_a_law(learner, a, b, alpha, beta, width):
    """profiles of a law with exponents α and β, equally wide, give an exponent of β/(α + β)"""
    budgets = np.array([1e19, 1e20, 1e21])
    sizes = []
    for flops in budgets:
        best = (alpha * a / (beta * b)) ** (1 / (alpha + beta)) * (flops / 6) ** (beta / (alpha + beta))
        n = best * np.geomspace(1 / width, width, 7)
        size, _ = minimum(learner, n, law((1.7, a, b, alpha, beta), n, flops))
        sizes.append(size)
    exponent, _ = line(learner, budgets, sizes)
    # The minima are off by SIZE each: 2 SIZE over log 100 = 4.6, and the contract's EXPONENT.
    expect.close(exponent, beta / (alpha + beta), "a", rtol=0, atol=2 * SIZE / 4.6 + EXPONENT)


# --- edges


@pytest.mark.edge
@pytest.mark.hint("a parabola that opens downwards has a maximum, and no minimum: raise ValueError")
@given(best=MIDDLES, level=LEVELS, bend=BENDS, count=st.integers(3, 7))
def test_no_minimum(learner, best, level, bend, count):
    """losses that have a maximum over log N are an error"""
    n = best * np.exp(np.linspace(-1, 1, count))
    expect.raises(ValueError, learner.isoflop_minimum, n, parabola(n, best, level, -bend), ALL)


@pytest.mark.edge
@pytest.mark.hint("a vertex that is left or right of all sizes in the window is a guess: raise ValueError")
@given(best=MIDDLES, level=LEVELS, bend=BENDS, side=st.sampled_from([-1, 1]), beyond=st.integers(1, 100))
def test_minimum_outside(learner, best, level, bend, side, beyond):
    """a minimum beyond the sizes that were run is an error"""
    n = best * np.exp(side * (0.01 + beyond / 100 + np.array([0.0, 0.5, 1.0, 1.5])))
    expect.raises(ValueError, learner.isoflop_minimum, n, parabola(n, best, level, bend), ALL)


@pytest.mark.edge
@pytest.mark.hint(
    "a run that is exactly as far up as the window allows belongs to it; equal sizes count once as a size"
)
@given(best=MIDDLES, repeats=st.integers(1, 3))
def test_few_sizes(learner, best, repeats):
    """three different sizes are enough, two are not, however many runs there are"""
    # Losses that a double holds exactly, so that the window's edge is not a matter of rounding.
    n, loss = np.array([best / 4, best, best * 4]), np.array([2.5, 2.25, 2.5])
    n, loss = np.repeat(n, repeats), np.repeat(loss, repeats)
    size, lowest = minimum(learner, n, loss, 0.25)
    expect.close(size, best, "N", rtol=SIZE, atol=0)
    expect.close(lowest, 2.25, "loss", rtol=LOSS, atol=0)
    for window in (0.125, 0.0):
        expect.raises(ValueError, learner.isoflop_minimum, n, loss, window)
    expect.raises(
        ValueError, learner.isoflop_minimum, np.tile(n[: 2 * repeats], 2), np.tile(loss[: 2 * repeats], 2), ALL
    )


@pytest.mark.edge
@pytest.mark.hint("each run has a size and a loss, each budget a best size, and a line takes two budgets: ValueError")
@given(count=st.integers(3, 6), repeats=st.integers(1, 4))
def test_impossible_arguments(learner, count, repeats):
    """arrays that do not match, and fewer than two different budgets, are errors"""
    n = 1e8 * 2.0 ** np.arange(count)
    loss = parabola(n, 2e8, 2.0, 0.1)
    expect.raises(ValueError, learner.isoflop_minimum, n, loss[:-1], ALL)
    expect.raises(ValueError, learner.isoflop_minimum, n[:-1], loss, ALL)
    expect.raises(ValueError, learner.fit_exponent, n * 1e10, n[:-1])
    expect.raises(ValueError, learner.fit_exponent, n[:-1] * 1e10, n)
    expect.raises(ValueError, learner.fit_exponent, np.full(repeats, 1e20), n[:1].repeat(repeats))
