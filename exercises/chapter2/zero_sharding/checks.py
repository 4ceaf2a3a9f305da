"""Checks of zero_sharding. Symbols: Ψ parameters of the model, N GPUs in the data-parallel group.

The oracles lay out real buffers and run real rings, element by element, and count.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect

MIXED_ADAM = {"parameters": 2, "gradients": 2, "optimizer": 12}
SHARDED = ((), ("optimizer",), ("optimizer", "gradients"), ("optimizer", "gradients", "parameters"))

STAGES = st.integers(0, 3)
SMALL = st.integers(1, 40)
GPUS = st.integers(1, 12)
POWERS = st.sampled_from([1, 2, 4, 8, 16])
RECIPES = st.fixed_dictionaries({state: st.integers(0, 12) for state in MIXED_ADAM})


def shards(params, dp):
    """The elements 0 to Ψ - 1 as a flat buffer, padded with -1 and cut into one shard per GPU."""
    padded = list(range(params))
    while len(padded) % dp:
        padded.append(-1)
    return np.array(padded).reshape(dp, -1)


def bytes_kept(params, stage, dp, recipe):
    """What GPU 0 keeps, counted in its buffers."""
    shard, whole = shards(params, dp)[0], range(params)
    return sum(size * len(shard if state in SHARDED[stage] else whole) for state, size in recipe.items())


class Ring:
    """N GPUs in a ring, each with a buffer of its own; counts the elements that each one sends."""

    def __init__(self, params, dp):
        self.chunks = np.random.default_rng(params).integers(0, 100, (dp, *shards(params, dp).shape))
        self.total = self.chunks.sum(axis=0)
        self.dp, self.sent = dp, np.zeros(dp, dtype=int)

    def pass_on(self, chunk_of, add):
        """Every GPU sends one chunk to its neighbour, which adds it to its own or replaces it."""
        moving = [(gpu, chunk_of(gpu) % self.dp) for gpu in range(self.dp)]
        values = [self.chunks[gpu, chunk].copy() for gpu, chunk in moving]
        for (gpu, chunk), value in zip(moving, values, strict=True):
            target = self.chunks[(gpu + 1) % self.dp]
            target[chunk] = target[chunk] + value if add else value
            self.sent[gpu] += value.size

    def reduce_scatter(self):
        """Afterwards GPU g has the sum of chunk g + 1."""
        for step in range(self.dp - 1):
            self.pass_on(lambda gpu, step=step: gpu - step, add=True)
        for gpu in range(self.dp):
            assert (self.chunks[gpu, (gpu + 1) % self.dp] == self.total[(gpu + 1) % self.dp]).all()

    def all_gather(self):
        """Afterwards every GPU has every chunk of the one that owns it."""
        for step in range(self.dp - 1):
            self.pass_on(lambda gpu, step=step: gpu + 1 - step, add=False)
        assert (self.chunks == self.chunks[0]).all()


# --- memory


@pytest.mark.core
@pytest.mark.hint("which of the three states does this stage cut, and how long is a shard where N does not divide Ψ?")
@given(params=SMALL, dp=GPUS, recipe=RECIPES)
@example(params=10, dp=4, recipe=MIXED_ADAM)
def test_bytes_are_those_of_the_buffers(learner, params, dp, recipe):
    """a GPU keeps its shard of what is sharded and the whole of the rest"""
    for stage in range(4):
        got = learner.zero_bytes_per_gpu(params, stage, dp, recipe)
        expect.equal(got, bytes_kept(params, stage, dp, recipe), f"bytes at stage {stage}")


PAPER = {  # Rajbhandari et al. 2020, figure 1 and table 1, in GB with all digits: (Ψ, N) -> stages 0, 1, 2, 3
    (7_500_000_000, 1): (120, 120, 120, 120),
    (7_500_000_000, 4): (120, 52.5, 41.25, 30),
    (7_500_000_000, 64): (120, 31.40625, 16.640625, 1.875),
    (7_500_000_000, 1024): (120, 30.087890625, 15.1025390625, 0.1171875),
    (128_000_000_000, 64): (2048, 536, 284, 32),
    (1_000_000_000_000, 1024): (16000, 4011.71875, 2013.671875, 15.625),
}


@pytest.mark.core
@pytest.mark.hint(
    "a GB is 10**9 bytes; 12 of the 16 bytes per parameter are optimizer states, a master copy among them"
)
@pytest.mark.parametrize("stage", range(4))
def test_figures_of_the_paper(learner, stage):
    """the ZeRO paper's table: 120, 31.4, 16.6 and 1.9 GB for 7.5 billion parameters on 64 GPUs"""
    for (params, dp), gigabytes in PAPER.items():
        got = expect.number(learner.zero_bytes_per_gpu(params, stage, dp, MIXED_ADAM), "bytes")
        # The paper divides without padding, which adds less than one element of 16 bytes.
        expect.between(got, gigabytes[stage] * 1e9, gigabytes[stage] * 1e9 + 16, f"bytes for Ψ = {params}, N = {dp}")


@pytest.mark.core
@pytest.mark.hint("each stage shards what the one before shards, and one state more")
@given(params=st.integers(1, 10**13), dp=st.integers(1, 10_000), recipe=RECIPES)
def test_each_stage_keeps_no_more(learner, params, dp, recipe):
    """a stage keeps no more than the stage before, and no less than an N-th of everything"""
    kept = [expect.number(learner.zero_bytes_per_gpu(params, stage, dp, recipe)) for stage in range(4)]
    for stage in range(3):
        expect.at_most(kept[stage + 1], kept[stage], f"bytes at stage {stage + 1} against stage {stage}")
    expect.at_least(kept[3] * dp, kept[0], "bytes of all GPUs together at stage 3")


@pytest.mark.core
@pytest.mark.hint("how many bytes a state takes is for the recipe to say; what is sharded is for the stage")
@given(params=st.integers(1, 10**13), stage=STAGES, dp=st.integers(1, 10_000), one=RECIPES, two=RECIPES)
def test_recipes_add_up(learner, params, stage, dp, one, two):
    """the bytes of two recipes together are the bytes of their sum"""
    both = {state: one[state] + two[state] for state in one}
    parts = [expect.number(learner.zero_bytes_per_gpu(params, stage, dp, recipe)) for recipe in (one, two)]
    expect.equal(learner.zero_bytes_per_gpu(params, stage, dp, both), sum(parts))


@pytest.mark.edge
@pytest.mark.hint("no GPU can keep less than one element of a state, and one GPU has nobody to share with")
@given(params=st.integers(1, 5), stage=STAGES, more=st.integers(0, 50))
def test_more_gpus_than_parameters(learner, params, stage, more):
    """with as many GPUs as parameters or more, a shard is one element; one GPU keeps everything"""
    small = {"parameters": 1, "gradients": 1, "optimizer": 1}
    expect.equal(learner.zero_bytes_per_gpu(params, stage, params + more, small), stage + (3 - stage) * params)
    expect.equal(learner.zero_bytes_per_gpu(params, stage, 1, small), 3 * params, "bytes of the only GPU")


# --- traffic


@pytest.mark.core
@pytest.mark.hint("count collectives: what is reduced, what is gathered, how often? N - 1 shards are sent in each")
@given(params=SMALL, dp=GPUS)
@example(params=10, dp=4)
def test_traffic_is_that_of_rings(learner, params, dp):
    """a GPU sends what rings of real buffers send in one step"""
    ring = Ring(params, dp)
    ring.reduce_scatter()  # the gradients
    ring.all_gather()  # the gradients of stage 0, the new parameters of 1 and 2, the forward pass of 3
    for stage in range(3):
        expect.equal(learner.zero_traffic(params, stage, dp), ring.sent[0], f"elements sent at stage {stage}")
    ring.all_gather()  # the backward pass
    expect.equal(learner.zero_traffic(params, 3, dp), ring.sent[0], "elements sent at stage 3")


@pytest.mark.core
@pytest.mark.hint("elements, not bytes; and does a shard add to what gradients and parameters send anyway?")
@pytest.mark.parametrize("stage", range(4))
@given(shard=st.integers(1, 10**9), dp=st.integers(2, 10_000))
def test_traffic_in_models(learner, stage, shard, dp):
    """traffic at stages 0, 1, 2 and 3 is 2Ψ, 2Ψ, 2Ψ and 3Ψ elements, times (N - 1)/N"""
    params, times = shard * dp, (2, 2, 2, 3)[stage]
    expect.equal(learner.zero_traffic(params, stage, dp), times * (params - shard), f"{times}Ψ (N - 1)/N")


@pytest.mark.edge
@pytest.mark.hint("one GPU has nobody to send to")
@given(params=st.integers(1, 10**13), stage=STAGES)
def test_one_gpu_sends_nothing(learner, params, stage):
    """a single GPU sends nothing"""
    expect.equal(learner.zero_traffic(params, stage, 1), 0)


# --- the smallest group that fits


@pytest.mark.core
@pytest.mark.hint("try 1, 2, 3, ... up to max_dp; say None where none of them fits")
@given(params=SMALL, stage=STAGES, recipe=RECIPES, gpu_bytes=st.integers(0, 500), max_dp=GPUS)
@example(params=7, stage=3, recipe=MIXED_ADAM, gpu_bytes=48, max_dp=3)
@example(params=7, stage=3, recipe=MIXED_ADAM, gpu_bytes=48, max_dp=2)
def test_smallest_group_that_fits(learner, params, stage, recipe, gpu_bytes, max_dp):
    """the answer is the first of 1 ... max_dp that fits, or None"""
    fits = [dp for dp in range(1, max_dp + 1) if bytes_kept(params, stage, dp, recipe) <= gpu_bytes]
    got = learner.smallest_dp_that_fits(params, stage, recipe, gpu_bytes, max_dp)
    expect.equal(got, min(fits, default=None))


@pytest.mark.core
@pytest.mark.hint("what needs exactly as many bytes as there are does fit")
@given(shard=st.integers(1, 50), stage=st.integers(1, 3), dp=POWERS)
def test_exact_fit(learner, shard, stage, dp):
    """memory that is just enough is enough; one byte less is not"""
    params = shard * dp  # a shard is whole, so any smaller group keeps more
    enough = bytes_kept(params, stage, dp, MIXED_ADAM)
    got = learner.smallest_dp_that_fits(params, stage, MIXED_ADAM, enough, 2 * dp)
    expect.equal(got, dp, "GPUs with just enough memory")
    less = learner.smallest_dp_that_fits(params, stage, MIXED_ADAM, enough - 1, dp)
    expect.equal(less, None, f"GPUs with one byte less, {dp} at most")


@pytest.mark.edge
@pytest.mark.hint("max_dp is the largest number of GPUs that may be used")
@given(shard=st.integers(1, 50), stage=st.integers(1, 3), dp=POWERS)
def test_all_gpus_may_be_used(learner, shard, stage, dp):
    """a group of max_dp GPUs is allowed"""
    params = shard * dp
    more_than_enough = bytes_kept(params, stage, dp, MIXED_ADAM) + 1
    got = learner.smallest_dp_that_fits(params, stage, MIXED_ADAM, more_than_enough, dp)
    expect.equal(got, dp, f"GPUs, {dp} at most")


@pytest.mark.edge
@pytest.mark.hint("where a GPU must keep whole states that are too big, no number of GPUs helps")
def test_seventy_billion_parameters(learner):
    """70 billion parameters on GPUs with 72 GB for states: only stage 3 fits, from 16 GPUs on"""
    # Stage 3 keeps 1120 GB / N: 15.6 GPUs' worth. Stage 2 keeps 140 GB of parameters on each.
    for stage, want in ((0, None), (1, None), (2, None), (3, 16)):
        got = learner.smallest_dp_that_fits(70 * 10**9, stage, MIXED_ADAM, 72 * 10**9, 100_000)
        expect.equal(got, want, f"stage {stage}")


@pytest.mark.edge
@pytest.mark.hint("there are four stages, and at least one parameter and one GPU: raise ValueError for anything else")
@given(wrong=st.integers(-3, 0), stage=STAGES, no_stage=st.sampled_from([-1, 4, 5]))
def test_impossible_arguments(learner, wrong, stage, no_stage):
    """impossible arguments are errors"""
    for params, at, dp in ((wrong, stage, 2), (8, stage, wrong), (8, no_stage, 2)):
        expect.raises(ValueError, learner.zero_bytes_per_gpu, params, at, dp, MIXED_ADAM)
        expect.raises(ValueError, learner.zero_traffic, params, at, dp)
        expect.raises(ValueError, learner.smallest_dp_that_fits, params, at, MIXED_ADAM, 10**6, dp)
