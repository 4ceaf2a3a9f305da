"""Draws two nodes of eight GPUs four times, each time with the groups of another axis in colours of their own."""

LAYOUT = {"world": 16, "tp": 2, "cp": 2, "pp": 2, "ep": 4, "etp": 1, "order": "tp-cp-ep-dp-pp"}
AXES = {
    "tp": "tensor: sums inside every layer",
    "cp": "context: keys and values around a ring",
    "dp-cp": "data (with context): gradients, once per step",
    "pp": "pipeline: activations between stages",
    "ep": "expert: tokens to their experts",
    "edp": "data of experts: their gradients",
}
PALETTE = ("#2f6fb0", "#e0a03c", "#5a9e6f", "#b5523b", "#7a5fa8", "#3f9aa8", "#8a8a8a", "#c77fa3")
INK, NODE = "#333333", 8


def draw(learner, axes):
    """Draw the learner's groups of 16 ranks with tp, cp, dp and pp of 2 and ep of 4, each group in one colour."""
    for row, (axis, meaning) in enumerate(AXES.items()):
        found = [[int(rank) for rank in group] for group in learner.groups(LAYOUT, axis)]
        spanned = int(learner.nodes_spanned(LAYOUT, axis, NODE))
        for number, group in enumerate(sorted(found)):
            for rank in group:
                x = rank + (0.8 if rank >= NODE else 0)
                axes.broken_barh([(x, 0.9)], (row * 1.75, 0.9), color=PALETTE[number % len(PALETTE)], linewidth=0)
                axes.text(x + 0.45, row * 1.75 + 0.47, rank, ha="center", va="center", fontsize=8, color="white")
        across = "within a node" if spanned == 1 else "across nodes"
        words = f"{axis} · {meaning} · {len(found)} groups of {len(found[0])}, {across}"
        axes.text(0, row * 1.75 - 0.12, words, fontsize=8.5, color=INK, va="bottom")
    for node in range(2):
        left = node * (NODE + 0.8)
        axes.text(left + NODE / 2, -0.75, f"node {node}", ha="center", fontsize=8.5, color=INK)
    place = learner.coordinates(13, LAYOUT)
    words = ", ".join(f"{axis} {int(place[axis])}" for axis in ("tp", "cp", "dp", "pp", "ep", "edp"))
    axes.text(0, len(AXES) * 1.75 - 0.45, f"rank 13 is {words}", fontsize=8.5, color=INK, va="top")
    axes.set_title(
        "16 ranks: tp 2, cp 2, dp 2, pp 2 for dense layers; ep 4, edp 2 for experts", loc="left", fontsize=11
    )
    axes.set(xlim=(-0.1, 17), ylim=(len(AXES) * 1.75 + 0.1, -1.1))
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
