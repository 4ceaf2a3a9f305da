"""numpy: all groups at once, answers as numpy integers, and exact floats for the traffic."""

import numpy as np

STATES = ("parameters", "gradients", "optimizer")
WHOLE = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]])


def _kept(params: int, stage: int, dp: np.ndarray, recipe: dict[str, int]) -> np.ndarray:
    if params < 1 or stage not in (0, 1, 2, 3):
        raise ValueError("no such model or stage")
    sizes = np.array([recipe[state] for state in STATES], dtype=np.int64)
    shard = (params + dp - 1) // dp
    return params * (sizes @ WHOLE[stage]) + shard * (sizes @ (1 - WHOLE[stage]))


def zero_bytes_per_gpu(params: int, stage: int, dp: int, recipe: dict[str, int]) -> np.int64:
    if dp < 1:
        raise ValueError("no GPU")
    return _kept(params, stage, np.array([dp]), recipe)[0]


def zero_traffic(params: int, stage: int, dp: int) -> float:
    if params < 1 or dp < 1 or stage not in (0, 1, 2, 3):
        raise ValueError("no such setting")
    return float((3 if stage == 3 else 2) * (dp - 1) * ((params + dp - 1) // dp))


def smallest_dp_that_fits(
    params: int, stage: int, recipe: dict[str, int], gpu_bytes: int, max_dp: int
) -> np.int64 | None:
    if max_dp < 1:
        raise ValueError("no GPU")
    groups = np.arange(1, max_dp + 1)
    fits = groups[_kept(params, stage, groups, recipe) <= gpu_bytes]
    return fits[0] if fits.size else None
