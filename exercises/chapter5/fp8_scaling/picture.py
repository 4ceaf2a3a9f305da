"""Draws what an outlier does to the precision of all other numbers: one factor per tensor, and one per block of 128."""

import math
import random

import numpy as np

GROWTH = [10.0**step for step in range(9)]
COLUMNS, ROWS, BLOCK = 512, 16, 128
INK = "#333333"


def draw(learner, axes):
    """Draw the error of the numbers without outliers, after the learner's blockwise_quantize, as an outlier grows."""
    source = random.Random(4)
    x = np.array([[source.gauss(0, 1) for _ in range(COLUMNS)] for _ in range(ROWS)], dtype=np.float32)
    ways = {
        "one factor for the tensor": ((ROWS, COLUMNS), False, "#b5523b"),
        "blocks of 1 x 128, numbers in the outliers' blocks": ((1, BLOCK), False, "#e0a03c"),
        "blocks of 1 x 128, all other numbers": ((1, BLOCK), False, "#2f6fb0"),
        "the same, factors that are powers of two": ((1, BLOCK), True, "#5a9e6f"),
    }
    for label, (block, power_of_two, colour) in ways.items():
        near = "numbers in" in label
        errors = [error(learner, x, size, block, power_of_two, near) for size in GROWTH]
        style = "--" if power_of_two else "-"
        axes.plot(GROWTH, errors, style, color=colour, linewidth=1.8, marker=".", label=label)
    axes.axhline(1, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.text(1.1, 1.06, "everything is rounded to 0", fontsize=8.5, color=INK, va="bottom")
    scales, scale = [], 1.0
    history = [1.0, 2.0, 10.0, 1.0, 1.0, 1.0, 1.0]
    for step in range(len(history)):
        scales.append(scale)
        scale = float(learner.delayed_scale(history[max(0, step - 2) : step + 1], scale, "max"))
    words = "delayed scaling, amax of the last 3 steps\namax   " + ", ".join(f"{each:g}" for each in history)
    words += "\nscale  " + ", ".join(f"{each:.4g}" for each in scales)
    axes.text(1.6, 0.06, words, fontsize=8.5, color=INK, linespacing=1.5)
    axes.legend(loc="upper left", bbox_to_anchor=(0.03, 0.86), frameon=False, fontsize=8.5)
    axes.set_title("Error of FP8 as one column of 512 becomes an outlier", loc="left", fontsize=11)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_yticks([0.02, 0.05, 0.1, 0.2, 0.5, 1], ["2 %", "5 %", "10 %", "20 %", "50 %", "100 %"])
    axes.minorticks_off()
    axes.set(xlabel="outliers, times as large as the rest", ylabel="relative error (rms)", ylim=(0.015, 1.6))
    axes.spines[["top", "right"]].set_visible(False)


def error(learner, x, size, block, power_of_two, near):
    """Root mean square of the errors, relative to the numbers, in the first block of each row or in all others."""
    spoiled = x.copy()
    spoiled[:, 0] *= size
    q, factors = learner.blockwise_quantize(spoiled, block, power_of_two)
    spread = np.asarray(factors, dtype=np.float64).repeat(block[0], 0).repeat(block[1], 1)
    back = np.asarray(q, dtype=np.float64) * spread
    part = np.s_[:, 1:BLOCK] if near else np.s_[:, BLOCK:]
    return math.sqrt(((back - spoiled)[part] ** 2).mean() / (spoiled[part].astype(np.float64) ** 2).mean())
