"""numpy: tensors as rows of a matrix of sizes, parts as dot products; answers are numpy integers."""

import math

import numpy as np

STATE = np.array([[2, 2, 12], [2, 4, 12], [4, 4, 8], [2, 2, 4], [2, 2, 6]], dtype=np.int64)
NAMES = ["mixed_adam", "mixed_adam_fp32_gradients", "fp32_adam", "bf16_adam", "mixed_adam_8bit"]


def _check(config):
    if config["kv_heads"] * (config["heads"] // config["kv_heads"]) != config["heads"]:
        raise ValueError("kv_heads has to divide heads")


def count_parameters(config):
    _check(config)
    d, layers = np.int64(config["hidden"]), np.int64(config["layers"])
    outputs = np.array([config["heads"], config["kv_heads"], config["kv_heads"]]) * np.int64(config["head_dim"])
    attention = np.sum(d * outputs) + outputs[0] * d
    up = np.full(2 if config["gated"] else 1, config["ffn"], dtype=np.int64)
    mlp = d * up.sum() + d * up[0]
    attention = attention + {"none": 0, "qkv": outputs.sum(), "all": outputs.sum() + d}[config["bias"]]
    mlp = mlp + {"none": 0, "qkv": 0, "all": up.sum() + d}[config["bias"]]
    norms = (2 * layers + 1) * d * {"rmsnorm": 1, "layernorm": 2}[config["norm"]]
    tables = np.array([config["vocab"] + config["positions"], config["vocab"] * (not config["tied"])]) * d
    values = np.array([tables[0], layers * attention, layers * mlp, norms, tables[1]])
    keys = ("embedding", "attention", "mlp", "norms", "head", "total")
    return dict(zip(keys, np.append(values, values.sum()), strict=True))


def state_bytes(params, recipe):
    if recipe not in NAMES:
        raise ValueError(f"{recipe!r} is none of {NAMES}")
    row = params * STATE[NAMES.index(recipe)]
    if recipe.endswith("8bit"):
        row = row + np.array([0, 0, 8 * math.ceil(params / 2048)])
    return {"parameters": row[0], "gradients": row[1], "optimizer": row[2], "total": row.sum()}


def kv_cache_bytes(config, batch, length, bytes_per_value=2):
    _check(config)
    tokens = np.int64(batch) * length
    return tokens * config["kv_heads"] * config["head_dim"] * config["layers"] * bytes_per_value * 2
