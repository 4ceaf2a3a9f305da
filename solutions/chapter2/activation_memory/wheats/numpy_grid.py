"""numpy: coefficients and sizes as vectors, all plans in one grid; answers are numpy numbers."""

import numpy as np

COEFFICIENTS = {  # rows: outside, inside, core; columns: sbh, sbf, as^2 b
    "none": np.array([[10, 0, 0], [8, 4, 0], [0, 0, 5]]),
    "selective": np.array([[10, 0, 0], [8, 4, 0], [0, 0, 0]]),
    "full": np.array([[2, 0, 0], [0, 0, 0], [0, 0, 0]]),
}


def activation_bytes(config, tp, sp, recompute):
    if recompute not in COEFFICIENTS:
        raise ValueError("no such mode")
    shared = np.array([config["heads"], config["ffn"], config["length"] if sp else 0])
    if np.any(shared % tp):
        raise ValueError("cannot be shared evenly")
    s, b = np.int64(config["length"]), np.int64(config["batch"])
    sizes = s * b * np.array([config["hidden"], config["ffn"], config["heads"] * s])
    per_place = COEFFICIENTS[recompute] @ sizes
    return (per_place // np.array([tp if sp else 1, tp, tp])).sum()


def stage_activation_bytes(config, tp, sp, recompute, pp, stage, micro_batches):
    if config["layers"] % pp != 0 or stage not in range(pp):
        raise ValueError("no such stage")
    in_flight = np.minimum(micro_batches, pp - stage)
    return float(activation_bytes(config, tp, sp, recompute) * in_flight * (config["layers"] // pp))


def best_recompute(layers, budget, options):
    full, selective = np.mgrid[: layers + 1, : layers + 1]
    counts = np.stack([layers - full - selective, selective, full])
    table = np.array([options["none"], options["selective"], options["full"]])
    taken, cost = np.tensordot(table.T, counts, axes=1)
    cost = np.where((counts[0] >= 0) & (taken <= budget), cost, np.iinfo(np.int64).max)
    place = np.unravel_index(cost.argmin(), cost.shape)
    if cost[place] == np.iinfo(np.int64).max:
        return None
    return {mode: counts[i][place] for i, mode in enumerate(("none", "selective", "full"))}
