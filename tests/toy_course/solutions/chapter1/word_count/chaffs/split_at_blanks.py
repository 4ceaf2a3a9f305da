"""words are split at every single blank
Killed by: test_white_space_does_not_matter, test_empty_text_has_no_words
"""

from given import STOP_WORDS


def count_words(text):
    counts = {}
    for word in text.lower().split(" "):
        if word not in STOP_WORDS:
            counts[word] = counts.get(word, 0) + 1
    return counts


def most_common(counts, k):
    if k < 0:
        raise ValueError
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
