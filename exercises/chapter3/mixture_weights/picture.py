"""Draws for how many epochs each of forty languages is read: by temperature, with a cap, and by UniMax."""

import numpy as np

BUDGET, MAX_EPOCHS = 1e12, 4
SIZES = [int(size) for size in np.geomspace(3e7, 2.5e12, 40)]  # tokens; the largest is 83,000 times the smallest
WANTED = 3.33  # the temperature of mT5
INK = "#333333"
PROPORTIONAL, HOT, CAPPED, UNIMAX = "#8a8f98", "#c8641b", "#2f6fb0", "#5a9e6f"


def draw(learner, axes):
    """Draw the epochs that the learner's weights make of a budget of a trillion tokens."""
    hot = [float(weight) for weight in learner.temperature_weights(SIZES, WANTED)]
    wanted = [weight / min(hot) for weight in hot]
    tokens = {
        "in proportion to size (t = 1)": np.asarray(learner.temperature_weights(SIZES, 1.0)) * BUDGET,
        f"t = {WANTED}": np.asarray(hot) * BUDGET,
        f"t = {WANTED}, capped": np.asarray(learner.capped_weights(wanted, SIZES, BUDGET, MAX_EPOCHS)) * BUDGET,
        "UniMax": np.asarray(learner.unimax(SIZES, BUDGET, MAX_EPOCHS)),
    }
    styles = ((PROPORTIONAL, "-", ""), (HOT, "-", ""), (CAPPED, "-", "o"), (UNIMAX, "--", "s"))
    for (label, drawn), (colour, line, marker) in zip(tokens.items(), styles, strict=True):
        axes.plot(SIZES, drawn / SIZES, line, color=colour, marker=marker, markersize=3.5, linewidth=1.8, label=label)
    axes.axhline(MAX_EPOCHS, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.text(SIZES[-1], MAX_EPOCHS * 1.12, f"at most {MAX_EPOCHS} epochs", ha="right", fontsize=9, color=INK)
    repeats = tokens[f"t = {WANTED}"][0] / SIZES[0]
    axes.annotate(
        f"{repeats:.0f} epochs of the smallest",
        (SIZES[0], repeats),
        (SIZES[5], repeats),
        color=HOT,
        fontsize=9,
        va="center",
        arrowprops={"arrowstyle": "-", "color": HOT, "linewidth": 1},
    )
    axes.set_title("A trillion tokens from forty languages", loc="left", fontsize=11, pad=10)
    axes.set(xscale="log", yscale="log", xlabel="tokens of the language", ylabel="epochs")
    axes.legend(loc="lower left", frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
