"""Draws the FLOPs of a lifetime along a curve of equal loss, for five demands, with the learner's models."""

import numpy as np

THETA = (1.69, 406.4, 410.7, 0.336, 0.283)  # Sardana et al. 2024
USUAL = 30e9  # parameters of the compute-optimal model whose quality is wanted
DEMANDS = (0.0, 1e12, 3e12, 1e13, 3e13)
COLOURS = ("#9db7d4", "#7ba0c9", "#5a89bd", "#3a70ae", "#1f5590")
INK, DOT, USUAL_COLOUR = "#333333", "#c8553d", "#999999"


def draw(learner, axes):
    """Draw cheapest_model of the learner for the quality of a compute-optimal model of 30 billion parameters."""
    target, usual_tokens = quality()
    sizes = np.geomspace(smallest(target) * 1.005, 1.6e11, 3000)
    chosen = []
    for demand, colour in zip(DEMANDS, COLOURS, strict=True):
        curve = lifetime(sizes, demand, target)
        usual = USUAL * (6 * usual_tokens + 2 * demand)
        n, d, flops = (float(value) for value in learner.cheapest_model(target, demand, THETA))
        chosen.append((n, flops))
        axes.plot(sizes, curve, color=colour, linewidth=1.8)
        axes.plot(USUAL, usual, "o", color=USUAL_COLOUR, markersize=5, zorder=3)
        saved = f", {1 - flops / usual:.0%} saved" if demand else ""
        name = f"I = {demand / 1e12:g} T\n{n / 1e9:.3g} B on {d / 1e12:.3g} T{saved}"
        beside = {"textcoords": "offset points", "xytext": (5, 0), "va": "center", "fontsize": 8, "color": INK}
        axes.annotate(name, (sizes[-1], curve[-1]), **beside)
    axes.plot(*zip(*chosen, strict=True), "o--", color=DOT, linewidth=1, markersize=6.5, zorder=4, label="your models")
    axes.plot([], [], "o", color=USUAL_COLOUR, markersize=5, label="compute-optimal, 30 B")
    axes.axvline(smallest(target), color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    note = {"rotation": 90, "ha": "right", "va": "bottom", "fontsize": 8, "color": INK}
    axes.text(smallest(target) * 0.96, 2.2e23, "too small for this loss, whatever the data", **note)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set(xlim=(2.4e9, 7e11), ylim=(2e23, 1.3e25), xlabel="N, parameters", ylabel="FLOPs, training and inference")
    axes.set_xticks([1e10, 1e11], ["10 B", "100 B"])
    axes.set_title(
        f"A lifetime at a loss of {target:.3f}: the more it serves, the smaller the model", loc="left", fontsize=11
    )
    axes.legend(frameon=False, loc="upper center", fontsize=8.5)
    axes.spines[["top", "right"]].set_visible(False)


def quality():
    """The loss of the usual model, and the tokens with which it is compute-optimal: αA/N^α = βB/D^β."""
    least, a, b, alpha, beta = THETA
    from_params = a / USUAL**alpha
    from_tokens = alpha * from_params / beta
    return least + from_params + from_tokens, (b / from_tokens) ** (1 / beta)


def smallest(target):
    """Below this size no amount of data reaches the target."""
    least, a, _, alpha, _ = THETA
    return (a / (target - least)) ** (1 / alpha)


def lifetime(n, demand, target):
    """FLOPs of models of the target's quality."""
    least, a, b, alpha, beta = THETA
    tokens = (b / (target - least - a / n**alpha)) ** (1 / beta)
    return n * (6 * tokens + 2 * demand)
