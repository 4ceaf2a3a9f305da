"""The reference of model_memory against modules on torch's meta device, transformers' models, and torch's own AdamW."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

torch = pytest.importorskip("torch", reason="counts the tensors of torch modules")

REFERENCE = import_file(
    Path(__file__).parents[3] / "solutions" / "chapter2" / "model_memory" / "reference.py", "reference_of_model_memory"
)

PARTS = {  # what transformers calls the tensors of each part
    "attention": ("attn", "q_proj", "k_proj", "v_proj", "o_proj"),
    "mlp": ("mlp", "c_fc", "gate_proj", "up_proj", "down_proj"),
    "embedding": ("embed_tokens", "wte", "wpe"),
    "norms": ("norm", "ln_1", "ln_2", "ln_f"),
    "head": ("lm_head",),
}


def part_of(name: str) -> str:
    """The part that a parameter belongs to, by its name; norms first, for input_layernorm and ln_1 live in layers."""
    for part in ("norms", "attention", "mlp", "embedding", "head"):
        if any(word in name for word in PARTS[part]):
            return part
    raise AssertionError(f"no part for {name}")


def counted(model) -> dict[str, int]:
    """Parameters of a module by part; a tied tensor comes once, as the embedding."""
    parts = dict.fromkeys(("embedding", "attention", "mlp", "norms", "head"), 0)
    for name, tensor in model.named_parameters():
        parts[part_of(name)] += tensor.numel()
    return {**parts, "total": sum(parts.values())}


def drawn(seed: int) -> dict[str, object]:
    """A random config whose sizes have nothing to do with one another, heads apart."""
    draw = np.random.default_rng(seed)
    kv_heads = int(draw.integers(1, 5))
    return {
        "vocab": int(draw.integers(1, 500)),
        "positions": int(draw.integers(0, 100)),
        "hidden": int(draw.integers(1, 64)),
        "layers": int(draw.integers(1, 4)),
        "heads": kv_heads * int(draw.integers(1, 5)),
        "kv_heads": kv_heads,
        "head_dim": 2 * int(draw.integers(1, 9)),
        "ffn": int(draw.integers(1, 100)),
        "gated": bool(draw.integers(2)),
        "norm": str(draw.choice(["rmsnorm", "layernorm"])),
        "bias": str(draw.choice(["none", "qkv", "all"])),
        "tied": bool(draw.integers(2)),
    }


class Model(torch.nn.Module):
    """A transformer of torch's own layers, for forms that no library has."""

    def __init__(self, config):
        super().__init__()
        linear = torch.nn.Linear
        hidden, width, ffn = config["hidden"], config["head_dim"], config["ffn"]
        norm = torch.nn.LayerNorm if config["norm"] == "layernorm" else torch.nn.RMSNorm
        self.embed_tokens = torch.nn.Embedding(config["vocab"], hidden)
        self.wpe = torch.nn.Embedding(config["positions"], hidden)
        layers = []
        for _ in range(config["layers"]):
            layer = {
                "ln_1": norm(hidden),
                "q_proj": linear(hidden, config["heads"] * width, bias=config["bias"] != "none"),
                "k_proj": linear(hidden, config["kv_heads"] * width, bias=config["bias"] != "none"),
                "v_proj": linear(hidden, config["kv_heads"] * width, bias=config["bias"] != "none"),
                "o_proj": linear(config["heads"] * width, hidden, bias=config["bias"] == "all"),
                "ln_2": norm(hidden),
                "up_proj": linear(hidden, ffn, bias=config["bias"] == "all"),
                "down_proj": linear(ffn, hidden, bias=config["bias"] == "all"),
            }
            if config["gated"]:
                layer["gate_proj"] = linear(hidden, ffn, bias=config["bias"] == "all")
            layers.append(torch.nn.ModuleDict(layer))
        self.layers = torch.nn.ModuleList(layers)
        self.ln_f = norm(hidden)
        self.lm_head = linear(hidden, config["vocab"], bias=False)
        if config["tied"]:
            self.lm_head.weight = self.embed_tokens.weight


@pytest.mark.parametrize("seed", range(30))
def test_modules_on_the_meta_device(seed):
    """Random configs of every form have the parameters of a torch module of that form."""
    config = drawn(seed)
    with torch.device("meta"):
        assert REFERENCE.count_parameters(config) == counted(Model(config))


def gpt2_of(transformers, config):
    """GPT-2 as transformers has it; its heads share hidden."""
    return transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=config["vocab"],
            n_positions=config["positions"],
            n_embd=config["hidden"],
            n_layer=config["layers"],
            n_head=config["heads"],
            n_inner=config["ffn"],
        )
    )


def llama_of(transformers, config):
    """Llama, or Qwen2 where only queries, keys and values have a bias."""
    sizes = {
        "vocab_size": config["vocab"],
        "hidden_size": config["hidden"],
        "num_hidden_layers": config["layers"],
        "num_attention_heads": config["heads"],
        "num_key_value_heads": config["kv_heads"],
        "head_dim": config["head_dim"],
        "intermediate_size": config["ffn"],
        "tie_word_embeddings": config["tied"],
        # Token 2 is the default, and out of range in a small vocabulary.
        **dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id")),
    }
    if config["bias"] == "qkv":
        return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**sizes))
    biases = dict.fromkeys(("attention_bias", "mlp_bias"), config["bias"] == "all")
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, **biases))


def looks_like_llama(config):
    """The config with what every Llama has; transformers wants heads to divide hidden, whatever their width."""
    return {**config, "hidden": 3 * config["heads"], "positions": 0, "gated": True, "norm": "rmsnorm"}


@pytest.mark.parametrize("seed", range(8))
def test_random_models_of_transformers(seed):
    """Random GPT-2s, Llamas and Qwens have the parameters that transformers gives them."""
    transformers = pytest.importorskip("transformers", reason="builds GPT-2 and Llama on the meta device")
    config = drawn(seed)
    llama = looks_like_llama(config)
    heads, width = config["heads"], config["head_dim"]
    gpt2 = {**config, "hidden": heads * width, "kv_heads": heads, "positions": config["positions"] + 1}
    gpt2 |= {"gated": False, "norm": "layernorm", "bias": "all", "tied": True}
    with torch.device("meta"):
        assert REFERENCE.count_parameters(llama) == counted(llama_of(transformers, llama))
        assert REFERENCE.count_parameters(gpt2) == counted(gpt2_of(transformers, gpt2))


LLAMA = {"positions": 0, "gated": True, "norm": "rmsnorm", "bias": "none", "tied": False}
SIZES = ("vocab", "hidden", "layers", "heads", "kv_heads", "head_dim", "ffn")
PUBLISHED = {  # sizes, total, bytes of the cache per token in bf16
    "Llama 2 7B": ((32_000, 4096, 32, 32, 32, 128, 11_008), 6_738_415_616, 524_288),
    "Llama 2 13B": ((32_000, 5120, 40, 40, 40, 128, 13_824), 13_015_864_320, 819_200),
    "Llama 2 70B": ((32_000, 8192, 80, 64, 8, 128, 28_672), 68_976_648_192, 327_680),
    "Llama 3 8B": ((128_256, 4096, 32, 32, 8, 128, 14_336), 8_030_261_248, 131_072),
    "Llama 3 70B": ((128_256, 8192, 80, 64, 8, 128, 28_672), 70_553_706_496, 327_680),
    "Llama 3.1 405B": ((128_256, 16_384, 126, 128, 8, 128, 53_248), 405_853_388_800, 516_096),
    "Mistral 7B": ((32_000, 4096, 32, 32, 8, 128, 14_336), 7_241_732_096, 131_072),
    "Mistral NeMo": ((131_072, 5120, 40, 32, 8, 128, 14_336), 12_247_782_400, 163_840),
}


def published(model):
    """The config of a published model."""
    return {**LLAMA, **dict(zip(SIZES, PUBLISHED[model][0], strict=True))}


@pytest.mark.parametrize("model", PUBLISHED)
def test_published_models(model):
    """The published totals and caches."""
    _, total, per_token = PUBLISHED[model]
    assert REFERENCE.count_parameters(published(model))["total"] == total
    assert REFERENCE.kv_cache_bytes(published(model), 1, 1) == per_token


@pytest.mark.parametrize("model", PUBLISHED)
def test_published_models_of_transformers(model):
    """The published models have as many parameters in transformers, part by part."""
    transformers = pytest.importorskip("transformers", reason="builds the model on the meta device")
    with torch.device("meta"):
        assert counted(llama_of(transformers, published(model))) == REFERENCE.count_parameters(published(model))


@pytest.mark.parametrize(
    ("model", "batch", "length", "gib"),
    [("Llama 3 8B", 1, 8192, 1), ("Llama 3 8B", 1, 131_072, 16), ("Llama 2 7B", 32, 8192, 128)],
)
def test_cache_in_gib(model, batch, length, gib):
    """Caches of long and of many sequences, in GiB."""
    assert REFERENCE.kv_cache_bytes(published(model), batch, length) == gib * 2**30


@pytest.mark.parametrize("seed", range(4))
def test_cache_that_a_model_fills(seed):
    """A small Llama that reads a batch fills a cache of as many bytes."""
    transformers = pytest.importorskip("transformers", reason="runs a small Llama")
    config = looks_like_llama(drawn(seed))
    model = llama_of(transformers, config).to(torch.bfloat16)
    tokens = torch.zeros(3, 5, dtype=torch.long)
    with torch.no_grad():
        cache = model(tokens, use_cache=True).past_key_values
    kept = [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]
    assert sum(each.numel() * each.element_size() for each in kept) == REFERENCE.kv_cache_bytes(config, 3, 5)


@pytest.mark.parametrize(("recipe", "dtype"), [("fp32_adam", torch.float32), ("bf16_adam", torch.bfloat16)])
def test_state_that_adamw_keeps(recipe, dtype):
    """Weights, gradients and moments after one step of torch's AdamW take as many bytes."""
    weight = torch.nn.Parameter(torch.ones(37, 11, dtype=dtype))
    optimizer = torch.optim.AdamW([weight])
    weight.sum().backward()
    optimizer.step()
    moments = [optimizer.state[weight][name] for name in ("exp_avg", "exp_avg_sq")]
    sizes = [each.numel() * each.element_size() for each in (weight, weight.grad, *moments)]
    want = REFERENCE.state_bytes(37 * 11, recipe)
    assert (want["parameters"], want["gradients"], want["optimizer"]) == (sizes[0], sizes[1], sizes[2] + sizes[3])
    assert want["total"] == sum(sizes)


def test_bytes_per_parameter():
    """The figures of the ZeRO paper (16), Megatron-LM (18) and 8-bit Adam (10, and 8 bytes per 2048 parameters)."""
    per = {recipe: REFERENCE.state_bytes(2048, recipe)["total"] / 2048 for recipe in REFERENCE.RECIPES}
    assert per == {
        "mixed_adam": 16,
        "mixed_adam_fp32_gradients": 18,
        "fp32_adam": 16,
        "bf16_adam": 8,
        "mixed_adam_8bit": 10 + 8 / 2048,
    }
