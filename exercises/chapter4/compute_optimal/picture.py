"""Draws the predicted loss along five budgets, with the learner's optimum in each valley."""

import numpy as np

# Besiroglu et al. 2024: E, A, B, alpha, beta.
THETA = (1.8172, 482.01, 2085.43, 0.3478, 0.3658)
BUDGETS = (1e20, 1e21, 1e22, 1e23, 5.76e23)  # the last one is Chinchilla's
RUNS = {"Gopher": (280e9, 300e9), "Chinchilla": (70e9, 1.4e12)}  # N and D: Hoffmann et al. 2022, section 4
SPAN = 30  # a valley is drawn from 1/30 of its best N to 30 times it
INK, FAINT, DOT, RUN = "#333333", "#9db7d4", "#2f6fb0", "#c8553d"


def draw(learner, axes):
    """Draw the law along each budget, which is in the statement, and the learner's optima upon it."""
    answers = [[float(value) for value in learner.optimal_allocation(budget, THETA)] for budget in BUDGETS]
    for budget, (params, tokens, _) in zip(BUDGETS, answers, strict=True):
        draw_valley(
            axes, budget, f"{power(budget)} FLOPs\n{short(params)} on {short(tokens)}, {tokens / params:.3g} each"
        )
    sizes, _, losses = zip(*answers, strict=True)
    axes.plot(sizes, losses, "o--", color=DOT, linewidth=1, markersize=5.5, zorder=3, label="your optima")
    for name, (params, tokens) in RUNS.items():
        axes.plot(params, law(params, tokens), "D", color=RUN, markersize=4.5, zorder=4)
        below = {"textcoords": "offset points", "xytext": (0, -7), "ha": "center", "va": "top"}
        axes.annotate(name, (params, law(params, tokens)), fontsize=8, color=RUN, **below)
    axes.set_xscale("log")
    axes.set(xlim=(2e7, 5e13), ylim=(1.85, 3.25), xlabel="N, parameters", ylabel="predicted loss, nats per token")
    axes.set_title("Loss along a budget: too small a model, or too few tokens", loc="left", fontsize=11)
    axes.legend(frameon=False, loc="upper right", fontsize=8.5)
    axes.spines[["top", "right"]].set_visible(False)


def draw_valley(axes, budget, note):
    """The law along one budget, a tick where it is lowest, and a note at its right end."""
    everywhere = np.geomspace(1, budget / 6, 4000)
    bottom = everywhere[np.argmin(law(everywhere, budget / (6 * everywhere)))]
    along = np.geomspace(bottom / SPAN, bottom * SPAN, 200)
    losses = law(along, budget / (6 * along))
    axes.plot(along, losses, color=FAINT, linewidth=1.5, zorder=1)
    lowest = law(bottom, budget / (6 * bottom))
    axes.plot([bottom, bottom], [lowest, lowest + 0.06], color=FAINT, linewidth=1.5, zorder=1)
    beside = {"textcoords": "offset points", "xytext": (5, 0), "ha": "left", "va": "center"}
    axes.annotate(note, (along[-1], losses[-1]), fontsize=7.5, color=INK, linespacing=1.3, **beside)


def law(params, tokens):
    """The loss that the law predicts."""
    least, a, b, alpha, beta = THETA
    return least + a / params**alpha + b / tokens**beta


def power(budget):
    """A budget as people write it: 10²¹ or 5.76 · 10²³."""
    digits, exponent = f"{budget:.3g}".split("e+")
    raised = "10" + exponent.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return raised if digits == "1" else f"{digits} · {raised}"


def short(count):
    """A count with its unit: 72.2 B."""
    for unit, name in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.3g}"
