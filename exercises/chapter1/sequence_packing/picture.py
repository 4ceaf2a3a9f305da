"""Draws the learner's packed rows, and the mask and positions of one short row."""

CAPACITY = 1024
DOCS = [[*range(10, 17)], [*range(20, 24)], [*range(30, 39)], [*range(40, 45)]]
SHADES = ("#2f6fb0", "#7fb0da", "#4a8fc7", "#a9cbe6")
EMPTY, INK, ACCENT = "#e8e4dc", "#333333", "#d1603d"


def draw(learner, axes):
    """Draw the learner's pack on the left and build_row on the right."""
    axes.set_axis_off()
    draw_rows(axes.inset_axes([0.04, 0.1, 0.5, 0.72]), learner)
    draw_mask(axes.inset_axes([0.64, 0.1, 0.36, 0.72]), learner)


def made_lengths():
    """Skewed lengths as documents have them: many short ones, few long ones; the same in every picture."""
    return [16 + (37 * i * i + 91 * i) % 997 * ((53 * i) % 211) // 211 for i in range(64)]


def draw_rows(panel, learner):
    """One bar per row, one piece per document, longest first; the padding that is left in grey."""
    lengths = made_lengths()
    rows = [sorted((int(lengths[doc]) for doc in row), reverse=True) for row in learner.pack(lengths, CAPACITY)]
    rows.sort(key=sum, reverse=True)
    panel.barh(range(len(rows)), [CAPACITY] * len(rows), height=0.82, color=EMPTY, linewidth=0)
    for place, row in enumerate(rows):
        start = 0
        for piece, length in enumerate(row):
            panel.barh(place, length, 0.82, left=start, color=SHADES[piece % 4], edgecolor="white", linewidth=0.8)
            start += length
    waste = 1 - sum(lengths) / (CAPACITY * max(len(rows), 1))
    alone = 1 - sum(lengths) / (CAPACITY * len(lengths))
    title = f"{len(lengths)} documents in {len(rows)} rows: {waste:.1%} padding\n(a row for each: {alone:.0%})"
    panel.set_title(title, loc="left", fontsize=11, color=INK)
    panel.set(xlim=(0, CAPACITY), ylim=(max(len(rows), 1) - 0.5, -0.5), xlabel=f"tokens of a row of {CAPACITY:,}")
    panel.set_yticks(range(0, len(rows), 5), [f"row {row}" for row in range(0, len(rows), 5)])
    panel.tick_params(left=False)
    panel.spines[["top", "right", "left"]].set_visible(False)


def draw_mask(panel, learner):
    """Who may attend to whom, with positions and labels along the edges."""
    batch = learner.build_row(DOCS)
    mask = [[bool(seen) for seen in row] for row in batch["mask"]]
    total = len(mask)
    owner = [number for number, doc in enumerate(DOCS) for _ in doc]
    for query, row in enumerate(mask):
        for key, seen in enumerate(row):
            right = key <= query and owner[key] == owner[query]
            colour = SHADES[owner[query] % 4] if seen and right else ACCENT if seen != right else EMPTY
            panel.barh(query, 1, 1, left=key - 0.5, color=colour, edgecolor="white", linewidth=0.5)
    for place in range(total):
        ends = int(batch["labels"][place]) == -100
        panel.text(place, -0.75, str(int(batch["positions"][place])), ha="center", fontsize=6.5, color=INK)
        mark = "-" if ends else str(int(batch["labels"][place]))
        panel.text(total + 0.1, place, mark, va="center", fontsize=6.5, color=ACCENT if ends else INK)
    panel.text(-0.5, -1.9, "positions (keys)", fontsize=8, color=INK)
    panel.text(total + 2.2, total / 2, "labels", rotation=270, va="center", fontsize=8, color=INK)
    panel.set_title("The mask of one row of 4 documents\n", loc="left", fontsize=11, color=INK)
    panel.set(xlim=(-0.5, total - 0.5), ylim=(total - 0.5, -0.5), aspect="equal", xlabel="key", ylabel="query")
    panel.set(xticks=[], yticks=[])
    panel.spines[:].set_visible(False)
