"""As many GPUs as hold all states together.
Killed by: test_smallest_group_that_fits, test_seventy_billion_parameters
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
    total = zero_bytes_per_gpu(params, 0, 1, recipe)
    dp = max(-(-total // max(gpu_bytes, 1)), 1)
    return dp if dp <= max_dp else None


def _require(params: int, stage: int, dp: int) -> None:
    if params < 1 or dp < 1:
        raise ValueError("params and the number of GPUs must be at least 1")
    if stage not in SHARDED:
        raise ValueError("the stages of ZeRO are 0, 1, 2 and 3")
