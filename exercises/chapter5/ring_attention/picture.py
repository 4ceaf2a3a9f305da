"""Draws the ring's timetable: rank by step, contiguous above zigzag, with the time spent waiting."""

WORLD, LENGTH = 4, 64
LAYOUTS = ("contiguous", "zigzag")
BUSY, WAITING, INK = "#2f6fb0", "#e8e4dc", "#333333"


def draw(learner, axes):
    """Draw the learner's causal_work for 4 ranks and 64 positions, as tiles as wide as their step lasts."""
    axes.set_axis_off()
    work = {layout: timetable(learner, layout) for layout in LAYOUTS}
    longest = max(sum(max(step) for step in steps) for steps in work.values())
    for row, layout in enumerate(LAYOUTS):
        panel = axes.inset_axes([0.07, 0.58 - 0.5 * row, 0.91, 0.34])
        draw_timetable(panel, work[layout], layout)
        panel.set_xlim(0, longest)
        if row == len(LAYOUTS) - 1:
            panel.set_xlabel("time, in scores computed per rank (a step lasts as long as its slowest rank)")


def timetable(learner, layout):
    """Scores per step and rank: in step s rank r uses the keys of rank r - s."""

    def work(rank, step):
        return int(learner.causal_work(rank, (rank - step) % WORLD, WORLD, LENGTH, layout))

    return [[work(rank, step) for rank in range(WORLD)] for step in range(WORLD)]


def draw_timetable(panel, steps, layout):
    """One row per rank, one tile per step: blue while it computes, grey while it waits for the slowest."""
    start = 0
    for step, work in enumerate(steps):
        lasts = max(max(work), 1)
        panel.text(start + lasts / 2, -0.62, f"step {step}", ha="center", va="bottom", fontsize=8, color=INK)
        for rank, busy in enumerate(work):
            panel.barh(rank, lasts, left=start, height=0.86, color=WAITING, edgecolor="white", linewidth=1.5)
            panel.barh(rank, busy, left=start, height=0.86, color=BUSY, edgecolor="white", linewidth=1.5)
            style = {"ha": "center", "va": "center", "fontsize": 9, "color": text_colour(busy, lasts)}
            panel.text(start + lasts / 2, rank, str(busy) if busy else "waits", **style)
        start += lasts
    used = sum(map(sum, steps)) / (WORLD * max(start, 1))
    panel.set_title(f"{layout}: ranks compute {used:.0%} of the time", loc="left", fontsize=11, pad=16)
    panel.set_yticks(range(WORLD), [f"rank {rank}" for rank in range(WORLD)])
    panel.set_ylim(WORLD - 0.5, -0.6)
    panel.tick_params(left=False)
    for side in ("top", "right", "left"):
        panel.spines[side].set_visible(False)


def text_colour(busy, lasts):
    """White on blue, dark on grey."""
    return "white" if busy > lasts / 2 else INK
