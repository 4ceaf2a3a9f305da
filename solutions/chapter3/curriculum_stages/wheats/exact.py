"""Fractions: everything but the square root is exact; a running list of (tokens, weights) corners."""

from fractions import Fraction
from math import isqrt


def _plan(stages):
    """Corners (begin, end, blend, old weights, new weights), one per stage."""
    if not stages:
        raise ValueError("plan")
    sources = {source: Fraction(0) for stage in stages for source in stage["mixture"]}
    corners, begin, old = [], 0, None
    for stage in stages:
        tokens, length, blend = int(stage["tokens"]), int(stage["sequence_length"]), int(stage["blend"])
        if tokens < 1 or length < 1 or tokens % length or blend < 0 or blend > tokens or (old is None and blend):
            raise ValueError("stage")
        parts = {source: Fraction(number) for source, number in stage["mixture"].items()}
        if any(number < 0 for number in parts.values()) or not sum(parts.values()):
            raise ValueError("mixture")
        total = sum(parts.values())
        new = sources | {source: number / total for source, number in parts.items()}
        corners.append((begin, begin + tokens, blend, old or new, new))
        begin, old = begin + tokens, new
    return corners


def stage_at(stages, tokens_seen):
    for index, (begin, end, *_) in enumerate(_plan(stages)):
        if begin <= tokens_seen < end:
            return (index, *divmod(tokens_seen - begin, stages[index]["sequence_length"]))
    raise ValueError("outside")


def _weight(x, blend, old, new):
    return new if x >= blend else old + (new - old) * Fraction(x) / blend


def mixture_at(stages, tokens_seen):
    for begin, end, blend, old, new in _plan(stages):
        if begin <= tokens_seen < end:
            x = Fraction(tokens_seen) - begin
            return {source: float(_weight(x, blend, old[source], new[source])) for source in new}
    raise ValueError("outside")


def _area(x, blend, old, new):
    """Tokens in the first x of a stage."""
    in_blend = min(x, Fraction(blend))
    return (_weight(in_blend, blend, old, new) + old) / 2 * in_blend * (blend > 0) + new * (x - in_blend)


def tokens_by_source(stages, start=0, stop=None):
    corners = _plan(stages)
    stop = corners[-1][1] if stop is None else stop
    if start < 0 or stop < start or stop > corners[-1][1]:
        raise ValueError("outside")
    sums = dict.fromkeys(corners[0][4], Fraction(0))
    for begin, end, blend, old, new in corners:
        low, high = (min(max(Fraction(point), begin), end) - begin for point in (start, stop))
        for source in sums:
            sums[source] += _area(high, blend, old[source], new[source]) - _area(low, blend, old[source], new[source])
    return {source: float(tokens) for source, tokens in sums.items()}


def epochs_by_source(stages, sizes, start=0, stop=None):
    return {source: tokens / sizes[source] for source, tokens in tokens_by_source(stages, start, stop).items()}


def exhausted_at(stages, sizes, max_epochs):
    corners = _plan(stages)
    if max_epochs <= 0:
        raise ValueError("max_epochs")
    answer = dict.fromkeys(corners[0][4])
    for source in answer:
        left = Fraction(max_epochs) * Fraction(sizes[source])
        for begin, end, blend, old, new in corners:
            a, b = old[source], new[source]
            if left > _area(Fraction(end - begin), blend, a, b):
                left -= _area(Fraction(end - begin), blend, a, b)
                continue
            ramp = _area(Fraction(blend), blend, a, b)
            if left > ramp or not blend:
                answer[source] = float(begin + blend + (left - ramp) / b)
            elif a == b:
                answer[source] = float(begin + left / a)
            else:
                bend = (b - a) / blend
                answer[source] = float(begin + (_root(a * a + 2 * bend * left) - a) / bend)
            break
    return answer


def _root(square):
    """The square root of a fraction, to 30 digits."""
    scale = 10**60
    return Fraction(isqrt(square.numerator * scale // square.denominator), 10**30)
