"""float32 throughout, as models have it: inverse frequencies as 1 / base ** (arange(0, d, 2) / d)."""

import numpy as np

KNOWN = {"none", "linear", "ntk", "yarn", "llama3"}
F = np.float32


def rope_frequencies(dim, base, method, factor, original_length):
    if method not in KNOWN or factor < 1 or dim < 4 or dim & 1:
        raise ValueError("cannot be")
    steps = np.arange(0, dim, 2).astype(F) / F(dim)
    powers = np.power(F(base), steps)
    if method == "ntk":
        powers = np.power(F(base * factor ** (dim / (dim - 2))), steps)
    inverse = F(1) / powers
    if method in ("none", "ntk"):
        return inverse
    if method == "linear":
        return inverse / F(factor)
    if method == "yarn":
        ends = dim * np.log(F(original_length) / (F(2 * np.pi) * np.array([32, 1], dtype=F))) / (2 * np.log(F(base)))
        low, high = max(int(np.floor(ends[0])), 0), int(np.ceil(ends[1]))
        extrapolated = 1 - np.clip((np.arange(dim // 2, dtype=F) - low) / F(high - low), 0, 1)
        return inverse / F(factor) * (1 - extrapolated) + inverse * extrapolated
    wavelengths = F(2 * np.pi) / inverse
    smooth = (F(original_length) / wavelengths - 1) / F(3)
    smoothed = (1 - smooth) * inverse / F(factor) + smooth * inverse
    slow, fast = wavelengths > original_length, wavelengths < original_length / 4
    return np.where(slow, inverse / F(factor), np.where(fast, inverse, smoothed))


def attention_factor(method, factor):
    if method not in KNOWN or factor < 1:
        raise ValueError("cannot be")
    return F(1) + F(0.1) * np.log(F(factor)) if method == "yarn" else F(1)
