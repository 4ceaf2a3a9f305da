"""RoPE for long contexts: the frequencies of rotary embeddings, stretched by five methods.

Read README.md first. Symbols: d dimensions of a head, b base, L trained length in tokens, s factor by which the context
is made longer, θᵢ frequency of pair i in radians per token, λᵢ = 2π / θᵢ its wavelength in tokens.
"""

import numpy as np

METHODS = ("none", "linear", "ntk", "yarn", "llama3")


def rope_frequencies(dim: int, base: float, method: str, factor: float, original_length: int) -> np.ndarray:
    """The angle by which each pair of dimensions turns from one token to the next.

    Pair i, from 0 to d/2 - 1, has θᵢ = b ** (-2i / d) before stretching. What the methods make of it:

    - "none": θᵢ, whatever the factor.
    - "linear", position interpolation: θᵢ / s.
    - "ntk": the frequencies of a larger base, b · s ** (d / (d - 2)).
    - "yarn": (1 - mᵢ) · θᵢ + mᵢ · θᵢ / s, where mᵢ rises from 0 to 1 in equal steps of the *index*: mᵢ = 0 for
      i <= low, mᵢ = 1 for i >= high, and (i - low) / (high - low) between. With the index at which a pair makes r full
      turns in the trained length, c(r) = d · ln(L / (2π r)) / (2 · ln b), the ends are low = floor(c(32)), but at least
      0, and high = ceil(c(1)) (not bounded above).
    - "llama3": (1 - mᵢ) · θᵢ + mᵢ · θᵢ / s, where mᵢ depends on the *turns* rᵢ = L / λᵢ: mᵢ = 0 for rᵢ >= 4, mᵢ = 1
      for rᵢ <= 1, and (4 - rᵢ) / 3 between.

    Args:
        dim: d, dimensions of a head, an even number from 4 to 512.
        base: b, from 100 to 10**8.
        method: one of METHODS.
        factor: s, from 1 to 10,000; need not be an integer.
        original_length: L, tokens, from 64 to ``base``.

    Returns:
        d/2 frequencies in radians per token, pair 0 first: an array, list or tuple, right to within a relative 1e-5.

    Raises:
        ValueError: ``dim`` is odd or less than 4, ``factor`` is less than 1, or ``method`` is none of METHODS. What
            happens outside of the other ranges is not tested.

    Example:
        >>> rope_frequencies(4, 10_000, "linear", 2, 4096)
        array([0.5  , 0.005])
    """
    raise NotImplementedError


def attention_factor(method: str, factor: float) -> float:
    """The number that cos and sin of the rotary embedding are multiplied by.

    For "yarn" it is 0.1 · ln(s) + 1, for the other methods 1. Queries and keys are both rotated, so the attention
    logits are multiplied by its square; the square is not what is asked for.

    Args:
        method: one of METHODS.
        factor: s, from 1 to 10,000; need not be an integer.

    Returns:
        the number, right to within a relative 1e-5.

    Raises:
        ValueError: ``factor`` is less than 1, or ``method`` is none of METHODS.

    Example:
        >>> round(attention_factor("yarn", 4), 6)
        1.138629
    """
    raise NotImplementedError
