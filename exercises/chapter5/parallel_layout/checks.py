"""Checks of parallel_layout.

The oracle walks through the ranks and turns one odometer per grid.
"""

from itertools import combinations
from math import prod

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from grader import expect

MEGATRON, LLAMA = "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"
DENSE = {"tp": "tp", "cp": "cp", "dp": "dp", "pp": "pp"}
EXPERT = {"tp": "etp", "ep": "ep", "dp": "edp", "pp": "pp"}
AXES = ("tp", "cp", "dp", "pp", "etp", "ep", "edp")
ORDERS = st.permutations(["tp", "cp", "ep", "dp", "pp"]).map("-".join)


def layout_of(world, tp=1, cp=1, pp=1, ep=1, etp=1, order=MEGATRON):
    """A layout as the learner gets it."""
    return {"world": world, "tp": tp, "cp": cp, "pp": pp, "ep": ep, "etp": etp, "order": order}


def sizes_of(layout, names):
    """Sizes of the axes of one grid, fastest first."""
    taken = prod(layout[name] for name in names.values() if name in layout)
    return {names[a]: layout.get(names[a], layout["world"] // taken) for a in layout["order"].split("-") if a in names}


def stage_stride(layout, names):
    """Ranks from one stage to the next."""
    sizes = sizes_of(layout, names)
    return prod(list(sizes.values())[: list(sizes).index("pp")])


def agrees(layout):
    """Whether every rank is in the same stage on both grids."""
    return layout["pp"] == 1 or stage_stride(layout, DENSE) == stage_stride(layout, EXPERT)


@st.composite
def layouts(draw, orders=ORDERS, most=96):
    """Possible layouts; where the drawn order is not, the pipeline goes last."""
    tp, cp, pp, ep, etp = (draw(st.integers(1, 3)) for _ in range(5))
    world = pp
    while world % (tp * cp * pp) or world % (etp * ep * pp):
        world += pp
    world *= draw(st.integers(1, 3))
    assume(world <= most)
    layout = layout_of(world, tp, cp, pp, ep, etp, draw(orders))
    return layout if agrees(layout) else {**layout, "order": MEGATRON}


def odometer(layout, names):
    """The coordinates of all ranks on one grid: the fastest axis turns first and carries to the next."""
    sizes = sizes_of(layout, names)
    now = dict.fromkeys(sizes, 0)
    for _ in range(layout["world"]):
        yield dict(now)
        for axis, size in sizes.items():
            now[axis] = (now[axis] + 1) % size
            if now[axis]:
                break


def whole(layout):
    """The coordinates of all ranks on both grids."""
    pairs = zip(odometer(layout, DENSE), odometer(layout, EXPERT), strict=True)
    return [{**dense, **expert} for dense, expert in pairs]


def grouped(layout, axes):
    """The groups, by comparing each rank with the first one of every group so far."""
    names = DENSE if set(axes.split("-")) <= set(DENSE.values()) else EXPERT
    others = [axis for axis in names.values() if axis not in axes.split("-")]
    found = {}
    for rank, place in enumerate(whole(layout)):
        found.setdefault(tuple(place[axis] for axis in others), []).append(rank)
    return list(found.values())


def read(got, world):
    """The learner's groups as lists of integers, each in ascending order, in the order of their first ranks."""
    read = []
    for group in expect.sequence(got, "the groups"):
        ranks = [expect.integer(rank, "a rank") for rank in expect.sequence(group, "a group")]
        expect.true(ranks, "no group is empty", got=ranks)
        expect.equal(ranks, sorted(ranks), "ranks of a group, in ascending order")
        read.append(ranks)
    expect.equal(sorted(rank for ranks in read for rank in ranks), list(range(world)), "all ranks of all groups")
    return sorted(read)


# --- coordinates


@pytest.mark.core
@pytest.mark.hint("like the digits of a number: the first axis of the order changes from each rank to the next")
@given(layout=layouts(), seed=st.integers(0, 10**6))
@example(layout=layout_of(16, 2, 2, 2, 4), seed=13)
@example(layout=layout_of(16, tp=2, pp=4, etp=2, order=LLAMA), seed=5)
def test_dense_coordinates(learner, layout, seed):
    """tensor, context, data and pipeline coordinates turn like an odometer"""
    rank = seed % layout["world"]
    got = expect.instance(learner.coordinates(rank, layout), dict, "coordinates")
    for axis in DENSE.values():
        expect.equal(expect.integer(got.get(axis), axis), whole(layout)[rank][axis], f"coordinate on {axis}")


@pytest.mark.core
@pytest.mark.hint("experts have a grid of their own over the same ranks; it knows no tp, no cp and no dp")
@given(layout=layouts(), seed=st.integers(0, 10**6))
@example(layout=layout_of(16, 2, 2, 2, 4), seed=13)
def test_expert_coordinates(learner, layout, seed):
    """the coordinates of experts turn like an odometer of their own"""
    rank = seed % layout["world"]
    got = expect.instance(learner.coordinates(rank, layout), dict, "coordinates")
    expect.same_items(list(got), AXES, "axes")
    for axis in EXPERT.values():
        expect.equal(expect.integer(got.get(axis), axis), whole(layout)[rank][axis], f"coordinate on {axis}")


@pytest.mark.core
@pytest.mark.hint("dp is what tp, cp and pp leave over; the order names the fastest axis first")
def test_sixteen_thousand_ranks(learner):
    """rank 5000 of 16,384, in Megatron's order and in that of Llama 3"""
    # Megatron-LM's RankGenerator; Llama 3's order is TP, CP, PP, DP (Dubey et al. 2024, section 3.3.2).
    for layout, want in (
        (layout_of(16_384, tp=8, pp=16, etp=8), {"tp": 0, "cp": 0, "dp": 113, "pp": 4}),
        (layout_of(16_384, tp=8, cp=16, pp=16, etp=8, ep=2), {"tp": 0, "cp": 1, "dp": 7, "pp": 4}),
        (layout_of(16_384, tp=8, pp=16, etp=8, order=LLAMA), {"tp": 0, "cp": 0, "pp": 1, "dp": 39}),
    ):
        got = expect.instance(learner.coordinates(5000, layout), dict, "coordinates")
        expect.equal({axis: got.get(axis) for axis in want}, want, "coordinates of rank 5000")


# --- groups


@pytest.mark.core
@pytest.mark.hint("the members of a group agree on every other axis of the same grid")
@pytest.mark.parametrize("axis", AXES)
@given(layout=layouts())
@example(layout=layout_of(16, 2, 2, 2, 4))
def test_groups_of_an_axis(learner, axis, layout):
    """a group differs on its axis only, and every rank is in one"""
    got = read(learner.groups(layout, axis), layout["world"])
    expect.equal(got, sorted(grouped(layout, axis)), f"groups along {axis}")


@pytest.mark.core
@pytest.mark.hint("with two axes a group is a rectangle of the grid; its ranks still come in ascending order")
@given(layout=layouts(), axes=st.sampled_from([DENSE, EXPERT]), names=st.permutations(range(4)), take=st.integers(2, 4))
@example(layout=layout_of(16, 2, 2, 2, 4), axes=DENSE, names=[1, 2, 0, 3], take=2)
def test_groups_of_several_axes(learner, layout, axes, names, take):
    """a group along several axes differs on these only"""
    named = "-".join([list(axes.values())[n] for n in names[:take]])
    got = read(learner.groups(layout, named), layout["world"])
    expect.equal(got, sorted(grouped(layout, named)), f"groups along {named}")


@pytest.mark.core
@pytest.mark.hint("two ranks that agree on all but tp, and on all but dp, are the same rank")
@given(layout=layouts(most=48))
def test_two_axes_meet_once(learner, layout):
    """groups along two axes of a grid have at most one rank in common, and each member leads to all others"""
    for names in (DENSE, EXPERT):
        found = {axis: read(learner.groups(layout, axis), layout["world"]) for axis in names.values()}
        for one, two in combinations(found.values(), 2):
            meet = max(len(set(a) & set(b)) for a in one for b in two)
            expect.equal(meet, 1, "ranks that two groups along different axes have in common")
        sizes = prod(len(each[0]) for each in found.values())
        expect.equal(sizes, layout["world"], "product of the groups' sizes")


@pytest.mark.core
@pytest.mark.hint("one of Megatron's own examples: write the grid down, fastest axis from left to right")
def test_published_groups(learner):
    """groups that Megatron-LM makes"""
    whole_model = layout_of(16, tp=2, cp=2, pp=2, etp=2, ep=2)
    experts = layout_of(16, pp=2, ep=4)
    llama = layout_of(16, tp=2, pp=4, etp=2, order=LLAMA)
    for layout, axes, want in (
        (whole_model, "tp", [0, 1]),
        (whole_model, "cp", [0, 2]),
        (whole_model, "dp", [0, 4]),
        (whole_model, "pp", [0, 8]),
        (whole_model, "dp-cp", [0, 2, 4, 6]),
        (whole_model, "tp-pp", [0, 1, 8, 9]),
        (layout_of(16, tp=2, pp=4, etp=2), "pp", [0, 4, 8, 12]),
        (experts, "ep", [0, 1, 2, 3]),
        (experts, "edp", [0, 4]),
        (experts, "pp", [0, 8]),
        (llama, "pp", [0, 2, 4, 6]),
        (llama, "dp", [0, 8]),
        (layout_of(24, tp=2, pp=4, etp=2), "dp", [0, 2, 4]),  # the docstring of its group generator
    ):
        first = read(learner.groups(layout, axes), layout["world"])[0]
        expect.equal(first, want, f"the group of rank 0 along {axes}")


# --- nodes


@pytest.mark.core
@pytest.mark.hint("which node is a rank on? Count different nodes in each group, and take the most")
@given(layout=layouts(most=64), axis=st.sampled_from([*AXES, "dp-cp", "ep-etp", "tp-pp"]), gpus=st.integers(1, 9))
@example(layout=layout_of(16, 2, 2, 2, 4), axis="dp", gpus=8)
def test_nodes_spanned(learner, layout, axis, gpus):
    """a group touches the nodes of its ranks"""
    want = max(len({rank // gpus for rank in group}) for group in grouped(layout, axis))
    expect.equal(expect.integer(learner.nodes_spanned(layout, axis, gpus), "nodes"), want, f"nodes of {axis} groups")


# --- edges


@pytest.mark.edge
@pytest.mark.hint("one rank is a group by itself, along each axis")
@given(order=ORDERS)
def test_one_rank(learner, order):
    """a world of one rank has one group along each axis"""
    layout = layout_of(1, order=order)
    expect.equal(learner.coordinates(0, layout), dict.fromkeys(AXES, 0), "coordinates")
    for axis in AXES:
        expect.equal(read(learner.groups(layout, axis), 1), [[0]], f"groups along {axis}")
        expect.equal(learner.nodes_spanned(layout, axis, 8), 1, "nodes")


@pytest.mark.edge
@pytest.mark.hint("check sizes, order and ranks before anything is divided: raise ValueError")
@given(tp=st.integers(2, 5), pp=st.integers(1, 3), order=ORDERS)
def test_impossible_layouts(learner, tp, pp, order):
    """impossible layouts and ranks are errors"""
    world = tp * pp * 2
    fine = layout_of(world, tp, pp=pp, etp=tp)
    wrong = [{**fine, "world": world + 1}, {**fine, "cp": 3 * tp}, {**fine, "ep": 3 * tp}, {**fine, "etp": 3 * world}]
    wrong += [{**fine, "order": name} for name in (order[3:], order + "-tp", "tp-cp-ep-dp-dp", "tp-cp-ep-dp-xx")]
    for layout in wrong:
        expect.raises(ValueError, learner.coordinates, 0, layout)
        expect.raises(ValueError, learner.groups, layout, "pp")
        expect.raises(ValueError, learner.nodes_spanned, layout, "pp", 8)
    for rank in (-1, world):
        expect.raises(ValueError, learner.coordinates, rank, fine)
    for axes in ("xp", "", "tp-ep", "dp-edp", "cp-cp", "tp-etp"):
        expect.raises(ValueError, learner.groups, fine, axes)


@pytest.mark.edge
@pytest.mark.hint("how far is it from one pipeline stage to the next, in each of the two grids?")
@given(layout=layouts(orders=st.just(MEGATRON)), order=ORDERS)
@example(layout=layout_of(8, tp=2, pp=2, ep=2), order=LLAMA)
@example(layout=layout_of(16, pp=2, ep=4), order=LLAMA)
def test_stages_that_disagree(learner, layout, order):
    """an order that puts a rank into two stages is an error; any other order is none"""
    layout = {**layout, "order": order}
    if agrees(layout):
        expect.equal(read(learner.groups(layout, "pp"), layout["world"]), sorted(grouped(layout, "pp")), "stages")
    else:
        expect.raises(ValueError, learner.coordinates, 0, layout)
        expect.raises(ValueError, learner.groups, layout, "tp")


# --- scale


@pytest.mark.scale
@pytest.mark.hint("one walk over all ranks is enough; do not compare every rank with every other one")
def test_large_worlds(learner):
    """the groups of eight times as many ranks take about eight times as long"""
    # 2048 and 16,384 ranks; comparing all pairs takes 64 times as long.
    small, large = ((layout_of(world, tp=8, pp=16, etp=8, ep=2), "tp") for world in (2048, 16_384))
    expect.growth(learner.groups, small, large, at_most=25, what="time for eight times as many ranks")
