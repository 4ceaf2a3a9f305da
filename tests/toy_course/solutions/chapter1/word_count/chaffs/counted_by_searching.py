"""searches the whole text for every word
Killed by: test_time_grows_with_the_text
"""

from given import STOP_WORDS


def count_words(text):
    words = text.lower().split()
    return {word: words.count(word) for word in words if word not in STOP_WORDS}


def most_common(counts, k):
    if k < 0:
        raise ValueError
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
