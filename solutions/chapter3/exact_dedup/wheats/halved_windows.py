"""Windows by recursion: a window of k is two of half the length, numbered by a dictionary; labels spread by numpy."""

import numpy as np


def duplicate_clusters(pairs, n):
    links = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    if n < 0 or ((links < 0) | (links >= n)).any():
        raise ValueError("documents are 0 to n - 1")
    labels = np.arange(n)
    while True:
        ends = labels[links]
        least = ends.min(axis=1)
        new = labels.copy()
        for side in range(2):
            np.minimum.at(new, ends[:, side], least)  # hook the root
            np.minimum.at(new, links[:, side], least)
        while (new[new] != new).any():
            new = new[new]  # flatten, so that chains take few rounds
        if (new == labels).all():
            return labels
        labels = new


def repeated_spans(tokens, min_length):
    if min_length < 1:
        raise ValueError("windows of nothing")
    if len(tokens) < min_length:
        return ()
    names = numbered(tokens, min_length)
    seen, repeated = {}, set()
    for start, name in enumerate(names):
        if name in seen:
            repeated |= {start, seen[name]}
        seen[name] = start
    until, marks = 0, []
    for place in range(len(tokens)):
        if place in repeated:
            until = place + min_length
        marks.append(place < until)
    spans, start = [], None
    for place, mark in enumerate([*marks, False]):
        if mark and start is None:
            start = place
        if not mark and start is not None:
            spans.append([np.int64(start), np.int64(place)])
            start = None
    return tuple(spans)


def numbered(tokens, length):
    """Numbers of all windows of this length."""
    if length == 1:
        return list(tokens)
    half = numbered(tokens, (length + 1) // 2)
    step, numbers = length // 2, {}
    return [numbers.setdefault((half[i], half[i + step]), len(numbers)) for i in range(len(tokens) - length + 1)]
