"""numpy: the world as an array with an axis per kind of parallelism; groups by moving axes to the end."""

import numpy as np


def _arrays(layout):
    order = layout["order"].split("-")
    if len(order) != 5 or set(order) != {"tp", "cp", "ep", "dp", "pp"}:
        raise ValueError(f"order {layout['order']}")
    found = []
    for names, rest in (
        ({a: a for a in order if a != "ep"}, "dp"),
        ({"tp": "etp", "ep": "ep", "dp": "edp", "pp": "pp"}, "edp"),
    ):
        axes = [names[a] for a in order if a in names]
        sizes = [layout[a] if a != rest else -1 for a in axes]
        others = -int(np.prod(sizes))
        if layout["world"] % others:
            raise ValueError(f"{others} does not divide {layout['world']}")
        # C order: the last axis is the fastest.
        found.append((np.arange(layout["world"]).reshape(sizes[::-1]), axes[::-1]))
    (dense, dense_axes), (expert, expert_axes) = found
    stage = [np.moveaxis(a, names.index("pp"), 0).reshape(layout["pp"], -1) for a, names in found]
    if not np.array_equal(np.sort(stage[0], axis=1), np.sort(stage[1], axis=1)):
        raise ValueError("stages differ")
    return found


def coordinates(rank, layout):
    arrays = _arrays(layout)
    if rank not in range(layout["world"]):
        raise ValueError(rank)
    answer = {}
    for array, axes in arrays:
        place = np.unravel_index(rank, array.shape)
        answer.update(zip(axes, place, strict=True))
    return answer


def groups(layout, axes):
    named = axes.split("-")
    for array, names in _arrays(layout):
        if all(axis in names for axis in named) and len(set(named)) == len(named):
            places = [names.index(axis) for axis in named]
            last = np.moveaxis(array, places, range(-len(places), 0))
            return np.sort(last.reshape(-1, int(np.prod(last.shape[-len(places) :]))), axis=1)
    raise ValueError(axes)


def nodes_spanned(layout, axes, gpus_per_node):
    nodes = np.asarray(groups(layout, axes)) // gpus_per_node
    return 1 + (np.diff(nodes, axis=1) > 0).sum(axis=1).max()
