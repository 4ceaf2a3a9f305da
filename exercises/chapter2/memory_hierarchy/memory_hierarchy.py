"""The memory hierarchy: what a tiled matrix product moves, how long bytes travel, and which level binds.

Read README.md first. C = A B, with A of m x k, B of k x n and C of m x n elements. 1 GB is 10**9 bytes.

Arguments are Python numbers, tuples, lists and dicts. Bytes and sides are exact: Python or numpy integers. Seconds are
right to a relative 1e-9. Arguments out of range are not tested, apart from what "Raises" names.
"""


def matmul_traffic(
    m: int, n: int, k: int, tile: tuple[int, int, int], level_bytes: int, element_bytes: int = 2
) -> dict[str, int]:
    """Bytes that a tiled product moves between a small memory and the large one beneath it.

    The loop nest, in tiles: for each row of tiles of C, for each tile of C in this row (left to right), for each step
    along k: load the tile of A, load the tile of B, multiply and add to the tile of C. The small memory has room for
    one tile of each matrix. A tile of A or B that is still there from the step before is not loaded again. A tile of
    C starts as zeros, stays until its last step and is written once.

    A tile side that is longer than its matrix is cut to it, before anything else. Tiles at the end of a matrix have
    only the rows and columns that are left: they move only these.

    Args:
        m, n, k: sizes of the product, from 1 to 10**9.
        tile: (tm, tn, tk), at least 1: a tile of A has tm x tk elements, of B tk x tn, of C tm x tn.
        level_bytes: capacity of the small memory. One (cut) tile of each matrix must fit; exactly full is allowed.
        element_bytes: bytes of an element of all three matrices, at least 1.

    Returns:
        {"A": bytes read, "B": bytes read, "C": bytes written}.

    Raises:
        ValueError: the three tiles do not fit, or a size, a tile side or ``element_bytes`` is less than 1.

    Example:
        >>> matmul_traffic(4, 6, 5, (2, 3, 2), level_bytes=32)
        {'A': 80, 'B': 120, 'C': 48}
    """
    raise NotImplementedError


def largest_tile(m: int, n: int, k: int, level_bytes: int, element_bytes: int = 2) -> int:
    """The largest t for which the tile (t, t, t), cut to the matrices, fits as in ``matmul_traffic``.

    Args:
        m, n, k: sizes of the product, from 1 to 10**9.
        level_bytes: capacity of the small memory, up to 10**18.
        element_bytes: bytes of an element, at least 1.

    Returns:
        t, any integer from 1 to max(m, n, k): a larger side would be cut to the same tiles.

    Raises:
        ValueError: not even t = 1 fits, or a size or ``element_bytes`` is less than 1.

    Example:
        >>> largest_tile(4096, 4096, 4096, level_bytes=228 * 1024)
        197
    """
    raise NotImplementedError


def transfer_time(num_bytes: float, path: list[dict], chunks: int = 1) -> float:
    """Seconds until all bytes have arrived at the end of a path of links.

    The bytes are cut into ``chunks`` equal parts (parts of a byte are allowed). A link sends one chunk at a time, in
    order, and takes for each chunk its latency plus the chunk's bytes over its bandwidth. A chunk enters a link when
    it has wholly left the link before, and the chunk ahead of it has wholly left this one. So different links send
    different chunks at the same time.

    A link is a dict as a data sheet says it:

    - "rate": a number above 0, and "unit": "GB/s", "Gb/s" (bits!) or "TB/s" (1 TB is 10**12 bytes);
    - "directions": 1 where the rate is that of one direction, 2 where it is the sum of both; the bytes travel in one;
    - "latency_s": seconds per chunk, 0 or more.

    Args:
        num_bytes: bytes to send, 0 or more. Chunks of 0 bytes take the latencies.
        path: links from first to last, at least one.
        chunks: number of equal chunks, from 1 to 10**12.

    Returns:
        seconds.

    Raises:
        ValueError: there is no link, ``chunks`` is less than 1, or a unit is none of the three.

    Example:
        >>> nvlink = {"rate": 900, "unit": "GB/s", "directions": 2, "latency_s": 0.0}
        >>> transfer_time(9e9, [nvlink])
        0.02
        >>> first = {"rate": 10, "unit": "GB/s", "directions": 1, "latency_s": 0.001}  # 11 ms for a chunk of 0.1 GB
        >>> second = {"rate": 40, "unit": "Gb/s", "directions": 1, "latency_s": 0.002}  # 22 ms
        >>> round(transfer_time(1e9, [first, second], chunks=10), 6)  # 11 + 22 + 9 * 22 ms
        0.231
    """
    raise NotImplementedError


def bottleneck(levels: list[dict]) -> tuple[str, float]:
    """The level that decides how long a kernel takes, where all levels work at the same time.

    Args:
        levels: at least one dict with "name", "amount" (bytes that this level moves, or FLOPs of the level that
            computes; 0 or more) and "rate" (bytes or FLOPs per second, above 0). Amounts and rates of one level have
            the same unit.

    Returns:
        (name, seconds): the name of the level that takes longest, and how long it takes, ``amount / rate``. Where
        several levels take exactly that long, the first of the list; others differ by more than a relative 1e-9.

    Raises:
        ValueError: there is no level, or a rate is not above 0.

    Example:
        >>> hbm = {"name": "HBM", "amount": 6e9, "rate": 3e12}
        >>> bottleneck([hbm, {"name": "compute", "amount": 1e12, "rate": 1e15}])
        ('HBM', 0.002)
    """
    raise NotImplementedError
