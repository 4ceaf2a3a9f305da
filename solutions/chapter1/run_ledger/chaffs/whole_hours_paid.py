"""An hour that has begun is paid for.
Killed by: test_books_balance, test_smallest_run
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
    if min(params, tokens, gpus, batch_tokens) < 1:
        raise ValueError("parameters, tokens, GPUs and the batch must be at least 1")
    if min(peak_flops, bytes_per_token) <= 0 or price_per_gpu_hour < 0:
        raise ValueError("the peak and the bytes per token must be more than 0, the price at least 0")
    if not 0 < mfu <= 1:
        raise ValueError("mfu is a fraction: more than 0, and at most 1")
    flops = FLOPS_PER_PARAMETER_AND_TOKEN * params * tokens
    hours = flops / (gpus * peak_flops * mfu) / SECONDS_PER_HOUR
    gpu_hours = gpus * -(-hours // 1)
    return {
        "flops": float(flops),
        "days": hours / HOURS_PER_DAY,
        "steps": -(-tokens // batch_tokens),
        "gpu_hours": gpu_hours,
        "cost": gpu_hours * price_per_gpu_hour,
        "disk_bytes": tokens * bytes_per_token,
    }
