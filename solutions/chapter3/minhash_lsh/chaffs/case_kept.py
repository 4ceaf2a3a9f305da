"""“The” and “the” are different words.
Killed by: test_case_and_white_space_mean_nothing
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

import numpy as np


def shingles(text: str, k: int) -> set[str]:
    if k < 1:
        raise ValueError("k must be at least 1")
    words = text.split()
    if not words:
        return set()
    return {" ".join(words[i : i + k]) for i in range(max(len(words) - k, 0) + 1)}


@lru_cache(maxsize=8)
def _multipliers(num_perm: int, seed: int) -> np.ndarray:
    # The high half of a x + b mod 2**64 is pairwise independent for 32-bit x: Dietzfelbinger, STACS 1996.
    return np.random.default_rng(seed).integers(0, 2**64, size=(2, num_perm), dtype=np.uint64)


def minhash_signature(shingles: Iterable[str], num_perm: int, seed: int) -> np.ndarray:
    if num_perm < 1:
        raise ValueError("num_perm must be at least 1")
    digests = b"".join([blake2b(item.encode(), digest_size=4).digest() for item in shingles])
    if not digests:
        raise ValueError("an empty set has no minimum")
    x = np.frombuffer(digests, dtype="<u4").astype(np.uint64)[:, None]  # (items, 1)
    a, b = _multipliers(num_perm, seed)
    return (x * a + b).min(axis=0)


def collision_probability(s: float | np.ndarray, bands: int, rows: int) -> float | np.ndarray:
    return 1 - (1 - s**rows) ** bands


def choose_bands(threshold: float, num_perm: int, weights: tuple[float, float] = (0.5, 0.5)) -> tuple[int, int]:
    if not 0 < threshold < 1:
        raise ValueError("threshold must lie strictly between 0 and 1")
    # The S-curve is a polynomial of degree b * r <= num_perm: so many nodes integrate it exactly. Fewer than one
    # are a ValueError of leggauss.
    nodes, shares = np.polynomial.legendre.leggauss(num_perm)
    nodes = (nodes + 1) / 2  # from [-1, 1] to [0, 1]; areas twice as large compare the same
    below, above = threshold * nodes, threshold + (1 - threshold) * nodes

    def cheapest(bands: int) -> tuple[float, int, int]:
        rows = np.arange(1, num_perm // bands + 1)[:, None]
        false_positive = threshold * collision_probability(below, bands, rows) @ shares
        false_negative = (1 - threshold) * (1 - collision_probability(above, bands, rows)) @ shares
        costs = weights[0] * false_positive + weights[1] * false_negative
        return costs.min(), bands, int(costs.argmin()) + 1

    return min(map(cheapest, range(1, num_perm + 1)))[1:]


def near_duplicate_groups(
    docs: list[str], k: int = 5, bands: int = 14, rows: int = 8, threshold: float = 0.75, seed: int = 0
) -> list[list[int]]:
    if min(bands, rows) < 1:
        raise ValueError("bands and rows must be at least 1")
    sets = [shingles(doc, k) for doc in docs]
    keys = {}  # document -> the buckets that it lies in
    buckets = defaultdict(list)
    for doc, items in enumerate(sets):
        if items:
            signature = minhash_signature(items, bands * rows, seed).reshape(bands, rows)
            keys[doc] = [(band, values.tobytes()) for band, values in enumerate(signature)]
            for key in keys[doc]:
                buckets[key].append(doc)

    groups, unseen = [], dict.fromkeys(keys)
    while unseen:
        group = [unseen.popitem()[0]]
        for doc in group:  # grows while it is walked
            for key in keys[doc]:
                # What was seen leaves the bucket: a text copied n times costs n comparisons, not n squared.
                buckets[key] = candidates = [other for other in buckets[key] if other in unseen]
                near = [other for other in candidates if _jaccard(sets[doc], sets[other]) >= threshold]
                group += near
                for other in near:
                    del unseen[other]
        if len(group) > 1:
            groups.append(sorted(group))
    return sorted(groups)


def _jaccard(one: set[str], other: set[str]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
