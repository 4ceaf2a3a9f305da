"""equal counts stay in the order in which they were found
Killed by: test_most_common_come_first
"""

from given import STOP_WORDS


def count_words(text):
    counts = {}
    for word in text.lower().split():
        if word not in STOP_WORDS:
            counts[word] = counts.get(word, 0) + 1
    return counts


def most_common(counts, k):
    if k < 0:
        raise ValueError
    return sorted(counts.items(), key=lambda item: -item[1])[:k]
