"""All layers are treated alike.
Killed by: test_no_plan_is_better, test_sixty_layers
"""

MODES = ("none", "selective", "full")


def activation_bytes(config: dict[str, int], tp: int, sp: bool, recompute: str) -> int:
    length, batch, hidden = config["length"], config["batch"], config["hidden"]
    if recompute not in MODES:
        raise ValueError(f"recompute is one of {MODES}")
    if config["heads"] % tp or config["ffn"] % tp or (sp and length % tp):
        raise ValueError("tp must divide heads, ffn and, with sp, length")
    stream = length * batch * hidden // (tp if sp else 1)  # elements of the residual stream on one GPU
    if recompute == "full":
        return 2 * stream
    inside = length * batch * (8 * hidden + 4 * config["ffn"]) // tp
    core = 5 * config["heads"] * length**2 * batch // tp if recompute == "none" else 0
    return 10 * stream + inside + core


def stage_activation_bytes(
    config: dict[str, int], tp: int, sp: bool, recompute: str, pp: int, stage: int, micro_batches: int
) -> int:
    if config["layers"] % pp or not 0 <= stage < pp:
        raise ValueError("pp must divide layers, and stages count from 0 to pp - 1")
    in_flight = min(micro_batches, pp - stage)
    return config["layers"] // pp * in_flight * activation_bytes(config, tp, sp, recompute)


def best_recompute(layers: int, budget: int, options: dict[str, tuple[int, int]]) -> dict[str, int] | None:
    plans = [dict.fromkeys(MODES, 0) | {mode: layers} for mode in MODES]
    fits = [plan for mode, plan in zip(MODES, plans, strict=True) if layers * options[mode][0] <= budget]
    return fits[0] if fits else None
