"""The reference of zero_sharding against the ZeRO paper's figures, real sharded buffers and simulated training."""

from collections import deque
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter2" / "zero_sharding" / "reference.py", "reference_of_zero_sharding"
)
MIXED_ADAM = {"parameters": 2, "gradients": 2, "optimizer": 12}
GB = 10**9

# dtypes of the tensors that each state is made of; 16-bit integers stand for bf16
LAYOUTS = {
    "mixed": {"parameters": ["uint16"], "gradients": ["uint16"], "optimizer": ["float32"] * 3},
    "fp32 gradients": {"parameters": ["uint16"], "gradients": ["float32"], "optimizer": ["float32"] * 3},
    "fp32": {"parameters": ["float32"], "gradients": ["float32"], "optimizer": ["float32"] * 2},
    "8-bit": {"parameters": ["uint16"], "gradients": ["uint16"], "optimizer": ["float32", "int8", "int8"]},
}
FIRST_STAGE = {"optimizer": 1, "gradients": 2, "parameters": 3}
SIZES = [(1, 1), (1, 5), (7, 2), (10, 4), (12, 4), (64, 7), (1000, 16)]


@pytest.mark.parametrize(("stage", "gigabytes"), list(enumerate((120, 31.4, 16.6, 1.9))))
def test_figure_1_of_the_paper(stage, gigabytes):
    """7.5 billion parameters on 64 GPUs take 120, 31.4, 16.6 and 1.9 GB each, to the digits that are printed."""
    kept = REFERENCE.zero_bytes_per_gpu(7_500_000_000, stage, 64, MIXED_ADAM) / GB
    assert round(kept, 1) == gigabytes


def test_gpt2_of_the_paper():
    """Section 3.1: GPT-2 with 1.5 billion parameters takes 24 GB without sharding, of which parameters are 3 GB."""
    assert REFERENCE.zero_bytes_per_gpu(1_500_000_000, 0, 64, MIXED_ADAM) == 24 * GB
    assert REFERENCE.zero_bytes_per_gpu(1_500_000_000, 0, 64, {**MIXED_ADAM, "gradients": 0, "optimizer": 0}) == 3 * GB


@pytest.mark.parametrize(("billions", "stage"), [(7.5, 1), (14, 2), (128, 3)])
def test_largest_models_of_the_paper(billions, stage):
    """Section 5.4: 64 GPUs of 32 GB hold 7.5, 14 and 128 billion parameters at stages 1, 2 and 3, and not before."""
    params = int(billions * 10**9)
    assert REFERENCE.smallest_dp_that_fits(params, stage, MIXED_ADAM, 32 * GB, 64) is not None
    assert REFERENCE.smallest_dp_that_fits(params, stage - 1, MIXED_ADAM, 32 * GB, 64) is None


def test_a_trillion_parameters():
    """Section 5.4: 1024 GPUs of 32 GB hold a trillion parameters at stage 3."""
    found = REFERENCE.smallest_dp_that_fits(10**12, 3, MIXED_ADAM, 32 * GB, 1024)
    assert found == 500  # 16,000 GB / 32 GB


def buffers_of(layout, params, stage, dp):
    """For each GPU the arrays that it keeps; a sharded state is checked to be whole when it is put together."""
    kept = [[] for _ in range(dp)]
    for state, dtypes in layout.items():
        for dtype in dtypes:
            whole = (np.arange(params) % 100).astype(dtype)
            if stage < FIRST_STAGE[state]:
                for gpu in kept:
                    gpu.append(whole.copy())
                continue
            shards = np.split(np.pad(whole, (0, -params % dp)), dp)
            assert (np.concatenate(shards)[:params] == whole).all()
            for gpu, shard in zip(kept, shards, strict=True):
                gpu.append(shard.copy())
    return kept


@pytest.mark.parametrize("stage", range(4))
@pytest.mark.parametrize("name", LAYOUTS)
def test_sums_over_sharded_buffers(name, stage):
    """The bytes of real buffers, padded, cut and dealt out, are those of the reference, on every GPU."""
    layout = LAYOUTS[name]
    recipe = {state: sum(np.dtype(dtype).itemsize for dtype in dtypes) for state, dtypes in layout.items()}
    for params, dp in SIZES:
        want = REFERENCE.zero_bytes_per_gpu(params, stage, dp, recipe)
        assert [sum(buffer.nbytes for buffer in gpu) for gpu in buffers_of(layout, params, stage, dp)] == [want] * dp


class Group:
    """N GPUs with a wire from each to its right neighbour; what goes over the wires is counted."""

    def __init__(self, dp):
        self.dp = dp
        self.wires = [deque() for _ in range(dp)]
        self.sent = [0] * dp

    def shift(self, outgoing):
        """Every GPU sends an array to the right and receives one from the left."""
        for gpu, values in enumerate(outgoing):
            self.wires[gpu].append(values.copy())
            self.sent[gpu] += values.size
        return [self.wires[gpu - 1].popleft() for gpu in range(self.dp)]

    def reduce_scatter(self, buffers):
        """GPU g gets the sum of everybody's g-th shard."""
        chunks = [np.split(buffer, self.dp) for buffer in buffers]
        carried = [chunks[gpu][gpu - 1] for gpu in range(self.dp)]  # the sum that will end one GPU further left
        for step in range(1, self.dp):
            carried = self.shift(carried)
            carried = [carried[gpu] + chunks[gpu][(gpu - 1 - step) % self.dp] for gpu in range(self.dp)]
        return carried

    def all_gather(self, shards):
        """Every GPU gets all shards, in order."""
        whole = [[None] * self.dp for _ in range(self.dp)]
        carried = [shard.copy() for shard in shards]
        for step in range(self.dp):
            for gpu in range(self.dp):
                whole[gpu][(gpu - step) % self.dp] = carried[gpu]
            if step < self.dp - 1:
                carried = self.shift(carried)
        return [np.concatenate(parts) for parts in whole]


def train(stage, group, params, gradients):
    """One step of plain gradient descent over padded flat buffers; answers the parameters of each GPU."""
    dp, padding = group.dp, (0, -params.size % group.dp)
    weights, gradients = np.pad(params, padding), [np.pad(each, padding) for each in gradients]
    shards = np.split(weights, dp)
    if stage == 3:
        for _ in ("forward", "backward"):
            assert all((whole == weights).all() for whole in group.all_gather(shards))
    sums = group.reduce_scatter(gradients)
    if stage == 0:
        updated = [weights - whole for whole in group.all_gather(sums)]
    else:
        shards = [shard - total for shard, total in zip(shards, sums, strict=True)]
        # Stage 3 leaves the shards where they are; putting them together here sends nothing.
        updated = [np.concatenate(shards)] * dp if stage == 3 else group.all_gather(shards)
    return [whole[: params.size] for whole in updated]


@pytest.mark.parametrize("stage", range(4))
def test_traffic_of_simulated_rings(stage):
    """A training step over rings ends with the same weights at each stage, and sends what the reference says."""
    for params, dp in SIZES:
        rng = np.random.default_rng(params + dp)
        weights, gradients = rng.integers(-99, 99, params), rng.integers(-99, 99, (dp, params))
        group = Group(dp)
        for updated in train(stage, group, weights, gradients):
            assert (updated == weights - gradients.sum(axis=0)).all()
        assert group.sent == [REFERENCE.zero_traffic(params, stage, dp)] * dp


@pytest.mark.parametrize(("stage", "models"), [(0, 2), (1, 2), (2, 2), (3, 3)])
def test_volumes_of_section_7(stage, models):
    """For many GPUs the traffic is 2Ψ without parameter sharding and 3Ψ with it: 1.5 times as much."""
    assert REFERENCE.zero_traffic(10**10, stage, 1024) / 10**10 == pytest.approx(models, rel=1e-3)


def test_smallest_group_by_trying():
    """The smallest group is the first one that fits, over random models and memories."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        params, most, gpu_bytes, stage = (
            int(rng.integers(low, high)) for low, high in ((1, 60), (1, 40), (0, 900), (0, 4))
        )
        recipe = {state: int(rng.integers(0, 13)) for state in MIXED_ADAM}
        fits = (dp for dp in range(1, most + 1) if REFERENCE.zero_bytes_per_gpu(params, stage, dp, recipe) <= gpu_bytes)
        assert REFERENCE.smallest_dp_that_fits(params, stage, recipe, gpu_bytes, most) == next(fits, None)


def test_picture_draws_something():
    """The picture has a bar for each stage, state and group, and the line of a GPU's memory."""
    figure_module = pytest.importorskip("matplotlib.figure", reason="draws")
    picture = import_file(ROOT / "exercises" / "chapter2" / "zero_sharding" / "picture.py", "picture_of_zero_sharding")
    axes = figure_module.Figure().subplots()
    picture.draw(REFERENCE, axes)
    assert len(axes.patches) >= 4 * 3 * len(picture.GPUS) and len(axes.lines) == 1
