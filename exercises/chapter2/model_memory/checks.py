"""Checks of model_memory.

The oracles list every tensor of a model by name, lay out the training state in real buffers, and fill a real
cache token by token; published totals and laws need no oracle at all.
"""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect

PARTS = ("embedding", "attention", "mlp", "norms", "head")
RECIPES = ("mixed_adam", "mixed_adam_fp32_gradients", "fp32_adam", "bf16_adam", "mixed_adam_8bit")
BLOCK = 2048


def form(vocab, positions, hidden, layers, heads, kv_heads, head_dim, ffn, gated, norm, bias, tied):
    """A config; the arguments are its keys."""
    return dict(locals())


def gpt2(hidden, layers):
    """GPT-2: heads of 64, an MLP four times as wide, LayerNorm, a bias everywhere, a tied head."""
    heads = hidden // 64
    sizes = (50_257, 1024, hidden, layers, heads, heads, 64, 4 * hidden)
    return form(*sizes, gated=False, norm="layernorm", bias="all", tied=True)


def llama(vocab, hidden, layers, heads, kv_heads, head_dim, ffn, bias="none", tied=False):
    """Llama and those that look like it: rotary positions, a gated MLP, RMSNorm."""
    sizes = (vocab, 0, hidden, layers, heads, kv_heads, head_dim, ffn)
    return form(*sizes, gated=True, norm="rmsnorm", bias=bias, tied=tied)


# What the released checkpoints hold, and the bytes of their cache per token in bf16.
PUBLISHED = {
    "GPT-2": (gpt2(768, 12), 124_439_808, 36_864),
    "GPT-2 medium": (gpt2(1024, 24), 354_823_168, 98_304),
    "GPT-2 large": (gpt2(1280, 36), 774_030_080, 184_320),
    "GPT-2 XL": (gpt2(1600, 48), 1_557_611_200, 307_200),
    "Llama 2 7B": (llama(32_000, 4096, 32, 32, 32, 128, 11_008), 6_738_415_616, 524_288),
    "Llama 2 70B": (llama(32_000, 8192, 80, 64, 8, 128, 28_672), 68_976_648_192, 327_680),
    "Llama 3 8B": (llama(128_256, 4096, 32, 32, 8, 128, 14_336), 8_030_261_248, 131_072),
    "Llama 3.2 1B": (llama(128_256, 2048, 16, 32, 8, 64, 8192, tied=True), 1_235_814_400, 32_768),
    "Qwen2 0.5B": (llama(151_936, 896, 24, 14, 2, 64, 4864, "qkv", True), 494_032_768, 12_288),
    "Mistral NeMo": (llama(131_072, 5120, 40, 32, 8, 128, 14_336), 12_247_782_400, 163_840),
}


def configs(most=6, max_layers=3, vocab=40):
    """Models of every form, small ones unless told otherwise; no size follows from another one."""

    def whole(sizes):
        groups, rest = sizes
        return {"heads": groups * rest["kv_heads"], **rest}

    size, few = st.integers(1, most), st.integers(1, min(most, 128))
    rest = st.fixed_dictionaries(
        {
            "vocab": st.integers(1, vocab),
            "positions": st.integers(0, vocab),
            "hidden": size,
            "layers": st.integers(0, max_layers),
            "kv_heads": few,
            "head_dim": few,
            "ffn": size,
            "gated": st.booleans(),
            "norm": st.sampled_from(["rmsnorm", "layernorm"]),
            "bias": st.sampled_from(["none", "qkv", "all"]),
            "tied": st.booleans(),
        }
    )
    return st.tuples(few, rest).map(whole)


TINY = form(10, 0, 8, 2, 2, 1, 4, 12, gated=True, norm="rmsnorm", bias="none", tied=False)


# --- oracles


def linear(part, inputs, outputs, bias):
    """The tensors of a linear layer, as pairs of part and shape."""
    return [(part, (outputs, inputs)), *([(part, (outputs,))] if bias else [])]


def norm_of(config):
    """The tensors of one norm."""
    names = ("weight", "bias") if config["norm"] == "layernorm" else ("weight",)
    return [("norms", (config["hidden"],)) for _ in names]


def layer_of(config):
    """The tensors of one layer."""
    hidden, ffn, width, bias = config["hidden"], config["ffn"], config["head_dim"], config["bias"]
    tensors = norm_of(config)
    for heads in (config["heads"], config["kv_heads"], config["kv_heads"]):  # query, key, value
        tensors += linear("attention", hidden, heads * width, bias in ("qkv", "all"))
    tensors += linear("attention", config["heads"] * width, hidden, bias == "all")
    tensors += norm_of(config)
    for _ in ("gate", "up") if config["gated"] else ("up",):
        tensors += linear("mlp", hidden, ffn, bias == "all")
    return tensors + linear("mlp", ffn, hidden, bias == "all")


def counted(config):
    """Parameters by part, from a list of every tensor."""
    tensors = [("embedding", (config["vocab"], config["hidden"]))]
    tensors += [("embedding", (config["positions"], config["hidden"]))]
    for _ in range(config["layers"]):
        tensors += layer_of(config)
    tensors += norm_of(config)
    if not config["tied"]:
        tensors += linear("head", config["hidden"], config["vocab"], bias=False)
    parts = dict.fromkeys(PARTS, 0)
    for part, shape in tensors:
        parts[part] += math.prod(shape)
    return {**parts, "total": sum(math.prod(shape) for _, shape in tensors)}


def buffers(params, recipe):
    """The training state laid out in arrays; 16-bit integers stand for bf16."""
    bf16, fp32 = (np.zeros(params, dtype) for dtype in ("int16", "float32"))
    byte, scales = np.zeros(params, "int8"), [np.float32(1) for _ in range(0, params, BLOCK)]
    return {
        "mixed_adam": ([bf16], [bf16], [fp32, fp32, fp32]),
        "mixed_adam_fp32_gradients": ([bf16], [fp32], [fp32, fp32, fp32]),
        "fp32_adam": ([fp32], [fp32], [fp32, fp32]),
        "bf16_adam": ([bf16], [bf16], [bf16, bf16]),
        "mixed_adam_8bit": ([bf16], [bf16], [fp32, byte, byte, *scales, *scales]),
    }[recipe]


# --- parameters


@pytest.mark.core
@pytest.mark.hint("list the tensors of this model with their shapes, and compare part by part")
@given(config=configs())
@example(config=TINY)
@example(config={**TINY, "bias": "qkv", "tied": True})
@example(config={**TINY, "bias": "all", "norm": "layernorm", "positions": 3})
def test_count_is_that_of_the_tensors(learner, config):
    """the count of each part is that of its tensors"""
    expect.equal(learner.count_parameters(config), counted(config), "parameters")


@pytest.mark.core
@pytest.mark.hint("all tensors count, small and large, and one that is used twice counts once")
@pytest.mark.parametrize("model", PUBLISHED)
def test_published_models(learner, model):
    """released checkpoints have as many parameters as counted, to the last one"""
    config, total, _ = PUBLISHED[model]
    parts = expect.instance(learner.count_parameters(config), dict, "the count")
    expect.equal(parts.get("total"), total, f"parameters of {model}")


@pytest.mark.core
@pytest.mark.hint("each part belongs to the total, and nothing else does")
@given(config=configs(most=20_000, max_layers=200, vocab=300_000))
def test_parts_add_up(learner, config):
    """the parts add up to the total; each layer adds as much as the one before"""
    one, two = (
        expect.instance(learner.count_parameters({**config, "layers": layers}), dict, "the count")
        for layers in (config["layers"], 2 * config["layers"] + 1)
    )
    for count in (one, two):
        expect.same_items(list(count), [*PARTS, "total"], "keys")
        expect.equal(sum(expect.number(count[part], part) for part in PARTS), count["total"], "sum of the parts")
    for part in ("embedding", "head"):
        expect.equal(two[part], one[part], f"{part} with more layers")
    for part in ("attention", "mlp"):
        layer = expect.number(two[part], part) - 2 * expect.number(one[part], part)
        expect.equal(one[part], config["layers"] * layer, f"{part} of {config['layers']} equal layers")


@pytest.mark.edge
@pytest.mark.hint("the norm after the last layer is there even where no layer is")
@given(config=configs(max_layers=0))
def test_no_layers(learner, config):
    """a model without layers has embedding, norm and head; its cache is empty"""
    expect.equal(learner.count_parameters(config), counted(config), "parameters")
    expect.equal(learner.kv_cache_bytes(config, 3, 5), 0, "bytes of the cache")


LARGE = {
    "Llama 3 70B": (llama(128_256, 8192, 80, 64, 8, 128, 28_672), 70_553_706_496),
    "Llama 3.1 405B": (llama(128_256, 16_384, 126, 128, 8, 128, 53_248), 405_853_388_800),
}


@pytest.mark.scale
@pytest.mark.hint("multiply the sides of each tensor; an array of its size is not needed to know its size")
@pytest.mark.parametrize("model", LARGE)
def test_counted_without_being_built(learner, model):
    """models of 70 and 405 billion parameters are counted in little memory"""
    config, total = LARGE[model]
    seen = learner.count_parameters.observe(config)
    expect.equal(expect.instance(seen.value, dict, "the count").get("total"), total, f"parameters of {model}")
    if seen.peak_mb is not None:  # one byte per element of the token table would be 1000 and 2000
        expect.at_most(seen.peak_mb, 500, "megabytes of memory used for counting")


# --- training state


@pytest.mark.core
@pytest.mark.hint("which tensors does the recipe keep, in which format? A block that is not full has a scale, too")
@pytest.mark.parametrize("recipe", RECIPES)
@given(params=st.integers(0, 3 * BLOCK))
@example(params=BLOCK)
@example(params=BLOCK + 1)
def test_state_is_that_of_the_buffers(learner, recipe, params):
    """weights, gradients and optimizer take as much as their buffers"""
    sizes = [sum(buffer.nbytes for buffer in group) for group in buffers(params, recipe)]
    want = dict(zip(("parameters", "gradients", "optimizer"), sizes, strict=True))
    expect.equal(learner.state_bytes(params, recipe), {**want, "total": sum(sizes)}, f"bytes of {recipe}")


@pytest.mark.core
@pytest.mark.hint("weights + gradients + master copy + two moments; scales add 2 x 4 bytes per 2048 parameters")
@given(blocks=st.integers(1, 10**13 // BLOCK))
def test_bytes_per_parameter(learner, blocks):
    """the recipes take 16, 18, 16, 8 and a little more than 10 bytes per parameter, however large the model"""
    params = blocks * BLOCK
    scales = 2 * 4 * blocks
    for recipe, each in zip(RECIPES, (16, 18, 16, 8, 10), strict=True):
        want = each * params + (scales if recipe == "mixed_adam_8bit" else 0)
        state = expect.instance(learner.state_bytes(params, recipe), dict, "the state")
        expect.equal(state.get("total"), want, f"bytes of {recipe}")


# --- cache


@pytest.mark.core
@pytest.mark.hint("what does one token add in one layer? A key and a value for each kv head")
@given(
    config=configs(most=4),
    batch=st.integers(0, 4),
    length=st.integers(0, 5),
    value=st.sampled_from([1, 2, 4]),
)
@example(config=TINY, batch=3, length=5, value=2)
def test_cache_is_filled_token_by_token(learner, config, batch, length, value):
    """the cache takes as much as the keys and values that each token appends"""
    cache = []
    for _ in range(length):
        for _ in range(config["layers"]):
            key, made = (np.zeros((batch, config["kv_heads"], config["head_dim"]), f"V{value}") for _ in "kv")
            cache += [key, made]
    want = sum(tensor.nbytes for tensor in cache)
    expect.equal(learner.kv_cache_bytes(config, batch, length, value), want, "bytes of the cache")
    expect.equal(learner.kv_cache_bytes(config, batch, length, bytes_per_value=value), want, "bytes of the cache")


@pytest.mark.core
@pytest.mark.hint("without a fourth argument a value is bf16; bytes, not GiB")
@given(batch=st.integers(1, 512), length=st.integers(1, 1_000_000))
@example(batch=1, length=8192)
def test_cache_of_published_models(learner, batch, length):
    """a token of Llama 2 7B takes 524,288 bytes in the cache, one of Llama 3 8B 131,072"""
    for model, (config, _, per_token) in PUBLISHED.items():
        got = learner.kv_cache_bytes(config, batch, length)
        expect.equal(got, batch * length * per_token, f"bytes of the cache of {model}")


# --- errors


@pytest.mark.edge
@pytest.mark.hint("each kv head serves the same number of query heads: raise ValueError where that is impossible")
@given(config=configs(), more=st.integers(1, 5))
def test_kv_heads_divide_heads(learner, config, more):
    """kv heads that do not divide the query heads are an error"""
    kv_heads = config["kv_heads"] + 1  # at least 2, so that a remainder is possible
    heads = config["heads"] * kv_heads + min(more, kv_heads - 1)
    wrong = {**config, "heads": heads, "kv_heads": kv_heads}
    expect.raises(ValueError, learner.count_parameters, wrong)
    expect.raises(ValueError, learner.kv_cache_bytes, wrong, 1, 1)


@pytest.mark.edge
@pytest.mark.hint("raise ValueError for a recipe that README.md does not name; a KeyError is another error")
@given(params=st.integers(0, 100), recipe=st.sampled_from(["adam", "mixed", "", "fp8_adam"]))
def test_unknown_recipe(learner, params, recipe):
    """a recipe that does not exist is an error"""
    expect.raises(ValueError, learner.state_bytes, params, recipe)
