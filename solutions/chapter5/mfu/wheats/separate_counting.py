"""numpy; a Trainer of its own for counting, twice; utilizations from products listed."""

import numpy as np
import torch
from given import Trainer


def _products(model, seq, causal):
    """Name, FLOPs of the forward pass per token, and what recomputation it belongs to."""
    width = model["heads"] * model["head_dim"]
    t = np.mean(np.arange(1, seq + 1)) if causal and seq <= 4096 else (seq + 1) / 2 if causal else seq
    yield "dense", 2.0 * model["dense_weights"], ("full",)
    yield "experts", 2.0 * model["active_experts"] * model["expert_weights"], ("full",)
    yield "scores", 2.0 * width * t * model["layers"], ("full", "selective")
    yield "values", 2.0 * width * t * model["layers"], ("full", "selective")
    yield "head", 2.0 * model["head_weights"], ()


def hfu(model, seq, causal, recompute, tokens_per_s, chips, chip):
    if recompute not in {"none", "selective", "full"}:
        raise ValueError(f"recompute={recompute!r}")
    passes = [flops * (4 if recompute in when else 3) for _, flops, when in _products(model, seq, causal)]
    return np.sum(passes) * tokens_per_s / (chips * np.float64(chip["dense_flops"]))


def mfu(model, seq, causal, tokens_per_s, chips, chip):
    return hfu(model, seq, causal, "none", tokens_per_s, chips, chip)


def measure(config, durations, warmup, steps, chip):
    counting = Trainer(config, [1.0])
    with torch.enable_grad():
        done = sum(counting.counted_step() for _ in range(2)) / 2
    trainer = Trainer(config, durations)
    marks = []
    for number in range(warmup + steps + 1):
        if number in (warmup, warmup + steps):
            trainer.synchronize()
            marks.append(trainer.clock())
        if number < warmup + steps:
            trainer.step()
    tokens = trainer.tokens_per_step
    rate = tokens * steps / np.diff(marks)[0]
    utilization = mfu(trainer.model, config["seq"], False, rate, 1, chip)
    answer = np.array([rate, done / tokens, utilization, done / tokens * rate / chip["dense_flops"]])
    return dict(zip(("tokens_per_s", "flops_per_token", "mfu", "hfu"), answer, strict=True))
