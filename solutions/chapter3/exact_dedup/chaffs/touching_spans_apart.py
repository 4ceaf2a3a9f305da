"""Spans are merged where they overlap; two that touch are two spans.
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
    starts = np.flatnonzero(np.bincount(names)[names] > 1)
    spans = []
    for start in starts.tolist():
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], start + min_length)
        else:
            spans.append((start, start + min_length))
    return spans


def _window_names(tokens: np.ndarray, length: int) -> np.ndarray:
    names, size = _ranks(tokens), 1
    while size < length:
        step = min(size, length - size)
        names = _ranks(names[:-step] * len(tokens) + names[step:])
        size += step
    return names


def _ranks(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_inverse=True)[1]
