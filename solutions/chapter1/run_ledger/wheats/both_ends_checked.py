"""Refuses what is beyond the upper ends of the ranges as well; floats from the first product on."""


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
    if not 1 <= params <= 10**13:
        raise ValueError("params must be from 1 to 10**13")
    if not 1 <= tokens <= 10**14:
        raise ValueError("tokens must be from 1 to 10**14")
    if not gpus >= 1:
        raise ValueError("gpus must be at least 1")
    if not peak_flops > 0:
        raise ValueError("peak_flops must be more than 0")
    if not 0 < mfu <= 1:
        raise ValueError("mfu must be a fraction in (0, 1]")
    if not batch_tokens >= 1:
        raise ValueError("batch_tokens must be at least 1")
    if not bytes_per_token > 0:
        raise ValueError("bytes_per_token must be more than 0")
    if not price_per_gpu_hour >= 0:
        raise ValueError("price_per_gpu_hour must be at least 0")

    flops = 6.0 * params * tokens
    seconds = flops / (gpus * peak_flops * mfu)
    gpu_hours = seconds / 3600 * gpus
    return {
        "flops": flops,
        "days": seconds / 86400,
        "steps": -(-tokens // batch_tokens),
        "gpu_hours": gpu_hours,
        "cost": gpu_hours * price_per_gpu_hour,
        "disk_bytes": tokens * bytes_per_token,
    }
