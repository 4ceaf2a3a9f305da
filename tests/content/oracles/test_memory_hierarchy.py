"""The reference of memory_hierarchy against real tiled products, an LRU cache, a simulated path and data sheets."""

import itertools
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter2" / "memory_hierarchy" / "reference.py", "reference_of_memory_hierarchy"
)


def multiply(a, b, tile, slots):
    """A tiled product that fetches tiles through LRU caches of ``slots`` tiles per factor; elements moved, product."""
    (m, k), n = a.shape, b.shape[1]
    tm, tn, tk = tile
    caches = {"A": OrderedDict(), "B": OrderedDict()}
    moved = {"A": 0, "B": 0, "C": 0}
    out = np.zeros((m, n))

    def fetch(name, matrix, row, column, sides):
        cache = caches[name]
        if (row, column) not in cache:
            cache[row, column] = matrix[row : row + sides[0], column : column + sides[1]].copy()
            moved[name] += cache[row, column].size
        cache.move_to_end((row, column))
        while len(cache) > slots:
            cache.popitem(last=False)
        return cache[row, column]

    for i, j in itertools.product(range(0, m, tm), range(0, n, tn)):
        total = np.zeros(out[i : i + tm, j : j + tn].shape)
        for p in range(0, k, tk):
            total += fetch("A", a, i, p, (tm, tk)) @ fetch("B", b, p, j, (tk, tn))
        out[i : i + tm, j : j + tn] = total
        moved["C"] += total.size
    return moved, out


@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 5, 6), (4, 6, 5), (9, 2, 3), (3, 8, 1)])
def test_traffic_is_that_of_a_cached_product(sizes):
    """A product through an LRU cache of one tile per factor is right, and moves what the reference says."""
    m, n, k = sizes
    rng = np.random.default_rng(m + n)
    a, b = rng.normal(size=(m, k)), rng.normal(size=(k, n))
    for tile in itertools.product((1, 2, 3, 10), repeat=3):
        moved, out = multiply(a, b, tile, slots=1)
        np.testing.assert_allclose(out, a @ b, rtol=1e-12, atol=1e-12)
        assert REFERENCE.matmul_traffic(m, n, k, tile, 10**6, 1) == moved, tile


def test_largest_tile_of_shared_memory():
    """The side 197 of the statement: it fits 228 KB, and 198 does not."""
    assert REFERENCE.largest_tile(4096, 4096, 4096, 228 * 1024) == 197
    assert 3 * 197**2 * 2 <= 228 * 1024 < 3 * 198**2 * 2


def test_statement_numbers():
    """The README's large product, path and fusion."""
    moved = sum(REFERENCE.matmul_traffic(8192, 8192, 8192, (128, 128, 128), 10**6).values())
    assert moved == pytest.approx(17.3e9, rel=2e-3)
    assert moved / 3.35e12 == pytest.approx(5.2e-3, rel=1e-2)
    nvlink = {"rate": 900, "unit": "GB/s", "directions": 2, "latency_s": 0}
    network = {"rate": 400, "unit": "Gb/s", "directions": 1, "latency_s": 0}
    assert REFERENCE.transfer_time(14e9, [nvlink, network]) == pytest.approx(0.3111, rel=1e-3)
    assert REFERENCE.transfer_time(14e9, [nvlink, network], 100) == pytest.approx(0.2803, rel=1e-3)
    rows = [{"name": "HBM", "amount": 3 * 8192 * 14336 * 2, "rate": 3.35e12}]
    assert REFERENCE.bottleneck(rows)[1] == pytest.approx(210.3e-6, rel=5e-4)


@pytest.mark.parametrize("chunks", [1, 2, 5, 40])
def test_path_is_that_of_a_clock(chunks):
    """A clock that lets chunks pass the links one by one shows the reference's time."""
    path = [
        {"rate": rate, "unit": unit, "directions": directions, "latency_s": latency}
        for rate, unit, directions, latency in ((900, "GB/s", 2, 2e-6), (400, "Gb/s", 1, 5e-6), (3, "TB/s", 1, 1e-4))
    ]
    bandwidths = (450e9, 50e9, 3e12)
    leaves = np.zeros((chunks + 1, len(path) + 1))
    for chunk, place in itertools.product(range(1, chunks + 1), range(1, len(path) + 1)):
        start = max(leaves[chunk, place - 1], leaves[chunk - 1, place])
        leaves[chunk, place] = start + path[place - 1]["latency_s"] + 7e9 / chunks / bandwidths[place - 1]
    assert REFERENCE.transfer_time(7e9, path, chunks) == pytest.approx(leaves[-1, -1], rel=1e-12)


def test_picture_draws_something():
    """The picture has the line, the roof and two levels."""
    figure_module = pytest.importorskip("matplotlib.figure", reason="draws")
    picture = import_file(ROOT / "exercises" / "chapter2" / "memory_hierarchy" / "picture.py", "picture_of_hierarchy")
    axes = figure_module.Figure().subplots()
    picture.draw(REFERENCE, axes)
    assert len(axes.lines) == 4 and len(axes.texts) == 3
