"""The reference of parallel_layout against torch's DeviceMesh, Megatron-LM's documented groups, and array axes."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter5" / "parallel_layout" / "reference.py", "reference_of_parallel_layout"
)
MEGATRON, LLAMA = "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"


def layout_of(world, tp=1, cp=1, pp=1, ep=1, etp=1, order=MEGATRON):
    """A layout, with the keys that a learner gets."""
    return {"world": world, "tp": tp, "cp": cp, "pp": pp, "ep": ep, "etp": etp, "order": order}


@pytest.fixture(scope="module")
def as_rank():
    """Lets this process pose as one rank of a world, without any other process."""
    torch = pytest.importorskip("torch", reason="a peer's device mesh")
    fake = pytest.importorskip("torch.testing._internal.distributed.fake_pg", reason="ranks that are not there")

    def pose(rank, world):
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
        torch.distributed.init_process_group("fake", rank=rank, world_size=world, store=fake.FakeStore())

    yield pose
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


@pytest.mark.parametrize("rank", [0, 5, 13, 23])
@pytest.mark.parametrize("order", [MEGATRON, LLAMA, "dp-pp-tp-ep-cp"])
def test_device_mesh(as_rank, rank, order):
    """A mesh of the dense axes, slowest first, gives the same coordinates and the same groups."""
    as_rank(rank, 24)
    mesh_module = pytest.importorskip("torch.distributed.device_mesh", reason="a peer's device mesh")
    layout = layout_of(24, tp=2, cp=2, pp=3, etp=4, order=order)
    sizes = {"tp": 2, "cp": 2, "dp": 2, "pp": 3}
    names = [axis for axis in reversed(order.split("-")) if axis != "ep"]
    mesh = mesh_module.init_device_mesh("cpu", [sizes[axis] for axis in names], mesh_dim_names=names)
    try:
        ours = REFERENCE.coordinates(rank, layout)
    except ValueError:
        layout["etp"], layout["ep"] = 2, 2  # the stages of the expert grid go with those of the dense one
        ours = REFERENCE.coordinates(rank, layout)
    assert [ours[axis] for axis in names] == list(mesh.get_coordinate())
    for axis in names:
        theirs = mesh[axis].mesh.tolist()
        assert theirs in REFERENCE.groups(layout, axis)


@pytest.mark.parametrize("order", [MEGATRON, LLAMA])
@pytest.mark.parametrize("world", [48, 96])
def test_axes_of_arrays(world, order):
    """Moving an axis of a C-ordered array of all ranks to the end gives the groups."""
    layout = layout_of(world, tp=2, cp=2, pp=3, ep=2, etp=2, order=order)
    names = [axis for axis in reversed(order.split("-")) if axis != "ep"]
    sizes = {"tp": 2, "cp": 2, "dp": world // 12, "pp": 3}
    array = np.arange(world).reshape([sizes[axis] for axis in names])
    for take in (1, 2, 3):
        for axes in itertools.permutations(names, take):
            last = np.moveaxis(array, [names.index(axis) for axis in axes], range(-take, 0))
            want = np.sort(last.reshape(-1, np.prod([sizes[axis] for axis in axes])), axis=1).tolist()
            assert sorted(REFERENCE.groups(layout, "-".join(axes))) == sorted(want)


def test_docstring_of_megatron():
    """The two worked examples in the docstring of generate_masked_orthogonal_rank_groups."""
    # "the gpu size is 8 and order is 'tp-pp-dp', size is '2-2-2' ... dp_group [[0, 4], [1, 5], [2, 6], [3, 7]]"
    small = layout_of(8, tp=2, pp=2, etp=2, order="tp-pp-dp-cp-ep")
    assert REFERENCE.groups(small, "dp") == [[0, 4], [1, 5], [2, 6], [3, 7]]
    # sizes 2, 3, 4 of tp, dp, pp: dp_group[0] = [0, 2, 4], [1] = [1, 3, 5], [7] = [19, 21, 23]
    groups = REFERENCE.groups(layout_of(24, tp=2, pp=4, etp=2), "dp")
    assert (groups[0], groups[1], groups[7]) == ([0, 2, 4], [1, 3, 5], [19, 21, 23])


def test_example_of_initialize_model_parallel():
    """16 GPUs with tp 2 and pp 4: the groups that Megatron-LM's docstring lists."""
    layout = layout_of(16, tp=2, pp=4, etp=2)
    assert REFERENCE.groups(layout, "dp") == [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9, 11], [12, 14], [13, 15]]
    assert REFERENCE.groups(layout, "tp") == [[n, n + 1] for n in range(0, 16, 2)]
    assert REFERENCE.groups(layout, "pp") == [[n, n + 4, n + 8, n + 12] for n in range(4)]


def test_llama_3():
    """8192 GPUs of Llama 3 405B: TP 8, PP 16, DP 64 with data parallelism outermost; TP stays within a node."""
    layout = layout_of(8192, tp=8, pp=16, etp=8, order=LLAMA)
    assert REFERENCE.nodes_spanned(layout, "tp", 8) == 1
    assert REFERENCE.nodes_spanned(layout, "pp", 8) == 16
    assert REFERENCE.nodes_spanned(layout, "dp", 8) == 64
    assert len(REFERENCE.groups(layout, "dp")) == 128


def test_stages_that_disagree():
    """Of all orders of a layout with experts, those are possible in which no rank is in two stages."""
    possible = 0
    for names in itertools.permutations(["tp", "cp", "ep", "dp", "pp"]):
        layout = layout_of(16, tp=2, cp=1, pp=2, ep=4, order="-".join(names))
        try:
            places = [REFERENCE.coordinates(rank, layout) for rank in range(16)]
        except ValueError:
            continue
        possible += 1
        for axes in ("tp-cp-dp", "etp-ep-edp"):  # everybody in one stage, by either grid
            groups = REFERENCE.groups(layout, axes)
            assert [{places[rank]["pp"] for rank in group} for group in groups] == [{0}, {1}]
    assert 24 <= possible < 120  # the pipeline last is always possible


def test_picture():
    """The picture has a box for each rank in each of its rows."""
    figure = pytest.importorskip("matplotlib.figure", reason="draws the picture").Figure()
    picture = import_file(ROOT / "exercises" / "chapter5" / "parallel_layout" / "picture.py", "picture_of_layouts")
    axes = figure.subplots()
    picture.draw(REFERENCE, axes)
    assert len(axes.collections) == 16 * len(picture.AXES)
    assert any("rank 13 is tp 1, cp 0, dp 1, pp 1, ep 1, edp 1" in text.get_text() for text in axes.texts)
