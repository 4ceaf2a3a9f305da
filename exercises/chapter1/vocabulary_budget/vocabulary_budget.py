"""Vocabulary budget: how many tokens a corpus is, how to compare losses, and how large a vocabulary may be.

Read README.md first. Symbols: V entries of the vocabulary, d width of the model, N_nv parameters that are neither
input embedding nor output head. A loss is a mean over tokens, in nats (natural logarithm).

Arguments are Python numbers and lists; results may be Python or numpy numbers.
"""

Fit = tuple[float, float, float]


def bytes_per_token(texts: list[str], token_counts: list[int]) -> float:
    """How many bytes of a corpus one token stands for, on average over the corpus.

    All bytes of the texts in UTF-8, over all their tokens.

    Args:
        texts: documents in any script; some may be empty.
        token_counts: tokens of each document, integers, at least 0 each (negative ones are not tested).

    Returns:
        bytes per token of the corpus, within 1 part in 10**9.

    Raises:
        ValueError: the lists have different lengths, or there is no token at all.

    Example:
        >>> bytes_per_token(["The café is open.", "東京"], [5, 4])  # 18 and 6 bytes
        2.6666666666666665
    """
    raise NotImplementedError


def token_budget(corpus_bytes: int, compression: float, epochs: float = 1.0) -> float:
    """How many tokens a run trains on that reads a corpus so many times.

    Args:
        corpus_bytes: bytes of the text in UTF-8, more than 0.
        compression: bytes that one token stands for, more than 0.
        epochs: how often the corpus is read, more than 0; 0.5 is half of it, once.

    Returns:
        training tokens, repeats included; not rounded, within 1 part in 10**9.

    Raises:
        ValueError: an argument is not more than 0.

    Example:
        >>> token_budget(10**13, 4.0, epochs=1.5)
        3750000000000.0
    """
    raise NotImplementedError


def bits_per_byte(losses: list[float], token_counts: list[int], byte_counts: list[int]) -> float:
    """The loss of a set of documents in bits per byte, which does not depend on the tokenizer.

    All bits that the model needs for all tokens, over all bytes.

    Args:
        losses: mean loss per token of each document, in nats. That of a document without tokens is any finite
            number, and must not count.
        token_counts: tokens of each document, integers, at least 0 each (negative ones are not tested).
        byte_counts: bytes of each document in UTF-8, integers, at least 0 each (negative ones are not tested).

    Returns:
        bits per byte, within 1 part in 10**9.

    Raises:
        ValueError: the lists have different lengths, or there is no byte at all.

    Example:
        >>> round(bits_per_byte([2.85], [1000], [4500]), 6)
        0.913707
    """
    raise NotImplementedError


def embedding_share(vocab: int, width: int, other_params: int, tied: bool) -> float:
    """The share of a model's parameters that sit in its vocabulary.

    Input embedding and output head have a row of ``width`` numbers for each entry of the vocabulary. Tied, they
    are one matrix; untied, they are two.

    Args:
        vocab: V, at least 1.
        width: d, at least 1.
        other_params: N_nv, at least 0; a learned table of positions (GPT-2 has one) is among them.
        tied: whether input embedding and output head are one matrix.

    Returns:
        a fraction of all parameters of the model, within 1 part in 10**9. (Arguments out of range: not tested.)

    Example:
        >>> round(embedding_share(50257, 768, 85842432, tied=True), 5)  # GPT-2
        0.31017
    """
    raise NotImplementedError


def flop_optimal_vocabulary(other_params: int, width: int, fit: Fit = (0.00639222, -0.15811069, 1.20470122)) -> float:
    """The vocabulary with which a model of given size reads a given text for the fewest training FLOPs.

    A text of H characters has H * f(V) tokens, where f(V) = a ln(V)**2 + b ln(V) + c, and each token costs
    6 * (N_nv + V * d) FLOPs. H does not move the optimum.

    Args:
        other_params: N_nv, at least 1.
        width: d, at least 1. One matrix of V * d is counted: looking up an input embedding takes no FLOPs.
        fit: (a, b, c) of the formula f(V): the default, or the constants of another tokenizer. On the whole
            range of V f is positive and falls.

    Returns:
        the V from 256 (single bytes) to 200,000 (where the fit ends), both included, with the fewest FLOPs: a
        real number or a whole one, within 1 part in 1000 or 1 entry. There is exactly one lowest point in this
        range, which may be one of its ends.

    Raises:
        ValueError: ``other_params`` or ``width`` is less than 1.

    Example:
        >>> abs(flop_optimal_vocabulary(302_000_000, 1024) - 32_777) < 33
        True
    """
    raise NotImplementedError
