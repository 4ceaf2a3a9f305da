"""The reference of mixture_weights against published figures, a linear program's conditions and the statement."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
reference = import_file(ROOT / "solutions/chapter3/mixture_weights/reference.py", "reference_mixture_weights")


@pytest.mark.parametrize(
    ("sizes", "t", "weights"),
    [
        ([1000, 100, 10, 1], 1 / 0.3, [0.532405, 0.266835, 0.133734, 0.067026]),
        ([1000, 100, 10, 1], 1 / 0.7, [0.801744, 0.159969, 0.031918, 0.006368]),
        ([400, 90, 10], 2, [0.612574, 0.290569, 0.096856]),
        ([400, 90, 10], 5, [0.450403, 0.334224, 0.215372]),
        ([400, 90, 10], 1, [0.8, 0.18, 0.02]),
    ],
)
def test_temperatures(sizes, t, weights):
    """Weights are those of independent computations, to all their digits."""
    assert reference.temperature_weights(sizes, t) == pytest.approx(weights, abs=6e-7)


def test_temperature_is_a_softmax_of_log_sizes():
    """torch's softmax of ln n / t gives the same weights."""
    torch = pytest.importorskip("torch", reason="compares with torch's softmax")
    sizes = np.random.default_rng(1).integers(1, 10**13, 100)
    for t in (0.5, 1.0, 3.33, 50.0):
        want = torch.softmax(torch.log(torch.tensor(sizes, dtype=torch.float64)) / t, 0)
        assert reference.temperature_weights(sizes.tolist(), t) == pytest.approx(want.numpy(), rel=1e-11)


@pytest.mark.parametrize(
    ("sizes", "budget", "max_epochs", "tokens"),
    [
        ([10, 100, 1000], 600, 4, [40, 280, 280]),
        ([10, 100, 1000], 300, 1, [10, 100, 190]),
        ([5, 20, 50, 400], 400, 4, [20, 80, 150, 150]),
        ([5, 20, 50, 400], 3000, 4, [20, 80, 200, 1600]),
    ],
)
def test_unimax(sizes, budget, max_epochs, tokens):
    """UniMax answers the hand-worked cases, in any order of the sources."""
    assert reference.unimax(sizes, budget, max_epochs) == pytest.approx(tokens)
    assert reference.unimax(sizes[::-1], budget, max_epochs) == pytest.approx(tokens[::-1])


def test_unimax_of_the_package():
    """The example that the package unimax-sampling prints for five languages of FineWeb-2."""
    sizes = [179955884499, 184595788282, 42541080893, 10027573389, 549707867]
    got = reference.unimax(sizes, 250_000_000_000, 4)
    want = [69230291658.66666, 69230291658.66666, 69230291658.66667, 40110293556, 2198831468]
    assert got == pytest.approx(want, rel=1e-14)
    epochs = [0.3847070177860806, 0.37503722215431134, 1.627375003300828, 4.0, 4.0]
    assert got / sizes == pytest.approx(epochs, rel=1e-14)


def test_capped_weights_are_nearest_in_relative_entropy():
    """No other weights within the caps are nearer to the wanted ones, in sum of p ln(p / w).

    The capped weights minimise it (its stationary points under the caps are p = min(λ w, c)), so every feasible
    direction must go up.
    """
    rng = np.random.default_rng(2)
    for _ in range(50):
        k = int(rng.integers(2, 8))
        sizes, wanted = rng.integers(1, 1000, k), rng.uniform(0.1, 5, k)
        budget = 4 * sizes.sum() * rng.uniform(0.1, 0.95)
        p, caps = reference.capped_weights(wanted.tolist(), sizes.tolist(), budget, 4), 4 * sizes / budget
        others = [q for q in rng.dirichlet(np.ones(k), 2000) if (q <= caps).all()]
        near = [p + 0.01 * (q - p) for q in others]
        least = (p * np.log(p / wanted)).sum()
        assert all((q * np.log(q / wanted)).sum() >= least - 1e-12 for q in others + near)
        assert p.sum() == pytest.approx(1)


def test_figures_of_the_statement():
    """The numbers in the tables of the statement."""
    epochs = reference.temperature_weights([400, 90, 10], 2) * 500 / np.array([400, 90, 10])
    assert epochs == pytest.approx([0.77, 1.61, 4.84], abs=5e-3)
    capped = reference.capped_weights([0.612574, 0.290569, 0.096856], [400, 90, 10], 500, 4)
    assert capped == pytest.approx([0.624, 0.296, 0.080], abs=5e-4)
    assert reference.unimax([400, 90, 10], 500, 4) == pytest.approx([230, 230, 40])
    assert reference.capped_weights([6, 2, 1], [400, 90, 10], 400, 1) == pytest.approx([0.75, 0.225, 0.025])
    once = np.minimum([6 / 9, 2 / 9, 1 / 9], [1, 0.225, 0.025])
    assert once / once.sum() == pytest.approx([0.729, 0.243, 0.027], abs=5.1e-4)
    second = 0.975 * np.array([6, 2]) / 8
    assert second == pytest.approx([0.731, 0.244], abs=5.1e-4)


def test_picture_draws():
    """The picture has a line for each way to mix, and the smallest language's epochs."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws with matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    picture = import_file(ROOT / "exercises/chapter3/mixture_weights/picture.py", "picture_mixture_weights")
    axes = Figure().subplots()
    picture.draw(reference, axes)
    assert [len(line.get_xdata()) for line in axes.lines].count(40) == 4
    assert any("epochs of the smallest" in text.get_text() for text in axes.texts)
    proportional, _, capped, unimax = (line.get_ydata() for line in axes.lines[:4])
    assert np.ptp(proportional) < 1e-9
    assert capped.max() == pytest.approx(4)
    assert unimax.max() == pytest.approx(4)
