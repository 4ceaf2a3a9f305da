"""Loops over blocks, in float64; a scale as its inverse; dequantizes before it multiplies."""

import math

import numpy as np
from given import to_e4m3


def delayed_scale(history, scale, algorithm, margin=0):
    if algorithm == "max":
        amax = np.max(np.array(history))
    elif algorithm == "most_recent":
        amax = np.float64(list(history)[-1])
    else:
        raise ValueError(algorithm)
    if not np.isfinite(amax) or amax <= 0:
        return np.float64(scale)
    return 448 * 2.0**-margin / amax


def quantize(x, scale):
    x = np.asarray(x, dtype=np.float64)
    rounded = to_e4m3(x * scale)
    too_large = np.abs(x * scale) > 448
    return np.where(too_large, np.sign(x) * 448, rounded)


def blockwise_quantize(x, block, power_of_two=False):
    rows, columns = x.shape
    height, width = block
    tops, lefts = range(0, rows, height), range(0, columns, width)
    q = np.empty(x.shape)
    factors = np.empty((len(tops), len(lefts)))
    for i, top in enumerate(tops):
        for j, left in enumerate(lefts):
            part = np.s_[top : top + height, left : left + width]
            piece = x[part].astype(np.float64)
            factor = max(float(abs(piece).max()), 1e-4) / 448
            if power_of_two:
                factor = 2.0 ** math.ceil(math.log2(factor))
            q[part] = to_e4m3(np.minimum(np.maximum(piece * (1 / factor), -448), 448))
            factors[i, j] = factor
    return q, factors


def _spread(factors, height, width, shape):
    return np.kron(factors, np.ones((height, width)))[: shape[0], : shape[1]]


def fp8_matmul(qa, sa, qb, sb, block=128):
    a = qa * _spread(sa, 1, block, qa.shape)
    b = qb * _spread(sb, block, block, qb.shape)
    return a.astype(np.float32) @ b.astype(np.float32).T
