"""One number after another, in integers: the 53 bits of a float64 are shifted down, with guard and sticky bits."""

import struct

import numpy as np

FIELDS = {
    "fp16": (5, 10),
    "bf16": (8, 7),
    "tf32": (8, 10),
    "e4m3": (4, 3),
    "e5m2": (5, 2),
    "e2m1": (2, 1),
    "e8m0": (8, 0),
}


def _split(fmt):
    try:
        return FIELDS[fmt]
    except KeyError:
        raise ValueError(f"unknown format {fmt}") from None


def _specials(fmt):
    """Codes of the largest finite value, of overflow and of NaN, without sign."""
    e, m = _split(fmt)
    ones = (1 << (e + m)) - 1
    if fmt == "e2m1":
        return ones, ones, None
    if fmt in ("e4m3", "e8m0"):
        return ones - 1, ones, ones
    infinity = ones - ((1 << m) - 1)
    return infinity - 1, infinity, ones


def _decode_one(code, fmt):
    e, m = _split(fmt)
    if not 0 <= code < 1 << (e + m + (fmt != "e8m0")):
        raise ValueError(f"{code} is no code of {fmt}")
    if fmt == "e8m0":
        return float("nan") if code == 255 else 2.0 ** (code - 127)
    sign = -1.0 if code >> (e + m) else 1.0
    body = code & ((1 << (e + m)) - 1)
    largest, over, _ = _specials(fmt)
    if body > largest:
        return sign * float("inf") if body == over and fmt != "e4m3" else float("nan")
    field, low = body >> m, body & ((1 << m) - 1)
    bias = (1 << (e - 1)) - 1
    if field == 0:
        return sign * low * 2.0 ** (1 - bias - m)
    return sign * ((1 << m) + low) * 2.0 ** (field - bias - m)


def _encode_one(x, fmt, overflow):
    e, m = _split(fmt)
    largest, over, nan = _specials(fmt)
    top = over if overflow == "special" else largest
    word = struct.unpack("<Q", struct.pack("<d", x))[0]
    negative, power, fraction = word >> 63, (word >> 52) & 2047, word & ((1 << 52) - 1)
    if power == 2047 and fraction:
        if nan is None:
            raise ValueError("no NaN here")
        return nan
    if fmt == "e8m0":
        if negative or x == 0.0:
            return nan
        if power == 2047:
            return top
        if power < 1023 - 127:
            return 0
        code = power - 1023 + 127 + (fraction >= 1 << 51)
        return code if code <= largest else top
    sign = negative << (e + m)
    if power == 2047:
        return sign | top
    bias = (1 << (e - 1)) - 1
    significand = fraction | ((1 << 52) if power else 0)
    field = max(power, 1) - 1023 + bias
    shift = 52 - m + max(0, 1 - field)
    if shift > 60:
        return sign
    kept, rest, half = significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1)
    if rest > half or (rest == half and kept & 1):
        kept += 1
    body = kept + (max(field - 1, 0) << m)
    return sign | (body if body <= largest else top)


def decode(codes, fmt):
    _split(fmt)
    codes = np.asarray(codes)
    values = [_decode_one(int(code), fmt) for code in codes.ravel()]
    return np.array(values, dtype=np.float32).reshape(codes.shape)


def encode(x, fmt, overflow="saturate"):
    _split(fmt)
    if overflow not in ("saturate", "special"):
        raise ValueError("overflow?")
    x = np.asarray(x)
    codes = [_encode_one(float(value), fmt, overflow) for value in x.ravel()]
    return np.array(codes, dtype=np.uint32).reshape(x.shape)


def round_to(x, fmt, overflow="saturate"):
    return decode(encode(x, fmt, overflow), fmt)
