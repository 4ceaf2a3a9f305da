"""Draws FLOPs per byte of a product against the side of its tiles, with what an H100 needs to be busy."""

SIZE = 8192  # of a square product in bf16
PEAK, HBM = 989.4e12, 3.35e12  # dense bf16 FLOP/s and bytes/s of an H100 SXM
LEVELS = {
    "shared memory of one multiprocessor, 228 KB": (228 * 1024, "#e0a03c"),
    "L2 cache, 50 MB": (50 * 10**6, "#5a9e6f"),
}
INK, LINE = "#333333", "#2f6fb0"


def intensity(learner, side, level_bytes=10**12):
    """FLOPs per byte that crosses the level's boundary."""
    moved = learner.matmul_traffic(SIZE, SIZE, SIZE, (side, side, side), level_bytes)
    return 2 * SIZE**3 / float(sum(int(each) for each in moved.values()))


def draw(learner, axes):
    """Draw the learner's traffic as intensity, and the learner's largest tile of two levels of memory."""
    sides = [2**power for power in range(3, 14)]
    axes.plot(sides, [intensity(learner, side) for side in sides], color=LINE, linewidth=2, marker="o", markersize=3.5)
    ridge = PEAK / HBM
    axes.axhline(ridge, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    text = f"from {ridge:.0f} FLOPs per byte of HBM on\ntensor cores bind, not HBM"
    axes.text(8, ridge * 1.1, text, fontsize=8.5, color=INK, linespacing=1.4)
    for name, (level_bytes, colour) in LEVELS.items():
        side = int(learner.largest_tile(SIZE, SIZE, SIZE, level_bytes))
        height = intensity(learner, side, level_bytes)
        axes.plot([side], [height], marker="o", markersize=9, color=colour, zorder=3)
        text = f"{name}\nlargest tile {side}, {height:.0f} FLOPs per byte"
        axes.text(side * 1.2, height * 0.9, text, fontsize=8.5, color=INK, va="top", linespacing=1.4)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=10)
    ticks = sides[::2]
    axes.set_xticks(ticks, [str(side) for side in ticks])
    axes.set_yticks([10, 100, 1000], ["10", "100", "1000"])
    axes.set(xlabel="side of a square tile", ylabel="FLOPs per byte", xlim=(7, 60_000), ylim=(3, 5000))
    axes.minorticks_off()
    axes.set_title(f"A product of {SIZE} x {SIZE} x {SIZE} in bf16, tile by tile", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
