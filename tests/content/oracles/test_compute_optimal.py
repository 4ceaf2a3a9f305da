"""The reference of compute_optimal against brute force over N, and against the figures of the papers."""

import math
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter4" / "compute_optimal" / "reference.py", "reference_of_compute_optimal"
)
FITS = {  # E, A, B, alpha, beta
    "printed": (1.69, 406.4, 410.7, 0.34, 0.28),  # Hoffmann et al. 2022, appendix D.3
    "unrounded": (math.exp(0.5267228), math.exp(6.0073404), math.exp(6.0179186), 0.33917084, 0.2849083),
    "refitted": (1.8172, 482.01, 2085.43, 0.3478, 0.3658),  # Besiroglu et al. 2024
}
CHINCHILLA = 5.76e23  # FLOPs, Gopher's budget


def law(params, tokens, theta):
    """The loss that the law predicts."""
    least, a, b, alpha, beta = theta
    return least + a / params**alpha + b / tokens**beta


def brute_force(flops, theta):
    """N by trying: two million of them over all sizes, then as many around the best."""
    low, high = 0.0, math.log(flops / 6)
    for _ in range(2):
        logs = np.linspace(low, high, 2_000_000)
        params = np.exp(logs)
        _, a, b, alpha, beta = theta
        best = logs[np.argmin(a / params**alpha + b / (flops / 6 / params) ** beta)]
        width = (high - low) / 1000
        low, high = best - width, best + width
    return math.exp(best)


def drawn(seed):
    """A budget and a law at random, within the statement's ranges."""
    draw = np.random.default_rng(seed)
    theta = (draw.uniform(0, 10), *10 ** draw.uniform(0, 4, 2), *draw.uniform(0.1, 1, 2))
    return float(10 ** draw.uniform(17, 28)), tuple(map(float, theta))


@pytest.mark.parametrize("seed", range(12))
def test_brute_force_finds_no_better_size(seed):
    """The best of millions of N is the closed form's, to five digits, and no N has a lower loss."""
    flops, theta = drawn(seed)
    params, tokens, loss = REFERENCE.optimal_allocation(flops, theta)
    assert params == pytest.approx(brute_force(flops, theta), rel=1e-5)
    assert 6 * params * tokens == pytest.approx(flops, rel=1e-12)
    assert loss == pytest.approx(law(params, tokens, theta), rel=1e-12)
    others = params * np.geomspace(0.01, 100, 1001)
    assert (law(others, flops / 6 / others, theta) >= loss * (1 - 1e-13)).all()


@pytest.mark.parametrize(("fit", "slope"), [("printed", 0.452), ("unrounded", 0.457), ("refitted", 0.513)])
def test_slopes_of_the_lines(fit, slope):
    """log N over log C rises by 0.46 with Hoffmann et al. (approach 3), by 0.51 with Besiroglu et al.; D the rest."""
    theta = FITS[fit]
    (low, few, _), (high, many, _) = (REFERENCE.optimal_allocation(flops, theta) for flops in (1e20, 1e26))
    assert math.log10(high / low) / 6 == pytest.approx(slope, abs=6e-4)
    assert math.log10(many / few) / 6 == pytest.approx(1 - slope, abs=6e-4)


@pytest.mark.parametrize(
    ("fit", "billions", "ratio", "loss"),
    [("printed", 32.2, 92.6, 1.931), ("unrounded", 40.4, 58.9, 1.918), ("refitted", 72.2, 18.4, 1.974)],
)
def test_chinchillas_budget(fit, billions, ratio, loss):
    """The statement's table; 40 billion is the paper's own answer of approach 3, 18 tokens the refit's."""
    params, tokens, predicted = REFERENCE.optimal_allocation(CHINCHILLA, FITS[fit])
    assert (round(params / 1e9, 1), round(tokens / params, 1), round(predicted, 3)) == (billions, ratio, loss)


def test_chinchilla_is_nearly_optimal_by_the_refit():
    """By the refitted law Chinchilla is within a thousandth of a nat of the best, and Gopher 0.025 nats above it."""
    theta = FITS["refitted"]
    assert law(70e9, 1.4e12, theta) - REFERENCE.optimal_allocation(6 * 70e9 * 1.4e12, theta)[2] < 1e-3
    excess = law(280e9, 300e9, theta) - REFERENCE.optimal_allocation(6 * 280e9 * 300e9, theta)[2]
    assert 0.01 < excess < 0.03


@pytest.mark.parametrize(("factor", "nats"), [(2, 0.005), (0.5, 0.005), (4, 0.02), (0.25, 0.02)])
def test_the_valley_is_flat(factor, nats):
    """Twice or half the best N costs 0.005 nats, four times or a quarter 0.02, with the refitted law."""
    params, _, loss = REFERENCE.optimal_allocation(CHINCHILLA, FITS["refitted"])
    other = params * factor
    assert law(other, CHINCHILLA / 6 / other, FITS["refitted"]) - loss == pytest.approx(nats, rel=0.2)


def test_picture_draws_something():
    """The picture of the reference has five valleys, the optima and the two models."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    path = ROOT / "exercises" / "chapter4" / "compute_optimal" / "picture.py"
    axes = Figure(figsize=(9, 5)).add_subplot()
    import_file(path, "picture_of_compute_optimal").draw(REFERENCE, axes)
    assert len(axes.lines) >= 5 + 1 + 2
    assert {"Gopher", "Chinchilla"} <= {text.get_text() for text in axes.texts}
