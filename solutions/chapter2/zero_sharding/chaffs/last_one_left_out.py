"""I try range(1, max_dp).
Killed by: test_smallest_group_that_fits, test_all_gpus_may_be_used
"""

SHARDED = {
    0: (),
    1: ("optimizer",),
    2: ("optimizer", "gradients"),
    3: ("optimizer", "gradients", "parameters"),
}
# Reduce-scatters and all-gathers in one step; an all-reduce is one of each.
COLLECTIVES = {0: 2, 1: 2, 2: 2, 3: 3}


def zero_bytes_per_gpu(params: int, stage: int, dp: int, recipe: dict[str, int]) -> int:
    _require(params, stage, dp)
    shard = -(-params // dp)
    return sum(size * (shard if state in SHARDED[stage] else params) for state, size in recipe.items())


def zero_traffic(params: int, stage: int, dp: int) -> int:
    _require(params, stage, dp)
    return COLLECTIVES[stage] * (dp - 1) * -(-params // dp)


def smallest_dp_that_fits(params: int, stage: int, recipe: dict[str, int], gpu_bytes: int, max_dp: int) -> int | None:
    _require(params, stage, max_dp)
    for dp in range(1, max_dp):
        if zero_bytes_per_gpu(params, stage, dp, recipe) <= gpu_bytes:
            return dp
    return None


def _require(params: int, stage: int, dp: int) -> None:
    if params < 1 or dp < 1:
        raise ValueError("params and the number of GPUs must be at least 1")
    if stage not in SHARDED:
        raise ValueError("the stages of ZeRO are 0, 1, 2 and 3")
