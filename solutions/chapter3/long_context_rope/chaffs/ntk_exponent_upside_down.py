"""The NTK exponent is (d - 2) / d.
Killed by: test_ntk_keeps_the_first_and_divides_the_last
"""

import math

import numpy as np

METHODS = ("none", "linear", "ntk", "yarn", "llama3")


def rope_frequencies(dim: int, base: float, method: str, factor: float, original_length: int) -> np.ndarray:
    _require(method, factor)
    if dim < 4 or dim % 2:
        raise ValueError("a head has an even number of dimensions, 4 or more")
    if method == "ntk":
        base *= factor ** ((dim - 2) / dim)
    index = np.arange(dim // 2)
    plain = base ** (-2 * index / dim)
    if method == "yarn":
        low = max(math.floor(_index_of(32, dim, base, original_length)), 0)
        high = math.ceil(_index_of(1, dim, base, original_length))
        share = np.clip((index - low) / (high - low), 0, 1)
    elif method == "llama3":
        turns = original_length * plain / (2 * math.pi)
        share = np.clip((4 - turns) / 3, 0, 1)
    else:
        share = float(method == "linear")
    return (1 - share) * plain + share * plain / factor


def attention_factor(method: str, factor: float) -> float:
    _require(method, factor)
    return 0.1 * math.log(factor) + 1 if method == "yarn" else 1.0


def _index_of(turns: float, dim: int, base: float, length: int) -> float:
    return dim * math.log(length / (2 * math.pi * turns)) / (2 * math.log(base))


def _require(method: str, factor: float) -> None:
    if method not in METHODS or factor < 1:
        raise ValueError(f"a method of {', '.join(METHODS)}, and a factor of at least 1")
