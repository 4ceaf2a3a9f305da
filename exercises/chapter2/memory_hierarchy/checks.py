"""Checks of memory_hierarchy.

The oracles play what is described: they walk through the tiles with a small memory, and send chunk after chunk.
"""

from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from grader import expect

# The contract asks for a relative 1e-9. A direct sum has some ten roundings (1e-15); one that plays hundreds of
# chunks has as many (1e-13).
RTOL = 1e-9

SIZES = st.integers(1, 9)
SIDES = st.integers(1, 11)
TILES = st.tuples(SIDES, SIDES, SIDES)
BYTES = st.sampled_from([1, 2, 4])


def cut(sizes, tile):
    """A tile that is no longer than the matrices."""
    return tuple(min(side, size) for side, size in zip(tile, sizes, strict=True))


def held(sizes, tile):
    """Elements of one tile of each matrix."""
    rows, columns, depth = cut(sizes, tile)
    return rows * depth + depth * columns + rows * columns


def parts(size, side):
    """The index ranges into which a side of a matrix is cut."""
    return [range(start, min(start + side, size)) for start in range(0, size, side)]


def play(sizes, tile):
    """Elements moved per matrix, by walking through the loops with one tile of each in the small memory."""
    rows, columns, depths = map(parts, sizes, cut(sizes, tile))
    moved, there = {"A": 0, "B": 0, "C": 0}, {}
    for row in rows:
        for column in columns:
            for depth in depths:
                for name, one, other in (("A", row, depth), ("B", depth, column)):
                    if there.get(name) != (one, other):
                        there[name] = one, other
                        moved[name] += len(one) * len(other)
            moved["C"] += len(row) * len(column)
    return moved


# --- the product


@pytest.mark.core
@pytest.mark.hint("walk through the loops on paper: when does the tile of A change, when that of B, when is C written?")
@given(sizes=st.tuples(SIZES, SIZES, SIZES), tile=TILES, element_bytes=BYTES, spare=st.integers(0, 9))
@example(sizes=(4, 6, 5), tile=(2, 3, 2), element_bytes=2, spare=0)
@example(sizes=(4, 6, 5), tile=(2, 3, 5), element_bytes=2, spare=0)
@example(sizes=(4, 6, 5), tile=(2, 6, 5), element_bytes=2, spare=0)
@example(sizes=(4, 6, 5), tile=(2, 6, 2), element_bytes=2, spare=0)
def test_traffic_is_that_of_the_loops(learner, sizes, tile, element_bytes, spare):
    """the bytes moved are those of the loops, played tile by tile"""
    level = held(sizes, tile) * element_bytes + spare
    want = {name: count * element_bytes for name, count in play(sizes, tile).items()}
    got = expect.instance(learner.matmul_traffic(*sizes, tile, level, element_bytes), dict, "the answer")
    expect.equal(got, want, "bytes moved")


@pytest.mark.core
@pytest.mark.hint("each matrix crosses at least once; and how much can three tiles do before something new is needed?")
@given(
    sizes=st.tuples(*[st.integers(1, 10**6)] * 3),
    side=st.integers(1, 2000),
)
def test_never_under_the_lower_bound(learner, sizes, side):
    """no tiling moves less than each matrix once, nor less than the lower bound for a memory of this size"""
    m, n, k = sizes
    words = held(sizes, (side, side, side))
    got = expect.instance(learner.matmul_traffic(m, n, k, (side, side, side), 2 * words), dict, "the answer")
    total = sum(expect.number(value, "bytes") for value in got.values()) / 2
    # Floats of six roundings: 1e-12 is ample.
    expect.at_least(total, (m * k + k * n + m * n) * (1 - 1e-12), "elements moved, against each matrix once")
    # Smith et al. 2017: 2 mnk / sqrt(S) to leading order; 2 S for what the memory holds at the start and at the end.
    bound = 2 * m * n * k / words**0.5 - 2 * words
    expect.at_least(total, bound * (1 - 1e-12), "elements moved, against the lower bound")
    # Reads of A for each column of tiles and of B for each row, C once: never more than this.
    rows, columns = -(-m // min(side, m)), -(-n // min(side, n))
    expect.at_most(total, (columns * m * k + rows * k * n + m * n) * (1 + 1e-12), "elements moved, against all passes")


@pytest.mark.core
@pytest.mark.hint("the README's worked example: 8192 x 8192 x 8192 in bf16 with tiles of 128 moves 17.3 GB")
@pytest.mark.parametrize("side", [64, 128, 1000])
def test_a_large_product(learner, side):
    """8192 x 8192 x 8192: A and B are read once for each row and column of tiles, C is written once"""
    size = 8192
    passes = -(-size // side)
    want = {"A": passes * size**2 * 2, "B": passes * size**2 * 2, "C": size**2 * 2}
    expect.equal(learner.matmul_traffic(size, size, size, (side, side, side), 6 * side**2), want, "bytes moved")


@pytest.mark.edge
@pytest.mark.hint("three tiles share the memory, cut to the matrices; a memory that is exactly full is allowed")
@given(sizes=st.tuples(SIZES, SIZES, SIZES), tile=TILES, element_bytes=BYTES)
@example(sizes=(2, 3, 4), tile=(9, 9, 9), element_bytes=2)
def test_tiles_must_fit(learner, sizes, tile, element_bytes):
    """tiles that fill the memory exactly are fine; with one byte less they are an error"""
    enough = held(sizes, tile) * element_bytes
    got = learner.matmul_traffic(*sizes, tile, enough, element_bytes)
    expect.equal(got, {name: count * element_bytes for name, count in play(sizes, tile).items()}, "bytes moved")
    expect.raises(ValueError, learner.matmul_traffic, *sizes, tile, enough - 1, element_bytes)


@pytest.mark.scale
@pytest.mark.hint("count passes instead of walking through the tiles")
@pytest.mark.parametrize("last", [10**9, 10**9 - 1])
def test_products_of_any_size(learner, last):
    """a product with 10**26 steps is answered at once, to the last byte"""
    m, n, k = 10**9, 987_654_321, last
    want = {"A": -(-n // 3) * m * k * 2, "B": -(-m // 2) * n * k * 2, "C": m * n * 2}
    expect.equal(learner.matmul_traffic(m, n, k, (2, 3, 5), 2 * (10 + 15 + 6)), want, "bytes moved")


# --- the largest tile


@pytest.mark.core
@pytest.mark.hint("what does a tile of side t + 1 need, where a side is cut to its matrix?")
@settings(max_examples=20)
@given(
    sizes=st.tuples(*[st.integers(1, 40)] * 3), side=st.integers(1, 41), spare=st.integers(0, 9), element_bytes=BYTES
)
@example(sizes=(40, 40, 40), side=10, spare=0, element_bytes=1)
@example(sizes=(3, 40, 7), side=20, spare=3, element_bytes=1)
@example(sizes=(8, 8, 9), side=9, spare=0, element_bytes=4)
def test_largest_tile(learner, sizes, side, spare, element_bytes):
    """the tile fits, and the next larger one does not, wherever sides begin to be cut"""
    needs = [held(sizes, (t, t, t)) * element_bytes for t in range(1, max(sizes) + 1)]
    small, middle, _ = sorted(sizes)
    for each in {side, small, small + 1, middle + 1}:
        level = needs[min(each, len(needs)) - 1]  # exactly enough for this side
        for level_bytes in {level + spare, max(level - 1, needs[0])}:
            want = sum(need <= level_bytes for need in needs)
            expect.equal(learner.largest_tile(*sizes, level_bytes, element_bytes), want, "side of the tile")


@pytest.mark.edge
@pytest.mark.hint("one element of each matrix is the least that must fit")
@settings(max_examples=25)
@given(sizes=st.tuples(SIZES, SIZES, SIZES), element_bytes=BYTES, level=st.integers(0, 12))
@example(sizes=(1, 1, 1), element_bytes=1, level=3)
@example(sizes=(2, 1, 1), element_bytes=2, level=5)
def test_one_element_of_each(learner, sizes, element_bytes, level):
    """a memory for three elements has a tile of side 1; a smaller one has none"""
    if level >= 3 * element_bytes:
        # With side 2, where it is not cut in all directions, tiles have 5 elements or more together.
        expect.equal(learner.largest_tile(*sizes, 3 * element_bytes, element_bytes), 1, "side of the tile")
    else:
        expect.raises(ValueError, learner.largest_tile, *sizes, level, element_bytes)


@pytest.mark.scale
@pytest.mark.hint("halve the range of sides instead of trying one after another")
@given(root=st.integers(10**7, 4 * 10**8))  # 6 root² is below 10**18
@settings(max_examples=4)
def test_huge_memories(learner, root):
    """sides of hundreds of millions are found without trying one after another, and exactly"""
    size = 10**9
    expect.equal(learner.largest_tile(size, size, size, 6 * root**2), root, "side where it fits exactly")
    expect.equal(learner.largest_tile(size, size, size, 6 * root**2 - 1), root - 1, "side with one byte less")


# --- transfers

UNITS = {"GB/s": 1e9, "Gb/s": 1e9 / 8, "TB/s": 1e12}
LINKS = st.fixed_dictionaries(
    {
        "rate": st.integers(1, 999),
        "unit": st.sampled_from(sorted(UNITS)),
        "directions": st.sampled_from([1, 2]),
        "latency_s": st.sampled_from([0.0, 1e-6, 7e-6, 3e-4]),
    }
)
PATHS = st.lists(LINKS, min_size=1, max_size=5)


def send(num_bytes, path, chunks):
    """When the last chunk has passed the last link, chunk by chunk."""
    free = [0.0] * len(path)
    arrived = 0.0
    for _ in range(chunks):
        arrived = 0.0
        for place, link in enumerate(path):
            bandwidth = link["rate"] * UNITS[link["unit"]] / link["directions"]
            arrived = max(arrived, free[place]) + link["latency_s"] + num_bytes / chunks / bandwidth
            free[place] = arrived
    return arrived


@pytest.mark.core
@pytest.mark.hint("follow two chunks over two links with a clock: when may each of them enter a link?")
@settings(max_examples=25)
@given(num_bytes=st.integers(1, 10**10), path=PATHS, chunks=st.integers(1, 30))
def test_chunks_arrive(learner, num_bytes, path, chunks):
    """the last chunk arrives when it does if chunks are sent one by one"""
    got = learner.transfer_time(float(num_bytes), path, chunks)
    expect.close(got, send(num_bytes, path, chunks), "seconds", rtol=RTOL, atol=0)


DATA_SHEET = [  # NVIDIA's figures for H100 SXM: NVLink and PCIe sum up both directions, the network counts bits
    ({"rate": 900, "unit": "GB/s", "directions": 2, "latency_s": 0.0}, 450e9),
    ({"rate": 128, "unit": "GB/s", "directions": 2, "latency_s": 0.0}, 64e9),
    ({"rate": 400, "unit": "Gb/s", "directions": 1, "latency_s": 0.0}, 50e9),
    ({"rate": 3.35, "unit": "TB/s", "directions": 1, "latency_s": 0.0}, 3350e9),
]


@pytest.mark.core
@pytest.mark.hint("bits or bytes? one direction or the sum of both?")
@pytest.mark.parametrize("link", range(len(DATA_SHEET)))
def test_data_sheets(learner, link):
    """14 GB over NVLink, PCIe, a network of 400 Gb/s and HBM take what their bandwidth says"""
    sheet, bandwidth = DATA_SHEET[link]
    expect.close(learner.transfer_time(14e9, [sheet]), 14e9 / bandwidth, "seconds", rtol=RTOL, atol=0)


@pytest.mark.edge
@pytest.mark.hint("latency is paid even by nothing; units and paths that make no sense are errors")
@settings(max_examples=12)
@given(path=PATHS, chunks=st.integers(-2, 0))
def test_transfers_at_the_edge(learner, path, chunks):
    """no bytes take the latencies alone; no link, no chunk and unknown units are errors"""
    alone = sum(link["latency_s"] for link in path)
    expect.close(learner.transfer_time(0, path), alone, "seconds for no bytes", rtol=RTOL, atol=0)
    expect.raises(ValueError, learner.transfer_time, 1e9, [])
    expect.raises(ValueError, learner.transfer_time, 1e9, path, chunks)
    expect.raises(ValueError, learner.transfer_time, 1e9, [*path, {**path[0], "unit": "MiB/s"}])


@pytest.mark.scale
@pytest.mark.hint("all chunks but the first arrive at equal distances; what sets the distance?")
@given(path=PATHS, chunks=st.integers(10**9, 10**12))
@settings(max_examples=10)
def test_many_chunks(learner, path, chunks):
    """with a billion chunks, a transfer takes the slowest link's time and next to nothing more"""
    turns = [send(1e15 / chunks, [link], 1) for link in path]
    # The slowest link sends all chunks, and each other link adds at most one turn of the slowest to that.
    got = expect.number(learner.transfer_time(1e15, path, chunks), "seconds")
    least = chunks * max(turns)
    expect.between(got, least * (1 - RTOL), (least + (len(path) - 1) * max(turns)) * (1 + RTOL), "seconds")


# --- the level that binds

AMOUNTS = st.integers(0, 10**12)
RATES = st.integers(1, 10**6)
LEVELS = st.lists(st.tuples(AMOUNTS, RATES), min_size=1, max_size=6)


def named(levels):
    """Levels as dicts, with names whose order is not that of the list."""
    return [
        {"name": f"level {(7 * place) % 10}", "amount": float(amount), "rate": float(rate)}
        for place, (amount, rate) in enumerate(levels)
    ]


@pytest.mark.core
@pytest.mark.hint("neither the largest amount nor the smallest rate decides, but how long each level takes")
@settings(max_examples=25)
@given(levels=LEVELS)
@example(levels=[(900, 100), (500, 10), (40, 1)])
def test_the_slowest_level_binds(learner, levels):
    """the level that takes longest is named, with its time; at half its rate it takes twice as long"""
    rows = named(levels)
    times = [row["amount"] / row["rate"] for row in rows]
    exact = [Fraction(amount, rate) for amount, rate in levels]
    assume(all(time == max(exact) or time < max(exact) * (1 - Fraction(1, 10**9)) for time in exact))
    name, seconds = pair(learner.bottleneck(rows))
    place = times.index(max(times))
    expect.close(seconds, times[place], "seconds", rtol=RTOL, atol=0)
    expect.equal(name, rows[place]["name"], "name of the level that binds")
    rows[place] = {**rows[place], "rate": rows[place]["rate"] / 2}
    name, seconds = pair(learner.bottleneck(rows))
    expect.close(seconds, 2 * times[place], "seconds at half the rate", rtol=RTOL, atol=0)
    expect.equal(name, rows[place]["name"] if times[place] else rows[0]["name"], "name at half the rate")


def pair(answer):
    """Name and seconds of an answer, as a tuple or a list."""
    expect.length(expect.sequence(answer, "name and seconds"), 2, "name and seconds")
    return answer[0], expect.number(answer[1], "seconds")


@pytest.mark.core
@pytest.mark.hint("bytes over bytes per second; fusing saves the reads and writes of what lies between")
def test_swiglu_from_hbm(learner):
    """the pointwise part of SwiGLU is bound by HBM: 350.6 µs as two kernels, 210.3 µs as one"""
    elements = 8192 * 14336
    for tensors, microseconds in ((5, 350.6), (3, 210.3)):  # reads and writes, of 2 bytes per element
        rows = [
            {"name": "compute", "amount": 6.0 * elements, "rate": 67e12},
            {"name": "HBM", "amount": tensors * elements * 2, "rate": 3.35e12},
        ]
        name, seconds = pair(learner.bottleneck(rows))
        expect.equal(name, "HBM", "name of the level that binds")
        expect.between(seconds * 1e6, microseconds - 0.06, microseconds + 0.06, "microseconds")  # printed digits


@pytest.mark.edge
@pytest.mark.hint("of several that take equally long, the first; no level at all and rates of 0 are errors")
@settings(max_examples=15)
@given(amount=st.integers(0, 1000), rate=st.integers(1, 1000), count=st.integers(1, 5), wrong=st.integers(-2, 0))
def test_ties_and_impossible_levels(learner, amount, rate, count, wrong):
    """the first of several equal levels is named; an empty list and impossible rates are errors"""
    rows = named([(amount, rate)] * count)
    name, _ = pair(learner.bottleneck(rows))
    expect.equal(name, rows[0]["name"], "name of the first of equal levels")
    expect.raises(ValueError, learner.bottleneck, [])
    expect.raises(ValueError, learner.bottleneck, [*rows, {"name": "broken", "amount": 1.0, "rate": float(wrong)}])


@pytest.mark.edge
@pytest.mark.hint("sizes, sides of a tile and bytes per element are at least 1: raise ValueError for anything else")
@given(wrong=st.integers(-3, 0))
@settings(max_examples=4)
@example(wrong=0)
def test_impossible_sizes(learner, wrong):
    """sizes, tile sides and element sizes under 1 are errors"""
    for sizes in ((wrong, 2, 2), (2, wrong, 2), (2, 2, wrong)):
        expect.raises(ValueError, learner.matmul_traffic, *sizes, (1, 1, 1), 100)
        expect.raises(ValueError, learner.matmul_traffic, 2, 2, 2, sizes, 100)
        expect.raises(ValueError, learner.largest_tile, *sizes, 100)
    expect.raises(ValueError, learner.matmul_traffic, 2, 2, 2, (1, 1, 1), 100, wrong)
    expect.raises(ValueError, learner.largest_tile, 2, 2, 2, 100, wrong)
