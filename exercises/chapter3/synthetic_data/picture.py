"""Draws the errors of chains of models, averaged over 200 seeds, on their closed forms."""

import numpy as np

ROWS, WIDTH, SIGMA, GENERATIONS, SEEDS = 30, 5, 1.0, 12, 200
COLOURS = {"replace": "#c8641b", "accumulate": "#2f6fb0"}
NAMES = {"replace": "synthetic data replaces what was there", "accumulate": "synthetic data is added"}
INK = "#333333"


def draw(learner, axes):
    """Draw mean squared errors of fit_generations, and expected_error as lines."""
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(ROWS, WIDTH)), rng.normal(size=WIDTH)
    generations = np.arange(1, GENERATIONS + 1)
    one = SIGMA**2 * np.trace(np.linalg.inv(x.T @ x))
    for mode, colour in COLOURS.items():
        chains = [learner.fit_generations(x, w, SIGMA, GENERATIONS, mode, seed) for seed in range(SEEDS)]
        squared = ((np.asarray(chains, dtype=float) - w) ** 2).sum(axis=2) / one
        formula = np.asarray(learner.expected_error(x, SIGMA, GENERATIONS, mode), dtype=float) / one
        errors = 2 * squared.std(axis=0) / np.sqrt(SEEDS)
        axes.plot(generations, formula, color=colour, linewidth=2, label=f"{NAMES[mode]}: your formula")
        style = {"fmt": "o", "color": colour, "markersize": 5, "capsize": 2, "elinewidth": 1}
        axes.errorbar(generations, squared.mean(axis=0), errors, label=f"mean of {SEEDS} of your chains", **style)
    axes.axhline(np.pi**2 / 6, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.text(GENERATIONS, np.pi**2 / 6 + 0.15, "π²/6", ha="right", fontsize=9, color=INK)
    axes.set_title("Squared error of each generation, in units of the first one's", loc="left", fontsize=11, pad=10)
    axes.set(xlabel="generation", ylabel="error", ylim=(0, GENERATIONS + 1.5), xticks=generations)
    axes.legend(loc="upper left", frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
