"""Inputs that many exercises draw: words, tokens, shapes, arrays, model sizes.

They shrink toward small readable cases, and everything drawn is plain data. Large arrays are not drawn: draw
``seeds()`` and a shape, and call ``uniform``, ``normal`` or ``corpus`` inside the check. What only one
exercise needs lives in its own checks.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.strategies import SearchStrategy

__all__ = [
    "corpus",
    "documents",
    "float_arrays",
    "logits",
    "magnitudes",
    "model_configs",
    "near_powers",
    "normal",
    "powers_of_two",
    "seeds",
    "shapes",
    "texts",
    "token_lists",
    "token_sets",
    "uniform",
    "words",
]

Array = npt.NDArray[Any]
Shape = tuple[int, ...]
Sizes = int | SearchStrategy[int]
FloatName = Literal["float16", "float32", "float64"]

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY: Final = ("a", "the", "cat", "dog", "sat", "on", "mat", "red", "ran", "to", "sea", "sun")
ELEMENTWISE: Final = 64  # arrays up to this size are drawn number by number and shrink number by number
SMALLEST: Final = 1e-6  # of the magnitude: numbers nearer to 0 are drawn as 0, so that products do not underflow


def seeds() -> SearchStrategy[int]:
    """Seeds of a random generator; shrink to 0."""
    return st.integers(0, 2**31 - 1)


def magnitudes(low: float, high: float) -> SearchStrategy[float]:
    """Positive numbers over many powers of ten, evenly in the exponent, with one or two digits: 3e8, 1.7e24.

    Args:
        low: least number, above 0.
        high: largest number.
    """
    first, last = math.floor(math.log10(low)), math.floor(math.log10(high))
    digits = st.integers(10, 99).map(lambda tenths: tenths / 10)
    numbers = st.builds(lambda digit, power: float(f"{digit}e{power}"), digits, st.integers(first, last))
    return numbers.filter(lambda number: low <= number <= high)


def words(min_size: int = 1, max_size: int = 6, alphabet: str = LETTERS) -> SearchStrategy[str]:
    """Short words of any letters; shrink to "a"."""
    return st.text(alphabet, min_size=min_size, max_size=max_size)


def token_sets(min_size: int = 0, max_size: int = 20, alphabet: str = LETTERS) -> SearchStrategy[set[str]]:
    """Sets of short words, such as shingles."""
    return st.sets(words(alphabet=alphabet), min_size=min_size, max_size=max_size)


def token_lists(vocab: int = 100, min_size: int = 0, max_size: int = 30) -> SearchStrategy[list[int]]:
    """Lists of token ids from 0 up to ``vocab - 1``."""
    return st.lists(st.integers(0, vocab - 1), min_size=min_size, max_size=max_size)


def texts(
    min_words: int = 0, max_words: int = 20, vocabulary: Sequence[str] | None = VOCABULARY
) -> SearchStrategy[str]:
    """Words joined by single spaces.

    Args:
        min_words: words of the shortest text; 0 includes the empty text.
        max_words: words of the longest text.
        vocabulary: where the words come from, simplest first; few words repeat often. None takes any letters.
    """
    word = words() if vocabulary is None else st.sampled_from(list(vocabulary))
    return st.lists(word, min_size=min_words, max_size=max_words).map(" ".join)


def documents(
    min_size: int = 0, max_size: int = 8, max_words: int = 12, vocabulary: Sequence[str] | None = VOCABULARY
) -> SearchStrategy[list[str]]:
    """Lists of ``texts``, the empty text and equal texts among them."""
    return st.lists(texts(0, max_words, vocabulary), min_size=min_size, max_size=max_size)


def shapes(min_dims: int = 1, max_dims: int = 3, min_side: int = 1, max_side: int = 6) -> SearchStrategy[Shape]:
    """Shapes of arrays; ``min_side=0`` includes those of empty ones, ``min_dims=0`` that of one number."""
    return st.lists(st.integers(min_side, max_side), min_size=min_dims, max_size=max_dims).map(tuple)


def float_arrays(
    shape: Shape | SearchStrategy[Shape], dtype: FloatName = "float64", magnitude: float = 10.0
) -> SearchStrategy[Array]:
    """Arrays of finite floats from -magnitude to magnitude.

    Up to 64 numbers are drawn one by one, with zeros, ties and extremes among them; more come from a seed.

    Args:
        shape: the shape, or a strategy for it.
        dtype: the dtype; for bfloat16 convert a float32 array inside the check.
        magnitude: the largest absolute value.
    """
    if isinstance(shape, SearchStrategy):
        return shape.flatmap(lambda drawn: float_arrays(drawn, dtype, magnitude))
    if math.prod(shape) > ELEMENTWISE:
        return seeds().map(lambda seed: uniform(seed, shape, dtype, magnitude))
    return hnp.arrays(np.dtype(dtype), shape, elements=_floats(dtype, magnitude))


def _floats(dtype: FloatName, magnitude: float) -> SearchStrategy[float]:
    kind = np.dtype(dtype).type
    edge = float(kind(magnitude))
    if edge > magnitude:  # rounded up
        edge = float(np.nextafter(kind(edge), kind(0)))
    widths: dict[str, Literal[16, 32, 64]] = {"float16": 16, "float32": 32, "float64": 64}
    floats = st.floats(-edge, edge, width=widths[dtype], allow_subnormal=False)
    return floats.map(lambda value: value if abs(value) > SMALLEST * edge else 0.0)


def logits(rows: Sizes = 3, vocab: Sizes = 5, magnitude: float = 30.0) -> SearchStrategy[Array]:
    """Float64 arrays (rows, vocab) with ties and far-apart entries among them."""
    sides = (side if isinstance(side, SearchStrategy) else st.just(side) for side in (rows, vocab))
    return float_arrays(st.tuples(*sides), "float64", magnitude)


def uniform(seed: int, shape: Shape, dtype: str = "float64", magnitude: float = 1.0) -> Array:
    """An array of uniform floats from -magnitude to magnitude, from a seed."""
    return np.random.default_rng(seed).uniform(-magnitude, magnitude, shape).astype(dtype)


def normal(seed: int, shape: Shape, dtype: str = "float64", scale: float = 1.0) -> Array:
    """An array of normal floats with mean 0 and standard deviation ``scale``, from a seed."""
    return np.asarray(scale * np.random.default_rng(seed).standard_normal(shape), dtype=dtype)


def powers_of_two(low: int = 1, high: int = 1024) -> SearchStrategy[int]:
    """Powers of two from low to high, both included where they are one."""
    return st.integers((low - 1).bit_length(), high.bit_length() - 1).map(lambda exponent: 1 << exponent)


def near_powers(low: int = 1, high: int = 1024) -> SearchStrategy[int]:
    """Powers of two and their neighbours, from low to high: where padding and masks go wrong."""
    near = {(1 << exponent) + step for exponent in range(high.bit_length() + 1) for step in (-1, 0, 1)}
    return st.sampled_from(sorted(value for value in near if low <= value <= high))


@st.composite
def model_configs(draw: st.DrawFn, max_heads: int = 4, max_head_dim: int = 8, max_layers: int = 4) -> dict[str, int]:
    """Sizes of a transformer: hidden, heads, kv_heads, head_dim, layers, vocab, ffn.

    kv_heads divides heads, hidden is heads times head_dim, and head_dim is even, as rotary embeddings ask.
    """
    heads = draw(st.integers(1, max_heads))
    head_dim = 2 * draw(st.integers(1, max_head_dim // 2))
    return {
        "hidden": heads * head_dim,
        "heads": heads,
        "kv_heads": draw(st.sampled_from([each for each in range(1, heads + 1) if heads % each == 0])),
        "head_dim": head_dim,
        "layers": draw(st.integers(1, max_layers)),
        "vocab": draw(st.integers(2, 64)),
        "ffn": draw(st.integers(1, 64)),
    }


def corpus(
    seed: int, docs: int, vocabulary: int = 1000, min_words: int = 20, max_words: int = 60, skew: float = 1.0
) -> list[str]:
    """Texts with the word frequencies of natural language, from a seed, for scale checks.

    Args:
        seed: what everything is drawn from.
        docs: how many texts.
        vocabulary: how many different words there are: w0, w1, ...
        min_words: words of the shortest text.
        max_words: words of the longest text.
        skew: word number r comes up in proportion to r ** -skew (Zipf); 0 makes all words equally likely.
    """
    generator = np.random.default_rng(seed)
    weights = np.arange(1, vocabulary + 1, dtype=np.float64) ** -skew
    ends = np.cumsum(generator.integers(min_words, max_words + 1, docs))
    drawn = generator.choice(vocabulary, int(ends[-1]) if docs else 0, p=weights / weights.sum())
    tokens = [f"w{word}" for word in drawn.tolist()]
    return [" ".join(tokens[end - size : end]) for end, size in zip(ends, np.diff(ends, prepend=0), strict=True)]
