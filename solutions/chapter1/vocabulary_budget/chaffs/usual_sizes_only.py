"""Vocabularies have a multiple of 1,024 entries.
Killed by: test_planted_vocabulary, test_no_vocabulary_is_cheaper, test_published_vocabularies
"""

from math import exp, log

Fit = tuple[float, float, float]
LOWEST, HIGHEST = 256, 200_000  # the contract's range of V; Tao et al. 2024 hold f constant above the latter
HALVINGS = 60  # of a range of ln V of 6.7: down to the last bit


def bytes_per_token(texts: list[str], token_counts: list[int]) -> float:
    if len(texts) != len(token_counts) or sum(token_counts) < 1:
        raise ValueError("one count per text, and at least one token")
    return sum(len(text.encode()) for text in texts) / sum(token_counts)


def token_budget(corpus_bytes: int, compression: float, epochs: float = 1.0) -> float:
    if min(corpus_bytes, compression, epochs) <= 0:
        raise ValueError("bytes and epochs must be more than 0")
    return corpus_bytes / compression * epochs


def bits_per_byte(losses: list[float], token_counts: list[int], byte_counts: list[int]) -> float:
    if not len(losses) == len(token_counts) == len(byte_counts) or sum(byte_counts) < 1:
        raise ValueError("three lists of one length, and at least one byte")
    nats = sum(loss * tokens for loss, tokens in zip(losses, token_counts, strict=True))
    return nats / log(2) / sum(byte_counts)


def embedding_share(vocab: int, width: int, other_params: int, tied: bool) -> float:
    embeddings = vocab * width * (1 if tied else 2)
    return embeddings / (other_params + embeddings)


def flop_optimal_vocabulary(other_params: int, width: int, fit: Fit = (0.00639222, -0.15811069, 1.20470122)) -> float:
    if other_params < 1 or width < 1:
        raise ValueError("a model has at least one parameter and a width of 1")
    low, high = log(LOWEST), log(HIGHEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _slope(middle, other_params, width, fit) < 0:
            low = middle
        else:
            high = middle
    return max(256, min(round(exp((low + high) / 2) / 1024) * 1024, 200_000))


def _slope(x: float, other_params: int, width: int, fit: Fit) -> float:
    a, b, c = fit
    head = exp(x) * width
    return head * (a * x * x + b * x + c) + (other_params + head) * (2 * a * x + b)
