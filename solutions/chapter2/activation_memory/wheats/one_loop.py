"""The paper's equations with a correction for the MLP's width; for each number of full layers, the rest by division."""


def _even(number, parts):
    if number % parts:
        raise ValueError(f"{number} does not divide into {parts}")
    return number // parts


def activation_bytes(config, tp, sp, recompute):
    sbh = config["length"] * config["batch"] * config["hidden"]
    _even(config["heads"], tp)
    narrower = 4 * config["length"] * config["batch"] * (4 * config["hidden"] - _even(config["ffn"], tp) * tp)
    if sp:
        _even(config["length"], tp)
    if recompute == "full":
        return 2 * sbh / tp if sp else 2.0 * sbh
    core = 5 * config["heads"] * config["length"] ** 2 * config["batch"]
    if recompute == "selective":
        core = 0
    elif recompute != "none":
        raise ValueError("none, selective or full")
    if sp:
        return (34 * sbh + core - narrower) / tp
    return 10 * sbh + (24 * sbh + core - narrower) / tp


def stage_activation_bytes(config, tp, sp, recompute, pp, stage, micro_batches):
    layers = _even(config["layers"], pp)
    if not -1 < stage < pp:
        raise ValueError("no such stage")
    behind = pp - stage - 1
    in_flight = micro_batches if micro_batches <= behind else behind + 1
    return layers * in_flight * activation_bytes(config, tp, sp, recompute)


def best_recompute(layers, budget, options):
    (whole, cheap), (some, dear), (little, dearest) = (options[mode] for mode in ("none", "selective", "full"))
    best = None
    for full in range(layers + 1):
        left = budget - full * little
        rest = layers - full
        if rest * some > left:
            continue  # not even if all others are selective
        none = rest if whole == some else min(rest, (left - rest * some) // (whole - some))
        cost = none * cheap + (rest - none) * dear + full * dearest
        if best is None or cost < best[0]:
            best = cost, {"none": none, "selective": rest - none, "full": full}
    return {mode: count for mode, count in best[1].items() if count} if best else None
