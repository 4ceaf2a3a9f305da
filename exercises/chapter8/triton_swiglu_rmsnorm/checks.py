"""Checks of triton_swiglu_rmsnorm.

Symbols: g a value of gate, u one of up, h = silu(g)·u, w one of weight. Rows are few: the interpreter takes
about 2.5 ms for each program of a launch, and checks stay under 200 programs a call.
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader import expect, strategies

CANARY = -777.5  # exact in float16, and far from any answer
dtypes = st.sampled_from(["float32", "float16"])


def inputs(seed, rows, width, dtype="float32", size=1.0, weight_dtype=None):
    """gate and up, normal with standard deviation ``size``, and a weight around 1."""
    rng = np.random.default_rng(seed)
    gate, up = torch.from_numpy(size * rng.standard_normal((2, rows, width))).to(getattr(torch, dtype)).unbind()
    weight = torch.from_numpy(1 + 0.5 * rng.standard_normal(width)).to(getattr(torch, weight_dtype or dtype))
    return gate, up, weight


def exact(gate, up, weight, eps):
    """The formula in float64."""
    g, u, w = (x.double().numpy() for x in (gate, up, weight))
    h = g * np.exp(-np.logaddexp(0, -g)) * u
    return h / np.sqrt((h * h).mean(axis=1, keepdims=True) + eps) * w


def ask_for_values(got, gate, up, weight, eps, what=""):
    """Compare with the formula, allowing the rounding that no honest order of operations exceeds.

    With v = 2⁻²⁴, float32's unit roundoff: exp(-g) is off by (|g| + 3)·v relatively, h by (|g| + 8)·v, the
    root of the mean of squares by as much again plus width/2·v, and a few operations remain. Then at most
    two roundings to the dtype, before and after the weight: by half a unit each, or half of float16's
    smallest step, 2⁻²⁵.
    """
    largest = float(gate.abs().max()) if gate.numel() else 0.0
    rounding = 2.0**-24 * (2 * largest + gate.shape[1] / 2 + 32)
    narrow = 0.0 if gate.dtype == torch.float32 else torch.finfo(gate.dtype).eps
    floor = 1e-30  # below: what is lost when exp(-g) overflows in float32
    if gate.dtype == torch.float16:
        floor = 2.0**-25 * (1 + float(weight.abs().max()))
    expect.shape(got, tuple(gate.shape), what)
    expect.dtype(got, gate.dtype, what)
    expect.close(got, exact(gate, up, weight, eps), what, rtol=rounding + narrow, atol=floor)


# --- core ---------------------------------------------------------------------------------------------------


@pytest.mark.core
@pytest.mark.hint("silu belongs to gate; the mean is over the row's width, not over a padded block")
@settings(max_examples=20)
@given(
    seed=strategies.seeds(),
    rows=st.integers(1, 5),
    width=st.integers(1, 140),
    eps=st.sampled_from([1e-6, 1e-5, 1e-2, 1.0]),
    dtype=dtypes,
)
def test_equals_the_formula(learner, seed, rows, width, eps, dtype):
    """the answer is the formula's, for any number of rows, any width, small and large eps"""
    gate, up, weight = inputs(seed, rows, width, dtype, weight_dtype="float32")
    ask_for_values(learner.swiglu_rmsnorm(gate, up, weight, eps), gate, up, weight, eps)


@pytest.mark.core
@pytest.mark.hint("h doubles with up; the root doubles too if eps is added to the mean of squares, under the root")
def test_scale_of_up_cancels(learner):
    """up twice as large, with eps four times as large, changes nothing: RMSNorm takes the scale out"""
    gate, up, weight = inputs(1, 2, 37)
    once = learner.swiglu_rmsnorm(gate, up, weight, 0.25)
    twice = learner.swiglu_rmsnorm(gate, 2 * up, weight, 1.0)
    expect.true(bool((expect.array(once) != 0).all()), "no element is zero", got=once)
    # Factors of two cost no rounding; what is left is the order of the sum, which may change from call to
    # call.
    expect.close(twice, expect.array(once), "with up doubled", rtol=2.0**-20, atol=0)


@pytest.mark.core
@pytest.mark.hint("the kernel computes; the Python function around it only allocates and launches")
def test_a_kernel_does_the_work(learner):
    """with launches switched off the answer is not right: it comes from a Triton kernel"""
    gate, up, weight = inputs(2, 3, 50)
    want = exact(gate, up, weight, 1e-6)
    got = expect.array(learner.swiglu_rmsnorm.without_kernels(gate, up, weight, 1e-6), shape=(3, 50))
    expect.true(
        not np.allclose(got, want, rtol=1e-3),
        "without its kernel the function cannot know the answer",
        got="the right answer, with all kernel launches switched off",
        expected="anything but the right answer, with all kernel launches switched off",
    )


@pytest.mark.core
@pytest.mark.hint("row r begins at r * stride(0), and a half of gate_up has the stride of the whole")
def test_fused_projection_is_read_in_place(learner):
    """gate and up are the halves of each row of gate_up, and the block of the buffer receives the answer"""
    gate, up, weight = inputs(3, 4, 45)
    buffer = torch.full((16, 60), CANARY)
    seen = learner.swiglu_rmsnorm_into.observe(buffer, 2, 7, torch.cat([gate, up], dim=1), weight, 1e-6)
    expect.shape(seen.value, (16, 60), "the buffer returned")
    ask_for_values(seen.value[2:6, 7:52], gate, up, weight, 1e-6, "the block")
    expect.equal(seen.args[0], seen.value, "the buffer that was passed, after the call")


# --- edge ---------------------------------------------------------------------------------------------------


@pytest.mark.edge
@pytest.mark.hint("mask the store with the width: what lies right of the block is not yours")
@pytest.mark.parametrize("width", [33, 64])
def test_writes_only_its_block(learner, width):
    """everything around the block stays as it was"""
    gate, up, weight = inputs(4, 3, width, "float16")
    column = 5
    buffer = torch.full((9, column + width + 40), CANARY, dtype=torch.float16)
    got = learner.swiglu_rmsnorm_into(buffer, 2, column, torch.cat([gate, up], dim=1), weight, 1e-6)
    expect.shape(got, tuple(buffer.shape), "the buffer")
    outside = torch.ones(buffer.shape, dtype=torch.bool)
    outside[2:5, column : column + width] = False
    touched = torch.nonzero(outside & (got != CANARY)).tolist()
    first = f"written at [row, column] {touched[:4]}"
    expect.true(not touched, "elements around the block are as before", got=first)
    ask_for_values(got[2:5, column : column + width], gate, up, weight, 1e-6, "the block")


@pytest.mark.edge
@pytest.mark.hint("tl.arange takes powers of two only: round the width up and mask, or loop over the columns")
@pytest.mark.parametrize("width", [1, 2, 127, 128, 129, 1000, 5000, 20000])
def test_any_width(learner, width):
    """one column, powers of two and their neighbours, and rows of twenty thousand columns"""
    gate, up, weight = inputs(width, 2, width)
    ask_for_values(learner.swiglu_rmsnorm(gate, up, weight, 1e-6), gate, up, weight, 1e-6)


@pytest.mark.edge
@pytest.mark.hint("an empty tensor has no rows to launch for")
def test_no_rows(learner):
    """zero rows give zero rows, and leave the buffer alone"""
    gate, up, weight = inputs(5, 0, 6)
    ask_for_values(learner.swiglu_rmsnorm(gate, up, weight, 1e-6), gate, up, weight, 1e-6)
    buffer = torch.full((2, 8), CANARY)
    got = learner.swiglu_rmsnorm_into(buffer, 1, 1, torch.cat([gate, up], dim=1), weight, 1e-6)
    expect.equal(got, buffer, "the buffer")


@pytest.mark.edge
@pytest.mark.hint("load, cast to float32, compute; cast back when you store")
@pytest.mark.parametrize("size", [8.0, 250.0])
def test_float16_does_not_overflow(learner, size):
    """in float16 neither the squares of h nor h itself may overflow: 65504 is the largest float16"""
    gate, up, weight = inputs(6, 2, 700, "float16", size=size)
    ask_for_values(learner.swiglu_rmsnorm(gate, up, weight, 1e-6), gate, up, weight, 1e-6)


@pytest.mark.edge
@pytest.mark.hint("exp(100) is infinite in float32: let infinity end up in a denominator")
def test_large_gates(learner):
    """gates of +100 and -100 give finite answers, the formula's"""
    gate, up, weight = inputs(7, 2, 20)
    gate = gate + torch.tensor([100.0, -100.0]).repeat(10)
    got = learner.swiglu_rmsnorm(gate, up, weight, 1e-6)
    expect.finite(got)
    ask_for_values(got, gate, up, weight, 1e-6)


@pytest.mark.edge
@pytest.mark.hint("h = 0 makes the mean of squares 0: eps is there to be divided by")
def test_rows_of_zeros(learner):
    """a row of zeros gives zeros, and its neighbour does not notice"""
    gate, up, weight = inputs(8, 2, 24)
    up[0] = 0
    ask_for_values(learner.swiglu_rmsnorm(gate, up, weight, 1e-6), gate, up, weight, 1e-6)


@pytest.mark.edge
@pytest.mark.hint("the backward pass needs gate and up: write into a tensor of your own")
def test_inputs_stay(learner):
    """gate, up and weight are as before after the call"""
    gate, up, weight = inputs(9, 2, 24)
    got = expect.unchanged(learner.swiglu_rmsnorm, gate, up, weight, 1e-6)
    ask_for_values(got, gate, up, weight, 1e-6)


@pytest.mark.edge
@pytest.mark.hint("a kernel has no idea where a tensor ends: compare shapes before you launch")
def test_shapes_that_do_not_fit_are_refused(learner):
    """shapes that disagree, and a block that does not fit into the buffer, raise ValueError"""
    gate, up, weight = inputs(10, 2, 6)
    expect.raises(ValueError, learner.swiglu_rmsnorm, gate, up[:1], weight, 1e-6)
    expect.raises(ValueError, learner.swiglu_rmsnorm, gate, up[:, :5].contiguous(), weight, 1e-6)
    expect.raises(ValueError, learner.swiglu_rmsnorm, gate, up, weight[:5].contiguous(), 1e-6)
    both, buffer = torch.cat([gate, up], dim=1), torch.full((4, 8), CANARY)
    into = learner.swiglu_rmsnorm_into
    expect.raises(ValueError, into, buffer, 0, 0, both[:, :11].contiguous(), weight, 1e-6)
    expect.raises(ValueError, into, buffer, 3, 0, both, weight, 1e-6)
    expect.raises(ValueError, into, buffer, 0, 3, both, weight, 1e-6)
    fits = into(buffer, 2, 2, both, weight, 1e-6)
    ask_for_values(fits[2:, 2:], gate, up, weight, 1e-6, "a block in the last corner")


# --- scale --------------------------------------------------------------------------------------------------


@pytest.mark.scale
@pytest.mark.hint("the grid covers the rows: one launch starts all programs, and each keeps its row")
@pytest.mark.parametrize(("rows", "width"), [(1, 8), (60, 8), (2, 9000)])
def test_one_launch(learner, rows, width):
    """one kernel launch, for one row, for many rows and for wide rows: that is what fused means"""
    gate, up, weight = inputs(11, rows, width)
    seen = learner.swiglu_rmsnorm.observe(gate, up, weight, 1e-6)
    ask_for_values(seen.value, gate, up, weight, 1e-6)
    expect.equal(seen.launches, 1, "kernel launches of swiglu_rmsnorm")
    buffer = torch.full((rows + 2, width), CANARY)
    seen = learner.swiglu_rmsnorm_into.observe(buffer, 0, 0, torch.cat([gate, up], dim=1), weight, 1e-6)
    expect.equal(seen.launches, 1, "kernel launches of swiglu_rmsnorm_into")


@pytest.mark.gpu
@pytest.mark.scale
@pytest.mark.hint("the interpreter forgives what a compiler does not: types that change, blocks that do not fit")
@pytest.mark.parametrize(("rows", "width"), [(512, 4096), (64, 14336)])
def test_bfloat16_on_a_gpu(learner, rows, width):
    """compiled, on a CUDA device, bfloat16 rows as wide as a real model's agree with the formula"""
    if not hasattr(learner.swiglu_rmsnorm, "on_gpu"):
        pytest.skip("this grader does not place tensors on a GPU")
    gate, up, weight = inputs(12, rows, width, "bfloat16")
    ask_for_values(learner.swiglu_rmsnorm.on_gpu(gate, up, weight, 1e-6), gate, up, weight, 1e-6)
