"""Cases instead of formulas: solves for the side where nothing is cut, else climbs by doubling; sorts levels."""

from fractions import Fraction
from math import ceil


def matmul_traffic(m, n, k, tile, level_bytes, element_bytes=2):
    tm, tn, tk = tile
    if m <= 0 or n <= 0 or k <= 0 or tm <= 0 or tn <= 0 or tk <= 0 or element_bytes <= 0:
        raise ValueError("too small")
    tm, tn, tk = min(tm, m), min(tn, n), min(tk, k)
    held = tm * tk + tk * tn + tm * tn
    if held * element_bytes > level_bytes:
        raise ValueError("too much")
    across, down = ceil(Fraction(n, tn)), ceil(Fraction(m, tm))
    if tk < k:
        a, b = across * m * k, down * n * k
    elif tn < n:
        a, b = m * k, down * n * k
    else:
        a, b = m * k, n * k
    return {"C": m * n * element_bytes, "A": a * element_bytes, "B": b * element_bytes}


def largest_tile(m, n, k, level_bytes, element_bytes=2):
    if m <= 0 or n <= 0 or k <= 0 or element_bytes <= 0:
        raise ValueError("too small")

    def fits(t):
        a, b, c = min(m, t) * min(k, t), min(k, t) * min(n, t), min(m, t) * min(n, t)
        return (a + b + c) * element_bytes <= level_bytes

    if not fits(1):
        raise ValueError("nothing fits")
    best, jump = 1, 1 << 40
    while jump:
        if best + jump <= max(m, n, k) and fits(best + jump):
            best += jump
        jump >>= 1
    return best


def transfer_time(num_bytes, path, chunks=1):
    if len(path) == 0 or chunks <= 0:
        raise ValueError("nothing to do")
    size = num_bytes / chunks
    seconds = []
    for link in path:
        if link["unit"] == "GB/s":
            rate = 10**9 * link["rate"]
        elif link["unit"] == "Gb/s":
            rate = 125_000_000 * link["rate"]
        elif link["unit"] == "TB/s":
            rate = 10**12 * link["rate"]
        else:
            raise ValueError(link["unit"])
        seconds.append(size * link["directions"] / rate + link["latency_s"])
    slowest = seconds.index(max(seconds))
    # Wait for the first chunk at the slowest link, stay there for all chunks, and follow the last one to the end.
    return sum(seconds[:slowest]) + chunks * seconds[slowest] + sum(seconds[slowest + 1 :])


def bottleneck(levels):
    if any(level["rate"] <= 0 for level in levels):
        raise ValueError("rate")
    times = sorted(((level["amount"] / level["rate"], -place) for place, level in enumerate(levels)), reverse=True)
    if not times:
        raise ValueError("no level")
    seconds, place = times[0]
    return [levels[-place]["name"], seconds]
