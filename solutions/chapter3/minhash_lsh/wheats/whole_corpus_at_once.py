"""The corpus as one array: mixed 64-bit hashes, np.unique per band, labels that spread; arrays and tuples."""

import re
from zlib import crc32

import numpy as np

GOLDEN = 0x9E3779B97F4A7C15


def shingles(text: str, k: int) -> frozenset[str]:
    if k <= 0:
        raise ValueError("k <= 0")
    words = re.findall(r"\S+", text.lower())
    if not words:
        return frozenset()
    last = max(len(words) - k, 0)
    return frozenset(" ".join(words[start : start + k]) for start in range(last + 1))


def _mix(x):
    # The finaliser of splitmix64; 64-bit products wrap around.
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _hashes(items, num_perm, seed):
    """One row per item, one column per function."""
    digests = [(crc32(item.encode()) << 32) | crc32(item.encode() + b"!") for item in items]
    start = _mix(np.uint64(seed) + np.arange(1, num_perm + 1, dtype=np.uint64) * np.uint64(GOLDEN))
    return _mix(np.array(digests, dtype=np.uint64)[:, None] ^ start) >> np.uint64(1)


def minhash_signature(shingles, num_perm: int, seed: int) -> np.ndarray:
    items = sorted(set(shingles))
    if not items or num_perm < 1:
        raise ValueError("nothing to sign")
    return _hashes(items, num_perm, seed).min(axis=0).astype(np.int64)


def collision_probability(s, bands: int, rows: int) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return -np.expm1(bands * np.log1p(-(np.asarray(s, dtype=np.float64) ** rows)))


def choose_bands(threshold: float, num_perm: int, weights=(0.5, 0.5)) -> np.ndarray:
    if num_perm < 1 or threshold <= 0 or threshold >= 1:
        raise ValueError("no such threshold or signature")
    below, above = np.linspace(0, threshold, 401), np.linspace(threshold, 1, 401)
    pairs = np.array([(b, r) for b in range(1, num_perm + 1) for r in range(1, num_perm // b + 1)])
    bands, rows = pairs[:, :1], pairs[:, 1:]
    false_positive = np.trapezoid(collision_probability(below, bands, rows), below, axis=1)
    false_negative = np.trapezoid(1 - collision_probability(above, bands, rows), above, axis=1)
    return pairs[np.argmin(weights[0] * false_positive + weights[1] * false_negative)]


def near_duplicate_groups(docs, k: int = 5, bands: int = 14, rows: int = 8, threshold: float = 0.75, seed: int = 0):
    if bands <= 0 or rows <= 0:
        raise ValueError("no bands")
    sets = [shingles(doc, k) for doc in docs]
    full = np.array([doc for doc, items in enumerate(sets) if items], dtype=np.int64)
    if not full.size:
        return ()
    starts = np.cumsum([0, *(len(sets[doc]) for doc in full[:-1])])
    hashes = _hashes([item for doc in full for item in sets[doc]], bands * rows, seed)
    signatures = np.minimum.reduceat(hashes, starts).reshape(len(full), bands, rows)
    edges = []
    for band in range(bands):
        _, bucket = np.unique(signatures[:, band], axis=0, return_inverse=True)
        order = np.argsort(bucket, kind="stable")
        for members in np.split(full[order], np.flatnonzero(np.diff(bucket[order])) + 1):
            edges += [(one, other) for i, one in enumerate(members) for other in members[:i]]
    edges = [
        edge
        for edge in set(edges)
        if len(sets[edge[0]] & sets[edge[1]]) / len(sets[edge[0]] | sets[edge[1]]) >= threshold
    ]
    labels = np.arange(len(docs))
    one, other = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    while (labels[one] != labels[other]).any():
        least = np.minimum(labels[one], labels[other])
        np.minimum.at(labels, one, least)
        np.minimum.at(labels, other, least)
    found, counts = np.unique(labels, return_counts=True)
    return tuple(np.flatnonzero(labels == label) for label in found[counts > 1])
