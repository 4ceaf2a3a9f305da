"""A stream of documents: each is looked up, joins or merges groups, and is inserted. Interleaved bands."""

import struct
from collections import defaultdict
from functools import lru_cache
from hashlib import sha1

import numpy as np

PRIME = np.uint64((1 << 61) - 1)
LOW_32 = np.uint64((1 << 32) - 1)


def shingles(text: str, k: int) -> list[str]:
    if k < 1:
        raise ValueError("k must be positive")
    words = text.lower().split()
    found = [" ".join(words[i : i + k]) for i in range(len(words) - k + 1)] or [" ".join(words)]
    return list(dict.fromkeys(item for item in found if item))


@lru_cache(maxsize=1)
def _factors(num_perm: int, seed: int):
    return np.random.RandomState(seed).randint(1, (1 << 61) - 1, size=(2, num_perm), dtype=np.uint64)


def minhash_signature(shingles, num_perm: int, seed: int):
    if num_perm < 1:
        raise ValueError("num_perm must be positive")
    a, b = _factors(num_perm, seed)
    digests = [struct.unpack("<I", sha1(item.encode("utf8")).digest()[:4]) for item in shingles]
    if not digests:
        raise ValueError("no shingles")
    values = ((np.array(digests, dtype=np.uint64) * a + b) % PRIME) & LOW_32
    return tuple(values.min(axis=0).tolist())


def collision_probability(s, bands: int, rows: int):
    if isinstance(s, np.ndarray):
        return np.vectorize(collision_probability, otypes=[float])(s, bands, rows)
    return 1.0 - pow(1.0 - pow(float(s), rows), bands)


def choose_bands(threshold: float, num_perm: int, weights=(0.5, 0.5)):
    if not 0.0 < threshold < 1.0 or num_perm < 1:
        raise ValueError("no such threshold or signature")
    step = 0.001
    below = np.arange(0.0, threshold, step) + step / 2
    above = np.minimum(np.arange(threshold, 1.0, step) + step / 2, 1.0)
    costs = {}
    for bands in range(1, num_perm + 1):
        for rows in range(1, num_perm // bands + 1):
            false_positive = step * (1 - (1 - below**rows) ** bands).sum()
            false_negative = step * ((1 - above**rows) ** bands).sum()
            costs[bands, rows] = weights[0] * false_positive + weights[1] * false_negative
    return min(costs, key=costs.get)


def near_duplicate_groups(docs, k: int = 5, bands: int = 14, rows: int = 8, threshold: float = 0.75, seed: int = 0):
    if k < 1 or bands < 1 or rows < 1:
        raise ValueError("k, bands and rows must be positive")
    tables = [defaultdict(set) for _ in range(bands)]
    sets, group_of = [], {}
    for doc, text in enumerate(docs):
        items = set(shingles(text, k))
        sets.append(items)
        if not items:
            continue
        signature = minhash_signature(items, bands * rows, seed)
        keys = [signature[band::bands] for band in range(bands)]
        candidates = set().union(*(table[key] for table, key in zip(tables, keys, strict=True)))
        group = {doc}
        for other in candidates:
            if len(items & sets[other]) >= threshold * len(items | sets[other]):
                group |= group_of[other]
        for member in group:
            group_of[member] = group
        for table, key in zip(tables, keys, strict=True):
            table[key].add(doc)
    return [set(group) for group in {frozenset(group) for group in group_of.values()} if len(group) > 1]
