"""Denoising objectives: masked language modelling as in BERT, span corruption as in T5, and their lengths.

Read README.md first. Symbols: B rows of T positions each, V words in the vocabulary, L tokens of a document.

Everything random follows from ``seed`` and from nothing else: the same call gives the same answer, in any process.
Any generator will do (``numpy.random.default_rng(seed)``, ``random.Random(seed)``, ...): distributions are checked,
not particular draws. Seeds are integers from 0 to 2**31 - 1.

Results may be lists, tuples or arrays of integers.
"""

import numpy as np


def mask_tokens(
    tokens: np.ndarray, special_mask: np.ndarray, vocab_size: int, mask_id: int, seed: int, p: float = 0.15
) -> tuple[np.ndarray, np.ndarray]:
    """Corrupt tokens for masked language modelling, and say what is to be predicted.

    Each token that is not special is selected with probability ``p``, independently. (Selecting exactly p times
    their number, rounded to a whole number, at random in every row or in all rows together, will do as well.) A
    selected token becomes

    - ``mask_id`` with probability 0.8,
    - a random id, uniform over all of 0 to V - 1, with probability 0.1,
    - itself with probability 0.1.

    Args:
        tokens: ids 0 to V - 1, int64 array of shape (B, T), B at least 0, T at least 1. It is not changed.
        special_mask: booleans of shape (B, T); true where a token is special ([CLS], [SEP], padding) and must not
            be selected.
        vocab_size: V, at least 1.
        mask_id: the id of [MASK], 0 to V - 1.
        seed: decides what is selected and what becomes of it.
        p: probability of being selected, 0 to 1, both included.

    Returns:
        inputs and labels, integers of shape (B, T) both. inputs: the corrupted tokens, equal to ``tokens``
        wherever nothing is selected. labels: the original token where one is selected, whatever became of it, and
        -100 elsewhere.

    Raises:
        ValueError: ``p`` is not from 0 to 1.
    """
    raise NotImplementedError


def span_corrupt(
    tokens: list[int], seed: int, density: float, mean_span: float, vocab_size: int, eos_id: int = 1
) -> tuple[list[int], list[int]]:
    """Cut random spans out of a document, and ask for them.

    Of L tokens, ``noise`` tokens in ``spans`` spans are cut out:

    - noise = round(L * density), at least 1 and at most L - 1;
    - spans = round(noise / mean_span), at least 1, and at most L - noise.

    ``round`` is Python's: halves go to the even neighbour. The document is kept, noise, kept, noise, ...: ``spans``
    runs of kept tokens and as many of noise in turn, beginning with a kept and ending with a noise one. No run is
    empty. All ways to cut the kept tokens into so many runs are equally likely, and so are all ways to cut the
    noise, independently.

    Span i (0, 1, ...) is named by the sentinel V - 1 - i.

    - inputs: the document with each span replaced by its sentinel; then ``eos_id``.
    - targets: for each span in turn its sentinel and its tokens; then ``eos_id``. There is no sentinel behind the
      last span.

    Args:
        tokens: L ids, a list; L from 2 to 2,000. It is not changed.
        seed: decides where the document is cut.
        density: share of noise, from 0.01 to 0.95.
        mean_span: average length of a span, from 1 to 10.
        vocab_size: V. It leaves room for the sentinels: all of them are above every id in ``tokens``.
        eos_id: what ends inputs and targets; it is not in ``tokens``.

    Returns:
        inputs and targets, each a sequence of integers.

    Raises:
        ValueError: L is less than 2, ``density`` is 0 or less, or 1 or more, or ``mean_span`` is less than 1.

    Example:
        >>> span_corrupt([10, 11, 12, 13], seed=0, density=0.25, mean_span=3.0, vocab_size=100)
        ([10, 11, 12, 99, 1], [99, 13, 1])
    """
    raise NotImplementedError


def lengths(inputs_length: int, density: float, mean_span: float) -> tuple[int, int]:
    """How long a document must be so that corruption just fills the encoder, and how long its targets are.

    Args:
        inputs_length: tokens that the encoder takes, the end of sequence included; from 3 to 4,096.
        density: share of noise, from 0.01 to 0.95.
        mean_span: average length of a span, from 1 to 10.

    Returns:
        L and the number of targets: L is the largest number of tokens for which the inputs of ``span_corrupt`` have
        at most ``inputs_length`` tokens; the targets are those of a document of L tokens, end of sequence included.

    Raises:
        ValueError: ``inputs_length`` is less than 3, ``density`` is 0 or less, or 1 or more, or ``mean_span`` is less
            than 1.

    Example:
        >>> lengths(512, density=0.15, mean_span=3.0)
        (568, 114)
    """
    raise NotImplementedError
