"""a negative k is just another slice
Killed by: test_negative_k_is_refused
"""

from given import STOP_WORDS


def count_words(text):
    counts = {}
    for word in text.lower().split():
        if word not in STOP_WORDS:
            counts[word] = counts.get(word, 0) + 1
    return counts


def most_common(counts, k):
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
