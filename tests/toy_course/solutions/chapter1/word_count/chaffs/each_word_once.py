"""says which words there are, not how often
Killed by: test_counts_agree_with_the_reference
"""

from given import STOP_WORDS


def count_words(text):
    return {word: 1 for word in text.lower().split() if word not in STOP_WORDS}


def most_common(counts, k):
    if k < 0:
        raise ValueError
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
