"""Draws the weights of a plan of ten trillion tokens, and where its sources have been read four times."""

import numpy as np

TRILLION, MAX_EPOCHS = 10**12, 4
NAMES = ("pretraining", "mid-training", "annealing", "long context")
PLAN = [
    {"tokens": 5000 * 2**30, "sequence_length": 8192, "mixture": {"web": 80, "code": 15, "math": 5}, "blend": 0},
    {
        "tokens": 2000 * 2**30,
        "sequence_length": 8192,
        "mixture": {"web": 40, "code": 30, "math": 20, "books": 10},
        "blend": 800 * 2**30,
    },
    {
        "tokens": 1200 * 2**30,
        "sequence_length": 8192,
        "mixture": {"web": 10, "code": 40, "math": 50},
        "blend": 1200 * 2**30,
    },
    {
        "tokens": 1400 * 2**30,
        "sequence_length": 131072,
        "mixture": {"web": 20, "code": 35, "math": 5, "books": 40},
        "blend": 100 * 2**30,
    },
]
SIZES = {"web": 9 * TRILLION, "code": 8 * TRILLION // 10, "math": 22 * TRILLION // 100, "books": 16 * TRILLION // 100}
COLOURS = {"web": "#9aa7b5", "code": "#2f6fb0", "math": "#c8641b", "books": "#5a9e6f"}
INK = "#333333"


def draw(learner, axes):
    """Draw mixture_at over the whole plan, with the ends that exhausted_at finds and the epochs of each source."""
    total = sum(stage["tokens"] for stage in PLAN)
    points = np.linspace(0, total, 600, endpoint=False)
    weights = [learner.mixture_at(PLAN, float(t)) for t in points]
    rows = np.array([[float(each[source]) for each in weights] for source in COLOURS])
    axes.stackplot(points / TRILLION, rows, colors=COLOURS.values(), alpha=0.85, linewidth=0)
    edges = np.cumsum([0, *(stage["tokens"] for stage in PLAN)]) / TRILLION
    for name, stage, left, right in zip(NAMES, PLAN, edges[:-1], edges[1:], strict=True):
        axes.axvline(right, color="white", linewidth=1.5)
        text = f"{name}\n{stage['sequence_length'] // 1024}K"
        axes.text((left + right) / 2, 1.02, text, ha="center", fontsize=8.5, color=INK)
    epochs = learner.epochs_by_source(PLAN, SIZES)
    ends = learner.exhausted_at(PLAN, SIZES, MAX_EPOCHS)
    heights = np.vstack([np.zeros(len(points)), rows.cumsum(axis=0)])
    for number, source in enumerate(COLOURS):
        label = f"{source}: {float(epochs[source]):.1f} epochs"
        if ends[source] is not None:
            at = float(ends[source])
            low, high = (np.interp(at, points, heights[number + k]) for k in (0, 1))
            axes.plot([at / TRILLION] * 2, [low, high], color=INK, linewidth=2.5)
            label += f", {MAX_EPOCHS} of them read at {at / TRILLION:.1f} trillion"
        axes.bar(0, 0, color=COLOURS[source], label=label)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, frameon=False, fontsize=9)
    axes.set(xlim=(0, total / TRILLION), ylim=(0, 1), xlabel="tokens seen, trillions", ylabel="weight")
    axes.set_title("Sources over four stages", loc="left", fontsize=11, pad=32)
    axes.spines[["top", "right"]].set_visible(False)
