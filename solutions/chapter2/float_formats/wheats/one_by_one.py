"""Plain Python: math.frexp and round (which is half-even) for each number; nested lists out of nested lists."""

import math


def _fields(fmt):
    known = {"fp16": (5, 10), "bf16": (8, 7), "tf32": (8, 10), "e4m3": (4, 3), "e5m2": (5, 2), "e2m1": (2, 1)}
    if fmt == "e8m0":
        return 8, 0, 127
    if fmt not in known:
        raise ValueError("unknown format")
    exponent, mantissa = known[fmt]
    return exponent, mantissa, 2 ** (exponent - 1) - 1


def _is_ieee(fmt):
    return fmt in ("fp16", "bf16", "tf32", "e5m2")


def _value(code, fmt):
    exponent, mantissa, bias = _fields(fmt)
    if fmt == "e8m0":
        if code not in range(256):
            raise ValueError("code")
        return math.nan if code == 255 else math.ldexp(1, code - 127)
    if code not in range(2 ** (1 + exponent + mantissa)):
        raise ValueError("code")
    rest, m = divmod(code, 2**mantissa)
    negative, e = divmod(rest, 2**exponent)
    full = e == 2**exponent - 1
    if full and _is_ieee(fmt):
        size = math.nan if m else math.inf
    elif full and fmt == "e4m3" and m == 7:
        size = math.nan
    elif e:
        size = math.ldexp(2**mantissa + m, e - bias - mantissa)
    else:
        size = math.ldexp(m, 1 - bias - mantissa)
    return -size if negative else size


def _largest(fmt):
    exponent, mantissa, _ = _fields(fmt)
    if _is_ieee(fmt):
        return ((2**exponent - 1) << mantissa) - 1
    return 2 ** (exponent + mantissa) - (1 if fmt == "e2m1" else 2)


def _code(x, fmt, overflow):
    exponent, mantissa, bias = _fields(fmt)
    last = _largest(fmt)
    nan = 2 ** (exponent + mantissa) - 1
    if math.isnan(x) and fmt == "e2m1":
        raise ValueError("NaN")
    if math.isnan(x) or (fmt == "e8m0" and x <= 0):
        return nan
    beyond = last + 1 if overflow == "special" and fmt != "e2m1" else last
    sign = 2 ** (exponent + mantissa) if math.copysign(1, x) < 0 else 0
    size = abs(x)
    if size > _value(last, fmt) * 1.999:
        return sign + beyond
    if fmt == "e8m0":
        fraction, power = math.frexp(size)  # fraction from 1/2 to 1
        body = max(power - 1 + 127 + (fraction >= 0.75), 0)
    elif size < math.ldexp(1, 1 - bias):
        body = round(math.ldexp(size, bias - 1 + mantissa))
    else:
        fraction, power = math.frexp(size)
        body = round(math.ldexp(fraction, mantissa + 1)) + ((power - 1 + bias - 1) << mantissa)
    return sign + (body if body <= last else beyond)


def _over(items, function):
    if isinstance(items, list):
        return [_over(item, function) for item in items]
    return function(items)


def decode(codes, fmt):
    _fields(fmt)
    return _over(codes.tolist(), lambda code: _value(code, fmt))


def encode(x, fmt, overflow="saturate"):
    _fields(fmt)
    if overflow != "saturate" and overflow != "special":
        raise ValueError("overflow")
    return _over(x.tolist(), lambda each: _code(each, fmt, overflow))


def round_to(x, fmt, overflow="saturate"):
    return _over(encode(x, fmt, overflow), lambda code: _value(code, fmt))
