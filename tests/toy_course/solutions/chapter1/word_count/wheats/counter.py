"""The standard library's Counter and heapq."""

import heapq
from collections import Counter

import given


def count_words(text):
    words = (word.lower() for word in text.split())
    return dict(Counter(word for word in words if word not in given.STOP_WORDS))


def most_common(counts, k):
    if k < 0:
        raise ValueError(f"k is {k}")
    return [tuple(item) for item in heapq.nsmallest(k, counts.items(), key=lambda item: (-item[1], item[0]))]
