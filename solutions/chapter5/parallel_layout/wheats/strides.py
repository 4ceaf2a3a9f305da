"""Strides: a group is a corner plus all sums of steps along its axes."""

from itertools import product
from math import prod

DENSE = {"tp": "tp", "cp": "cp", "dp": "dp", "pp": "pp"}
EXPERT = {"tp": "etp", "ep": "ep", "dp": "edp", "pp": "pp"}


def _plan(layout):
    """For each grid: size and stride of every axis."""
    order = tuple(layout["order"].split("-"))
    if sorted(order) != ["cp", "dp", "ep", "pp", "tp"]:
        raise ValueError("order")
    plans = []
    for names in (DENSE, EXPERT):
        given = prod(layout[name] for name in names.values() if name in layout)
        left, rest = divmod(layout["world"], given)
        if rest:
            raise ValueError("sizes")
        stride, plan = 1, {}
        for axis in order:
            if axis in names:
                size = layout.get(names[axis], left)
                plan[names[axis]] = size, stride
                stride *= size
        plans.append(plan)
    if layout["pp"] != 1 and plans[0]["pp"] != plans[1]["pp"]:
        raise ValueError("stages")
    return plans


def coordinates(rank, layout):
    plans = _plan(layout)
    if rank < 0 or rank >= layout["world"]:
        raise ValueError("rank")
    return {axis: rank // stride % size for plan in plans for axis, (size, stride) in plan.items()}


def _sums(pairs):
    return sorted(sum(steps) for steps in product(*([k * stride for k in range(size)] for size, stride in pairs)))


def groups(layout, axes):
    named = axes.split("-")
    if len(named) != len(set(named)):
        raise ValueError("twice")
    for plan in _plan(layout):
        if set(named).issubset(plan):
            inside = _sums([plan[axis] for axis in named])
            corners = _sums([plan[axis] for axis in plan if axis not in named])
            return tuple(tuple(corner + step for step in inside) for corner in corners)
    raise ValueError("axes")


def nodes_spanned(layout, axes, gpus_per_node):
    most = 0
    for group in groups(layout, axes):
        most = max(most, len(set(rank // gpus_per_node for rank in group)))
    return most
