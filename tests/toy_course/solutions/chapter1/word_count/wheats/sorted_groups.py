"""Sorts the words and groups equal ones; pairs come as lists, keys in alphabetical order."""

from itertools import groupby

from given import STOP_WORDS


def count_words(text):
    words = sorted(text.lower().split())
    return {word: len(list(group)) for word, group in groupby(words) if word not in STOP_WORDS}


def most_common(counts, k):
    if k < 0:
        raise ValueError("k must not be negative")
    by_word = sorted(counts)
    by_count = sorted(by_word, key=counts.__getitem__, reverse=True)
    return [[word, counts[word]] for word in by_count[:k]]
