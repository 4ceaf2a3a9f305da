"""Both moments share their scales.
Killed by: test_state_is_that_of_the_buffers, test_bytes_per_parameter
"""

from typing import Any

# Bytes per parameter: weights, gradients, optimizer (master copy and moments).
RECIPES = {
    "mixed_adam": (2, 2, 4 + 4 + 4),
    "mixed_adam_fp32_gradients": (2, 4, 4 + 4 + 4),
    "fp32_adam": (4, 4, 4 + 4),
    "bf16_adam": (2, 2, 2 + 2),
    "mixed_adam_8bit": (2, 2, 4 + 1 + 1),
}
BLOCK = 2048  # values of a moment that share a scale: Dettmers et al. 2022


def count_parameters(config: dict[str, Any]) -> dict[str, int]:
    _require(config)
    hidden, layers, ffn = config["hidden"], config["layers"], config["ffn"]
    queries, keys = config["heads"] * config["head_dim"], config["kv_heads"] * config["head_dim"]
    inner = 2 if config["gated"] else 1  # projections from hidden to ffn
    attention = 2 * hidden * queries + 2 * hidden * keys
    mlp = (inner + 1) * hidden * ffn
    if config["bias"] in ("qkv", "all"):
        attention += queries + 2 * keys
    if config["bias"] == "all":
        attention += hidden
        mlp += inner * ffn + hidden
    norm = hidden * (2 if config["norm"] == "layernorm" else 1)
    parts = {
        "embedding": (config["vocab"] + config["positions"]) * hidden,
        "attention": layers * attention,
        "mlp": layers * mlp,
        "norms": (2 * layers + 1) * norm,
        "head": 0 if config["tied"] else config["vocab"] * hidden,
    }
    return {**parts, "total": sum(parts.values())}


def state_bytes(params: int, recipe: str) -> dict[str, int]:
    if recipe not in RECIPES:
        raise ValueError(f"no such recipe: {recipe}")
    weights, gradients, optimizer = (size * params for size in RECIPES[recipe])
    if recipe == "mixed_adam_8bit":
        optimizer += 4 * -(-params // BLOCK)
    total = weights + gradients + optimizer
    return {"parameters": weights, "gradients": gradients, "optimizer": optimizer, "total": total}


def kv_cache_bytes(config: dict[str, Any], batch: int, length: int, bytes_per_value: int = 2) -> int:
    _require(config)
    per_token = 2 * config["layers"] * config["kv_heads"] * config["head_dim"]
    return batch * length * per_token * bytes_per_value


def _require(config: dict[str, Any]) -> None:
    if config["heads"] % config["kv_heads"]:
        raise ValueError("kv_heads must divide heads")
