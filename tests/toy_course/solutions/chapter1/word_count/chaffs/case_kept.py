"""The and the are two words
Killed by: test_case_does_not_matter, test_counts_agree_with_the_reference
"""

from given import STOP_WORDS


def count_words(text):
    counts = {}
    for word in text.split():
        if word not in STOP_WORDS:
            counts[word] = counts.get(word, 0) + 1
    return counts


def most_common(counts, k):
    if k < 0:
        raise ValueError
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
