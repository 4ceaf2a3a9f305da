"""Float formats: what fp16, bf16, tf32, fp8, fp4 and the power-of-two scale E8M0 can hold, bit by bit.

Read README.md first. Formats are named "fp16", "bf16", "tf32", "e4m3", "e5m2", "e2m1" and "e8m0"; README.md has
their fields. A code is the bit pattern as an integer, from 0 to 2**bits - 1; its highest bit is the sign, where the
format has one (e8m0 has none).

Arguments are numpy arrays. Results may be numpy arrays of any dtype that holds them exactly, or nested lists.
"""

import numpy as np


def decode(codes: np.ndarray, fmt: str) -> np.ndarray:
    """The values that bit patterns stand for.

    Args:
        codes: int64 array of any shape, from 0 to 2**bits - 1 of the format (a code of tf32 has 19 bits).
        fmt: name of the format.

    Returns:
        the values, in the same shape. The code of minus zero gives -0.0; codes of infinities and NaN give these.

    Raises:
        ValueError: a code is out of range, or there is no such format.

    Example:
        >>> decode(np.array([0x38, 0xC2, 0x7E]), "e4m3")
        array([  1. ,  -2.5, 448. ])
    """
    raise NotImplementedError


def encode(x: np.ndarray, fmt: str, overflow: str = "saturate") -> np.ndarray:
    """The bit patterns of the values nearest to x, rounded once, from all bits of x.

    A tie between two neighbours goes to the even code; in e8m0 it goes to the larger value. A value that rounds
    to zero keeps its sign (-0.0 does as well). To find out whether x is too large, round as if exponents went on
    after the largest finite value: x overflows where this gives more than the largest finite value.

    - ``overflow="saturate"``: what overflows, infinities included, becomes the largest finite value of its sign.
    - ``overflow="special"``: it becomes the infinity of its sign; NaN in e4m3 and e8m0, which have no infinity. As
      e2m1 has neither, it saturates here too.

    NaN becomes NaN under both. e8m0 has no sign: there zero (of either sign) and everything below it, -inf included,
    become NaN under both, and positive values below the smallest, 2**-127, become 2**-127.

    Args:
        x: float64 array of any shape; not to be changed.
        fmt: name of the format.
        overflow: "saturate" or "special".

    Returns:
        the codes, in the same shape. Where a format has several codes for NaN, any of them will do.

    Raises:
        ValueError: x has a NaN and the format is e2m1, which has none; or there is no such format or ``overflow``.

    Example:
        >>> encode(np.array([1.0, -2.5, 464.0, 465.0]), "e4m3", overflow="special")
        array([ 56, 194, 126, 127])
    """
    raise NotImplementedError


def round_to(x: np.ndarray, fmt: str, overflow: str = "saturate") -> np.ndarray:
    """The values of the format nearest to x: what is left of x after it was stored.

    Args:
        x: float64 array of any shape; not to be changed.
        fmt: name of the format.
        overflow: as for ``encode``.

    Returns:
        the values, in the same shape, as from ``decode``.

    Raises:
        ValueError: as for ``encode``.

    Example:
        >>> round_to(np.array([0.1, 1000.0]), "e4m3")
        array([1.015625e-01, 4.480000e+02])
    """
    raise NotImplementedError
