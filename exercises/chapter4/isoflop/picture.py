"""Draws five profiles of made runs, the learner's minimum in each, and the line through the minima."""

import numpy as np

LAW = (1.8172, 482.01, 2085.43, 0.3478, 0.3658)  # Besiroglu et al. 2024: E, A, B, alpha, beta
BUDGETS = np.array([1e19, 6e19, 3e20, 1e21, 6e21])
TARGET = 5.76e23  # Chinchilla's
WINDOW, NOISE = 0.15, 0.004
COLOURS = ("#9db7d4", "#7ba0c9", "#5a89bd", "#3a70ae", "#1f5590")
INK, DOT, TRUE = "#333333", "#c8553d", "#999999"


def draw(learner, axes):
    """Draw isoflop_minimum and fit_exponent of the learner for profiles of nine runs with noise."""
    minima = []
    for flops, colour in zip(BUDGETS, COLOURS, strict=True):
        n, loss, best = profile(flops)
        size, lowest = (float(value) for value in learner.isoflop_minimum(n, loss, WINDOW))
        minima.append((size, lowest))
        draw_profile(axes, n, loss, colour)
        axes.plot([best, best], [law(best, flops) - 0.03, law(best, flops) - 0.015], color=TRUE, linewidth=1.5)
        name = f"{flops:.0e}".replace("e+", " · 10").replace("1 · ", "")
        base, power = name[:-2], name[-2:].translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        beside = {"textcoords": "offset points", "xytext": (4, 4), "va": "center"}
        axes.annotate(f"{base}{power} FLOPs\n{short(size)}", (1.4 * n[-1], loss[-1]), fontsize=8, color=INK, **beside)
    sizes, losses = np.array(minima).T
    axes.plot(sizes, losses, "o--", color=DOT, linewidth=1, markersize=6, zorder=4, label="your minima")
    axes.plot([], [], "o", color=COLOURS[1], markersize=4.5, markerfacecolor="white", label="runs above the window")
    axes.plot([], [], color=TRUE, linewidth=1.5, label="best size of the law that made the runs")
    a, k = (float(value) for value in learner.fit_exponent(BUDGETS, sizes))
    truth = LAW[4] / (LAW[3] + LAW[4])
    axes.set_title(
        f"Your line: N = {k:.3g} C^{a:.3f}, {short(k * TARGET**a)} for Chinchilla's budget\n"
        f"the law: C^{truth:.3f}, {short(optimum(TARGET))}",
        loc="left",
        fontsize=10,
    )
    axes.set_xscale("log")
    axes.set(xlim=(1e7, 1.5e11), ylim=(2.0, 3.35), xlabel="N, parameters", ylabel="loss, nats per token")
    axes.legend(frameon=False, loc="lower left", fontsize=8.5)
    axes.spines[["top", "right"]].set_visible(False)


def draw_profile(axes, n, loss, colour):
    """The runs, those outside of the window hollow, and a parabola through the others."""
    near = loss <= loss.min() + WINDOW
    axes.plot(n[near], loss[near], "o", color=colour, markersize=4.5)
    axes.plot(n[~near], loss[~near], "o", color=colour, markersize=4.5, markerfacecolor="white")
    curve = np.polynomial.Polynomial.fit(np.log(n[near]), loss[near], 2)
    along = np.geomspace(n[near].min() / 1.3, n[near].max() * 1.3, 60)
    axes.plot(along, curve(np.log(along)), color=colour, linewidth=1.2)


def law(n, flops):
    """The loss of a model of n parameters, trained on as many tokens as the budget pays for."""
    least, a, b, alpha, beta = LAW
    return least + a / n**alpha + b / (flops / (6 * n)) ** beta


def optimum(flops):
    """The best size of the law, searched for."""
    sizes = np.geomspace(1e6, 1e13, 20_001)
    return sizes[np.argmin(law(sizes, flops))]


def profile(flops):
    """Sizes and losses of nine runs with one budget, and the best size."""
    noise = np.random.default_rng(int(np.log10(flops) * 1000)).standard_normal(9)
    best = optimum(flops)
    n = best * 10 ** np.linspace(-0.8, 0.8, 9)
    return n, law(n, flops) + NOISE * noise, best


def short(count):
    """A count with its unit: 76.4 B."""
    return f"{count / 1e9:.3g} B" if count >= 1e9 else f"{count / 1e6:.3g} M"
