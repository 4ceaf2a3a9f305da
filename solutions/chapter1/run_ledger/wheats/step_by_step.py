"""Plans one step, then counts steps; the last, smaller one takes its share of the time. Exact fractions inside."""

from fractions import Fraction


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
    if not (params >= 1 and tokens >= 1 and gpus >= 1 and batch_tokens >= 1):
        raise ValueError("at least one of each")
    if not (peak_flops > 0 and 0 < mfu <= 1 and bytes_per_token > 0 and price_per_gpu_hour >= 0):
        raise ValueError("impossible machine, data or price")
    cluster = gpus * Fraction(peak_flops) * Fraction(mfu)
    seconds_per_full_step = 6 * params * batch_tokens / cluster
    steps = (tokens + batch_tokens - 1) // batch_tokens
    share = Fraction(tokens, batch_tokens)  # full steps' worth of work
    hours = share * seconds_per_full_step / 3600
    return {
        "flops": float(6 * params * batch_tokens * share),
        "days": float(hours / 24),
        "steps": steps,
        "gpu_hours": float(hours * gpus),
        "cost": float(hours * gpus * Fraction(price_per_gpu_hour)),
        "disk_bytes": float(Fraction(bytes_per_token) * tokens),
    }
