"""Lists every tensor with its shape, layer by layer, and adds their sizes up; scales are counted by stepping."""

from collections import Counter
from math import prod


def _shapes(config):
    d, f, h = config["hidden"], config["ffn"], config["head_dim"]
    q, kv = config["heads"] * h, config["kv_heads"] * h
    some, every = config["bias"] != "none", config["bias"] == "all"
    yield "embedding", (config["vocab"], d)
    yield "embedding", (config["positions"], d)
    norm = [("norms", (d,))] * (1 + (config["norm"] == "layernorm"))
    for _layer in range(config["layers"]):
        yield from norm * 2
        for out in (q, kv, kv):
            yield "attention", (d, out)
            yield "attention", (out * some,)
        yield "attention", (q, d)
        yield "attention", (d * every,)
        for _ in range(1 + config["gated"]):
            yield "mlp", (d, f)
            yield "mlp", (f * every,)
        yield "mlp", (f, d)
        yield "mlp", (d * every,)
    yield from norm
    yield "head", (0 if config["tied"] else config["vocab"], d)


def count_parameters(config):
    if config["heads"] % config["kv_heads"] != 0:
        raise ValueError("uneven groups")
    count = Counter()
    for part, shape in _shapes(config):
        count[part] += prod(shape)
        count["total"] += prod(shape)
    for part in ("attention", "mlp"):
        count.setdefault(part, 0)
    return count


def state_bytes(params, recipe):
    formats = {
        "mixed_adam": ("bf16", "bf16", ("fp32", "fp32", "fp32")),
        "mixed_adam_fp32_gradients": ("bf16", "fp32", ("fp32", "fp32", "fp32")),
        "fp32_adam": ("fp32", "fp32", ("fp32", "fp32")),
        "bf16_adam": ("bf16", "bf16", ("bf16", "bf16")),
        "mixed_adam_8bit": ("bf16", "bf16", ("fp32", "int8", "int8")),
    }
    if recipe not in formats:
        raise ValueError(recipe)

    def size(name):
        blocks, rest = divmod(params, 2048)
        scales = 4 * (blocks + (rest > 0)) if name == "int8" else 0
        return params * {"fp32": 4, "bf16": 2, "int8": 1}[name] + scales

    weights, gradients, optimizer = formats[recipe]
    state = {"optimizer": sum(map(size, optimizer)), "gradients": size(gradients), "parameters": size(weights)}
    state["total"] = sum(state.values())
    return state


def kv_cache_bytes(config, batch, length, bytes_per_value=2):
    if config["heads"] % config["kv_heads"] != 0:
        raise ValueError("uneven groups")
    one = (config["layers"], 2, config["kv_heads"], config["head_dim"])
    return prod((batch, length, *one, bytes_per_value))
