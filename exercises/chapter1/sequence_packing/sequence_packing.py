"""Sequence packing: several documents in one row of the batch, without padding and without mixing them up.

Read README.md first. Symbols: n documents, C tokens that a row holds (the capacity), T tokens that a row has.
"""

from collections.abc import Sequence

import numpy as np


def pack(lengths: Sequence[int], capacity: int) -> list[list[int]]:
    """Divide documents among rows, so that no row is over its capacity and few rows are needed.

    Each document goes into one row, whole. With R the least number of rows that would do, at most
    ``floor(11/9 · R + 6/9)`` are used: that is what first-fit decreasing guarantees, and best-fit decreasing and
    anything that needs no more rows than these will do. Which documents share a row is otherwise free.

    Time must grow about in proportion to n (n log n is fine): a corpus has millions of documents.

    Args:
        lengths: tokens of each document, a list of integers from 1 to ``capacity``; it may be empty.
        capacity: C, tokens that a row holds, at least 1 (up to 10,000).

    Returns:
        the rows: a list of lists of positions in ``lengths``, each position once, no list empty; rows and the
        documents of a row in any order.

    Raises:
        ValueError: a document has more than ``capacity`` tokens or less than 1, or ``capacity`` is less than 1.

    Example:
        >>> sorted(sorted(row) for row in pack([5, 4, 3, 3, 1], 8))
        [[0, 2], [1, 3, 4]]
    """
    raise NotImplementedError


def build_batch(docs: Sequence[Sequence[int]]) -> dict[str, np.ndarray]:
    """Lay documents one behind the other into a row, and say everything about it that a model needs.

    Args:
        docs: the token ids of each document of the row, in order: lists of at least one integer from 0 on. There
            may be no document at all; then everything is empty, and ``cu_seqlens`` is [0].

    Returns:
        a dict with these arrays (or lists); T is the number of tokens of all documents:

        - "ids", shape (T,): the token ids.
        - "labels", shape (T,): what each position predicts, *already shifted*: the next token of its document,
          and -100 (ignored) at the last token of each document.
        - "positions", shape (T,): how many tokens of its own document stand before it.
        - "cu_seqlens", shape (number of documents + 1,): where each document begins, and T at the end.
        - "mask", shape (T, T), booleans: mask[q, k] says whether position q may attend to position k: it may if
          both are in the same document and k is not after q.

    Raises:
        ValueError: a document is empty.

    Example:
        >>> batch = build_batch([[5, 6, 7], [8, 9]])
        >>> [batch[name].tolist() for name in ("ids", "labels", "positions", "cu_seqlens")]
        [[5, 6, 7, 8, 9], [6, 7, -100, 9, -100], [0, 1, 2, 0, 1], [0, 3, 5]]
        >>> batch["mask"].astype(int).tolist()
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 1]]
    """
    raise NotImplementedError
