"""The reference of data_constrained against the figures of the authors' notebook, quadrature, and scipy's minimiser."""

import math
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter4" / "data_constrained" / "reference.py", "reference_of_data_constrained"
)
# huggingface/datablations, utils/parametric_fit.ipynb: e, a, b, alpha = beta, R_D*, R_N*.
PAPER = (math.exp(0.6254804), math.exp(6.255414), math.exp(7.3049974), 0.3526596, 0.3526596, 15.387756, 5.309743)
SIZES = [  # N, D, U, effective D, effective N, loss: the notebook's functions, run
    (2.81e9, 55e9, 55e9, 55000000000.0, 2809998893.1780176, 2.3540987161015545),
    (2.81e9, 55e9, 14e9, 51334643519.44459, 2323921362.454673, 2.3768620550711357),
    (2.81e9, 55e9, 4e9, 38673628002.53111, 1189249888.4632058, 2.4720390975820354),
    (8.67e9, 178e9, 25e9, 151236949721.68375, 5773305914.150885, 2.2269634075087867),
    (4.2465e9, 84e9, 12e9, 71622488373.02005, 2799286726.1098704, 2.332855592273238),
]


@pytest.mark.parametrize("row", SIZES)
def test_figures_of_the_notebook(row):
    """Effective tokens and losses are those of the authors' code."""
    n, d, unique, worth, _, want = row
    assert REFERENCE.effective_tokens(unique, d / unique, PAPER[5]) == pytest.approx(worth, rel=1e-12)
    assert REFERENCE.loss(n, d, unique, PAPER) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("row", SIZES)
def test_effective_parameters_of_the_notebook(row):
    """What is left of the loss without E and the tokens' part is A over the notebook's effective N to the alpha."""
    n, d, unique, worth_d, worth_n, _ = row
    least, a, b, alpha, beta = PAPER[:5]
    left = REFERENCE.loss(n, d, unique, PAPER) - least - b / worth_d**beta
    assert (a / left) ** (1 / alpha) == pytest.approx(worth_n, rel=1e-10)


@pytest.mark.parametrize(("unique", "fed"), [(1e8, 5098651.77), (1.5e9, 76479776.48), (5.5e10, 2804258470.95)])
def test_model_that_tokens_feed(unique, fed):
    """Up to the notebook's N_opt the loss is the law's, beyond it is more."""
    least, a, b, alpha, beta = PAPER[:5]
    for factor, above in ((0.999, False), (1.05, True)):
        law = least + a / (factor * fed) ** alpha + b / unique**beta
        assert (REFERENCE.loss(factor * fed, unique, unique, PAPER) > law * (1 + 1e-9)) is above


@pytest.mark.parametrize("r_star", [2.0, 15.4, 100.0])
@pytest.mark.parametrize("epochs", [0.3, 1.0, 2.5, 40.0])
def test_worth_by_quadrature(epochs, r_star):
    """Effective tokens are the integral of exp(-r / R*)."""
    integrate = pytest.importorskip("scipy.integrate", reason="integrates")
    repeated, _ = integrate.quad(lambda r: math.exp(-r / r_star), 0, max(epochs - 1, 0), epsabs=1e-12)
    got = REFERENCE.effective_tokens(1.0, epochs, r_star)
    assert got == pytest.approx(min(epochs, 1) + repeated, rel=1e-10)


@pytest.mark.parametrize("seed", range(15))
def test_scipy_finds_nothing_better(seed):
    """A bounded search over log N ends at the same model and the same epochs."""
    optimize = pytest.importorskip("scipy.optimize", reason="searches for the minimum")
    draw = np.random.default_rng(seed)
    theta = (draw.uniform(1, 2), *draw.uniform(300, 2000, 2), *draw.uniform(0.3, 0.4, 2), *draw.uniform(3, 20, 2))
    flops, unique = 10 ** draw.uniform(19, 22), 10 ** draw.uniform(9.5, 11.5)
    found = optimize.minimize_scalar(
        lambda x: REFERENCE.loss(math.exp(x), flops / (6 * math.exp(x)), unique, theta),
        bounds=(math.log(1e6), math.log(1e13)),
        method="bounded",
        options={"xatol": 1e-9},
    )
    n, epochs, least = REFERENCE.best_allocation(flops, unique, theta)
    assert n == pytest.approx(math.exp(found.x), rel=1e-5)
    assert epochs == pytest.approx(flops / (6 * n) / unique)
    assert least == pytest.approx(found.fun, rel=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_one_valley(seed):
    """Along a budget the loss is convex over log N, which a golden section needs."""
    draw = np.random.default_rng(seed)
    theta = (1.5, *draw.uniform(300, 2000, 2), *draw.uniform(0.25, 0.45, 2), *draw.uniform(2, 20, 2))
    flops, unique = 10 ** draw.uniform(19, 22), 10 ** draw.uniform(9.5, 11.5)
    sizes = np.geomspace(1e6, 1e12, 2000)
    losses = np.array([REFERENCE.loss(n, flops / (6 * n), unique, theta) for n in sizes])
    assert (np.diff(losses, 2) > -1e-9).all()


def test_examples_of_the_statement():
    """The example by hand, and the published law's answer for 25 billion unique tokens."""
    theta = (1.5, 40.0, 10.0, 0.5, 0.25, 15.0, 5.0)
    assert REFERENCE.loss(3.2e7, 2.5e11, 6.25e10, theta) == pytest.approx(1.521645, abs=1e-6)
    assert REFERENCE.best_allocation(4.8e19, 6.25e10, theta) == pytest.approx((3.143e7, 4.073, 1.521644), rel=2e-4)
    n, epochs, _ = REFERENCE.best_allocation(9.3e21, 25e9, PAPER)
    assert (n, epochs) == pytest.approx((6.815e9, 9.097), rel=1e-3)


def test_picture():
    """The picture has a valley per amount of unique tokens, the law, and the allocations."""
    module = import_file(ROOT / "exercises" / "chapter4" / "data_constrained" / "picture.py", "picture_of_constrained")
    with mpl.rc_context():
        axes = Figure().subplots()
        module.draw(REFERENCE, axes)
    assert len(axes.lines) == 7
    assert len(axes.texts) == 5
