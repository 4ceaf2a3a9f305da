"""Pads the model first, then cuts it; counts collectives by what they are for; tries group after group."""


def _padded(params, dp):
    return params + (-params) % dp


def zero_bytes_per_gpu(params, stage, dp, recipe):
    if stage not in range(4) or params <= 0 or dp <= 0:
        raise ValueError(f"no such setting: {params=}, {stage=}, {dp=}")
    kept = 0
    for state, sharded_from in (("optimizer", 1), ("gradients", 2), ("parameters", 3)):
        elements = _padded(params, dp) // dp if stage >= sharded_from else params
        kept += recipe[state] * elements
    return kept


def zero_traffic(params, stage, dp):
    if stage not in range(4) or params <= 0 or dp <= 0:
        raise ValueError(f"no such setting: {params=}, {stage=}, {dp=}")
    reduce_gradients = 1
    gather_gradients = 1 if stage == 0 else 0
    gather_parameters = (0, 1, 1, 2)[stage]
    collectives = reduce_gradients + gather_gradients + gather_parameters
    return collectives * (_padded(params, dp) - _padded(params, dp) // dp)


def smallest_dp_that_fits(params, stage, recipe, gpu_bytes, max_dp):
    if max_dp < 1:
        raise ValueError("no GPU at all")
    for dp in range(1, max_dp + 1):
        if zero_bytes_per_gpu(params, stage, dp, recipe) <= gpu_bytes:
            return dp
    return None
