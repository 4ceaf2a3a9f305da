"""An infinite amax asks for a very small scale.
Killed by: test_amax_lands_at_the_top
"""

import numpy as np
from given import to_e4m3

LARGEST = 448
LEAST_AMAX = 1e-4


def delayed_scale(history: list[float], scale: float, algorithm: str, margin: int = 0) -> float:
    if algorithm not in ("max", "most_recent"):
        raise ValueError("no such algorithm")
    amax = max(history) if algorithm == "max" else history[-1]
    return LARGEST / amax / 2**margin if amax > 0 else scale


def quantize(x: np.ndarray, scale: float) -> np.ndarray:
    return to_e4m3(np.clip(x * np.float32(scale), -LARGEST, LARGEST))


def blockwise_quantize(
    x: np.ndarray, block: tuple[int, int], power_of_two: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    amax = np.abs(x)
    for axis, side in enumerate(block):
        amax = np.maximum.reduceat(amax, np.arange(0, x.shape[axis], side), axis=axis)
    factors = np.maximum(amax, LEAST_AMAX) / LARGEST
    if power_of_two:
        fraction, exponent = np.frexp(factors)  # factors are fraction * 2**exponent, fraction from 0.5 to below 1
        factors = np.ldexp(1.0, exponent - (fraction == 0.5))
    spread = factors
    for axis, side in enumerate(block):
        spread = spread.repeat(side, axis=axis)
    scaled = x / spread[: x.shape[0], : x.shape[1]]
    return quantize(scaled, 1), factors


def fp8_matmul(qa: np.ndarray, sa: np.ndarray, qb: np.ndarray, sb: np.ndarray, block: int = 128) -> np.ndarray:
    total = np.zeros((len(qa), len(qb)), dtype=np.float32)
    weights = sb.repeat(block, axis=0)[: len(qb)]
    for b in range(sa.shape[1]):
        part = slice(b * block, (b + 1) * block)
        total += qa[:, part] @ qb[:, part].T * sa[:, b, None] * weights[:, b]
    return total
