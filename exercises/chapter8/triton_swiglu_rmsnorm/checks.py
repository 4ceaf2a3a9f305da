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
    """gate and up, normal with standard deviation ``size``, and a weight around 1; whole sixteenths, to be readable."""
    rng = np.random.default_rng(seed)
    numbers = np.round(16 * size * rng.standard_normal((2, rows, width))) / 16
    gate, up = torch.from_numpy(numbers).to(getattr(torch, dtype)).unbind()
    weight = torch.from_numpy(np.round(16 + 8 * rng.standard_normal(width)) / 16)
    return gate, up, weight.to(getattr(torch, weight_dtype or dtype))


def exact(gate, up, weight, eps):
    """The formula in float64."""
    g, u, w = (x.double().numpy() for x in (gate, up, weight))
    h = g * np.exp(-np.logaddexp(0, -g)) * u
    return h / np.sqrt((h * h).mean(axis=1, keepdims=True) + eps) * w


def ask_for_values(got, gate, up, weight, eps, what=""):
    """Compare with the formula, allowing the rounding that no honest order of operations exceeds.

    With v = 2⁻²⁴, float32's unit roundoff: exp(-g) is off by (|g| + 3)·v relatively, h by (|g| + 8)·v, the root of the
    mean of squares by as much again plus width/64·v (at least 32 lanes add side by side), and a few operations remain.
    Then at most two roundings to the dtype, before and after the weight: by half a unit each, or half of float16's
    smallest step, 2⁻²⁵.
    """
    largest = float(gate.abs().max()) if gate.numel() else 0.0
    rounding = 2.0**-24 * (2 * largest + gate.shape[1] / 64 + 32)
    narrow = 0.0 if gate.dtype == torch.float32 else torch.finfo(gate.dtype).eps
    floor = 1e-30  # below: what is lost when exp(-g) overflows in float32
    if gate.dtype == torch.float16:
        floor = 2.0**-25 * (1 + float(weight.abs().max()))
    expect.shape(got, tuple(gate.shape), what)
    expect.dtype(got, gate.dtype, what)
    expect.close(got, exact(gate, up, weight, eps), what, rtol=rounding + narrow, atol=floor)


def block_of(got, buffer, rows, columns):
    """A block of what came back for a buffer, once it is known to be a buffer of that kind."""
    expect.shape(got, tuple(buffer.shape), "the buffer")
    expect.dtype(got, buffer.dtype, "the buffer")
    return got[rows, columns]


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
    gate, up, weight = inputs(1, 2, 7)
    once = learner.swiglu_rmsnorm(gate, up, weight, 0.25)
    twice = learner.swiglu_rmsnorm(gate, 2 * up, weight, 1.0)
    expect.true(bool(expect.array(once).any()), "the answer is not all zeros", got=once)
    # Factors of two cost no rounding; what is left is the order of the sum, which may change from call to
    # call.
    expect.close(twice, expect.array(once), "with up doubled", rtol=2.0**-20, atol=0)


@pytest.mark.core
@pytest.mark.hint("the kernel computes; the Python function around it only allocates and launches")
def test_a_kernel_does_the_work(learner):
    """with launches switched off the answer is not right: it comes from a Triton kernel"""
    gate, up, weight = inputs(2, 2, 9)
    want = exact(gate, up, weight, 1e-6)
    got = expect.array(learner.swiglu_rmsnorm.without_kernels(gate, up, weight, 1e-6), shape=(2, 9))
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
    gate, up, weight = inputs(3, 3, 5)
    buffer = torch.full((8, 9), CANARY)
    seen = learner.swiglu_rmsnorm_into.observe(buffer, 1, 2, torch.cat([gate, up], dim=1), weight, 1e-6)
    block = block_of(seen.value, buffer, slice(1, 4), slice(2, 7))
    ask_for_values(block, gate, up, weight, 1e-6, "the block")
    expect.equal(seen.args[0], seen.value, "the buffer that was passed, after the call")


# --- edge ---------------------------------------------------------------------------------------------------


@pytest.mark.edge
@pytest.mark.hint("mask the store with the width: what lies right of the block is not yours")
def test_writes_only_its_block(learner):
    """everything around the block stays as it was, for a narrow and for a wide block"""
    column = 5
    for width in (5, 9000):
        gate, up, weight = inputs(4, 3, width, "float16")
        buffer = torch.full((9, column + width + 4), CANARY, dtype=torch.float16)
        rows, columns = slice(2, 5), slice(column, column + width)
        got = learner.swiglu_rmsnorm_into(buffer, 2, column, torch.cat([gate, up], dim=1), weight, 1e-6)
        block = block_of(got, buffer, rows, columns)
        touched = expect.array(got) != CANARY
        touched[rows, columns] = False
        what = "[row, column] of what was written around the block"
        expect.equal(np.argwhere(touched)[:4].tolist(), [], what)
        ask_for_values(block, gate, up, weight, 1e-6, "the block")


@pytest.mark.edge
@pytest.mark.hint("tl.arange takes powers of two only: round the width up and mask, or loop over the columns")
def test_any_width(learner):
    """one column, powers of two and their neighbours, and rows of twenty thousand columns"""
    for width in (1, 2, 127, 128, 129, 1000, 20000):
        gate, up, weight = inputs(width, 3, width)
        ask_for_values(learner.swiglu_rmsnorm(gate, up, weight, 0.1), gate, up, weight, 0.1)


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
def test_float16_does_not_overflow(learner):
    """in float16 neither the squares of h nor h itself may overflow: 65504 is the largest float16"""
    for size in (8.0, 250.0):
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
    corner = block_of(fits, buffer, slice(2, None), slice(2, None))
    ask_for_values(corner, gate, up, weight, 1e-6, "a block in the last corner")


# --- scale --------------------------------------------------------------------------------------------------


@pytest.mark.scale
@pytest.mark.hint("the grid covers the rows: one launch starts all programs, and each keeps its row")
def test_one_launch(learner):
    """one kernel launch, for one row, for many rows and for wide rows: that is what fused means"""
    for rows, width in ((1, 8), (40, 8), (2, 9000)):
        gate, up, weight = inputs(11, rows, width)
        seen = learner.swiglu_rmsnorm.observe(gate, up, weight, 1e-6)
        ask_for_values(seen.value, gate, up, weight, 1e-6)
        expect.equal(seen.launches, 1, "kernel launches of swiglu_rmsnorm")
        buffer = torch.full((2 * rows, width), CANARY)
        seen = learner.swiglu_rmsnorm_into.observe(buffer, 0, 0, torch.cat([gate, up], dim=1), weight, 1e-6)
        block = block_of(seen.value, buffer, slice(rows), slice(width))
        ask_for_values(block, gate, up, weight, 1e-6, "the block")
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
