"""Hints 3 and 4 as a reader wrote them: a pair leaves the tables with its last count; what has no rank is infinite."""

import math
from collections import defaultdict
from itertools import pairwise

Pair = tuple[int, int]


def _apply(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    left, right = pair
    out = []
    i = 0
    while i < len(ids):
        if i + 1 < len(ids) and ids[i] == left and ids[i + 1] == right:
            out.append(new_id)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def train_bpe(word_counts: dict[bytes, int], num_merges: int) -> list[Pair]:
    if num_merges < 0:
        raise ValueError("num_merges must not be negative")
    words = [list(word) for word in word_counts]
    freqs = list(word_counts.values())
    counts: dict[Pair, int] = defaultdict(int)
    where: dict[Pair, set[int]] = defaultdict(set)
    for i, word in enumerate(words):
        for pair in pairwise(word):
            counts[pair] += freqs[i]
            where[pair].add(i)

    merges: list[Pair] = []
    while len(merges) < num_merges and counts:
        best = max(counts, key=counts.get)
        new_id = 256 + len(merges)
        merges.append(best)
        for i in list(where[best]):
            word, freq = words[i], freqs[i]
            for pair in pairwise(word):
                counts[pair] -= freq
                where[pair].discard(i)
                if counts[pair] == 0:
                    del counts[pair]
                    del where[pair]
            word = words[i] = _apply(word, best, new_id)
            for pair in pairwise(word):
                counts[pair] += freq
                where[pair].add(i)
    return merges


def encode(data: bytes, merges: list[Pair]) -> list[int]:
    ranks = {(int(left), int(right)): i for i, (left, right) in enumerate(merges)}
    ids = list(data)
    while len(ids) > 1:
        best = min(pairwise(ids), key=lambda pair: ranks.get(pair, math.inf))
        if best not in ranks:
            break
        ids = _apply(ids, best, 256 + ranks[best])
    return ids


def decode(ids: list[int], merges: list[Pair]) -> bytes:
    spelling = [bytes([i]) for i in range(256)]
    for left, right in merges:
        spelling.append(spelling[left] + spelling[right])
    for i in ids:
        if not 0 <= i < len(spelling):
            raise ValueError(f"no such token: {i}")
    return b"".join(spelling[i] for i in ids)
