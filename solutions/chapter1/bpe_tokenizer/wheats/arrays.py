"""numpy: the corpus as one array with gaps between words, recounted with np.unique; one pass per merge to encode."""

import numpy as np

GAP = -1


def _places(ids, pair):
    """Where the pair is replaced: from left to right, without overlap."""
    hits = np.flatnonzero((ids[:-1] == pair[0]) & (ids[1:] == pair[1]))
    if pair[0] == pair[1] and len(hits):
        kept = []
        for hit in hits.tolist():
            if not kept or hit > kept[-1] + 1:
                kept.append(hit)
        hits = np.array(kept)
    return hits


def train_bpe(word_counts, num_merges):
    if num_merges < 0:
        raise ValueError("a number of merges is not negative")
    ids, weights = [GAP], [0]
    for word, count in word_counts.items():
        ids += [*word, GAP]
        weights += [count] * (len(word) + 1)
    ids, weights = np.array(ids, dtype=np.int64), np.array(weights, dtype=np.int64)
    merges = []
    for new in range(256, 256 + num_merges):
        inside = (ids[:-1] != GAP) & (ids[1:] != GAP)
        codes = (ids[:-1] << 32 | ids[1:])[inside]
        if not len(codes):
            break
        pairs, inverse = np.unique(codes, return_inverse=True)
        counts = np.zeros(len(pairs), dtype=np.int64)
        np.add.at(counts, inverse, weights[:-1][inside])
        best = int(pairs[counts.argmax()])
        merges.append((best >> 32, best & 0xFFFFFFFF))
        hits = _places(ids, merges[-1])
        ids[hits] = new
        ids, weights = np.delete(ids, hits + 1), np.delete(weights, hits + 1)
    return np.array(merges, dtype=np.int64).reshape(-1, 2)


def encode(data, merges):
    ids = np.frombuffer(data, dtype=np.uint8).astype(np.int64)
    for i, pair in enumerate(merges):
        hits = _places(ids, pair)
        if len(hits):
            ids[hits] = 256 + i
            ids = np.delete(ids, hits + 1)
    return ids


def decode(ids, merges):
    table = {i: bytes((i,)) for i in range(256)}
    for i, (left, right) in enumerate(merges):
        table[256 + i] = table[left] + table[right]
    try:
        return b"".join([table[int(token)] for token in ids])
    except KeyError as unknown:
        raise ValueError(f"no token {unknown}") from None
