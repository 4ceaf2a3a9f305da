"""every word counts, the and a too
Killed by: test_stop_words_are_left_out
"""


def count_words(text):
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def most_common(counts, k):
    if k < 0:
        raise ValueError
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
