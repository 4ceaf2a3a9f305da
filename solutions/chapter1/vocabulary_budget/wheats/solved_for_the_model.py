"""Turns the question round: for which N_nv would this V be best? That grows with V, so it is bisected."""

from fractions import Fraction
from math import log


def bytes_per_token(texts: list[str], token_counts: list[int]) -> float:
    if len(texts) - len(token_counts) or sum(token_counts) == 0:
        raise ValueError("lists do not fit")
    return float(Fraction(sum(map(len, map(str.encode, texts))), sum(token_counts)))


def token_budget(corpus_bytes: int, compression: float, epochs: float = 1.0) -> float:
    if corpus_bytes <= 0 or compression <= 0 or epochs <= 0:
        raise ValueError("must be positive")
    tokens_per_byte = 1 / compression
    return epochs * corpus_bytes * tokens_per_byte


def bits_per_byte(losses: list[float], token_counts: list[int], byte_counts: list[int]) -> float:
    if len(losses) != len(token_counts) or len(losses) != len(byte_counts) or sum(byte_counts) == 0:
        raise ValueError("lists do not fit")
    tokens, size = sum(token_counts), sum(byte_counts)
    if tokens == 0:
        return 0.0
    mean_loss = sum(loss * count for loss, count in zip(losses, token_counts, strict=True)) / tokens
    return mean_loss / log(2) * (tokens / size)


def embedding_share(vocab: int, width: int, other_params: int, tied: bool) -> float:
    return float(Fraction((2 - tied) * vocab * width, other_params + (2 - tied) * vocab * width))


def flop_optimal_vocabulary(
    other_params: int, width: int, fit: tuple[float, float, float] = (0.00639222, -0.15811069, 1.20470122)
) -> float:
    if other_params < 1 or width < 1:
        raise ValueError("no model")
    a, b, c = fit

    def best_for(v: float) -> float:
        """The N_nv whose optimum is v: d f + (N_nv / v + d) (2 a ln v + b) = 0, solved for N_nv."""
        x = log(v)
        return v * width * (-(a * x**2 + b * x + c) / (2 * a * x + b) - 1)

    if best_for(256) >= other_params:
        return 256
    if best_for(200_000) <= other_params:
        return 200_000
    low, high = 256.0, 200_000.0
    while high / low > 1 + 1e-9:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if best_for(middle) < other_params else (low, middle)
    return low
