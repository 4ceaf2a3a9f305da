"""Every value of a format in a sorted table; neighbours by bisection, answers as nested lists."""

import numpy as np

# name: exponent bits, mantissa bits, bias, number of finite codes of one sign, has infinity, has NaN
TABLE = {
    "fp16": (5, 10, 15, 31 * 1024, True, True),
    "bf16": (8, 7, 127, 255 * 128, True, True),
    "tf32": (8, 10, 127, 255 * 1024, True, True),
    "e4m3": (4, 3, 7, 127, False, True),
    "e5m2": (5, 2, 15, 31 * 4, True, True),
    "e2m1": (2, 1, 1, 8, False, False),
    "e8m0": (8, 0, 127, 255, False, True),
}
KEPT = {}


def _ladder(fmt):
    """Finite values from zero on, and the one that would come next."""
    if fmt not in TABLE:
        raise ValueError(fmt)
    if fmt not in KEPT:
        _, m, bias, count, _, _ = TABLE[fmt]
        if fmt == "e8m0":
            KEPT[fmt] = 2.0 ** np.arange(-127, 129)
        else:
            fields = np.arange(2**m) / 2**m
            rows = [fields * 2.0 ** (1 - bias)]
            rows += [(1 + fields) * 2.0 ** (e - bias) for e in range(1, 2 ** TABLE[fmt][0] + 1)]
            KEPT[fmt] = np.concatenate(rows)[: count + 1]
    return KEPT[fmt]


def decode(codes, fmt):
    ladder = _ladder(fmt)
    e, m, _, count, infinity, nan = TABLE[fmt]
    half = 2 ** (e + m)
    full = ladder[:count]
    if infinity:
        full = np.append(full, np.inf)
    full = np.append(full, [np.nan] * (half - len(full)))
    if fmt != "e8m0":
        full = np.append(full, -full)
    codes = np.asarray(codes, dtype=int)
    if codes.size and (codes.min() < 0 or codes.max() >= len(full)):
        raise ValueError("no such code")
    return full[codes].tolist()


def encode(x, fmt, overflow="saturate"):
    ladder = _ladder(fmt)
    if overflow not in {"saturate", "special"}:
        raise ValueError(overflow)
    e, m, _, count, infinity, nan = TABLE[fmt]
    x = np.array(x, dtype=float)
    bad = np.isnan(x)
    if bad.any() and not nan:
        raise ValueError("NaN")
    a = np.abs(np.where(bad, 1.0, x))
    middle = (ladder[1:] + ladder[:-1]) / 2
    code = np.searchsorted(middle, a, side="left")
    tie = (code < len(middle)) & (middle[np.minimum(code, len(middle) - 1)] == a)
    if fmt == "e8m0":
        code = code + tie
        bad = bad | ~(x > 0)
    else:
        code = code + (tie & (code % 2 == 1))
    if overflow == "saturate" or not nan:
        code = np.minimum(code, count - 1)
    else:
        code = np.minimum(code, count)  # infinity, or the NaN of e4m3 and e8m0
    code = np.where(bad, 2 ** (e + m) - 1, code)
    if fmt != "e8m0":
        code = code + np.signbit(x) * 2 ** (e + m)
    return code.tolist()


def round_to(x, fmt, overflow="saturate"):
    return decode(encode(x, fmt, overflow), fmt)
