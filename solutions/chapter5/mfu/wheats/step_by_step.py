"""Waits after every step and adds up; counts the FLOPs of the first step; 6 N written out."""

from given import Trainer


def _model_flops(model, seq, causal):
    n = model["dense_weights"] + model["head_weights"] + model["expert_weights"] * model["active_experts"]
    attention = 12 * model["layers"] * model["heads"] * model["head_dim"]
    return 6 * n + (attention * (seq + 1) // 2 if causal else attention * seq)


def _recomputed(model, seq, causal, recompute):
    inside = model["layers"] * model["heads"] * model["head_dim"] * (2 * (seq + 1) if causal else 4 * seq)
    if recompute == "none":
        return 0
    if recompute == "selective":
        return inside
    if recompute == "full":
        return inside + 2 * model["dense_weights"] + 2 * model["expert_weights"] * model["active_experts"]
    raise ValueError(recompute)


def mfu(model, seq, causal, tokens_per_s, chips, chip):
    return tokens_per_s / chips / (chip["dense_flops"] / _model_flops(model, seq, causal))


def hfu(model, seq, causal, recompute, tokens_per_s, chips, chip):
    done = _model_flops(model, seq, causal) + _recomputed(model, seq, causal, recompute)
    return tokens_per_s * done / chip["dense_flops"] / chips


def measure(config, durations, warmup, steps, chip):
    trainer = Trainer(config, durations)
    seconds, counted = [], None
    for _ in range(warmup + steps):
        trainer.synchronize()
        begin = trainer.clock()
        if counted is None:
            counted = trainer.counted_step()
        else:
            trainer.step()
        trainer.synchronize()
        seconds.append(trainer.clock() - begin)
    tokens = config["batch"] * config["seq"]
    rate = tokens / (sum(seconds[warmup:]) / steps)
    return {
        "hfu": counted / tokens * rate / chip["dense_flops"],
        "mfu": mfu(trainer.model, config["seq"], False, rate, 1, chip),
        "flops_per_token": counted / tokens,
        "tokens_per_s": rate,
    }
