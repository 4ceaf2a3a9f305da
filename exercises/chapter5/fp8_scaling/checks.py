"""Checks of fp8_scaling. Symbols: q E4M3 numbers, sf scale factors, amax the largest absolute value.

The oracle of rounding is the list of all E4M3 numbers; blocks are taken out one by one.
"""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

LARGEST, LEAST_AMAX = 448, 1e-4
NUMBERS = sorted({(8 * (e > 0) + m) * 2.0 ** (max(e, 1) - 10) for e in range(16) for m in range(8)} - {480.0})
GRID = np.array([*(-np.array(NUMBERS[:0:-1])), *NUMBERS])
# A product or quotient in float32 is off by 2**-24, 1 / sf and the product with it by 2**-23, sf itself by 1e-6.
RTOL, NEAR = 1e-6, 2e-6
RTOL_SCALE = 1e-5  # the contract
BLOCKS = st.tuples(st.integers(1, 4), st.integers(1, 4))
SIDES = st.integers(1, 9)
AMAX = st.one_of(st.sampled_from([0.0, math.inf, 1.0, 2.0, 10.0]), strategies.magnitudes(1e-30, 1e30))


def read(got, shape, what="q"):
    """The learner's E4M3 numbers."""
    numbers = expect.array(got, what, shape=shape)
    expect.finite(numbers, what)
    expect.true(np.isin(numbers, GRID), f"all entries of {what} are E4M3 numbers", got=numbers)
    return np.asarray(numbers, dtype=np.float64)


def require_nearest(q, exact, what):
    """Ask that no E4M3 number is nearer; both neighbours will do where ``exact`` is within NEAR of the middle."""
    exact = np.clip(exact, -LARGEST, LARGEST)
    nearest = np.abs(GRID - exact[..., None]).min(-1)
    expect.at_most(
        np.abs(q - exact), nearest + NEAR * np.abs(exact) + 1e-12, f"distance of {what} to what it stands for"
    )


def pieces(x, block):
    """Row and column of each block, and its slices."""
    for i, top in enumerate(range(0, x.shape[0], block[0])):
        for j, left in enumerate(range(0, x.shape[1], block[1])):
            yield (i, j), (slice(top, top + block[0]), slice(left, left + block[1]))


def counted(shape, block):
    """Blocks along both sides."""
    return tuple(-(-side // step) for side, step in zip(shape, block, strict=True))


def matrix(seed, shape, spread=6):
    """A float32 matrix whose entries have very different sizes."""
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(shape) * 10.0 ** rng.uniform(-spread / 2, spread / 2, shape)).astype(np.float32)


# --- delayed scaling


@pytest.mark.core
@pytest.mark.hint("the largest entry of the history should land at 448, or a margin below")
@given(
    history=st.lists(AMAX, min_size=1, max_size=6),
    scale=strategies.magnitudes(1e-3, 1e3),
    algorithm=st.sampled_from(["max", "most_recent"]),
    margin=st.integers(0, 10),
)
@example(history=[1.0, 2.0, 10.0], scale=224.0, algorithm="max", margin=0)
@example(history=[10.0, 2.0, 1.0], scale=44.8, algorithm="most_recent", margin=1)
@example(history=[1.0, math.inf], scale=44.8, algorithm="max", margin=0)
@example(history=[0.0, 3.0, 0.0], scale=44.8, algorithm="most_recent", margin=0)
def test_amax_lands_at_the_top(learner, history, scale, algorithm, margin):
    """the amax that counts, times the new scale, is 448 / 2**margin; without such an amax the scale stays"""
    got = expect.positive(learner.delayed_scale(history, scale, algorithm, margin), "the scale")
    amax = history[-1] if algorithm == "most_recent" else sorted(history)[-1]
    if amax in (0.0, math.inf):
        expect.close(got, scale, f"the scale, as before, since amax is {amax}", rtol=RTOL_SCALE, atol=0)
    else:
        expect.close(amax * got * 2**margin, 448, "amax times scale times 2**margin", rtol=RTOL_SCALE, atol=0)


@pytest.mark.core
@pytest.mark.hint("a step uses the scale that the steps before it gave")
@pytest.mark.parametrize(
    ("algorithm", "want"),
    [
        ("max", [1, 448, 224, 44.8, 44.8, 44.8, 448, 448]),
        ("most_recent", [1, 448, 224, 44.8, 448, 448, 448, 448]),
    ],
)
def test_eight_steps(learner, algorithm, want):
    """the scales of eight steps, as Transformer Engine computes them, and what saturates"""
    amaxes, scale, used = [1.0, 2.0, 10.0, 1.0, 1.0, 1.0, 1.0, 0.0], 1.0, []
    for step, amax in enumerate(amaxes):
        used.append(scale)
        q = read(learner.quantize(np.array([amax], dtype=np.float32), scale), (1,))
        if step in (1, 2):  # 2 * 448 and 10 * 224: the scale comes too late
            expect.equal(q[0], 448.0, f"q of the amax of step {step}")
        scale = expect.positive(learner.delayed_scale(amaxes[max(0, step - 2) : step + 1], scale, algorithm), "scale")
    expect.close(used, want, "the scales that the steps used", rtol=RTOL_SCALE, atol=0)


@pytest.mark.core
@pytest.mark.hint("clamp to 448 before the cast: the cast gives NaN for what is too large")
@given(seed=strategies.seeds(), shape=strategies.shapes(min_dims=0), scale=strategies.magnitudes(1e-6, 1e6))
@example(seed=0, shape=(4,), scale=1e6)
def test_quantize_saturates(learner, seed, shape, scale):
    """every number becomes the nearest E4M3 number, and what is too large becomes 448, never NaN"""
    x = np.asarray(matrix(seed, shape), dtype=np.float32)
    q = read(learner.quantize(x, scale), shape)
    require_nearest(q, x.astype(np.float64) * scale, "q")


@pytest.mark.edge
@pytest.mark.hint("infinity is too large, like any other number beyond 448; NaN is no number and stays NaN")
@given(scale=strategies.magnitudes(1e-6, 1e6), sign=st.sampled_from([-1, 1]))
def test_infinity_and_nan(learner, scale, sign):
    """infinity becomes 448, NaN stays NaN"""
    x = np.array([sign * math.inf, math.nan, 0.0], dtype=np.float32)
    got = expect.array(learner.quantize(x, scale), "q", shape=(3,))
    expect.equal(got, np.array([sign * 448.0, math.nan, 0.0]), "q of infinity, NaN and 0")


@pytest.mark.core
@pytest.mark.hint("to the nearest one, and to the even one of two: what does given.to_e4m3 do?")
@given(code=st.integers(0, 125), sign=st.sampled_from([-1, 1]), power=st.integers(-10, 10))
def test_every_number(learner, code, sign, power):
    """E4M3 numbers stay what they are, and the middle of two goes to the even one"""
    low, high = NUMBERS[code], NUMBERS[code + 1]
    even = low if code % 2 == 0 else high
    x = sign * np.array([low, (low + high) / 2, high], dtype=np.float32) * np.float32(2.0**-power)
    got = expect.array(learner.quantize(x, 2.0**power), "q", shape=(3,))
    expect.equal(got, sign * np.array([low, even, high]), "q of a number, the middle, and the next number")


# --- blocks


@pytest.mark.core
@pytest.mark.hint("one factor per block: its own amax over 448; the last blocks may be smaller")
@given(seed=strategies.seeds(), shape=st.tuples(SIDES, SIDES), block=BLOCKS)
@example(seed=1, shape=(2, 5), block=(1, 2))
@example(seed=1, shape=(5, 3), block=(2, 2))
def test_factor_of_each_block(learner, seed, shape, block):
    """each block has the factor that brings its amax to 448"""
    x = matrix(seed, shape)
    _, sf = pair(learner.blockwise_quantize(x, block), shape, block)
    for place, part in pieces(x, block):
        want = max(float(np.abs(x[part]).max()), LEAST_AMAX) / LARGEST
        expect.close(sf[place], want, f"sf of block {place}", rtol=RTOL, atol=0)


def pair(got, shape, block):
    """The learner's q and sf."""
    both = expect.sequence(got, "(q, sf)")
    expect.length(both, 2, "(q, sf)")
    sf = expect.array(both[1], "sf", shape=counted(shape, block))
    expect.finite(sf, "sf")
    expect.true(sf > 0, "every factor is above 0", got=sf)
    return read(both[0], shape), np.asarray(sf, dtype=np.float64)


@pytest.mark.core
@pytest.mark.hint("divide by the factor of the block that the entry is in, and round")
@given(seed=strategies.seeds(), shape=st.tuples(SIDES, SIDES), block=BLOCKS, power_of_two=st.booleans())
@example(seed=1, shape=(2, 5), block=(1, 2), power_of_two=False)
def test_entries_of_each_block(learner, seed, shape, block, power_of_two):
    """each entry is the nearest E4M3 number to x / sf, and none is too large"""
    x = matrix(seed, shape)
    q, sf = pair(learner.blockwise_quantize(x, block, power_of_two), shape, block)
    for place, part in pieces(x, block):
        exact = x[part].astype(np.float64) / sf[place]
        require_nearest(q[part], exact, f"q of block {place}")
        # Half a step: 2**-4 of a normal number, 2**-10 of a subnormal one.
        most = np.maximum(np.abs(exact) / 16, 2.0**-10) * (1 + 4 * NEAR)
        expect.at_most(np.abs(q[part] - exact), most, f"error in block {place}, over its factor")
        if not power_of_two and np.abs(x[part]).max() >= LEAST_AMAX:
            expect.equal(np.abs(q[part]).max(), 448, f"largest entry of block {place}")


@pytest.mark.core
@pytest.mark.hint("the next power of two upward: a smaller one would push the amax beyond 448")
@given(seed=strategies.seeds(), shape=st.tuples(SIDES, SIDES), block=BLOCKS, exact=st.integers(-3, 3))
@example(seed=1, shape=(1, 4), block=(1, 2), exact=0)
def test_powers_of_two(learner, seed, shape, block, exact):
    """factors are rounded up to powers of two, and those that are one stay"""
    x = matrix(seed, shape)
    x.flat[0] = 448 * 2.0**exact
    x = np.clip(x, -x.flat[0], x.flat[0])  # so that the first block's factor is 2**exact
    _, sf = pair(learner.blockwise_quantize(x, block, True), shape, block)
    fractions, _ = np.frexp(sf)
    expect.true(fractions == 0.5, "every factor is a power of two", got=sf)
    for place, part in pieces(x, block):
        least = max(float(np.abs(x[part]).max()), LEAST_AMAX) / LARGEST
        expect.between(sf[place], least * (1 - RTOL), 2 * least * (1 - RTOL), f"sf of block {place}")
    expect.equal(sf[0, 0], 2.0**exact, "sf of the first block, whose amax is 448 times a power of two")


@pytest.mark.core
@pytest.mark.hint("amax of a block is about this block only")
@given(seed=strategies.seeds(), shape=st.tuples(SIDES, SIDES), block=BLOCKS, size=strategies.magnitudes(1e4, 1e9))
def test_outliers_stay_at_home(learner, seed, shape, block, size):
    """an outlier changes its own block and no other"""
    x = matrix(seed, shape, spread=2)
    spoiled = x.copy()
    row, column = seed % shape[0], seed // 7 % shape[1]
    spoiled[row, column] = size
    (q, sf), (q_spoiled, sf_spoiled) = (
        pair(learner.blockwise_quantize(each, block), shape, block) for each in (x, spoiled)
    )
    for place, part in pieces(x, block):
        if place == (row // block[0], column // block[1]):
            expect.close(sf_spoiled[place], size / 448, "sf of the outlier's block", rtol=RTOL, atol=0)
        else:
            expect.equal(q_spoiled[part], q[part], f"q of block {place}, which has no outlier")
            expect.equal(sf_spoiled[place], sf[place], f"sf of block {place}")


@pytest.mark.core
@pytest.mark.hint("try a column of outliers: per tensor it takes the range away from everything else")
def test_column_of_outliers(learner):
    """with an outlier ten million times as large in each row, blocks keep an error of 2.6 %"""
    # Errors relative to the rest of the matrix, by root mean square. A rounding error that is uniform in half a
    # step is between 2**-5 / sqrt(3) = 1.8 % and 2**-4 / sqrt(3) = 3.6 % of its number; a single block loses all.
    x = np.random.default_rng(5).standard_normal((32, 256)).astype(np.float32)
    x[:, 0] *= 1e7
    for block, low, high in (((1, 32), 0.02, 0.032), ((32, 256), 0.9, 1.1)):
        q, sf = pair(learner.blockwise_quantize(x, block), x.shape, block)
        back = q * sf.repeat(block[0], 0).repeat(block[1], 1)
        error, rest = (back - x)[:, 32:], x[:, 32:]
        expect.between(
            np.sqrt((error**2).mean() / (rest**2).mean()), low, high, f"relative error with blocks of {block}"
        )


@pytest.mark.edge
@pytest.mark.hint("an amax below 1e-4 counts as 1e-4, so nothing is divided by 0")
@given(
    shape=st.tuples(SIDES, SIDES), block=BLOCKS, tiny=st.sampled_from([0.0, 1e-30, 9e-5]), power_of_two=st.booleans()
)
def test_blocks_of_zeros(learner, shape, block, tiny, power_of_two):
    """blocks of zeros and of very small numbers have the least factor"""
    x = np.full(shape, tiny, dtype=np.float32)
    q, sf = pair(learner.blockwise_quantize(x, block, power_of_two), shape, block)
    least = 2.0**-22 if power_of_two else LEAST_AMAX / 448  # 1e-4 / 448 is 0.936 * 2**-22
    expect.close(sf, np.full(counted(shape, block), least), "sf", rtol=RTOL, atol=0)
    require_nearest(q, np.full(shape, np.float64(np.float32(tiny)) / least), "q")


# --- products


def quantized(seed, m, n, k, block):
    """Random E4M3 numbers and factors, as fp8_matmul takes them."""
    rng = np.random.default_rng(seed)
    qa, qb = (GRID[rng.integers(0, len(GRID), (rows, k))].astype(np.float32) for rows in (m, n))
    blocks = -(-k // block)
    sa, sb = (2.0 ** rng.uniform(-8, 8, (rows, blocks)) for rows in (m, -(-n // block)))
    return qa, sa.astype(np.float32), qb, sb.astype(np.float32)


@pytest.mark.core
@pytest.mark.hint("scale each block's partial sum by both factors before you add it to the others")
@given(seed=strategies.seeds(), m=SIDES, n=SIDES, k=st.integers(1, 12), block=st.integers(1, 5))
@example(seed=0, m=2, n=3, k=4, block=2)
def test_product(learner, seed, m, n, k, block):
    """the product is that of the dequantized matrices"""
    qa, sa, qb, sb = quantized(seed, m, n, k, block)
    got = expect.array(learner.fp8_matmul(qa, sa, qb, sb, block), "the product", shape=(m, n))
    place = np.arange(max(n, k)) // block
    a = qa.astype(np.float64) * sa[:, place[:k]]
    b = qb.astype(np.float64) * sb[place[:n]][:, place[:k]]
    # k products and at most 2 k sums and scalings in float32, each off by 2**-24 of what has been added so far.
    most = (3 * k + 4) * 2.0**-24 * (np.abs(a) @ np.abs(b).T)
    expect.close(got, a @ b.T, "the product", rtol=0, atol=most)


@pytest.mark.edge
@pytest.mark.hint("blocks are 128 long unless the caller says otherwise")
@settings(max_examples=3)
@given(seed=strategies.seeds())
def test_default_block(learner, seed):
    """without a block size, blocks are 128 long"""
    qa, sa, qb, sb = quantized(seed, 2, 130, 260, 128)
    got = expect.array(learner.fp8_matmul(qa, sa, qb, sb), "the product", shape=(2, 130))
    place = np.arange(260) // 128
    a = qa.astype(np.float64) * sa[:, place]
    b = qb.astype(np.float64) * sb[place[:130]][:, place]
    most = (3 * 260 + 4) * 2.0**-24 * (np.abs(a) @ np.abs(b).T)  # as above
    expect.close(got, a @ b.T, "the product", rtol=0, atol=most)


@pytest.mark.core
@pytest.mark.hint(
    "quantize activations in rows of blocks, weights in squares; the error stays within that of the entries"
)
@given(seed=strategies.seeds(), m=SIDES, n=SIDES, k=st.integers(1, 12), block=st.integers(1, 5))
def test_whole_way(learner, seed, m, n, k, block):
    """quantized and multiplied, a product is off by no more than its entries are"""
    a, b = matrix(seed, (m, k), spread=1), matrix(seed + 1, (n, k), spread=1)
    (qa, sa), (qb, sb) = (
        pair(learner.blockwise_quantize(each, shape), each.shape, shape)
        for each, shape in ((a, (1, block)), (b, (block, block)))
    )
    parts = (each.astype(np.float32) for each in (qa, sa, qb, sb))
    got = expect.array(learner.fp8_matmul(*parts, block), "the product", shape=(m, n))
    # Each entry is off by 1/16 of itself or by half a subnormal step, 2**-10 of its factor, and by float32's rounding.
    spread_a, spread_b = sa.repeat(block, 1)[:, :k], sb.repeat(block, 0).repeat(block, 1)[:n, :k]
    off_a, off_b = (np.abs(x) / 16 + s * 2.0**-10 for x, s in ((a, spread_a), (b, spread_b)))
    most = off_a @ np.abs(b).T + np.abs(a) @ off_b.T + off_a @ off_b.T
    expect.close(got, a.astype(np.float64) @ b.T, "the product", rtol=1e-5, atol=1.001 * most)


@pytest.mark.edge
@pytest.mark.hint('two algorithms, "max" and "most_recent", and ValueError for any other')
@given(algorithm=st.sampled_from(["", "Max", "min", "mean"]))
def test_unknown_algorithm(learner, algorithm):
    """an unknown algorithm is an error"""
    expect.raises(ValueError, learner.delayed_scale, [1.0, 2.0], 1.0, algorithm)


# --- scale


@pytest.mark.scale
@pytest.mark.hint("add block after block to one array; do not keep all partial products")
def test_memory_of_a_product(learner):
    """a product over 128 blocks does not keep 128 partial products"""
    # One result takes 1 MiB, all partial products 128 MiB, the dequantized arguments 16 MiB (32 MiB in float64).
    args = quantized(3, 512, 512, 4096, 32)
    expect.peak_memory(learner.fp8_matmul, (*args, 32), at_most_mb=80, what="for 512 x 512 results over k = 4096")
