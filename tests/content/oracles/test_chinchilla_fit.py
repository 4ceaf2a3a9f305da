"""The reference of chinchilla_fit against scipy's L-BFGS-B and its Huber loss, and what the statement tells of both."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
EXERCISE = ROOT / "exercises" / "chapter4" / "chinchilla_fit"
REFERENCE = import_file(
    ROOT / "solutions" / "chapter4" / "chinchilla_fit" / "reference.py",
    "reference_of_chinchilla_fit",
    EXERCISE / "given.py",
)
GIVEN = import_file(EXERCISE / "given.py", "given_of_chinchilla_fit")
CHECKS = import_file(EXERCISE / "checks.py", "checks_of_chinchilla_fit")
STARTS = [
    (least, a, b, alpha, beta)
    for least in (1.0, 2.0)
    for a, alpha in ((10.0, 0.1), (400.0, 0.35), (1e5, 0.7))
    for b, beta in ((10.0, 0.1), (1000.0, 0.35), (1e6, 0.7))
]


def runs_of(seed, noise=0.004):
    """A law that Hoffmann et al. or Besiroglu et al. published, and 240 runs that follow it, five of them badly."""
    theta = (CHECKS.HOFFMANN, CHECKS.CHINCHILLA)[seed % 2]
    return theta, CHECKS.made_runs(seed, 240, theta, noise, outliers=5)


def scipy_objective(runs, scale=1.0):
    """The objective over logarithms, of scipy's own Huber loss and log-sum-exp."""
    special = pytest.importorskip("scipy.special", reason="has a Huber loss and a log-sum-exp of its own")
    n, d, loss = (np.log(values) for values in runs)

    def objective(x):
        e, a, b, alpha, beta = x
        terms = np.array([np.full_like(n, e), a - alpha * n, b - beta * d])
        return scale * special.huber(1e-3, special.logsumexp(terms, axis=0) - loss).sum()

    return objective


@pytest.mark.parametrize("seed", range(6))
def test_objective_is_scipys(seed):
    """huber_log_loss is the sum of scipy's Huber losses."""
    theta, runs = runs_of(seed)
    want = scipy_objective(runs)([*np.log(theta[:3]), *theta[3:]])
    assert REFERENCE.huber_log_loss(theta, *runs, 1e-3) == pytest.approx(want, rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_fit_is_scipys(seed):
    """From a dozen starts scipy's L-BFGS-B with tight tolerances finds nothing lower, and the same exponents."""
    optimize = pytest.importorskip("scipy.optimize", reason="fits with another optimizer")
    theta, runs = runs_of(seed)
    got = REFERENCE.fit_parametric(*runs, STARTS)
    objective = scipy_objective(runs, scale=1e3)
    tight = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000, "maxfun": 100_000}
    ends = [
        optimize.minimize(objective, [*np.log(start[:3]), *start[3:]], method="L-BFGS-B", options=tight)
        for start in [theta, *STARTS[9:13]]
    ]
    best = min(ends, key=lambda end: end.fun)
    assert REFERENCE.huber_log_loss(got, *runs, 1e-3) <= best.fun / 1e3 + 1e-9
    assert got[3:] == pytest.approx(best.x[3:], abs=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_gradient(seed):
    """The gradient by hand is that of differences."""
    optimize = pytest.importorskip("scipy.optimize", reason="differentiates numerically")
    theta, runs = runs_of(seed)
    objective = REFERENCE._objective(*(np.log(values) for values in runs))
    x = np.array([*np.log(theta[:3]), *theta[3:]]) * 1.03
    numeric = optimize.approx_fprime(x, lambda at: objective(at)[0], 1e-7)
    assert objective(x)[1] == pytest.approx(numeric, rel=1e-4)


def test_mean_stops_early():
    """Under the usual tolerances a descent on the mean stops far above the bottom, and one on the sum much nearer."""
    _, runs = runs_of(1)
    objective = REFERENCE._objective(*(np.log(values) for values in runs))
    start = [*np.log(STARTS[4][:3]), *STARTS[4][3:]]

    def mean(x):
        value, gradient = objective(x)
        return value / 240, gradient / 240

    bottom = GIVEN.minimize(objective, start, ftol=1e-16, gtol=1e-10)[1]
    from_sum = GIVEN.minimize(objective, start)[1]
    from_mean = 240 * GIVEN.minimize(mean, start)[1]
    assert from_mean - bottom > 1e-5
    assert from_sum - bottom < (from_mean - bottom) / 10


def test_minimiser_on_rosenbrock():
    """The minimiser that the statement hands over ends at (1, 1) in Rosenbrock's valley."""

    def rosenbrock(x):
        value = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        slope = [-2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] ** 2), 200 * (x[1] - x[0] ** 2)]
        return value, np.array(slope)

    x, value = GIVEN.minimize(rosenbrock, [-1.2, 1.0], ftol=0, gtol=1e-9)
    assert x == pytest.approx([1, 1], abs=1e-7)
    assert value < 1e-14


def test_minimiser_steps_back():
    """A step to where the function is infinite or NaN is taken back."""

    def barrier(x):
        with np.errstate(all="ignore"):
            return float(x[0] - np.log(x[0])), np.array([1 - 1 / x[0]])

    x, _ = GIVEN.minimize(barrier, [1e-3], ftol=0, gtol=1e-10)
    assert x == pytest.approx([1], abs=1e-6)


def test_example_of_the_statement():
    """The three runs of the statement have the objective that it says."""
    n, d = np.array([1.6e7, 1.6e7, 1e6]), np.array([6.25e10, 6.25e10, 1e12])
    got = REFERENCE.huber_log_loss((1.5, 40.0, 10.0, 0.5, 0.25), n, d, np.array([1.53, 1.529, 1.5]), 1e-3)
    assert got == pytest.approx(3.250e-5, rel=2e-4)


def test_picture():
    """The picture has contours, the runs, and both rays."""
    module = import_file(EXERCISE / "picture.py", "picture_of_chinchilla_fit")
    with mpl.rc_context():
        axes = Figure().subplots()
        module.draw(REFERENCE, axes)
    assert len(axes.lines) >= 8
    assert "Your law: E 1.8" in axes.get_title(loc="left")
