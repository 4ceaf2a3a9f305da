"""Draws the S-curve of the bands a learner chose, the areas it gets wrong, and planted pairs they found."""

import numpy as np

THRESHOLD, NUM_PERM, WEIGHTS = 0.75, 112, (0.25, 0.75)  # with these the best split is FineWeb's
ITEMS, PAIRS = 60, 120  # words of a pair together, pairs per similarity
CURVE, FAINT, INK = "#2f6fb0", "#b9b4aa", "#333333"
FALSE_POSITIVE, FALSE_NEGATIVE = "#c8641b", "#a23b72"


def draw(learner, axes):
    """Draw P(s) for the chosen bands, and the share of planted pairs that near_duplicate_groups found."""
    bands, rows = (int(each) for each in learner.choose_bands(THRESHOLD, NUM_PERM, WEIGHTS))
    s = np.linspace(0, 1, 401)
    curve = np.asarray(learner.collision_probability(s, bands, rows), dtype=float)
    shade_errors(axes, s, curve)
    axes.plot(s, 1 - (1 - s**rows) ** bands, color=FAINT, linewidth=6, alpha=0.6, label="1 - (1 - sʳ)ᵇ")
    axes.plot(s, curve, color=CURVE, linewidth=2, label="your curve")
    draw_pairs(axes, *planted_pairs(learner, bands, rows))
    axes.axvline(THRESHOLD, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.text(THRESHOLD - 0.01, 1.03, f"threshold {THRESHOLD}", ha="right", fontsize=9, color=INK)
    title = f"Your choice: {bands} bands of {rows} rows, a missed pair being three times as dear"
    axes.set_title(title, loc="left", fontsize=11, pad=10)
    axes.set(xlim=(0, 1), ylim=(0, 1.08), xlabel="Jaccard similarity s", ylabel="share of pairs found")
    axes.legend(loc="upper left", frameon=False, fontsize=9, bbox_to_anchor=(0, 0.97))
    axes.spines[["top", "right"]].set_visible(False)


def shade_errors(axes, s, curve):
    """Shade and measure what a step at the threshold would not have."""
    left, right = s <= THRESHOLD, s >= THRESHOLD
    axes.fill_between(s[left], curve[left], color=FALSE_POSITIVE, alpha=0.3, linewidth=0)
    axes.fill_between(s[right], curve[right], 1, color=FALSE_NEGATIVE, alpha=0.3, linewidth=0)
    note(axes, f"false positives\narea {np.trapezoid(curve[left], s[left]):.3f}", (0.71, 0.2), (0.36, 0.42))
    area = np.trapezoid(1 - curve[right], s[right])
    note(axes, f"false negatives\narea {area:.3f}", (0.77, 0.94), (0.9, 0.55), FALSE_NEGATIVE)


def note(axes, text, point, place, colour=FALSE_POSITIVE):
    """Name an area from outside of it."""
    arrow = {"arrowstyle": "-", "color": colour, "linewidth": 1}
    axes.annotate(text, point, place, color=colour, fontsize=9, ha="center", va="center", arrowprops=arrow)


def planted_pairs(learner, bands, rows):
    """Similarities, and the share of pairs of each that the learner's groups hold."""
    similarities, shares = [], []
    for shared in range(ITEMS * 3 // 10, ITEMS - 1, 4):
        docs = [" ".join(words) for pair in range(PAIRS) for words in documents(shared, pair)]
        groups = learner.near_duplicate_groups(docs, 1, bands, rows, threshold=0.01, seed=shared)
        found = {tuple(sorted(int(doc) for doc in group)) for group in groups}
        similarities.append(shared / ITEMS)
        shares.append(np.mean([(2 * pair, 2 * pair + 1) in found for pair in range(PAIRS)]))
    return np.array(similarities), np.array(shares)


def documents(shared, pair):
    """Two lists of words that no other pair has, with ``shared`` of ITEMS words in common."""
    words = [f"{pair}-{shared}-{number}" for number in range(ITEMS)]
    middle = shared + (ITEMS - shared) // 2
    return words[:middle], words[:shared] + words[middle:]


def draw_pairs(axes, similarities, shares):
    """Measured shares with bars of two standard errors."""
    errors = 2 * np.sqrt(shares * (1 - shares) / PAIRS)
    style = {"fmt": "o", "markersize": 5, "color": INK, "elinewidth": 1, "capsize": 2, "zorder": 3}
    axes.errorbar(similarities, shares, errors, label=f"your groups, {PAIRS} planted pairs each", **style)
