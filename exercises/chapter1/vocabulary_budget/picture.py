"""Draws what vocabularies cost models of several sizes, and where the learner finds the cheapest one."""

import numpy as np

FIT = (0.00639222, -0.15811069, 1.20470122)  # Tao et al. 2024, the stub's default
LOWEST, HIGHEST = 256, 200_000
MODELS = ((33_000_000, 512), (302_000_000, 1024), (2_870_000_000, 3200), (70_000_000_000, 8192))  # N_nv, d
USED = {"Llama 2": 32_000, "GPT-2": 50_257, "Llama 3": 128_256}
COLOURS = ("#c8641b", "#a23b72", "#2f6fb0", "#333f73")
INK, FAINT = "#333333", "#b9b4aa"
TOP = 80  # percent


def draw(learner, axes):
    """Draw the training FLOPs for the same text over V, and flop_optimal_vocabulary's answers on the curves."""
    vocab = np.geomspace(1000, HIGHEST, 400)
    for name, size in USED.items():
        axes.axvline(size, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
        axes.text(size, TOP * 1.01, name, ha="center", va="bottom", fontsize=8.5, color=INK)
    for (others, width), colour in zip(MODELS, COLOURS, strict=True):
        least = flops(np.geomspace(LOWEST, HIGHEST, 20_000), others, width).min()
        axes.plot(vocab, 100 * (flops(vocab, others, width) / least - 1), color=colour, linewidth=1.8)
        best = float(learner.flop_optimal_vocabulary(others, width))
        height = 100 * (flops(best, others, width) / least - 1)
        axes.plot([best], [height], "o", color=colour, markersize=8, clip_on=False, zorder=3)
    draw_key(learner, axes)
    axes.set_title("FLOPs to train on the same text, by vocabulary", loc="left", fontsize=11, pad=22)
    axes.set_xscale("log")
    axes.set_xticks([1000, 3000, 10_000, 30_000, 100_000, 200_000], ["1k", "3k", "10k", "30k", "100k", "200k"])
    axes.minorticks_off()
    axes.set(xlim=(1000, HIGHEST), ylim=(0, TOP), xlabel="entries of the vocabulary V")
    axes.set_ylabel("FLOPs above the least, %")
    axes.spines[["top", "right"]].set_visible(False)


def draw_key(learner, axes):
    """Name the curves, with the learner's V and the share of the model that it is."""
    axes.text(
        0.27,
        0.945,
        "model without embeddings:\nyour cheapest V (its share, tied)",
        transform=axes.transAxes,
        fontsize=9,
        color=INK,
    )
    for line, ((others, width), colour) in enumerate(zip(MODELS, COLOURS, strict=True)):
        best = float(learner.flop_optimal_vocabulary(others, width))
        share = float(learner.embedding_share(max(round(best), 1), width, others, True))
        text = f"{size_text(others)}: {best:,.0f} ({100 * share:.0f} %)"
        height = 0.84 - 0.06 * line
        axes.plot([0.28], [height + 0.014], "o", color=colour, markersize=6, transform=axes.transAxes)
        axes.text(0.3, height, text, transform=axes.transAxes, fontsize=9, color=INK)


def size_text(params):
    """33 million, 2.87 billion."""
    return f"{params / 1e9:.3g} billion" if params >= 1e9 else f"{params / 1e6:.3g} million"


def flops(vocab, others, width):
    """Training FLOPs per character."""
    x = np.log(vocab)
    return 6 * (others + np.multiply(vocab, float(width))) * (FIT[0] * x**2 + FIT[1] * x + FIT[2])
