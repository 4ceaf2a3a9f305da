"""The ledger of a pretraining run: FLOPs, days, steps, GPU-hours, money and disk.

Read README.md first. Symbols: N parameters of the model, D training tokens, MFU model FLOPs utilization.
"""


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
    """What a training run takes.

    Training costs 6 FLOPs per parameter and token. All GPUs work from the first step to the last, and each
    does ``peak_flops * mfu`` FLOPs per second; a day has 24 hours. There are no restarts, and nothing but
    training is paid for.

    Args:
        params: N, from 1 to 10**13. In a mixture of experts, the parameters that work on one token.
        tokens: D, all tokens that the run trains on, repeats included; from 1 to 10**14.
        gpus: number of GPUs, at least 1.
        peak_flops: FLOPs per second that one GPU could do at best, in the precision of the run and without
            sparsity; more than 0.
        mfu: share of the peak that goes into the 6 FLOPs per parameter and token; a fraction, more than 0 and
            at most 1. What is computed a second time (recomputed activations) does not count.
        batch_tokens: tokens in the global batch of one step, at least 1. The last batch may be smaller, and it
            is a step like any other.
        bytes_per_token: bytes that one token takes on disk, more than 0. Every token of D is stored once.
        price_per_gpu_hour: price of one GPU for one hour, at least 0.

    Returns:
        a dict with exactly these keys. Nothing is rounded but the steps, which are whole; the other values must
        be right within 1 part in 10**9.

        - "flops": FLOPs of the whole run;
        - "days": days from the first step to the last;
        - "steps": optimizer steps, each with at most ``batch_tokens`` tokens, as few as will do;
        - "gpu_hours": hours of all GPUs together;
        - "cost": price of these GPU-hours;
        - "disk_bytes": bytes of the stored tokens.

    Raises:
        ValueError: an argument is outside of the range given above.

    Example:
        >>> plan = plan_run(10**9, 2 * 10**10, 8, 1e15, 0.4, 2**19, 2, 2.5)
        >>> plan["flops"], plan["steps"], plan["disk_bytes"]
        (1.2e+20, 38147, 40000000000)
        >>> round(plan["days"], 3), round(plan["gpu_hours"], 2), round(plan["cost"], 2)
        (0.434, 83.33, 208.33)
    """
    raise NotImplementedError
