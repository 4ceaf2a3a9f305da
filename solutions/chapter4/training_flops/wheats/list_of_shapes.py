"""A list of the weight matrices, then a loop over the tokens."""

from typing import Any


def flops_per_token(config: dict[str, Any], seq: int, causal: bool, recompute: str) -> float:
    if seq < 1:
        raise ValueError("an empty sequence")
    h, queries = config["hidden"], config["heads"] * config["head_dim"]
    keys = config["kv_heads"] * config["head_dim"]
    layer = [(h, queries), (h, keys), (h, keys), (queries, h), (config["ffn"], h)]
    layer += [(h, config["ffn"])] * (2 if config["gated"] else 1)
    weights = 2.0 * config["layers"] * sum(a * b for a, b in layer)
    seen = sum(t if causal else seq for t in range(1, seq + 1)) / seq
    attention = 2 * 2 * config["layers"] * queries * seen
    if recompute == "none":
        again = 0.0
    elif recompute == "selective":
        again = attention
    elif recompute == "full":
        again = attention + weights
    else:
        raise ValueError(f"no way of recomputing is called {recompute}")
    return 3 * (weights + attention + 2 * h * config["vocab"]) + again


def training_flops(n: float, d: float) -> float:
    if min(n, d) <= 0:
        raise ValueError("nothing to train")
    return 2.0 * n * d + 4.0 * n * d
