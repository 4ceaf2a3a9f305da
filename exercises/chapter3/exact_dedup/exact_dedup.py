"""Exact deduplication: from pairs of duplicates to one document each, and passages that a corpus says twice.

Read README.md first. Symbols: n documents or tokens, k the least length of a repeated passage in tokens.
"""


def duplicate_clusters(pairs: list[tuple[int, int]], n: int) -> list[int]:
    """Give each document the number of the first document of its cluster.

    Two documents are in one cluster when a chain of pairs leads from one to the other, however long it is. So a
    document that is in no pair is a cluster of its own. Keeping the documents with ``labels[i] == i`` keeps exactly
    one of each cluster.

    Args:
        pairs: pairs of documents that are duplicates of each other, in any order, either way round; a pair may come
            several times, and may name one document twice. Up to 200,000 pairs. It must not be changed.
        n: number of documents, 0 to 100,000; they are numbered 0 to n - 1.

    Returns:
        n integers: ``labels[i]`` is the least number in the cluster of document i. A list, a tuple or an array.

    Raises:
        ValueError: ``n`` is negative, or a pair names a document below 0 or from n on.

    Time: four times the documents and pairs take at most 7.6 times as long, whatever the shape of the clusters, a chain
    of 100,000 documents included.

    Example:
        >>> duplicate_clusters([(3, 1), (4, 3)], 6)
        [0, 1, 2, 1, 1, 5]
    """
    raise NotImplementedError


def repeated_spans(tokens: list[int], min_length: int) -> list[tuple[int, int]]:
    """Find all tokens that belong to a passage that occurs more than once.

    A window is ``min_length`` consecutive tokens. It is repeated when the same tokens in the same order begin at
    another place, too; the two places may overlap. A token is repeated when at least one repeated window covers it.
    The spans are the maximal runs of repeated tokens: all copies of a passage, the first one as well, and two spans
    never overlap or touch.

    Args:
        tokens: integers from -2**31 to 2**31 - 1; may be empty. It must not be changed.
        min_length: k, length of a window, from 1 on; it may be more than there are tokens.

    Returns:
        the spans from left to right as pairs (start, end), half-open: tokens[start:end] is the run. A list or tuple of
        pairs, or an array of shape (spans, 2).

    Raises:
        ValueError: ``min_length`` is less than 1.

    Time: four times the tokens take at most ten times as long. That is asked of ordinary text, 26,000 and 104,000
    tokens in windows of 8, and of a text that consists of repetitions, 4,000 and 16,000 tokens in windows of a quarter
    of the text. Memory: at most 100 MiB for 16,000 tokens of such repetitions.

    Example:
        >>> repeated_spans([1, 2, 3, 4, 9, 2, 3, 4, 9, 8, 3, 4, 9], 3)  # 2 3 4 and 3 4 9 occur twice or more
        [(1, 9), (10, 13)]
    """
    raise NotImplementedError
