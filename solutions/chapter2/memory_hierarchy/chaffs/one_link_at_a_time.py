"""All bytes pass one link, then the next.
Killed by: test_chunks_arrive, test_many_chunks
"""

from bisect import bisect_right

BYTES_PER_S = {"GB/s": 1e9, "Gb/s": 1e9 / 8, "TB/s": 1e12}


def matmul_traffic(
    m: int, n: int, k: int, tile: tuple[int, int, int], level_bytes: int, element_bytes: int = 2
) -> dict[str, int]:
    if min(m, n, k, *tile, element_bytes) < 1:
        raise ValueError("sizes, sides of tiles and bytes are at least 1")
    if _tile_bytes(m, n, k, tile, element_bytes) > level_bytes:
        raise ValueError("three tiles do not fit")
    rows, columns, steps = (-(-size // side) for size, side in zip((m, n, k), tile, strict=True))
    reads_of_a = columns if steps > 1 else 1
    reads_of_b = rows if steps > 1 or columns > 1 else 1
    return {
        "A": reads_of_a * m * k * element_bytes,
        "B": reads_of_b * k * n * element_bytes,
        "C": m * n * element_bytes,
    }


def largest_tile(m: int, n: int, k: int, level_bytes: int, element_bytes: int = 2) -> int:
    if min(m, n, k, element_bytes) < 1:
        raise ValueError("sizes and bytes are at least 1")
    sides = range(1, max(m, n, k) + 1)
    found = bisect_right(sides, level_bytes, key=lambda side: _tile_bytes(m, n, k, (side, side, side), element_bytes))
    if found == 0:
        raise ValueError("not even one element of each matrix fits")
    return sides[found - 1]


def transfer_time(num_bytes: float, path: list[dict], chunks: int = 1) -> float:
    if not path or chunks < 1:
        raise ValueError("at least one link and one chunk")
    turns = []
    for link in path:
        if link["unit"] not in BYTES_PER_S:
            raise ValueError(f"no such unit: {link['unit']}")
        bandwidth = link["rate"] * BYTES_PER_S[link["unit"]] / link["directions"]
        turns.append(link["latency_s"] + num_bytes / chunks / bandwidth)
    return chunks * sum(turns)


def bottleneck(levels: list[dict]) -> tuple[str, float]:
    if not levels or min(level["rate"] for level in levels) <= 0:
        raise ValueError("at least one level, and rates above 0")
    slowest = max(levels, key=lambda level: level["amount"] / level["rate"])
    return slowest["name"], slowest["amount"] / slowest["rate"]


def _tile_bytes(m: int, n: int, k: int, tile: tuple[int, int, int], element_bytes: int) -> int:
    rows, columns, depth = (min(side, size) for side, size in zip(tile, (m, n, k), strict=True))
    return (rows * depth + depth * columns + rows * columns) * element_bytes
