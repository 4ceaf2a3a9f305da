"""The reference of inference_aware against scipy's constrained minimisers, and the figures of Sardana et al."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter4" / "inference_aware" / "reference.py", "reference_of_inference_aware"
)
SARDANA = (1.69, 406.4, 410.7, 0.336, 0.283)


def law(n, d, theta):
    """The loss that the law predicts."""
    least, a, b, alpha, beta = theta
    return least + a / n**alpha + b / d**beta


def drawn(seed):
    """A law, a target and a demand near the published ones."""
    draw = np.random.default_rng(seed)
    theta = (draw.uniform(1, 2), draw.uniform(100, 600), draw.uniform(100, 3000), *draw.uniform(0.25, 0.45, 2))
    return theta[0] + draw.uniform(0.1, 1), 10 ** draw.uniform(9, 13), theta


@pytest.mark.parametrize("seed", range(10))
def test_scipy_finds_nothing_cheaper(seed):
    """A bounded search over log N along the curve of equal loss ends at the same N, D and FLOPs."""
    optimize = pytest.importorskip("scipy.optimize", reason="searches for the minimum")
    target, demand, theta = drawn(seed)
    least, a, b, alpha, beta = theta
    smallest = np.log(a / (target - least)) / alpha

    def tokens(x):
        return (b / (target - least - a * np.exp(-alpha * x))) ** (1 / beta)

    def cost(x):
        return x + np.log(6 * tokens(x) + 2 * demand)

    found = optimize.minimize_scalar(
        cost, bounds=(smallest + 1e-6, smallest + 20), method="bounded", options={"xatol": 1e-10}
    )
    want = np.exp(found.x), tokens(found.x), np.exp(found.fun)
    assert REFERENCE.cheapest_model(target, demand, theta) == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize("seed", range(10))
def test_multiplier(seed):
    """At the answer the gradients of the bill and of the loss are parallel, as Lagrange wants them."""
    target, demand, theta = drawn(seed)
    _, a, b, alpha, beta = theta
    n, d, flops = REFERENCE.cheapest_model(target, demand, theta)
    assert law(n, d, theta) == pytest.approx(target, rel=1e-12)
    assert flops == pytest.approx(6 * n * d + 2 * n * demand)
    bill = 6 * d + 2 * demand, 6 * n
    loss = -alpha * a / n ** (alpha + 1), -beta * b / d ** (beta + 1)
    assert bill[0] * loss[1] == pytest.approx(bill[1] * loss[0], rel=1e-9)


def test_abstract_of_the_paper():
    """Sardana et al.: 30B quality for 10 trillion tokens is a 13.6B model on 2.84 times the data, 28 % cheaper."""
    least, a, b, alpha, beta = SARDANA
    from_params = a / 30e9**alpha
    usual = (b / (alpha * from_params / beta)) ** (1 / beta)
    n, d, flops = REFERENCE.cheapest_model(law(30e9, usual, SARDANA), 1e13, SARDANA)
    assert n == pytest.approx(13.6e9, rel=2e-3)
    assert d / usual == pytest.approx(2.84, abs=0.01)
    assert 1 - flops / (30e9 * (6 * usual + 2e13)) == pytest.approx(0.28, abs=0.001)
    assert least == 1.69


def test_example_of_the_statement():
    """The example by hand."""
    got = REFERENCE.cheapest_model(1.54, 1.875e11, (1.5, 40.0, 10.0, 0.5, 0.25))
    assert got == pytest.approx((4e6, 6.25e10, 3e18), rel=1e-9)


def test_picture():
    """The picture has a valley per demand and the learner's models in them."""
    module = import_file(ROOT / "exercises" / "chapter4" / "inference_aware" / "picture.py", "picture_of_inference")
    with mpl.rc_context():
        axes = Figure().subplots()
        module.draw(REFERENCE, axes)
    [models] = [line for line in axes.lines if line.get_label() == "your models"]
    sizes = np.asarray(models.get_xdata())
    assert sizes[0] == pytest.approx(30e9, rel=1e-6)
    assert (np.diff(sizes) < 0).all()
