"""Equal sets are merged before any bucket is filled; a bucket keeps the parts that are known to belong together."""

import hashlib
from collections import defaultdict

import numpy as np


def shingles(text, k):
    if k < 1:
        raise ValueError("k must be at least 1")
    words = text.lower().split()
    if not words:
        return set()
    return {" ".join(words[i : i + k]) for i in range(max(1, len(words) - k + 1))}


def _mix(x):
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def minhash_signature(shingles, num_perm, seed):
    items = set(shingles)
    if not items:
        raise ValueError("an empty set has no minimum")
    if num_perm < 1:
        raise ValueError("num_perm must be at least 1")
    digests = b"".join(hashlib.blake2b(x.encode("utf-8"), digest_size=8).digest() for x in items)
    x = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
    # The first 10 keys of 20 are those of 10, unlike multipliers and offsets that are drawn one after the other.
    keys = np.random.default_rng(seed).integers(0, 2**64, size=num_perm, dtype=np.uint64)
    least = np.full(num_perm, np.iinfo(np.uint64).max, dtype=np.uint64)
    for start in range(0, len(x), 1024):
        least = np.minimum(least, _mix(x[start : start + 1024, None] ^ keys[None, :]).min(axis=0))
    return least


def collision_probability(s, bands, rows):
    return 1 - (1 - s**rows) ** bands


def choose_bands(threshold, num_perm, weights=(0.5, 0.5)):
    if not 0 < threshold < 1:
        raise ValueError("threshold must be strictly between 0 and 1")
    if num_perm < 1:
        raise ValueError("num_perm must be at least 1")
    mid = (np.arange(500) + 0.5) / 500
    left, right = threshold * mid, threshold + (1 - threshold) * mid
    best, best_cost = None, float("inf")
    for b in range(1, num_perm + 1):
        for r in range(1, num_perm // b + 1):
            false_pos = threshold * np.mean(collision_probability(left, b, r))
            false_neg = (1 - threshold) * np.mean(1 - collision_probability(right, b, r))
            cost = weights[0] * false_pos + weights[1] * false_neg
            if cost < best_cost:
                best, best_cost = (b, r), cost
    return best


def near_duplicate_groups(docs, k=5, bands=14, rows=8, threshold=0.75, seed=0):
    if k < 1 or bands < 1 or rows < 1:
        raise ValueError("k, bands and rows must be at least 1")
    parent = list(range(len(docs)))

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    sets, first = {}, {}
    buckets = defaultdict(list)
    for i, text in enumerate(docs):
        s = frozenset(shingles(text, k))
        if not s:
            continue
        if s in first:
            parent[i] = first[s]
            continue
        first[s] = i
        sets[i] = s
        signature = minhash_signature(s, bands * rows, seed)
        for band in range(bands):
            buckets[band, signature[band * rows : (band + 1) * rows].tobytes()].append(i)

    unlike = set()
    for members in buckets.values():
        parts = []
        for i in members:
            mine, others = [i], []
            for part in parts:
                joined = find(part[0]) == find(i)
                for j in [] if joined else part:
                    if (j, i) in unlike:
                        continue
                    shared = len(sets[i] & sets[j])
                    if shared / (len(sets[i]) + len(sets[j]) - shared) >= threshold:
                        parent[find(i)] = find(j)
                        joined = True
                        break
                    unlike.add((j, i))
                if joined:
                    mine = part + mine if len(mine) == 1 else mine + part
                else:
                    others.append(part)
            parts = [*others, mine]

    components = defaultdict(list)
    for i in range(len(docs)):
        components[find(i)].append(i)
    return [group for group in components.values() if len(group) > 1]
