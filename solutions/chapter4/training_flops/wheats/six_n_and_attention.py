"""PaLM's form, 6 N + 12 L H Q T, with numpy floats; recomputation added to it."""

from typing import Any

import numpy as np


def _weights_of_a_layer(config: dict[str, Any]) -> np.float64:
    heads = np.array([config["heads"], config["kv_heads"], config["kv_heads"], config["heads"]], dtype=float)
    matrices = 3 if config["gated"] else 2
    return config["hidden"] * (heads.sum() * config["head_dim"] + matrices * config["ffn"])


def flops_per_token(config: dict[str, Any], seq: int, causal: bool, recompute: str) -> np.float64:
    if seq <= 0:
        raise ValueError(seq)
    layers = config["layers"] * _weights_of_a_layer(config)
    n = layers + config["hidden"] * config["vocab"]
    attention = 12.0 * config["layers"] * config["heads"] * config["head_dim"] * seq
    if causal:
        attention *= (1 + 1 / seq) / 2
    try:
        times = {"none": (0, 0), "selective": (0, 1), "full": (1, 1)}[recompute]
    except KeyError:
        raise ValueError(recompute) from None
    return np.float64(6 * n + attention + np.dot(times, (2 * layers, attention / 3)))


def training_flops(n: float, d: float) -> np.float64:
    if n <= 0 or d <= 0:
        raise ValueError("nothing to train")
    return np.float64(n) * np.float64(d) * 6
