"""Pads to whole blocks; looks numbers up in the table of all E4M3 numbers; scales rounded up by their bits."""

import math

import numpy as np

# All codes from 0 to 448: exponent field 0 is subnormal, and the last code of all, 127, is NaN.
TABLE = np.array([(m if e == 0 else 8 + m) * 2.0 ** (max(e, 1) - 10) for e in range(16) for m in range(8)][:127])
MIDDLE = (TABLE[:-1] + TABLE[1:]) / 2


def delayed_scale(history, scale, algorithm, margin=0):
    choose = {"max": max, "most_recent": lambda values: values[-1]}
    if algorithm not in choose:
        raise ValueError("algorithm")
    amax = choose[algorithm](list(history))
    usable = amax > 0 and not math.isinf(amax)
    return (448 / 2**margin) / amax if usable else scale


def _cast(x):
    size = np.abs(x)
    below = np.searchsorted(MIDDLE, size, side="left")  # codes; a tie goes to the lower one
    tie = np.isin(size, MIDDLE)
    code = np.where(tie & (below % 2 == 1), below + 1, below)
    found = np.copysign(TABLE[code.clip(0, 126)], x)
    return np.where(np.isnan(x), np.nan, found).astype(np.float32)


def quantize(x, scale):
    return _cast(np.asarray(x, dtype=np.float32) * np.float32(scale))


def _round_up(factors):
    bits = factors.astype(np.float32).view(np.int32)
    exponent = (bits >> 23) + (bits & 0x7FFFFF != 0)
    return (exponent << 23).astype(np.int32).view(np.float32)


def blockwise_quantize(x, block, power_of_two=False):
    (rows, columns), (height, width) = x.shape, block
    padded = np.pad(x, ((0, -rows % height), (0, -columns % width)))
    blocks = padded.reshape(padded.shape[0] // height, height, padded.shape[1] // width, width)
    factors = np.maximum(np.abs(blocks).max((1, 3), keepdims=True), np.float32(1e-4)) / np.float32(448)
    if power_of_two:
        factors = _round_up(factors)
    q = _cast(blocks * (1 / factors)).reshape(padded.shape)[:rows, :columns]
    return q, factors[:, 0, :, 0]


def fp8_matmul(qa, sa, qb, sb, block=128):
    k = qa.shape[1]
    edges = range(0, k, block)
    out = np.zeros((qa.shape[0], qb.shape[0]))
    for j in range(0, qb.shape[0], block):
        for b, low in enumerate(edges):
            tile = qa[:, low : low + block] @ qb[j : j + block, low : low + block].T
            out[:, j : j + block] += tile * (sa[:, b] * sb[j // block, b])[:, None]
    return out
