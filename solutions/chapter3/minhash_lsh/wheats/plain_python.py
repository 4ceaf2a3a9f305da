"""No numpy: linear hashes modulo a prime, a midpoint rule, union-find over the pairs of a bucket; lists."""

import random
from functools import lru_cache
from hashlib import sha1
from itertools import combinations

PRIME = 2**61 - 1


def shingles(text, k):
    if k < 1:
        raise ValueError(f"a shingle of {k} words")
    words = text.lower().split()
    if 0 < len(words) < k:
        k = len(words)
    return {" ".join(run) for run in zip(*(words[start:] for start in range(k)), strict=False)}


@lru_cache
def _functions(num_perm, seed):
    generator = random.Random(seed)
    return [(generator.randrange(1, PRIME), generator.randrange(PRIME)) for _ in range(num_perm)]


def minhash_signature(shingles, num_perm, seed):
    digests = [int.from_bytes(sha1(item.encode()).digest()[:7]) for item in set(shingles)]
    if num_perm < 1 or not digests:
        raise ValueError("nothing to sign")
    return [min((a * digest + b) % PRIME for digest in digests) for a, b in _functions(num_perm, seed)]


def collision_probability(s, bands, rows):
    missed = 1 - s**rows
    return 1 - missed**bands


def choose_bands(threshold, num_perm, weights=(0.5, 0.5)):
    if not 0 < threshold < 1 or num_perm < 1:
        raise ValueError("no such threshold or signature")
    steps = 500
    below = [threshold * (step + 0.5) / steps for step in range(steps)]
    above = [threshold + (1 - threshold) * (step + 0.5) / steps for step in range(steps)]
    best = None
    for rows in range(num_perm, 0, -1):
        misses_below = [1 - s**rows for s in below]
        misses_above = [1 - s**rows for s in above]
        for bands in range(num_perm // rows, 0, -1):
            false_positive = threshold * (1 - sum(miss**bands for miss in misses_below) / steps)
            false_negative = (1 - threshold) * sum(miss**bands for miss in misses_above) / steps
            cost = weights[0] * false_positive + weights[1] * false_negative
            if best is None or cost <= best[0]:
                best = cost, [bands, rows]
    return best[1]


def near_duplicate_groups(docs, k=5, bands=14, rows=8, threshold=0.75, seed=0):
    if bands < 1 or rows < 1:
        raise ValueError("no bands")
    sets = [shingles(doc, k) for doc in docs]
    buckets = {}
    for doc, items in enumerate(sets):
        signature = minhash_signature(items, bands * rows, seed) if items else []
        for start in range(0, len(signature), rows):
            buckets.setdefault((start, *signature[start : start + rows]), []).append(doc)
    leader = list(range(len(docs)))

    def find(doc):
        while leader[doc] != doc:
            doc = leader[doc]
        return doc

    for one, other in {pair for bucket in buckets.values() for pair in combinations(bucket, 2)}:
        shared = len(sets[one] & sets[other])
        if shared / (len(sets[one]) + len(sets[other]) - shared) >= threshold:
            leader[find(one)] = find(other)
    groups = {}
    for doc in range(len(docs)):
        groups.setdefault(find(doc), []).append(doc)
    return [group for group in groups.values() if len(group) > 1]
