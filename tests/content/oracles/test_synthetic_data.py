"""The reference of synthetic_data against the covariances of stacked regressions, a plain simulation, the statement."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
reference = import_file(ROOT / "solutions/chapter3/synthetic_data/reference.py", "reference_synthetic_data")


def covariance_of_last(x, generations, accumulate):
    """The covariance of the last model at sigma 1, by linear algebra on the whole chain.

    Each model is a matrix applied to all noise, (z1, ..., zn) in one vector; stacked least squares, no closed form.
    """
    rows, width = x.shape
    noise = [np.zeros((rows, rows * generations)) for _ in range(generations)]
    for i in range(generations):
        noise[i][:, i * rows : (i + 1) * rows] = np.eye(rows)
    model, labels = np.zeros((width, rows * generations)), []
    for i in range(generations):
        labels = [*labels, x @ model + noise[i]] if accumulate else [x @ model + noise[i]]
        model = np.linalg.pinv(np.vstack([x] * len(labels))) @ np.vstack(labels)
    return model @ model.T


@pytest.mark.parametrize("mode", ["replace", "accumulate"])
def test_closed_forms_are_traces_of_covariances(mode):
    """Expected errors are the traces of the covariances of chains of stacked least-squares fits."""
    rng = np.random.default_rng(1)
    for rows, width in ((1, 1), (4, 4), (9, 3)):
        x = rng.normal(size=(rows, width)) + np.eye(rows, width)
        got = reference.expected_error(x, 1.7, 6, mode)
        want = [1.7**2 * np.trace(covariance_of_last(x, n, mode == "accumulate")) for n in range(1, 7)]
        assert got == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("mode", ["replace", "accumulate"])
def test_chain_is_stacked_least_squares(mode):
    """Models are those of lstsq on the stacked rows, with the labels that the reference's noise makes."""
    rng = np.random.default_rng(2)
    x, w = rng.normal(size=(8, 3)), rng.normal(size=3)
    noise = np.random.default_rng(11)
    teacher, sets = w, []
    for model in reference.fit_generations(x, w, 0.8, 9, mode, 11):
        labels = x @ teacher + 0.8 * noise.standard_normal(8)
        sets = [*sets, labels] if mode == "accumulate" else [labels]
        teacher = np.linalg.lstsq(np.vstack([x] * len(sets)), np.concatenate(sets), rcond=None)[0]
        assert model == pytest.approx(teacher, abs=1e-10)


def test_limit_and_trace_of_the_paper():
    """Averaged over normal inputs the trace is d / (T - d - 1), and the sum of 1/i^2 ends below pi^2 / 6."""
    rng = np.random.default_rng(3)
    rows, width = 40, 4
    traces = [reference.expected_error(rng.normal(size=(rows, width)), 1.0, 1, "replace")[0] for _ in range(4000)]
    standard_error = np.std(traces) / np.sqrt(len(traces))
    assert np.mean(traces) == pytest.approx(width / (rows - width - 1), abs=5 * standard_error)
    growth = reference.expected_error(np.eye(2), 1.0, 10_000, "accumulate")[-1] / 2
    assert np.pi**2 / 6 - 1e-4 < growth < np.pi**2 / 6


def test_figures_of_the_statement():
    """The table of the statement, and its chain by hand."""
    x = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert reference.expected_error(x, 2.0, 100, "replace")[[0, 1, 2, 9, 99]] == pytest.approx([6, 12, 18, 60, 600])
    got = reference.expected_error(x, 2.0, 100, "accumulate")[[0, 1, 2, 9, 99]]
    assert got == pytest.approx([6, 7.5, 8.167, 9.299, 9.810], abs=5e-4)
    assert np.mean([5.5, 4.9]) == pytest.approx(5.2)
    assert np.mean([4.8, 5.0]) == pytest.approx(4.9)
    assert np.mean([5.5, 4.9, 4.8, 5.0]) == pytest.approx(5.05)
    assert np.pi**2 / 6 - 1 == pytest.approx(0.64, abs=0.005)


def test_picture_draws():
    """The picture has two formulas, two series of simulated errors near them, and the limit."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws with matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    picture = import_file(ROOT / "exercises/chapter3/synthetic_data/picture.py", "picture_synthetic_data")
    axes = Figure().subplots()
    picture.draw(reference, axes)
    curves = [np.asarray(line.get_ydata()) for line in axes.lines if len(line.get_xdata()) == picture.GENERATIONS]
    formulas = [curve for curve in curves if np.ptp(curve) > 0]
    assert any(np.allclose(curve, np.arange(1, picture.GENERATIONS + 1)) for curve in formulas)
    assert len(axes.containers) == 2
    for container, rising in zip(axes.containers, (True, False), strict=True):
        means = container.lines[0].get_ydata()
        assert (means[-1] > 8) == rising
