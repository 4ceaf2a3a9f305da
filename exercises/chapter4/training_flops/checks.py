"""Checks of training_flops. Symbols: N weights of matrix products, D tokens, T tokens of a sequence.

The oracle runs the passes of a small transformer product by product, each with its sizes, and counts.
"""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect

# The contract. A float64 that sums a few exact integers rounds by less than 1e-14.
RTOL = 1e-9
TINY = {"vocab": 10, "hidden": 4, "layers": 2, "heads": 2, "kv_heads": 1, "head_dim": 2, "ffn": 6, "gated": False}
RECOMPUTE = ("none", "selective", "full")

SMALL = st.builds(
    lambda kv_heads, group, **sizes: {**sizes, "heads": kv_heads * group, "kv_heads": kv_heads},
    kv_heads=st.integers(1, 3),
    group=st.integers(1, 3),
    vocab=st.integers(1, 20),
    hidden=st.integers(1, 12),
    layers=st.integers(1, 4),
    head_dim=st.integers(1, 6),
    ffn=st.integers(1, 20),
    gated=st.booleans(),
)
HOW = st.sampled_from(RECOMPUTE)


def product(rows, inner, columns):
    """FLOPs of a product of (rows, inner) and (inner, columns)."""
    return 2 * rows * inner * columns


def inside_attention(config, seq, causal):
    """The products without weights in one layer, for all tokens: (rows, inner, columns) of each."""
    for token in range(1, seq + 1):
        seen = token if causal else seq
        for _ in range(config["heads"]):
            yield 1, config["head_dim"], seen  # the query with the keys
            yield 1, seen, config["head_dim"]  # the weights of attention with the values


def with_weights(config, seq):
    """The products with weights in one layer, for all tokens."""
    queries, keys = config["heads"] * config["head_dim"], config["kv_heads"] * config["head_dim"]
    for columns in (queries, keys, keys):
        yield seq, config["hidden"], columns
    yield seq, queries, config["hidden"]
    for _ in range(2 if config["gated"] else 1):
        yield seq, config["hidden"], config["ffn"]
    yield seq, config["ffn"], config["hidden"]


def forward_and_backward(rows, inner, columns):
    """A product, and the products that give the gradients of its operands."""
    left = product(rows, columns, inner)  # the gradient of the result times the right operand, transposed
    right = product(inner, rows, columns)  # the left operand, transposed, times the gradient of the result
    return product(rows, inner, columns) + left + right


def counted(config, seq, causal, recompute):
    """FLOPs of a sequence, one product after the other."""
    total = forward_and_backward(seq, config["hidden"], config["vocab"])
    for _ in range(config["layers"]):
        attention, weights = list(inside_attention(config, seq, causal)), list(with_weights(config, seq))
        total += sum(forward_and_backward(*sizes) for sizes in attention + weights)
        again = {"none": [], "selective": attention, "full": attention + weights}[recompute]
        total += sum(product(*sizes) for sizes in again)
    return total


def per_token(learner, config, seq, causal=False, recompute="none"):
    """The learner's answer as a number that can be computed with."""
    return expect.positive(learner.flops_per_token(config, seq, causal, recompute), "FLOPs per token")


# --- counting


@pytest.mark.core
@pytest.mark.hint("list the matrix products of one token; each of them costs 2 FLOPs per pair forward and 4 backward")
@given(config=SMALL, seq=st.integers(1, 8))
@example(config=TINY, seq=5)
def test_products_are_counted(learner, config, seq):
    """a token costs what its products cost, forward and backward"""
    want = counted(config, seq, False, "none") / seq
    expect.close(per_token(learner, config, seq), want, "FLOPs per token, no mask", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("token t sees t tokens: what is the mean of 1, 2, ..., T?")
@given(config=SMALL, seq=st.integers(1, 8))
@example(config=TINY, seq=5)
def test_causal_products_are_counted(learner, config, seq):
    """behind a causal mask, nothing is computed that the mask hides"""
    want = counted(config, seq, True, "none") / seq
    got = per_token(learner, config, seq, causal=True)
    expect.close(got, want, "FLOPs per token, causal", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("what is computed again costs its forward FLOPs once more, and no further backward pass")
@given(config=SMALL, seq=st.integers(1, 8), causal=st.booleans(), recompute=st.sampled_from(RECOMPUTE[1:]))
@example(config=TINY, seq=5, causal=True, recompute="selective")
@example(config=TINY, seq=5, causal=True, recompute="full")
def test_recomputed_products_are_counted(learner, config, seq, causal, recompute):
    """recomputation adds the forward pass of what it recomputes"""
    want = counted(config, seq, causal, recompute) / seq
    got = per_token(learner, config, seq, causal, recompute)
    expect.close(got, want, "FLOPs per token", rtol=RTOL, atol=0)


# --- published figures

GPT3 = {"hidden": 12_288, "layers": 96, "heads": 96, "kv_heads": 96, "head_dim": 128, "ffn": 49_152, "gated": False}
PALM = {"hidden": 18_432, "layers": 118, "heads": 48, "kv_heads": 1, "head_dim": 256, "ffn": 73_728, "gated": True}


@pytest.mark.core
@pytest.mark.hint("the head counts once, the lookup not at all; shared keys are seen by every query head")
def test_palm(learner):
    """PaLM 540B reaches the 46.2 % of its peak that the paper reports"""
    # Chowdhery et al. 2022, section 4.1: 238.3 thousand tokens per second on 6144 chips of 275e12 FLOPs per second,
    # and 45.7 % without the products inside attention. Both are printed with three digits.
    flops = per_token(learner, {**PALM, "vocab": 256_000}, 2048)
    chips = 6144 * 275e12 / 238_300
    expect.between(flops / chips, 0.4615, 0.4625, "MFU of PaLM")
    weights = flops - 12 * 118 * 48 * 256 * 2048
    expect.between(weights / chips, 0.4565, 0.4575, "MFU of PaLM without attention")


@pytest.mark.core
@pytest.mark.hint("12 h² weights per layer, and the head: that is GPT-3's N")
def test_gpt3(learner):
    """GPT-3's products with weights come to 3.14 · 10²³ FLOPs"""
    # Brown et al. 2020, table D.1: 3.14E+23 for 300 billion tokens.
    flops = per_token(learner, {**GPT3, "vocab": 50_257}, 2048)
    weights = flops - 12 * 96 * 12_288 * 2048
    expect.between(weights * 300e9, 3.135e23, 3.145e23, "FLOPs of GPT-3")
    expect.between(learner.training_flops(weights / 6, 300e9), 3.135e23, 3.145e23, "6 N D of GPT-3")


@pytest.mark.core
@pytest.mark.hint("full recomputation runs the layers once more, and the head not")
@given(batch=st.integers(1, 4096), layers=st.integers(1, 128), width=st.integers(1, 200), seq=st.integers(1, 8192))
@example(batch=1536, layers=96, width=96, seq=2048)
def test_formula_of_megatron(learner, batch, layers, width, seq):
    """with full recomputation a batch costs 96 B s L h² (1 + s/6h + V/16Lh), as Megatron-LM's paper says"""
    # Narayanan et al. 2021, section 5.1, written with whole numbers: h = 128 heads, f = 4 h, V = 51,200, no mask.
    hidden, vocab = 128 * width, 51_200
    config = {"vocab": vocab, "hidden": hidden, "layers": layers, "heads": width, "kv_heads": width, "head_dim": 128}
    flops = per_token(learner, {**config, "ffn": 4 * hidden, "gated": False}, seq, recompute="full")
    want = batch * seq * (96 * layers * hidden**2 + 16 * layers * seq * hidden + 6 * vocab * hidden)
    expect.close(flops * batch * seq, want, "FLOPs of a batch", rtol=RTOL, atol=0)


# --- laws


@pytest.mark.core
@pytest.mark.hint("tokens that see nothing further pay for the weights only; the rest is a straight line over T")
@given(config=SMALL, seq=st.integers(2, 100_000), recompute=HOW)
def test_masked_work_is_the_difference(learner, config, seq, recompute):
    """the mask saves (T - 1)/2 tokens of attention, in each pass"""
    passes = 3 if recompute == "none" else 4
    width = config["layers"] * config["heads"] * config["head_dim"]
    full, causal = (per_token(learner, config, seq, mask, recompute) for mask in (False, True))
    # Written as a sum, so that no cancellation magnifies rounding: the tolerance is that of the larger answer.
    expect.close(causal + passes * 2 * width * (seq - 1), full, "causal and masked FLOPs together", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("parameters times tokens, and six of something")
@given(n=st.integers(1, 10**14), d=st.integers(1, 10**15))
@example(n=175 * 10**9, d=300 * 10**9)
def test_six_n_d(learner, n, d):
    """a run costs six FLOPs per parameter and token"""
    expect.close(learner.training_flops(n, d), n * d * 6, "FLOPs of the run", rtol=RTOL, atol=0)


# --- edges


@pytest.mark.edge
@pytest.mark.hint("a single token sees itself, mask or none")
@given(config=SMALL, recompute=HOW)
def test_one_token(learner, config, recompute):
    """for a sequence of one token the mask hides nothing"""
    want = counted(config, 1, False, recompute)
    for causal in (False, True):
        expect.close(per_token(learner, config, 1, causal, recompute), want, "FLOPs", rtol=RTOL, atol=0)


@pytest.mark.edge
@pytest.mark.hint("attention grows with T, the weights' work does not")
def test_long_contexts(learner):
    """at a context of a million tokens, nearly all FLOPs of Llama 3 8B are attention"""
    config = {"vocab": 128_256, "hidden": 4096, "layers": 32, "heads": 32, "kv_heads": 8, "head_dim": 128}
    config |= {"ffn": 14_336, "gated": True}
    for causal, seen in ((False, 10**6), (True, (10**6 + 1) / 2)):
        want = 6 * 7_504_658_432 + 12 * 32 * 4096 * seen  # Llama 3 8B; its weights without lookup and norms
        got = per_token(learner, config, 10**6, causal)
        expect.close(got, want, f"FLOPs per token, causal = {causal}", rtol=RTOL, atol=0)


@pytest.mark.edge
@pytest.mark.hint(
    "there are three ways of recomputing, and no run without parameters, tokens or a sequence: ValueError"
)
@given(wrong=st.integers(-3, 0), no_way=st.sampled_from(["all", "None", ""]))
def test_impossible_arguments(learner, wrong, no_way):
    """impossible arguments are errors"""
    expect.raises(ValueError, learner.flops_per_token, TINY, wrong, True, "none")
    expect.raises(ValueError, learner.flops_per_token, TINY, 5, True, no_way)
    expect.raises(ValueError, learner.training_flops, wrong, 10)
    expect.raises(ValueError, learner.training_flops, 10, wrong)
