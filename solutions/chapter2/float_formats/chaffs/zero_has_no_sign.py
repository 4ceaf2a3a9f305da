"""Zero is zero: only negative numbers have the sign bit.
Killed by: test_zero, test_small_numbers_and_signs_of_zero
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Format:
    exponent: int
    mantissa: int
    bias: int
    largest: int
    infinity: int | None
    nan: int | None
    scale: bool = False  # powers of two only: no sign, no zero

    @property
    def sign(self) -> int:
        return 1 << (self.exponent + self.mantissa)


FORMATS = {
    "fp16": Format(5, 10, 15, 0x7BFF, 0x7C00, 0x7E00),
    "bf16": Format(8, 7, 127, 0x7F7F, 0x7F80, 0x7FC0),
    "tf32": Format(8, 10, 127, 0x3FBFF, 0x3FC00, 0x3FE00),
    "e4m3": Format(4, 3, 7, 0x7E, None, 0x7F),
    "e5m2": Format(5, 2, 15, 0x7B, 0x7C, 0x7E),
    "e2m1": Format(2, 1, 1, 0x7, None, None),
    "e8m0": Format(8, 0, 127, 0xFE, None, 0xFF, scale=True),
}


def decode(codes: np.ndarray, fmt: str) -> np.ndarray:
    form = _format(fmt)
    codes = np.asarray(codes, dtype=np.int64)
    count = form.sign if form.scale else 2 * form.sign
    if ((codes < 0) | (codes >= count)).any():
        raise ValueError(f"codes of {fmt} are 0 to {count - 1}")
    body = codes % form.sign
    field, mantissa = body >> form.mantissa, body % (1 << form.mantissa)
    if form.scale:
        significand, power = np.ones_like(field), field
    else:
        significand, power = np.where(field > 0, mantissa + (1 << form.mantissa), mantissa), np.maximum(field, 1)
    values = np.ldexp(significand.astype(float), power - form.bias - form.mantissa)
    values = np.where(body > form.largest, np.nan, values)
    if form.infinity is not None:
        values = np.where(body == form.infinity, np.inf, values)
    return np.where(codes >= form.sign, -values, values)


def encode(x: np.ndarray, fmt: str, overflow: str = "saturate") -> np.ndarray:
    form = _format(fmt)
    if overflow not in ("saturate", "special"):
        raise ValueError(f"overflow is saturate or special, not {overflow}")
    x = np.asarray(x, dtype=np.float64)
    if form.nan is None and np.isnan(x).any():
        raise ValueError(f"{fmt} has no NaN")
    infinite = np.isinf(x)
    size = np.where(np.isfinite(x), np.abs(x), 0.0)
    lowest = -form.bias if form.scale else 1 - form.bias
    exponent = np.maximum(np.frexp(np.where(size > 0, size, 5e-324))[1] - 1, lowest)  # of 0 it would be 0
    steps = np.rint(np.ldexp(size, form.mantissa - exponent)).astype(np.int64)
    body = steps + ((exponent - lowest).astype(np.int64) << form.mantissa)
    if form.scale:
        body = np.maximum(body - 1, 0)  # a scale has no zero: its codes begin at the smallest normal
    special = form.infinity if form.infinity is not None else form.nan
    limit = special if overflow == "special" and special is not None else form.largest
    body = np.where((body > form.largest) | infinite, limit, body)
    no_number = np.isnan(x) | (x <= 0) if form.scale else np.isnan(x)
    if form.nan is not None:
        body = np.where(no_number, form.nan, body)
    return body if form.scale else body + form.sign * ((x < 0) & (body > 0))


def round_to(x: np.ndarray, fmt: str, overflow: str = "saturate") -> np.ndarray:
    return decode(encode(x, fmt, overflow), fmt)


def _format(fmt: str) -> Format:
    if fmt not in FORMATS:
        raise ValueError(f"no such format: {fmt}")
    return FORMATS[fmt]
