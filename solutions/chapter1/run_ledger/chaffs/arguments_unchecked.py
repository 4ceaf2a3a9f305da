"""Nobody plans a run with no GPUs.
Killed by: test_impossible_arguments
"""

FLOPS_PER_PARAMETER_AND_TOKEN = 6  # two forward, four backward: Kaplan et al. 2020, section 2.1
SECONDS_PER_HOUR = 3600
HOURS_PER_DAY = 24


def plan_run(
    params: int,
    tokens: int,
    gpus: int,
    peak_flops: float,
    mfu: float,
    batch_tokens: int,
    bytes_per_token: float,
    price_per_gpu_hour: float,
) -> dict[str, float]:
    flops = FLOPS_PER_PARAMETER_AND_TOKEN * params * tokens
    hours = flops / (gpus * peak_flops * mfu) / SECONDS_PER_HOUR
    gpu_hours = gpus * hours
    return {
        "flops": float(flops),
        "days": hours / HOURS_PER_DAY,
        "steps": -(-tokens // batch_tokens),
        "gpu_hours": gpu_hours,
        "cost": gpu_hours * price_per_gpu_hour,
        "disk_bytes": tokens * bytes_per_token,
    }
