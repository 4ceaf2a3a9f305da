"""Writes ids as letters: a word is a str, and str.replace applies a merge from left to right without overlap."""

from collections import Counter
from itertools import pairwise


def train_bpe(word_counts: dict[bytes, int], num_merges: int) -> list[tuple[int, int]]:
    if num_merges < 0:
        raise ValueError("num_merges < 0")
    words = [[word.decode("latin-1"), count] for word, count in word_counts.items()]
    totals, holders = Counter(), {}
    for index in range(len(words)):
        _count(words, index, 1, totals, holders)
    merges = []
    for rank in range(num_merges):
        if not totals:
            break
        (left, right), _ = max(totals.items(), key=lambda item: (item[1], item[0]))
        for index in sorted(holders.pop((left, right))):
            _count(words, index, -1, totals, holders)
            words[index][0] = words[index][0].replace(left + right, chr(256 + rank))
            _count(words, index, 1, totals, holders)
        merges.append((ord(left), ord(right)))
    return merges


def _count(words, index, sign, totals, holders):
    """Add or remove a word's pairs; what falls to zero leaves the table."""
    word, count = words[index]
    for pair in pairwise(word):
        totals[pair] += sign * count
        if totals[pair] == 0:
            del totals[pair]
        holders.setdefault(pair, set()).add(index)


def encode(data: bytes, merges: list[tuple[int, int]]) -> list[int]:
    word = data.decode("latin-1")
    for rank, (left, right) in enumerate(merges):
        word = word.replace(chr(left) + chr(right), chr(256 + rank))
    return [ord(letter) for letter in word]


def decode(ids: list[int], merges: list[tuple[int, int]]) -> bytes:
    highest = 255 + len(merges)
    if any(token < 0 or token > highest for token in ids):
        raise ValueError(f"ids go from 0 to {highest}")
    word = "".join(map(chr, ids))
    for rank in range(len(merges) - 1, -1, -1):
        word = word.replace(chr(256 + rank), chr(merges[rank][0]) + chr(merges[rank][1]))
    return word.encode("latin-1")
