"""Stage 3 gathers the parameters once per step.
Killed by: test_traffic_is_that_of_rings, test_traffic_in_models
"""

from bisect import bisect_left

SHARDED = {
    0: (),
    1: ("optimizer",),
    2: ("optimizer", "gradients"),
    3: ("optimizer", "gradients", "parameters"),
}
# Reduce-scatters and all-gathers in one step; an all-reduce is one of each.
COLLECTIVES = {0: 2, 1: 2, 2: 2, 3: 2}


def zero_bytes_per_gpu(params: int, stage: int, dp: int, recipe: dict[str, int]) -> int:
    _require(params, stage, dp)
    shard = -(-params // dp)
    return sum(size * (shard if state in SHARDED[stage] else params) for state, size in recipe.items())


def zero_traffic(params: int, stage: int, dp: int) -> int:
    _require(params, stage, dp)
    return COLLECTIVES[stage] * (dp - 1) * -(-params // dp)


def smallest_dp_that_fits(params: int, stage: int, recipe: dict[str, int], gpu_bytes: int, max_dp: int) -> int | None:
    _require(params, stage, max_dp)
    sizes = range(1, max_dp + 1)
    # Negated sizes grow with dp, as bisection wants it.
    found = bisect_left(sizes, -gpu_bytes, key=lambda dp: -zero_bytes_per_gpu(params, stage, dp, recipe))
    return sizes[found] if found < max_dp else None


def _require(params: int, stage: int, dp: int) -> None:
    if params < 1 or dp < 1:
        raise ValueError("params and the number of GPUs must be at least 1")
    if stage not in SHARDED:
        raise ValueError("the stages of ZeRO are 0, 1, 2 and 3")
