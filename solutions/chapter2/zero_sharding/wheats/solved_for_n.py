"""Solves for N instead of searching: what is left beside the whole states says how long a shard may be."""

from math import ceil


def _split(stage: int, recipe: dict[str, int]) -> tuple[int, int]:
    """Bytes per parameter that are kept whole, and that are sharded."""
    sharded = sum(recipe[state] for state in ("optimizer", "gradients", "parameters")[:stage])
    return sum(recipe.values()) - sharded, sharded


def zero_bytes_per_gpu(params: int, stage: int, dp: int, recipe: dict[str, int]) -> int:
    if params < 1 or dp < 1 or not 0 <= stage <= 3:
        raise ValueError("impossible")
    whole, sharded = _split(stage, recipe)
    return whole * params + sharded * ceil(params / dp)


def zero_traffic(params: int, stage: int, dp: int) -> int:
    if params < 1 or dp < 1 or not 0 <= stage <= 3:
        raise ValueError("impossible")
    return max(2, stage) * (dp - 1) * ceil(params / dp)


def smallest_dp_that_fits(params: int, stage: int, recipe: dict[str, int], gpu_bytes: int, max_dp: int) -> int | None:
    if params < 1 or max_dp < 1 or not 0 <= stage <= 3:
        raise ValueError("impossible")
    whole, sharded = _split(stage, recipe)
    left = gpu_bytes - whole * params
    if left < 0:
        return None
    if sharded == 0:
        return 1
    longest = left // sharded
    if longest == 0:
        return None
    dp = -(-params // longest)  # least N with ceil(Ψ / N) <= longest
    return dp if dp <= max_dp else None
