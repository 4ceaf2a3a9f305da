"""Pure Python, one pair at a time, by wavelengths; lists."""

from math import ceil, e, exp, floor, log, pi


def rope_frequencies(dim, base, method, factor, original_length):
    if dim % 2 == 1 or dim < 4 or not factor >= 1:
        raise ValueError("no such head, or no such factor")
    if method not in ("none", "linear", "ntk", "yarn", "llama3"):
        raise ValueError(method)
    return [_frequency(i, dim, base, method, factor, original_length) for i in range(dim // 2)]


def _frequency(i, dim, base, method, factor, length):
    wavelength = 2 * pi * exp(2 * i / dim * log(base))
    if method == "none":
        return 2 * pi / wavelength
    if method == "linear":
        return 2 * pi / (wavelength * factor)
    if method == "ntk":  # the base's factor, taken to the exponent of this pair
        return 2 * pi / wavelength * factor ** (-2 * i / (dim - 2))
    if method == "llama3":
        if wavelength < length / 4:
            return 2 * pi / wavelength
        if wavelength > length:
            return 2 * pi / wavelength / factor
        smooth = (length / wavelength - 1) / (4 - 1)
        return (1 - smooth) * (2 * pi / wavelength / factor) + smooth * (2 * pi / wavelength)
    # The pair that makes r turns: base ** (2 i / dim) = length / (2 pi r)
    low, high = (dim / 2 * log(length / (2 * pi * turns), base) for turns in (32, 1))
    low, high = max(0, floor(low)), ceil(high)
    ramp = 0 if i <= low else 1 if i >= high else (i - low) / (high - low)
    return 2 * pi / wavelength * (1 - ramp * (1 - 1 / factor))


def attention_factor(method, factor):
    if factor < 1 or method not in ("none", "linear", "ntk", "yarn", "llama3"):
        raise ValueError("neither")
    return 1 if method != "yarn" else log(factor * e**10) / 10
