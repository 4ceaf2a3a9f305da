"""As the paper does it: a suffix array, and the prefixes that neighbours in it share; arrays and tuples as answers."""

import itertools

import numpy as np


def duplicate_clusters(pairs, n):
    """Union by size with paths made flat; the least of each tree is looked for at the end."""
    if n < 0:
        raise ValueError("n")
    above, size = list(range(n)), [1] * n

    def top(doc):
        path = []
        while above[doc] != doc:
            path.append(doc)
            doc = above[doc]
        for below in path:
            above[below] = doc
        return doc

    for pair in pairs:
        if not all(0 <= doc < n for doc in pair):
            raise ValueError("no such document")
        left, right = (top(doc) for doc in pair)
        if left == right:
            continue
        if size[left] < size[right]:
            left, right = right, left
        above[right] = left
        size[left] += size[right]
    least = {}
    for doc in range(n):
        least.setdefault(top(doc), doc)
    return tuple(least[top(doc)] for doc in range(n))


def repeated_spans(tokens, min_length):
    if min_length < 1:
        raise ValueError("min_length")
    n = len(tokens)
    order, shared = suffixes(list(tokens))
    marks = [0] * (n + 1)
    for place in range(n):
        after = shared[place + 1] if place + 1 < n else 0
        if max(shared[place], after) >= min_length:
            marks[order[place]] += 1
            marks[order[place] + min_length] -= 1
    spans, depth, begin = [], 0, 0
    for i, step in enumerate(marks):
        if depth == 0 and depth + step > 0:
            begin = i
        if depth > 0 and depth + step == 0:
            spans.append((begin, i))
        depth += step
    return np.array(spans, dtype=np.int32).reshape(-1, 2)


def suffixes(tokens):
    """The starts of all suffixes in order, and the length of what each shares with the one before it (Kasai et al.)."""
    n = len(tokens)
    names = {token: name for name, token in enumerate(sorted(set(tokens)), 1)}
    rank, step = [names[token] for token in tokens], 1
    while n:
        keys = [rank[i] * (n + 1) + (rank[i + step] if i + step < n else 0) for i in range(n)]
        order = sorted(range(n), key=keys.__getitem__)
        rank[order[0]] = 1
        for before, doc in itertools.pairwise(order):
            rank[doc] = rank[before] + (keys[doc] != keys[before])
        if rank[order[-1]] == n:
            break
        step *= 2
    else:
        order = []
    shared, length = [0] * n, 0
    for i in range(n):
        place = rank[i] - 1
        if place:
            other = order[place - 1]
            while max(i, other) + length < n and tokens[i + length] == tokens[other + length]:
                length += 1
            shared[place] = length
            length = max(length - 1, 0)
        else:
            length = 0
    return order, shared
