"""Two copies do not share tokens: aaa holds aa once.
Killed by: test_spans_are_the_repeated_tokens
"""

import numpy as np


def duplicate_clusters(pairs: list[tuple[int, int]], n: int) -> list[int]:
    if n < 0 or any(not 0 <= doc < n for pair in pairs for doc in pair):
        raise ValueError("a pair names documents from 0 to n - 1")
    parents = list(range(n))
    for one, other in pairs:
        first, second = sorted((_root(parents, one), _root(parents, other)))
        parents[second] = first
    return [_root(parents, doc) for doc in range(n)]


def _root(parents: list[int], doc: int) -> int:
    while parents[doc] != doc:
        parents[doc] = parents[parents[doc]]
        doc = parents[doc]
    return doc


def repeated_spans(tokens: list[int], min_length: int) -> list[tuple[int, int]]:
    if min_length < 1:
        raise ValueError("a window has at least one token")
    if min_length > len(tokens):
        return []
    names = _window_names(np.array(tokens), min_length)
    starts = np.array(
        [
            i
            for i, name in enumerate(names)
            if any(names[: max(i - min_length + 1, 0)] == name) or any(names[i + min_length :] == name)
        ],
        dtype=int,
    )
    steps = np.zeros(len(tokens) + 1, dtype=int)
    steps[starts] += 1
    steps[starts + min_length] -= 1
    covered = np.concatenate([[0], np.cumsum(steps) > 0])
    edges = np.flatnonzero(np.diff(covered))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _window_names(tokens: np.ndarray, length: int) -> np.ndarray:
    names, size = _ranks(tokens), 1
    while size < length:
        step = min(size, length - size)
        names = _ranks(names[:-step] * len(tokens) + names[step:])
        size += step
    return names


def _ranks(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_inverse=True)[1]
