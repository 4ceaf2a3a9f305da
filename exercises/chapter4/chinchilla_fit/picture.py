"""Draws the law that the learner fits to made runs: contours of loss, lines of equal compute, the optimal models."""

import numpy as np

PLANTED = (1.8172, 482.01, 2085.43, 0.3478, 0.3658)  # Besiroglu et al. 2024
STARTS = [(1.0, 400.0, 1000.0, 0.35, 0.35), (1.0, 1e5, 1e6, 0.7, 0.7), (2.0, 400.0, 1e4, 0.35, 0.45)]
BUDGETS = (1e18, 1e19, 1e20, 1e21, 1e22)
INK, RUN, WRONG, RAY = "#333333", "#3f8f5a", "#c8553d", "#2f6fb0"
FAINT, BUDGET = "#9db7d4", "#8a7340"
SLOPE = -32.5  # degrees at which a line of equal compute falls on these axes


def draw(learner, axes):
    """Draw fit_parametric of the learner for 150 runs, five of which went wrong."""
    n, d, loss, wrong = runs()
    theta = tuple(float(value) for value in learner.fit_parametric(n, d, loss, STARTS))
    sizes, tokens = np.geomspace(2e7, 3e10, 200), np.geomspace(1.5e8, 8e11, 200)
    surface = law(theta, *np.meshgrid(sizes, tokens, indexing="ij"))
    steps = np.array([2.0, 2.2, 2.4, 2.6, 2.8, 3.0, 3.25, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0])
    filled = axes.contourf(tokens, sizes, surface, levels=steps, cmap="Blues_r", alpha=0.3, extend="both")
    filled.set_edgecolor("face")
    lines = axes.contour(tokens, sizes, surface, levels=steps, colors=FAINT, linewidths=0.7)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set(xlim=(tokens[0], tokens[-1]), ylim=(sizes[0], sizes[-1]), xlabel="D, tokens", ylabel="N, parameters")
    above = [(0.74 * tokens[-1], loss_at) for loss_at in (2.2, 2.4, 2.6, 2.8)]
    at = [(place, sizes[np.argmin(abs(law(theta, sizes, place) - height))]) for place, height in above]
    axes.clabel(lines, levels=[2.2, 2.4, 2.6, 2.8], manual=at, fmt="loss %.3g", fontsize=7.5, colors=INK)
    along = np.geomspace(1e16, 1e24, 120)
    axes.plot(*optimal(theta, along), color=RAY, linewidth=3, label="best models of your law")
    axes.plot(*optimal(PLANTED, along), color="white", linewidth=1, linestyle=(0, (3, 3)), label="of the planted law")
    axes.plot(d[~wrong], n[~wrong], "o", color=RUN, markersize=3.6, markeredgewidth=0, label="runs")
    axes.plot(d[wrong], n[wrong], "x", color=WRONG, markersize=6, markeredgewidth=1.8, label="runs that went wrong")
    value = float(learner.huber_log_loss(theta, n, d, loss, 1e-3))
    least, _, _, alpha, beta = theta
    axes.set_title(
        f"Your law: E {least:.3f}, α {alpha:.3f}, β {beta:.3f}, objective {value:.6f}\n"
        f"planted: E {PLANTED[0]:.3f}, α {PLANTED[3]:.3f}, β {PLANTED[4]:.3f}; contours: predicted loss",
        loc="left",
        fontsize=10,
    )
    axes.legend(loc="upper left", fontsize=8.5, facecolor="#c9d6e6", framealpha=1, edgecolor="none")
    for budget in BUDGETS:
        draw_budget(axes, budget, tokens, sizes)


def draw_budget(axes, budget, tokens, sizes):
    """A line of equal compute, with its name where it leaves the picture at the bottom or on the right."""
    axes.plot(tokens, budget / (6 * tokens), color=BUDGET, linewidth=0.9, linestyle=(0, (5, 3)))
    end = min(tokens[-1], budget / (6 * sizes[0])) / 1.9
    power = f"{budget:.0e}"[3:].translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    style = {"fontsize": 7.5, "color": BUDGET, "rotation": SLOPE, "rotation_mode": "anchor"}
    axes.text(end, budget / (6 * end) * 1.06, f"10{power} FLOPs", ha="right", va="bottom", **style)


def runs():
    """150 runs along budgets of 1e18 to 3e21 FLOPs, and which of them went wrong."""
    draw_from = np.random.default_rng(7)
    flops = 10 ** draw_from.uniform(18, 21.5, 150)
    n = np.sqrt(flops / 120) * 10 ** draw_from.uniform(-0.6, 0.6, 150)
    d = flops / (6 * n)
    loss = law(PLANTED, n, d) * np.exp(0.003 * draw_from.standard_normal(150))
    wrong = np.arange(150) % 30 == 11
    loss[wrong] *= 1.4
    return n, d, loss, wrong


def law(theta, n, d):
    """The loss that a law predicts."""
    least, a, b, alpha, beta = theta
    return least + a / n**alpha + b / d**beta


def optimal(theta, flops):
    """D and N that are best for these budgets: the example of compute_optimal, searched for on a grid."""
    sizes = np.geomspace(1e5, 1e13, 4001)
    best = [sizes[np.argmin(law(theta, sizes, budget / (6 * sizes)))] for budget in flops]
    return flops / (6 * np.array(best)), np.array(best)
