"""Which words a text has, and how often."""


def count_words(text: str) -> dict[str, int]:
    """How often each word stands in a text.

    Args:
        text: words with any white space between them; may be empty.

    Returns:
        word in small letters -> count, at least 1. Words of ``given.STOP_WORDS`` are left out. Takes time in
        proportion to the text's length.

    Example:
        >>> count_words("The cat and the other cat")
        {'cat': 2, 'other': 1}
    """
    raise NotImplementedError


def most_common(counts: dict[str, int], k: int) -> list[tuple[str, int]]:
    """The k words with the highest counts.

    Args:
        counts: word -> count.
        k: how many to return, at least 0; all of them where there are fewer.

    Returns:
        pairs of word and count, highest count first; equal counts in alphabetical order.

    Raises:
        ValueError: k is below 0.

    Example:
        >>> most_common({"b": 1, "a": 1, "c": 5}, 2)
        [('c', 5), ('a', 1)]
    """
    raise NotImplementedError
