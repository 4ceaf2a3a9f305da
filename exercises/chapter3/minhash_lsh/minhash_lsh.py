"""MinHash LSH: find the near-duplicates of a corpus without comparing every pair.

Read README.md first. Symbols: k words per shingle, b bands of r rows, J the Jaccard similarity of two sets.

Only the errors named under "Raises" are checked; nothing is asked of other arguments out of range, nor of NaN.
"""

from collections.abc import Iterable

import numpy as np


def shingles(text: str, k: int) -> set[str]:
    """Cut a text into its set of word k-grams.

    The text is lower-cased with ``str.lower`` and cut at white space with ``str.split``; punctuation stays
    where it is. A shingle is ``k`` consecutive words joined by one space.

    Args:
        text: any text; tabs, newlines and repeated spaces are white space.
        k: words per shingle, at least 1.

    Returns:
        the set of all shingles. A text of at least one word but fewer than ``k`` has one shingle, all its
        words. A text without words has none.

    Raises:
        ValueError: ``k`` is less than 1.

    Example:
        >>> sorted(shingles("To be  or not\\nto BE", 2))
        ['be or', 'not to', 'or not', 'to be']
    """
    raise NotImplementedError


def minhash_signature(shingles: Iterable[str], num_perm: int, seed: int) -> np.ndarray:
    """Sign a set of strings with ``num_perm`` independent minimum hashes.

    Entry i is the least value of hash function i over the set: ``min(h_i(x) for x in shingles)``. You
    choose the hash functions. They must

    - depend on nothing but ``seed``, ``num_perm``, i and the string: the same in every call and in every
      process. They may depend on ``num_perm`` or not: 10 values need not be the first 10 of 20;
    - behave like independent random functions for different i and for different seeds: each string of a set
      is equally likely to have the least value;
    - spread over about 2**31 values or more (2**31 - 1 will do), so that two different strings almost never
      share one.

    Args:
        shingles: a set of strings; or a list or tuple, in which order and repeats mean nothing. (In here, the
            name hides the function ``shingles``.)
        num_perm: number of hash functions, at least 1.
        seed: 0 to 2**31 - 1.

    Returns:
        ``num_perm`` integers: an array of shape (num_perm,) of any integer dtype, or a list or tuple.

    Raises:
        ValueError: ``shingles`` is empty (an empty set has no minimum), or ``num_perm`` is less than 1.
    """
    raise NotImplementedError


def collision_probability(s: float | np.ndarray, bands: int, rows: int) -> float | np.ndarray:
    """Probability that two documents agree in at least one whole band: the S-curve.

    Args:
        s: Jaccard similarity, 0 to 1: a number, or an array of any shape.
        bands: number of bands, at least 1.
        rows: rows per band, at least 1.

    Returns:
        a number for a number, an array of the same shape for an array; right to within 1e-9.

    Example:
        >>> round(collision_probability(0.75, bands=14, rows=8), 4)
        0.7716
    """
    raise NotImplementedError


def choose_bands(threshold: float, num_perm: int, weights: tuple[float, float] = (0.5, 0.5)) -> tuple[int, int]:
    """Choose the bands and rows whose S-curve comes nearest to a step at ``threshold``.

    With P the S-curve of b bands of r rows, the best pair minimises

        weights[0] * (integral of P(s) for s from 0 to threshold)
        + weights[1] * (integral of 1 - P(s) for s from threshold to 1)

    over all b >= 1, r >= 1 with b * r <= num_perm: hash values may be left over.

    Args:
        threshold: similarity from which two documents are duplicates, strictly between 0 and 1 (the checks:
            0.05 to 0.95).
        num_perm: hash values in a signature, at least 1 (the checks: up to 128).
        weights: the price of the false-positive area and that of the false-negative area; not negative, one
            of them positive.

    Returns:
        (bands, rows). You may integrate numerically: a pair passes whose exact cost is at most
        0.001 * (weights[0] + weights[1]) above the least possible. So ties may go either way.

    Raises:
        ValueError: ``threshold`` is not strictly between 0 and 1, or ``num_perm`` is less than 1.

    Example:
        >>> choose_bands(0.8, num_perm=128)
        (9, 13)
    """
    raise NotImplementedError


def near_duplicate_groups(
    docs: list[str], k: int = 5, bands: int = 14, rows: int = 8, threshold: float = 0.75, seed: int = 0
) -> list[list[int]]:
    """Group the near-duplicates of a corpus.

    1. Shingle each document (``k`` words) and sign it with ``bands * rows`` hash values.
    2. Cut each signature into ``bands`` bands of ``rows`` consecutive values. Two documents are a candidate
       pair when they agree in all values of at least one band (the same band in both).
    3. A candidate pair is a duplicate pair when the exact Jaccard similarity of its two shingle sets is at
       least ``threshold``.
    4. A group is a connected component of the graph of duplicate pairs: if A ~ B and B ~ C, then A, B and C
       are one group, however unlike A and C are.

    Documents without words have no shingles: they are like nothing, not even like each other, and are in no
    group.

    Time: 8,000 documents take at most 7.6 times as long as 2,000, with k = 3, 6 bands of 4 rows and threshold
    0.5. All pairs would take 16 times as long. These documents have 10 to 14 words out of 5,000; every tenth
    is the one before it with another last word. Larger groups of copies are not timed.

    Args:
        docs: the texts.
        k: words per shingle, at least 1.
        bands: number of bands, at least 1.
        rows: rows per band, at least 1.
        threshold: least similarity of a duplicate pair, above 0 and up to 1; inclusive.
        seed: seed of the signatures, 0 to 2**31 - 1.

    Returns:
        the groups of two or more documents, each a list of positions in ``docs``. The order of the groups
        and the order within a group are free. Documents without a duplicate are left out.

    Raises:
        ValueError: ``k``, ``bands`` or ``rows`` is less than 1.

    Example:
        >>> near_duplicate_groups(["a b c d", "x y z", "A b  c d"], k=2, bands=8, rows=1, threshold=0.5)
        [[0, 2]]
    """
    raise NotImplementedError
