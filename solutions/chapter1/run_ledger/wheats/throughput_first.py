"""Works with tokens per second, as a dashboard shows it; whole numbers stay Python integers."""


def plan_run(params, tokens, gpus, peak_flops, mfu, batch_tokens, bytes_per_token, price_per_gpu_hour):
    whole = {"params": params, "tokens": tokens, "gpus": gpus, "batch_tokens": batch_tokens}
    for name, value in whole.items():
        if value < 1:
            raise ValueError(f"{name} is {value}")
    if peak_flops <= 0 or not 0 < mfu <= 1 or bytes_per_token <= 0 or price_per_gpu_hour < 0:
        raise ValueError("out of range")
    tokens_per_gpu_second = peak_flops * mfu / (6 * params)
    gpu_seconds = tokens / tokens_per_gpu_second
    full, rest = divmod(tokens, batch_tokens)
    return dict(
        steps=full + (1 if rest else 0),
        flops=6 * params * tokens,
        days=gpu_seconds / gpus / 86_400,
        gpu_hours=gpu_seconds / 3600,
        cost=gpu_seconds / 3600 * price_per_gpu_hour,
        disk_bytes=bytes_per_token * tokens,
    )
