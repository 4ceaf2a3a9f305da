"""The reference of isoflop against numpy's polyfit, scipy's regression, and profiles of published laws."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(ROOT / "solutions" / "chapter4" / "isoflop" / "reference.py", "reference_of_isoflop")
LAWS = {  # E, A, B, alpha, beta
    "Hoffmann": (1.69, 406.4, 410.7, 0.34, 0.28),
    "Besiroglu": (1.8172, 482.01, 2085.43, 0.3478, 0.3658),
    "lopsided": (1.8, 500.0, 500.0, 0.46, 0.2),
}


def profile(theta, flops, width):
    """Nine sizes around the best one, their losses, and the best one."""
    least, a, b, alpha, beta = theta
    best = (alpha * a / (beta * b)) ** (1 / (alpha + beta)) * (flops / 6) ** (beta / (alpha + beta))
    n = best * np.geomspace(1 / width, width, 9)
    return n, least + a / n**alpha + b / (flops / (6 * n)) ** beta, best


@pytest.mark.parametrize("seed", range(20))
def test_vertex_is_polyfits(seed):
    """Scattered profiles have the vertex of numpy's polyfit, over another logarithm, in the window."""
    draw = np.random.default_rng(seed)
    n = 10 ** draw.uniform(8, 9.5, 12)
    loss = 2.5 + 0.2 * np.log(n / 5e8) ** 2 + 0.01 * draw.standard_normal(12)
    near = loss <= loss.min() + 0.4
    bend, slope, level = np.polyfit(np.log10(n[near]), loss[near], 2)
    want = 10 ** (-slope / (2 * bend)), level - slope**2 / (4 * bend)
    assert REFERENCE.isoflop_minimum(n, loss, 0.4) == pytest.approx(want, rel=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_line_is_scipys(seed):
    """Scattered minima have scipy's regression line."""
    stats = pytest.importorskip("scipy.stats", reason="has a regression of its own")
    draw = np.random.default_rng(seed)
    budgets = 10 ** draw.uniform(18, 22, 7)
    n_opt = 0.1 * budgets**0.5 * np.exp(draw.uniform(-0.3, 0.3, 7))
    want = stats.linregress(np.log(budgets), np.log(n_opt))
    a, k = REFERENCE.fit_exponent(budgets, n_opt)
    assert (a, np.log(k)) == pytest.approx((want.slope, want.intercept), rel=1e-9)


@pytest.mark.parametrize(("name", "width", "factor"), [("Hoffmann", 10, 1.040), ("lopsided", 10, 1.182)])
def test_bias_of_the_statement(name, width, factor):
    """Wide profiles put the vertex too high by the factor that the statement says, and leave the exponent alone."""
    theta, budgets = LAWS[name], np.array([6e18, 1e20, 3e21])
    sizes = []
    for flops in budgets:
        n, loss, best = profile(theta, flops, width)
        size, _ = REFERENCE.isoflop_minimum(n, loss, np.inf)
        assert size / best == pytest.approx(factor, abs=1e-3)
        sizes.append(size)
    a, _ = REFERENCE.fit_exponent(budgets, np.array(sizes))
    assert a == pytest.approx(theta[4] / (theta[3] + theta[4]), abs=1e-9)


@pytest.mark.parametrize("name", LAWS)
def test_narrow_profiles(name):
    """The narrower the profile, the nearer the vertex to the best size of the law."""
    n, loss, best = profile(LAWS[name], 1e21, 1.2)
    assert REFERENCE.isoflop_minimum(n, loss, np.inf)[0] == pytest.approx(best, rel=2e-3)


def test_examples():
    """The examples of the stub and the statement."""
    sizes, losses = np.array([1e8, 4e8, 1.6e9]), np.array([3.0, 2.6, 2.8])
    assert REFERENCE.isoflop_minimum(sizes, losses, np.inf) == pytest.approx((4e8 * 4 ** (1 / 6), 2.6 - 0.01 / 1.2))
    with pytest.raises(ValueError, match="three different sizes"):
        REFERENCE.isoflop_minimum(sizes, losses, 0.3)


def test_picture():
    """The picture has five profiles and five minima."""
    module = import_file(ROOT / "exercises" / "chapter4" / "isoflop" / "picture.py", "picture_of_isoflop")
    with mpl.rc_context():
        axes = Figure().subplots()
        module.draw(REFERENCE, axes)
    assert len(axes.texts) == 5
    [minima] = [line for line in axes.lines if line.get_label() == "your minima"]
    assert len(minima.get_xdata()) == 5
