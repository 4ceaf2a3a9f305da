"""numpy: a table of weights at break points, np.interp between them, trapezoids and a quadratic's roots."""

import numpy as np


def table(stages):
    """Names, break points (n,), and the weights on either side of each: left of it (n, k), right of it (n, k)."""
    if not stages:
        raise ValueError("empty plan")
    names = sorted(set().union(*(stage["mixture"] for stage in stages)))
    rows = []
    for stage in stages:
        row = np.array([stage["mixture"].get(name, 0) for name in names], dtype=float)
        if (row < 0).any() or not row.sum() > 0:
            raise ValueError("mixture")
        rows.append(row / row.sum())
    points, values, begin = [], [], 0
    for index, stage in enumerate(stages):
        tokens, blend = stage["tokens"], stage["blend"]
        if tokens <= 0 or stage["sequence_length"] <= 0 or tokens % stage["sequence_length"]:
            raise ValueError("tokens")
        if not 0 <= blend <= tokens or (blend and not index):
            raise ValueError("blend")
        points += [begin, begin + blend, begin + tokens]
        values += [rows[index - 1] if blend else rows[index], rows[index], rows[index]]
        begin += tokens
    return names, np.array(points, dtype=float), np.array(values), begin


def stage_at(stages, tokens_seen):
    *_, total = table(stages)
    if not 0 <= tokens_seen < total:
        raise ValueError("range")
    ends = np.cumsum([stage["tokens"] for stage in stages])
    index = int(np.searchsorted(ends, tokens_seen, side="right"))
    into = tokens_seen - (int(ends[index - 1]) if index else 0)
    return np.array([index, into // stages[index]["sequence_length"], into % stages[index]["sequence_length"]])


def mixture_at(stages, tokens_seen):
    names, points, values, total = table(stages)
    if not 0 <= tokens_seen < total:
        raise ValueError("range")
    at = int(np.searchsorted(points, tokens_seen, side="right")) - 1
    share = (tokens_seen - points[at]) / (points[at + 1] - points[at])
    row = (1 - share) * values[at] + share * values[at + 1]
    return dict(zip(names, row, strict=True))


def cumulative(points, values):
    """Tokens of each source up to each break point."""
    areas = np.diff(points)[:, None] * (values[1:] + values[:-1]) / 2
    return np.vstack([np.zeros(values.shape[1]), np.cumsum(areas, axis=0)])


def tokens_by_source(stages, start=0, stop=None):
    names, points, values, total = table(stages)
    stop = total if stop is None else stop
    if not 0 <= start <= stop <= total:
        raise ValueError("range")
    areas = np.zeros(len(names))
    for left, right, first, last in zip(points[:-1], points[1:], values[:-1], values[1:], strict=True):
        low, high = np.clip([start, stop], left, right)
        if high > low:
            ends = [first + (last - first) * (x - left) / (right - left) for x in (low, high)]
            areas += (high - low) * (ends[0] + ends[1]) / 2
    return dict(zip(names, areas, strict=True))


def epochs_by_source(stages, sizes, start=0, stop=None):
    return {name: tokens / sizes[name] for name, tokens in tokens_by_source(stages, start, stop).items()}


def exhausted_at(stages, sizes, max_epochs):
    if not max_epochs > 0:
        raise ValueError("max_epochs")
    names, points, values, _ = table(stages)
    sums = cumulative(points, values)
    answer = {}
    for k, name in enumerate(names):
        allowed = max_epochs * sizes[name]
        after = np.flatnonzero(sums[:, k] >= allowed)
        if not after.size:
            answer[name] = None
            continue
        at = after[0] - 1
        length, first = points[at + 1] - points[at], values[at, k]
        bend, rest = (values[at + 1, k] - first) / length, allowed - sums[at, k]
        if abs(bend) * length < 1e-12:
            answer[name] = points[at] + rest / first
        else:
            answer[name] = points[at] + (np.sqrt(max(first**2 + 2 * bend * rest, 0.0)) - first) / bend
    return answer
