"""Sizes are always chosen so that they divide.
Killed by: test_impossible_layouts
"""

from collections import defaultdict
from math import prod

Layout = dict[str, int | str]
AXES = {"tp", "cp", "ep", "dp", "pp"}


def coordinates(rank: int, layout: Layout) -> dict[str, int]:
    dense, expert = _grids(layout)
    if not 0 <= rank < layout["world"]:
        raise ValueError("no such rank")
    return {**_digits(rank, dense), **_digits(rank, expert)}


def groups(layout: Layout, axes: str) -> list[list[int]]:
    grids = _grids(layout)
    named = axes.split("-")
    grid = next((grid for grid in grids if set(named) <= set(grid)), None)
    if grid is None or len(set(named)) < len(named):
        raise ValueError("no such axes in one grid")
    bins = defaultdict(list)
    for rank in range(layout["world"]):
        digits = _digits(rank, grid)
        bins[tuple(digits[axis] for axis in grid if axis not in named)].append(rank)
    return list(bins.values())


def nodes_spanned(layout: Layout, axes: str, gpus_per_node: int) -> int:
    return max(len({rank // gpus_per_node for rank in group}) for group in groups(layout, axes))


def _digits(rank: int, grid: dict[str, int]) -> dict[str, int]:
    digits = {}
    for axis, size in grid.items():
        rank, digits[axis] = divmod(rank, size)
    return digits


def _grids(layout: Layout) -> tuple[dict[str, int], dict[str, int]]:
    order = layout["order"].split("-")
    if sorted(order) != sorted(AXES):
        raise ValueError("the order must name five axes")
    dense = _grid(layout, {axis: axis for axis in order if axis != "ep"}, "dp")
    names = {"tp": "etp", "ep": "ep", "dp": "edp", "pp": "pp"}
    expert = _grid(layout, {axis: names[axis] for axis in order if axis != "cp"}, "edp")
    if layout["pp"] > 1 and _stride(dense) != _stride(expert):
        raise ValueError("a rank would be in two pipeline stages")
    return dense, expert


def _grid(layout: Layout, names: dict[str, str], rest: str) -> dict[str, int]:
    sizes = {name: layout[name] for name in names.values() if name != rest}
    taken = prod(sizes.values())
    sizes[rest] = max(1, layout["world"] // taken)
    return {name: sizes[name] for name in names.values()}


def _stride(grid: dict[str, int]) -> int:
    return prod(list(grid.values())[: list(grid).index("pp")])
