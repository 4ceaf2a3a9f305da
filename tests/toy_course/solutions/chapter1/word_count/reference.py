"""Reference: one pass over the words, one sort."""

from given import STOP_WORDS


def count_words(text: str) -> dict[str, int]:
    """How often each word stands in a text; see the stub."""
    counts: dict[str, int] = {}
    for word in text.lower().split():
        if word not in STOP_WORDS:
            counts[word] = counts.get(word, 0) + 1
    return counts


def most_common(counts: dict[str, int], k: int) -> list[tuple[str, int]]:
    """The k words with the highest counts; see the stub."""
    if k < 0:
        raise ValueError("k is below 0")
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
