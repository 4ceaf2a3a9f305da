"""The counter sees the timed steps, so it counts their tokens once.
Killed by: test_utilization_of_a_run
"""

from typing import Any

from given import Trainer


def mfu(
    model: dict[str, int], seq: int, causal: bool, tokens_per_s: float, chips: int, chip: dict[str, float]
) -> float:
    layers, attention = _forward(model, seq, causal)
    return 3 * (layers + attention + 2 * model["head_weights"]) * tokens_per_s / (chips * chip["dense_flops"])


def hfu(
    model: dict[str, int],
    seq: int,
    causal: bool,
    recompute: str,
    tokens_per_s: float,
    chips: int,
    chip: dict[str, float],
) -> float:
    if recompute not in ("none", "selective", "full"):
        raise ValueError("no such way of recomputing")
    layers, attention = _forward(model, seq, causal)
    again = {"none": 0, "selective": attention, "full": layers + attention}[recompute]
    useful = mfu(model, seq, causal, tokens_per_s, chips, chip)
    return useful + again * tokens_per_s / (chips * chip["dense_flops"])


def _forward(model: dict[str, int], seq: int, causal: bool) -> tuple[float, float]:
    weights = model["dense_weights"] + model["active_experts"] * model["expert_weights"]
    seen = (seq + 1) / 2 if causal else seq
    return 2 * weights, 4 * model["layers"] * model["heads"] * model["head_dim"] * seen


def measure(
    config: dict[str, Any], durations: list[float], warmup: int, steps: int, chip: dict[str, float]
) -> dict[str, float]:
    trainer = Trainer(config, durations)
    for _ in range(warmup):
        trainer.step()
    trainer.synchronize()
    begin = trainer.clock()
    for _ in range(steps):
        trainer.step()
    trainer.synchronize()
    rate = steps * trainer.tokens_per_step / (trainer.clock() - begin)
    flops = sum(trainer.counted_step() for _ in range(steps + 1)) / trainer.tokens_per_step
    return {
        "tokens_per_s": rate,
        "flops_per_token": flops,
        "mfu": mfu(trainer.model, config["seq"], False, rate, 1, chip),
        "hfu": flops * rate / chip["dense_flops"],
    }
