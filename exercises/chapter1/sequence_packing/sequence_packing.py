"""Sequence packing: several documents in one row of the batch, without padding and without mixing them up.

Read README.md first. Symbols: C tokens that a row can hold (the capacity), T tokens of the documents in a row.

Arguments are lists of Python integers.
"""

from collections.abc import Sequence

import numpy as np


def pack(lengths: Sequence[int], capacity: int) -> list[list[int]]:
    """Divide documents among rows, so that no row is over its capacity and few rows are needed.

    Each document goes into one row, whole. With R the least number of rows that would do, at most
    ``floor(11/9 · R + 6/9)`` are used. Which documents share a row is otherwise free. README.md says how fast
    it must be.

    Args:
        lengths: tokens of each document, a list of integers from 1 to ``capacity``; it may be empty, and must not
            be changed. Document i is the one with ``lengths[i]`` tokens.
        capacity: C, from 1 to 10,000.

    Returns:
        the rows: a list of lists of document numbers, each number once, no list empty; rows and the documents of
        a row in any order. Tuples, sets and arrays will do for lists.

    Raises:
        ValueError: a document has more than ``capacity`` tokens or less than 1, or ``capacity`` is less than 1.

    Example:
        >>> sorted(sorted(row) for row in pack([5, 4, 3, 3, 1], 8))
        [[0, 2], [1, 3, 4]]
    """
    raise NotImplementedError


def build_row(docs: Sequence[Sequence[int]]) -> dict[str, np.ndarray]:
    """Lay documents one behind the other into one row, and say everything about it that a model needs.

    Nothing is cut, reordered or padded.

    Args:
        docs: the token ids of each document of the row, in order: lists of at least one integer from 0 on. There
            may be no document at all; then everything is empty, and ``cu_seqlens`` is [0]. It must not be changed.

    Returns:
        a dict with these entries, arrays of integers (the mask: of booleans) or lists of the same; what is empty
        may have any dtype. T is the number of tokens of all documents:

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
        >>> row = build_row([[5, 6, 7], [8, 9]])
        >>> [np.asarray(row[name]).tolist() for name in ("ids", "labels", "positions", "cu_seqlens")]
        [[5, 6, 7, 8, 9], [6, 7, -100, 9, -100], [0, 1, 2, 0, 1], [0, 3, 5]]
        >>> np.asarray(row["mask"]).astype(int).tolist()
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 1]]
    """
    raise NotImplementedError
