"""numpy throughout: answers are numpy scalars, object arrays keep large integers exact."""

import numpy as np

UNITS = ("GB/s", "Gb/s", "TB/s")
SCALE = np.array([1e9, 1.25e8, 1e12])


def _held(sizes, sides):
    """Elements of one tile of A, B and C."""
    a, b, c = np.minimum(sizes, sides)
    return a * c + c * b + a * b


def matmul_traffic(m, n, k, tile, level_bytes, element_bytes=2):
    sizes, sides = np.array([m, n, k], dtype=object), np.array(tile, dtype=object)
    if (sizes < 1).any() or (sides < 1).any() or element_bytes < 1:
        raise ValueError("below one")
    if element_bytes * _held(sizes, sides) > level_bytes:
        raise ValueError("does not fit")
    down, across, steps = (sizes + sides - 1) // sides
    if steps == 1:
        down = down if across > 1 else 1
        across = 1
    moved = np.array([across * m * k, down * n * k, m * n], dtype=object) * element_bytes
    return dict(zip("ABC", moved, strict=True))


def largest_tile(m, n, k, level_bytes, element_bytes=2):
    if m < 1 or n < 1 or k < 1 or element_bytes < 1:
        raise ValueError("below one")
    sizes = np.array([m, n, k], dtype=object)
    low, high = 0, max(m, n, k)
    while low < high:
        middle = (low + high + 1) // 2
        if element_bytes * _held(sizes, np.array([middle] * 3, dtype=object)) <= level_bytes:
            low = middle
        else:
            high = middle - 1
    if low == 0:
        raise ValueError("does not fit")
    return np.int64(low)


def transfer_time(num_bytes, path, chunks=1):
    if not path or chunks < 1 or any(link["unit"] not in UNITS for link in path):
        raise ValueError("no way")
    rates = np.array([link["rate"] / link["directions"] * SCALE[UNITS.index(link["unit"])] for link in path])
    turn = np.array([link["latency_s"] for link in path]) + (num_bytes / chunks) / rates
    return turn.sum() + (chunks - 1.0) * turn.max()


def bottleneck(levels):
    if not levels:
        raise ValueError("no level")
    rates = np.array([level["rate"] for level in levels], dtype=float)
    if not (rates > 0).all():
        raise ValueError("rate")
    times = np.array([level["amount"] for level in levels], dtype=float) / rates
    slowest = int(np.argmax(times))
    return levels[slowest]["name"], times[slowest]
