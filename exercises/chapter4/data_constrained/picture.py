"""Draws the learner's loss along one budget for five amounts of unique tokens, with the best allocation of each."""

import numpy as np

# Muennighoff et al. 2023: E, A, B, alpha, beta, R_D*, R_N*.
THETA = (1.869144, 520.825, 1487.716, 0.3526596, 0.3526596, 15.387756, 5.309743)
BUDGET = 9.3e21
UNIQUE = (4e9, 10e9, 25e9, 60e9, 400e9)
COLOURS = ("#9db7d4", "#7ba0c9", "#5a89bd", "#3a70ae", "#1f5590")
INK, DOT, FRESH = "#333333", "#c8553d", "#999999"


def draw(learner, axes):
    """Draw loss and best_allocation of the learner; dashed, the law for tokens that are all fresh."""
    sizes = np.geomspace(2.5e8, 6e10, 90)
    best = []
    for unique, colour in zip(UNIQUE, COLOURS, strict=True):
        losses = [float(learner.loss(float(n), BUDGET / (6 * float(n)), unique, THETA)) for n in sizes]
        axes.plot(sizes, losses, color=colour, linewidth=1.8)
        n, epochs, lowest = (float(value) for value in learner.best_allocation(BUDGET, unique, THETA))
        best.append((n, lowest))
        name = f"{unique / 1e9:.3g} B unique tokens:\n{n / 1e9:.2g} B, {epochs:.2g} epochs"
        beside = {"textcoords": "offset points", "xytext": (-6, 0), "ha": "right", "va": "center"}
        axes.annotate(name, (sizes[0], losses[0]), fontsize=8, color=INK, **beside)
    least, a, b, alpha, beta = THETA[:5]
    fresh = least + a / sizes**alpha + b / (BUDGET / (6 * sizes)) ** beta
    axes.plot(sizes, fresh, color=FRESH, linewidth=1.2, linestyle=(0, (4, 3)), label="all tokens fresh")
    axes.plot(*zip(*best, strict=True), "o--", color=DOT, linewidth=1, markersize=6, zorder=4, label="your allocations")
    axes.set_xscale("log")
    axes.set(xlim=(3e7, 7e10), ylim=(2.17, 2.74), xlabel="N, parameters", ylabel="predicted loss, nats per token")
    axes.set_xticks([1e9, 1e10], ["1 B", "10 B"])
    axes.set_title("9.3 · 10²¹ FLOPs and too few tokens: smaller models, more epochs", loc="left", fontsize=11)
    axes.legend(frameon=False, loc="lower left", fontsize=8.5)
    axes.spines[["top", "right"]].set_visible(False)
