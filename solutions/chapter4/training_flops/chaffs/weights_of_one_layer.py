"""The config describes a layer, so its FLOPs are the model's.
Killed by: test_products_are_counted, test_gpt3
"""

from typing import Any

# Passes in units of the forward one, which the backward pass doubles: of the projections, attention, the head.
PASSES = {"none": (3, 3, 3), "selective": (3, 4, 3), "full": (4, 4, 3)}


def flops_per_token(config: dict[str, Any], seq: int, causal: bool, recompute: str) -> int:
    if seq < 1 or recompute not in PASSES:
        raise ValueError("a sequence has at least one token; recompute is none, selective or full")
    hidden, layers, width = config["hidden"], config["layers"], config["heads"] * config["head_dim"]
    attention = 2 * hidden * width + 2 * hidden * config["kv_heads"] * config["head_dim"]
    mlp = (3 if config["gated"] else 2) * hidden * config["ffn"]
    # Twice the tokens that a token sees on average, so that it stays an integer.
    seen_twice = seq + 1 if causal else 2 * seq
    # A multiplication and an addition for each number of the key, and of the value, of each token that is seen.
    forward = (2 * (attention + mlp), 2 * width * seen_twice, 2 * hidden * config["vocab"])
    return sum(passes * flops for passes, flops in zip(PASSES[recompute], forward, strict=True))


def training_flops(n: float, d: float) -> float:
    if n <= 0 or d <= 0:
        raise ValueError("parameters and tokens must be positive")
    return 6 * n * d
