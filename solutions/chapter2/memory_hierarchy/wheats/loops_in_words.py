"""Counts loads by how often the index of a tile changes; solves quadratics for the side; exact fractions for times."""

from fractions import Fraction
from math import isqrt

PER_SECOND = {"GB/s": Fraction(10**9), "Gb/s": Fraction(10**9, 8), "TB/s": Fraction(10**12)}


def _changes(rows, columns, steps):
    """How often all tiles of A, and all of B, are loaded."""
    if steps > 1:
        return columns, rows
    return 1, (rows if columns > 1 else 1)


def matmul_traffic(m, n, k, tile, level_bytes, element_bytes=2):
    sides = []
    for side, size in zip(tile, (m, n, k), strict=True):
        if side < 1 or size < 1:
            raise ValueError("at least 1")
        sides.append(side if side < size else size)
    if element_bytes < 1:
        raise ValueError("at least 1")
    tm, tn, tk = sides
    if (tm * tn + tk * (tm + tn)) * element_bytes > level_bytes:
        raise ValueError("full")
    a, b = _changes((m - 1) // tm + 1, (n - 1) // tn + 1, (k - 1) // tk + 1)
    return {"A": a * (m * k * element_bytes), "B": b * (k * n * element_bytes), "C": m * n * element_bytes}


def largest_tile(m, n, k, level_bytes, element_bytes=2):
    small, middle, large = sorted((m, n, k))
    if small < 1 or element_bytes < 1:
        raise ValueError("at least 1")
    room = level_bytes // element_bytes
    if room < 3:
        raise ValueError("full")
    t = isqrt(room // 3)  # 3 t^2
    if t < small:
        return t
    t = isqrt(small * small + room) - small  # t^2 + 2 small t, once the smallest side is cut
    if t < middle:
        return t
    t = (room - small * middle) // (small + middle)  # two sides are cut
    return max(middle, min(t, large))


def transfer_time(num_bytes, path, chunks=1):
    if chunks < 1 or len(path) < 1:
        raise ValueError("nothing")
    total = longest = Fraction(0)
    for link in path:
        if link["unit"] not in PER_SECOND:
            raise ValueError("unit")
        one_way = Fraction(link["rate"]) * PER_SECOND[link["unit"]] / link["directions"]
        turn = Fraction(link["latency_s"]) + Fraction(num_bytes) / chunks / one_way
        total, longest = total + turn, max(longest, turn)
    return float(total + (chunks - 1) * longest)


def bottleneck(levels):
    name, seconds = None, -1.0
    for level in levels:
        if level["rate"] <= 0:
            raise ValueError("rate")
        if level["amount"] / level["rate"] > seconds:
            name, seconds = level["name"], level["amount"] / level["rate"]
    if name is None:
        raise ValueError("no level")
    return name, seconds
