"""The reference of fault_tolerance against Lambert's W, published figures, and a simulation with random failures."""

import math
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter5" / "fault_tolerance" / "reference.py", "reference_of_fault_tolerance"
)
MINUTE, HOUR, DAY = 60, 3600, 86_400


@pytest.mark.parametrize(
    ("mtbf", "young", "daly", "exact"),
    [(1440, 120.0, 116.69, 116.69), (360, 60.0, 56.71, 56.71), (15, 12.25, 9.14, 9.167)],
)
def test_figures_of_daly(mtbf, young, daly, exact):
    """The three settings of Daly's figures, in minutes, with a checkpoint of five minutes."""
    want = {"young": young, "daly": daly, "exact": exact}
    for method, minutes in want.items():
        assert REFERENCE.young_daly(5, mtbf, method) == pytest.approx(minutes, abs=0.005)


@pytest.mark.parametrize("ratio", [1e-6, 1e-4, 0.01, 0.3, 1, 3, 10])
def test_lambert_w(ratio):
    """The exact interval is M (1 + W0(-exp(-1 - d/M)))."""
    special = pytest.importorskip("scipy.special", reason="Lambert's W")
    want = 1000 * (1 + special.lambertw(-math.exp(-1 - ratio)).real)
    assert REFERENCE.young_daly(1000 * ratio, 1000, "exact") == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize("ratio", [1e-6, 1e-4, 0.01, 0.1])
def test_series_approaches_the_optimum(ratio):
    """Daly's series is much nearer to the optimum than Young's first order."""
    young, daly, exact = (REFERENCE.young_daly(ratio, 1, method) for method in ("young", "daly", "exact"))
    assert abs(daly - exact) < 0.05 * abs(young - exact)


def test_llama_3():
    """419 failures in 54 days of 16,384 GPUs: 3.09 h between failures, 5.8 years per GPU, half an hour for 100,000."""
    gpu = 54 * DAY / 419 * 16_384
    assert REFERENCE.job_mtbf(gpu, 16_384) / HOUR == pytest.approx(3.0931, abs=5e-5)
    assert gpu / HOUR == pytest.approx(50_677, rel=1e-4)
    assert REFERENCE.job_mtbf(gpu, 100_000) / HOUR == pytest.approx(0.5068, abs=5e-5)
    tau = REFERENCE.young_daly(60, REFERENCE.job_mtbf(gpu, 16_384), "young")
    assert tau / MINUTE == pytest.approx(19.27, abs=0.005)


@pytest.mark.parametrize(("minutes", "want"), [(20, 0.708), (43, 0.743), (60, 0.730), (120, 0.637), (240, 0.445)])
def test_model_and_simulation(minutes, want):
    """d 5, M 185, R 10, 10,000 min of work: the model, and 400 runs with random failures within 5 standard errors."""
    assert REFERENCE.goodput(minutes, 5, 10, 185) == pytest.approx(want, abs=0.0006)
    work = minutes * (10_000 // minutes)
    walls = []
    for seed in range(400):
        failures = np.random.default_rng(seed).exponential(185, 1500).cumsum().tolist()
        run = REFERENCE.simulate_run(failures, work, minutes, 5, 10)
        assert run["wall"] < failures[-1]
        assert math.fsum(run[key] for key in ("useful", "checkpoint", "lost", "restart")) == pytest.approx(run["wall"])
        walls.append(run["wall"])
    error = np.std(walls) / math.sqrt(len(walls))
    assert abs(np.mean(walls) - work / REFERENCE.goodput(minutes, 5, 10, 185)) < 5 * error


def test_optimum_of_simulated_runs():
    """Among simulated runs, those with the best interval end sooner than those with a third or three times of it."""
    best = REFERENCE.young_daly(5, 185, "exact")
    mean = {}
    for factor in (1 / 3, 1, 3):
        runs = []
        for seed in range(200):
            failures = np.random.default_rng(seed).exponential(185, 1500).cumsum().tolist()
            runs.append(REFERENCE.simulate_run(failures, 10_000, factor * best, 5, 10)["wall"])
        mean[factor] = np.mean(runs)
    assert mean[1] < mean[1 / 3] and mean[1] < mean[3]


def test_flatness():
    """M = 24 h, d = 5 min: 0.913 at Young's interval, 0.861 at three times, 0.869 at a third of it."""
    young = REFERENCE.young_daly(5, 1440, "young")
    found = [REFERENCE.goodput(young * factor, 5, 10, 1440) for factor in (1, 3, 1 / 3)]
    assert found == pytest.approx([0.9126, 0.861, 0.869], abs=0.001)


def test_picture():
    """The picture has two curves, three marks on each, and simulated runs."""
    figure = pytest.importorskip("matplotlib.figure", reason="draws the picture").Figure()
    picture = import_file(ROOT / "exercises" / "chapter5" / "fault_tolerance" / "picture.py", "picture_of_goodput")
    axes = figure.subplots()
    picture.draw(REFERENCE, axes)
    assert len(axes.lines) >= 2 * (1 + 3 + 3)
    assert any("young 19.27 min" in text.get_text() for text in axes.texts)
