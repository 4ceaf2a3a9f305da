"""Checks of mfu. Symbols: N weights that a token meets, L layers, H heads of width Q, T tokens of a sequence."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

# The contract. A dozen operations in float64 round by less than 1e-14.
RTOL = 1e-9
A100, H100 = {"dense_flops": 312e12, "sparse_flops": 624e12}, {"dense_flops": 989.4e12, "sparse_flops": 1978.9e12}
TPU4 = {"dense_flops": 275e12, "sparse_flops": 275e12}
RECOMPUTE = st.sampled_from(["none", "selective", "full"])

MODELS = st.fixed_dictionaries(
    {
        "embedding_weights": st.integers(1, 300),
        "dense_weights": st.integers(1, 300),
        "expert_weights": st.integers(1, 300),
        "experts": st.integers(4, 9),
        "active_experts": st.integers(0, 4),
        "head_weights": st.integers(1, 300),
        "layers": st.integers(1, 5),
        "heads": st.integers(1, 5),
        "head_dim": st.integers(1, 5),
    }
)
TINY = {"embedding_weights": 40, "dense_weights": 192, "expert_weights": 0, "experts": 0, "active_experts": 0}
TINY |= {"head_weights": 40, "layers": 2, "heads": 2, "head_dim": 2}
CHIPS = st.builds(
    lambda dense, more: {"dense_flops": dense, "sparse_flops": dense * more},
    strategies.magnitudes(1e12, 5e15),
    st.integers(2, 4),
)


def passes(model, seq, causal):
    """Forward FLOPs per token: of the layers' weights, inside attention, of the head; the mask token by token."""
    weights = model["dense_weights"] + model["active_experts"] * model["expert_weights"]
    seen = sum(range(1, seq + 1)) / seq if causal else seq
    attention = sum(2 * 2 * model["head_dim"] * seen for _ in range(model["layers"] * model["heads"]))
    return 2 * weights, attention, 2 * model["head_weights"]


def dense(hidden, layers, heads, kv_heads, head_dim, ffn, matrices, vocab):
    """A published model."""
    layer = 2 * hidden * head_dim * (heads + kv_heads) + matrices * hidden * ffn
    return {
        **dict.fromkeys(("expert_weights", "experts", "active_experts"), 0),
        "embedding_weights": vocab * hidden,
        "dense_weights": layers * layer,
        "head_weights": vocab * hidden,
        "layers": layers,
        "heads": heads,
        "head_dim": head_dim,
    }


PALM = dense(18_432, 118, 48, 1, 256, 73_728, 3, 256_000)
LLAMA = dense(16_384, 126, 128, 8, 128, 53_248, 3, 128_256)
TRILLION = dense(25_600, 128, 160, 160, 160, 102_400, 2, 51_200)


# --- utilization by formula


@pytest.mark.core
@pytest.mark.hint("which weights does a token meet in a product, and how many tokens does it attend to?")
@given(
    model=MODELS,
    seq=st.integers(1, 9),
    causal=st.booleans(),
    rate=strategies.magnitudes(1, 1e7),
    chips=st.integers(1, 20_000),
    chip=CHIPS,
)
@example(model=TINY, seq=5, causal=False, rate=100, chips=2, chip={"dense_flops": 468_000, "sparse_flops": 936_000})
def test_model_flops(learner, model, seq, causal, rate, chips, chip):
    """MFU counts forward and backward pass of what a token meets, against the dense peak of all chips"""
    want = 3 * sum(passes(model, seq, causal)) * rate / (chips * chip["dense_flops"])
    expect.close(learner.mfu(model, seq, causal, rate, chips, chip), want, "MFU", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("what is computed again costs its forward FLOPs once more; the head is not computed again")
@given(
    model=MODELS,
    seq=st.integers(1, 9),
    causal=st.booleans(),
    recompute=RECOMPUTE,
    rate=strategies.magnitudes(1, 1e7),
    chips=st.integers(1, 20_000),
    chip=CHIPS,
)
@example(model=TINY, seq=5, causal=True, recompute="selective", rate=100, chips=1, chip=A100)
@example(model=TINY, seq=5, causal=False, recompute="full", rate=100, chips=1, chip=A100)
def test_hardware_flops(learner, model, seq, causal, recompute, rate, chips, chip):
    """HFU counts what is computed again as well"""
    layers, attention, head = passes(model, seq, causal)
    times = {"none": (3, 3), "selective": (3, 4), "full": (4, 4)}[recompute]
    want = (times[0] * layers + times[1] * attention + 3 * head) * rate / (chips * chip["dense_flops"])
    expect.close(learner.hfu(model, seq, causal, recompute, rate, chips, chip), want, "HFU", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("the embedding is looked up, and experts that a token does not visit do nothing for it")
@given(model=MODELS, seq=st.integers(1, 9), causal=st.booleans(), more=st.integers(1, 1000))
def test_idle_weights(learner, model, seq, causal, more):
    """a larger embedding and more experts change nothing as long as a token meets the same weights"""
    larger = {**model, "embedding_weights": model["embedding_weights"] + more, "experts": model["experts"] + more}
    for name, args in (("mfu", ()), ("hfu", ("full",))):
        one, two = (getattr(learner, name)(each, seq, causal, *args, 1000.0, 1, A100) for each in (model, larger))
        expect.close(two, expect.positive(one, name), f"{name} of the larger model", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("6 N + 12 L H Q T, over the peak of the data sheet's dense rate")
def test_palm(learner):
    """PaLM 540B: an MFU of 46.2 %"""
    # Chowdhery et al. 2022, section 4.1: 238.3 thousand tokens per second on 6144 TPU v4, "model FLOPs utilization of
    # 46.2 %"; printed with three digits.
    got = expect.number(learner.mfu(PALM, 2048, False, 238_300, 6144, TPU4), "MFU")
    expect.between(got, 0.4615, 0.4625, "MFU of PaLM")


@pytest.mark.core
@pytest.mark.hint("full recomputation runs the layers once more, and the head not")
def test_trillion_parameters(learner):
    """Megatron-LM's model of a trillion parameters: 163 TFLOPs per second and GPU, 52 % of the peak"""
    # Narayanan et al. 2021, table 1 and section 5.1: 96 B s L h² (1 + s/6h + V/16Lh) FLOPs for a batch of 3072
    # sequences of 2048 tokens, which takes 102.6 s on 3072 A100 at 163 TFLOPs per second.
    rate = 3072 * 2048 / 102.63
    got = expect.number(learner.hfu(TRILLION, 2048, False, "full", rate, 3072, A100), "HFU")
    expect.between(got, 0.5219, 0.5229, "HFU, 163 of 312 TFLOPs per second")
    useful = expect.number(learner.mfu(TRILLION, 2048, False, rate, 3072, A100), "MFU")
    expect.between(got / useful, 1.33, 4 / 3, "HFU over MFU, just below 8/6")


@pytest.mark.core
@pytest.mark.hint("Llama 3 counts half of attention, behind its causal mask, and active weights only")
def test_llama_3(learner):
    """Llama 3 405B: 430 and 380 TFLOPs per second and GPU are 43 % and 38 %"""
    # Dubey et al. 2024, table 4. 2.52396e12 FLOPs per token is what Megatron-LM's num_floating_point_operations says.
    for tflops, percent in ((430, 43), (380, 38)):
        rate = 16_384 * tflops * 1e12 / 2.52396e12
        got = expect.number(learner.mfu(LLAMA, 8192, True, rate, 16_384, H100), "MFU")
        expect.between(100 * got, percent - 0.5, percent + 0.5, f"percent for {tflops} TFLOPs per second")
        # Megatron-LM takes T / 2 for (T + 1) / 2, which is 5e-6 of the whole.
        expect.close(got, tflops / 989.4, "MFU", rtol=1e-4, atol=0)


# --- a real run

CONFIGS = st.builds(
    lambda heads, width, **sizes: {"hidden": heads * width, "heads": heads, **sizes},
    heads=st.integers(1, 3),
    width=st.integers(1, 4),
    vocab=st.integers(2, 20),
    layers=st.integers(1, 2),
    ffn=st.integers(1, 12),
    seq=st.integers(1, 7),
    batch=st.integers(1, 3),
    recompute=st.booleans(),
)
SMALL = {"hidden": 8, "heads": 2, "vocab": 10, "layers": 2, "ffn": 12, "seq": 5, "batch": 2, "recompute": True}
SLOW_START = [9.0, 3.0, 0.5, 0.25, 0.75, 0.5, 0.5, 0.5, 0.5, 40.0]
KEYS = ("tokens_per_s", "flops_per_token", "mfu", "hfu")


def measured(learner, config, durations, warmup, steps, chip):
    """The learner's answer, as numbers."""
    got = expect.instance(learner.measure(config, durations, warmup, steps, chip), dict, "the measurement")
    return {key: expect.positive(got.get(key), key) for key in KEYS}


def as_model(config):
    """The model that the Trainer trains."""
    hidden, vocab = config["hidden"], config["vocab"]
    sizes = (hidden, config["layers"], config["heads"], config["heads"], hidden // config["heads"], config["ffn"])
    return dense(*sizes, 2, vocab)


@pytest.mark.core
@pytest.mark.hint("wait for the device before you read the clock, both times; warm-up steps are not timed")
@settings(max_examples=8)
@given(
    durations=st.lists(st.integers(1, 40), min_size=9, max_size=9), warmup=st.integers(0, 4), steps=st.integers(1, 5)
)
@example(durations=[round(100 * each) for each in SLOW_START], warmup=3, steps=4)
def test_throughput(learner, durations, warmup, steps):
    """tokens per second are those of the timed steps"""
    seconds = [each / 100 for each in durations]
    got = measured(learner, SMALL, seconds, warmup, steps, A100)
    want = steps * 10 / sum(seconds[warmup : warmup + steps])
    expect.close(got["tokens_per_s"], want, "tokens per second", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint(
    "FLOPs and HFU are what one step carries out, MFU is what the model needs: they differ by what is repeated"
)
@settings(max_examples=8)
@given(config=CONFIGS, warmup=st.integers(0, 2), steps=st.integers(1, 2), chip=CHIPS)
@example(config=SMALL, warmup=2, steps=2, chip=A100)
def test_utilization_of_a_run(learner, config, warmup, steps, chip):
    """FLOPs that torch counts are those of the formula, recomputation included; MFU and HFU come from them"""
    got = measured(learner, config, SLOW_START, warmup, steps, chip)
    layers, attention, head = passes(as_model(config), config["seq"], False)
    again = layers + attention if config["recompute"] else 0
    needed = 3 * (layers + attention + head)
    expect.close(got["flops_per_token"], needed + again, "counted FLOPs per token", rtol=RTOL, atol=0)
    seconds = sum(SLOW_START[warmup : warmup + steps])
    rate = steps * config["batch"] * config["seq"] / seconds / chip["dense_flops"]
    expect.close(got["mfu"], needed * rate, "MFU", rtol=RTOL, atol=0)
    expect.close(got["hfu"], (needed + again) * rate, "HFU", rtol=RTOL, atol=0)


# --- edges


@pytest.mark.edge
@pytest.mark.hint("twice the chips at the same throughput are used half as well")
@given(model=MODELS, chips=st.integers(1, 10_000), rate=strategies.magnitudes(1, 1e6), recompute=RECOMPUTE)
def test_proportions(learner, model, chips, rate, recompute):
    """MFU and HFU are proportional to the throughput per chip, and HFU is never below MFU"""
    one = expect.positive(learner.mfu(model, 1, True, rate, chips, A100), "MFU")
    expect.close(learner.mfu(model, 1, False, rate, 2 * chips, A100), one / 2, "MFU of 2 N chips", rtol=RTOL, atol=0)
    more = expect.positive(learner.hfu(model, 1, True, recompute, 3 * rate, chips, A100), "HFU")
    expect.at_least(more, 3 * one * (1 - RTOL), "HFU at three times the throughput")


@pytest.mark.edge
@pytest.mark.hint("three ways of recomputing, and ValueError for any other")
@given(recompute=st.sampled_from(["", "all", "Full", "None"]))
def test_unknown_recomputation(learner, recompute):
    """an unknown way of recomputing is an error"""
    expect.raises(ValueError, learner.hfu, TINY, 5, True, recompute, 100.0, 1, A100)
