"""A table of tensors with place and bytes; the plan by layers, each keeping the cheapest plan for every memory."""

from collections import Counter
from fractions import Fraction

# What is kept, in units of sbh, sbf or as^2 b.
TABLE = [
    ("outside", "h", 2),
    ("outside", "h", 2),
    ("inside", "h", 2),
    ("inside", "h", 2),
    ("core", "scores", 2),
    ("core", "scores", 1),
    ("core", "scores", 2),
    ("inside", "h", 2),
    ("inside", "h", 2),
    ("outside", "h", 1),
    ("outside", "h", 2),
    ("outside", "h", 2),
    ("inside", "f", 2),
    ("inside", "f", 2),
    ("outside", "h", 1),
]


def activation_bytes(config, tp, sp, recompute):
    places = {"none": {"outside", "inside", "core"}, "selective": {"outside", "inside"}, "full": {"outside"}}
    if recompute not in places:
        raise ValueError(recompute)
    for key in ("heads", "ffn", "length") if sp else ("heads", "ffn"):
        if Fraction(config[key], tp).denominator > 1:
            raise ValueError(f"{key} cannot be shared by {tp}")
    tokens = config["length"] * config["batch"]
    size = {"h": tokens * config["hidden"], "f": tokens * config["ffn"]}
    size["scores"] = tokens * config["length"] * config["heads"]
    share = {"outside": Fraction(1, tp) if sp else Fraction(1), "inside": Fraction(1, tp), "core": Fraction(1, tp)}
    rows = TABLE[:1] if recompute == "full" else [row for row in TABLE if row[0] in places[recompute]]
    total = sum(share[place] * size[unit] * each for place, unit, each in rows)
    assert total.denominator == 1
    return total.numerator


def stage_activation_bytes(config, tp, sp, recompute, pp, stage, micro_batches):
    layers, rest = divmod(config["layers"], pp)
    if rest or stage < 0 or stage >= pp:
        raise ValueError("no such stage")
    in_flight = most = 0
    for _ in range(min(pp - stage - 1, micro_batches)):  # warm-up
        in_flight += 1
        most = max(most, in_flight)
    for _ in range(micro_batches - in_flight):
        most = max(most, in_flight + 1)
    return most * layers * activation_bytes(config, tp, sp, recompute)


def best_recompute(layers, budget, options):
    # Front of plans: for each cost the least memory, grown layer by layer and thinned out.
    modes = list(options)
    front = [(0, 0, (0,) * len(modes))]
    for _ in range(layers):
        grown = []
        for cost, taken, plan in front:
            for i, mode in enumerate(modes):
                more, dearer = options[mode]
                grown.append((cost + dearer, taken + more, (*plan[:i], plan[i] + 1, *plan[i + 1 :])))
        grown.sort()
        front = []
        for plan in grown:
            if plan[1] <= budget and (not front or plan[1] < front[-1][1]):
                front.append(plan)
    return Counter(dict(zip(modes, front[0][2], strict=True))) if front else None
