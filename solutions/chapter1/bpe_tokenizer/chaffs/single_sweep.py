"""One sweep from left to right merges whatever it meets.
Killed by: test_encoding_follows_ranks, test_encoding_agrees_with_training
"""

from collections import Counter, defaultdict
from itertools import pairwise

Pair = tuple[int, int]
BYTES = 256


def train_bpe(word_counts: dict[bytes, int], num_merges: int) -> list[Pair]:
    if num_merges < 0:
        raise ValueError("num_merges must be at least 0")
    words = [list(word) for word in word_counts]
    times = list(word_counts.values())
    counts = Counter()
    places = defaultdict(set)  # pair -> words that have, or once had, it

    def add(number: int, sign: int) -> None:
        for pair in pairwise(words[number]):
            counts[pair] += sign * times[number]
            places[pair].add(number)

    for number in range(len(words)):
        add(number, 1)
    merges = []
    while len(merges) < num_merges:
        best = max(counts, key=counts.__getitem__, default=None)
        if best is None or counts[best] == 0:
            break
        for number in list(places[best]):
            add(number, -1)
            words[number] = _apply(best, BYTES + len(merges), words[number])
            add(number, 1)
        del counts[best], places[best]
        merges.append(best)
    return merges


def encode(data: bytes, merges: list[Pair]) -> list[int]:
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    ids = list(data)
    out = []
    for token in ids:
        out.append(token)
        while len(out) > 1 and (out[-2], out[-1]) in ranks:
            out[-2:] = [BYTES + ranks[out[-2], out[-1]]]
    return out


def decode(ids: list[int], merges: list[Pair]) -> bytes:
    spelling = [bytes([byte]) for byte in range(BYTES)]
    for left, right in merges:
        spelling.append(spelling[left] + spelling[right])
    if not all(0 <= token < len(spelling) for token in ids):
        raise ValueError("an id names no token")
    return b"".join(spelling[token] for token in ids)


def _apply(pair: Pair, new: int, ids: list[int]) -> list[int]:
    out = []
    for token in ids:
        if out and (out[-1], token) == pair:
            out[-1] = new
        else:
            out.append(token)
    return out
