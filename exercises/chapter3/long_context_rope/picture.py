"""How much each pair of a Llama 2 head is slowed down when its context of 4,096 tokens is made eight times as long.

A curve per method, from the learner's own frequencies: 1 is untouched, 1/8 is interpolated. Dashed lines say how often
a pair turns in the trained length.
"""

import math

import numpy as np

DIM, BASE, LENGTH, FACTOR = 128, 10_000, 4096, 8
WAYS = {  # method: label, colour
    "linear": ("position interpolation", "#b5523b"),
    "ntk": ("NTK-aware base", "#e0a03c"),
    "yarn": ("YaRN", "#2f6fb0"),
    "llama3": ("Llama 3", "#5a9e6f"),
}
INK = "#333333"


def draw(learner, axes):
    """Draw the ratio of stretched to plain frequencies against the pair, for each method."""
    plain = frequencies(learner, "none")
    turns = LENGTH * plain / (2 * math.pi)
    for method, (label, colour) in WAYS.items():
        ratio = frequencies(learner, method) / plain
        scale = float(learner.attention_factor(method, FACTOR))
        label += f"; cos, sin × {scale:.3f}" * (scale != 1)
        axes.plot(ratio, color=colour, linewidth=2, label=label)
    for count in (32, 4, 1):
        place = float(np.interp(-count, -turns, np.arange(len(turns))))
        axes.axvline(place, color=INK, linewidth=0.7, linestyle=(0, (4, 3)))
        axes.text(place + 0.4, 1.09, f"{count} turn{'s' * (count > 1)}", fontsize=8.5, color=INK, va="bottom")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 0.17), frameon=False, fontsize=9, handlelength=1.4)
    title = f"RoPE of Llama 2, {LENGTH:,} tokens made {FACTOR * LENGTH:,}: what is left of each frequency"
    axes.set_title(title, loc="left", fontsize=11, pad=16)
    axes.set_yscale("log", base=2)
    axes.set_yticks([1, 1 / 2, 1 / 4, 1 / 8], ["1", "1/2", "1/4", "1/8"])
    ticks = [0, 8, 16, 24, 32, 40, 48, 56, 63]
    axes.set_xticks(ticks, [f"{i}\n{tokens(plain[i])}" for i in ticks])
    axes.set(ylim=(0.11, 1.25), xlim=(0, DIM // 2 - 1), ylabel="stretched over plain frequency")
    axes.set_xlabel("pair of dimensions, and its plain wavelength in tokens")
    axes.tick_params(axis="both", length=0)
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)


def frequencies(learner, method):
    """The learner's frequencies as an array."""
    return np.asarray(learner.rope_frequencies(DIM, BASE, method, FACTOR, LENGTH), dtype=np.float64)


def tokens(frequency):
    """A wavelength, short."""
    return f"{2 * math.pi / frequency:,.3g}" if frequency > 0.01 else f"{2 * math.pi / frequency:,.0f}"
