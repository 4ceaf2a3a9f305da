"""Draws how much of a number each format loses: low is precise, wide is range."""

import numpy as np

LINES = {  # name: colour, power of two at which its label stands, side of the line
    "tf32": ("#7d5fa8", 23, "bottom"),
    "e2m1": ("#b5523b", 1, "top"),
    "e5m2": ("#e0a03c", -10.5, "top"),
    "e4m3": ("#a88f00", 1, "top"),
    "bf16": ("#5a9e6f", 23, "bottom"),
    "fp16": ("#2f6fb0", 1, "top"),
}
INK, LOW, HIGH = "#333333", -30, 30


def draw(learner, axes):
    """Draw the largest relative error of the learner's round_to, octave by octave, saturating."""
    octaves = np.arange(LOW, HIGH + 1)
    x = 2.0 ** octaves[:, None] * (1 + np.arange(0.5, 1024) / 1024)
    for name, (colour, place, side) in LINES.items():
        worst = np.log2(np.max(np.abs(values(learner, x, name) - x) / x, axis=1))
        # tf32 lies under fp16, where both are equally precise.
        axes.step(octaves, worst, where="post", color=colour, linewidth=4 if name == "tf32" else 1.8)
        level = worst[np.searchsorted(octaves, place)] + (0.25 if side == "bottom" else -0.25)
        text = f"{name}, to {largest(learner, name)}"
        axes.text(place, level, text, color=colour, fontsize=8.5, ha="center", va=side)
    axes.axhline(0, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.text(LOW + 0.5, 0.2, "all of it is lost", fontsize=8.5, color=INK, va="bottom")
    axes.set_title("The largest relative error of storing a number", loc="left", fontsize=11)
    axes.set_xticks(range(LOW, HIGH + 1, 10), [f"$2^{{{power}}}$" for power in range(LOW, HIGH + 1, 10)])
    axes.set_yticks(range(-12, 1, 2), [f"$2^{{{power}}}$" for power in range(-12, 1, 2)])
    axes.set(xlabel="number", ylabel="relative error", ylim=(-12.8, 1.2), xlim=(LOW, HIGH))
    axes.spines[["top", "right"]].set_visible(False)


def values(learner, x, name):
    """What the learner's rounding makes of x."""
    return np.asarray(learner.round_to(x, name, "saturate"), dtype=float)


def largest(learner, name):
    """The learner's largest finite value, as text."""
    value = float(values(learner, np.array([1e300]), name)[0])
    return f"{value:,.0f}" if value < 1e6 else f"{value:.1e}".replace("e+", "e")
