"""A forward pass as a generator of named FLOPs; the passes are chosen by name."""

from collections import Counter
from fractions import Fraction
from typing import Any


def _forward(config: dict[str, Any], seen: Fraction):
    width = config["heads"] * config["head_dim"]
    for _ in range(config["layers"]):
        yield "weights", 4 * config["hidden"] * width
        yield "weights", 4 * config["hidden"] * config["kv_heads"] * config["head_dim"]
        yield "weights", 2 * (2 + bool(config["gated"])) * config["hidden"] * config["ffn"]
        for _ in range(config["heads"]):
            yield "attention", 4 * config["head_dim"] * seen
    yield "head", 2 * config["hidden"] * config["vocab"]


def flops_per_token(config: dict[str, Any], seq: int, causal: bool, recompute: str) -> float:
    again = {"none": "", "selective": "attention", "full": "attention weights"}
    if recompute not in again or seq < 1:
        raise ValueError("no such pass")
    flops = Counter()
    for name, cost in _forward(config, Fraction(seq + 1, 2) if causal else Fraction(seq)):
        flops[name] += cost
    return float(sum(cost * (4 if name in again[recompute].split() else 3) for name, cost in flops.items()))


def training_flops(n: float, d: float) -> float:
    if not (n > 0 and d > 0):
        raise ValueError("nothing to train")
    return n * d * 6
