"""numpy float64 scalars throughout, the steps as a float of a whole value."""

import numpy as np


def plan_run(params, tokens, gpus, peak_flops, mfu, batch_tokens, bytes_per_token, price_per_gpu_hour):
    counts = np.array([params, tokens, gpus, batch_tokens], dtype=np.float64)
    sizes = np.array([peak_flops, mfu, bytes_per_token], dtype=np.float64)
    if (counts < 1).any() or (sizes <= 0).any() or mfu > 1 or price_per_gpu_hour < 0:
        raise ValueError("an argument is out of range")
    n, d, g, b = counts
    flops = 6 * n * d
    seconds = flops / (g * sizes[0] * sizes[1])
    days = seconds / np.float64(86_400)
    hours = days * 24 * g
    return {
        "flops": flops,
        "days": days,
        "steps": np.ceil(d / b),
        "gpu_hours": hours,
        "cost": np.multiply(hours, price_per_gpu_hour),
        "disk_bytes": d * sizes[2],
    }
