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

    Every FLOP is one of the 6 per parameter and token, and no GPU waits: each does ``peak_flops * mfu`` FLOPs per
    second from the first step to the last. A day has 24 hours.

    Args (Python integers and floats):
        params: N, an integer from 1 to 10**13. In a mixture of experts, the parameters that work on one token.
        tokens: D, all tokens that the run trains on, repeats included; an integer from 1 to 10**14.
        gpus: number of GPUs, an integer, at least 1.
        peak_flops: FLOPs per second that one GPU could do at best, in the precision of the run and without
            sparsity; more than 0.
        mfu: share of the peak that goes into the 6 FLOPs per parameter and token; a fraction, more than 0 and
            at most 1. What is computed a second time (recomputed activations) does not count.
        batch_tokens: tokens in the global batch of one step, an integer, at least 1. The last batch may be
            smaller; it is a step like any other, and its work is that of its own tokens.
        bytes_per_token: bytes that one token takes on disk, more than 0. Every token of D is stored once.
        price_per_gpu_hour: price of one GPU for one hour, at least 0.

    Returns:
        a dict with exactly these keys, in any order. Only the steps are rounded; the other values must be right
        within 1 part in 10**9. Values may be Python or numpy numbers, integers or floats.

        - "flops": FLOPs of the whole run (up to 6 * 10**27: more than an int64 holds);
        - "days": days from the first step to the last;
        - "steps": optimizer steps, each with at most ``batch_tokens`` tokens, as few as will do;
        - "gpu_hours": hours of all GPUs together;
        - "cost": price of these GPU-hours;
        - "disk_bytes": bytes of the stored tokens.

    Raises:
        ValueError: an argument is less than is allowed, or ``mfu`` is more than 1. (Not tested: more than 10**13
            parameters or 10**14 tokens, NaN, and fractions where an integer is asked for.)

    Example:
        >>> plan = plan_run(10**9, 2 * 10**10, 8, 1e15, 0.4, 2**19, 2, 2.5)
        >>> plan["flops"], plan["steps"], plan["disk_bytes"]
        (1.2e+20, 38147, 40000000000)
        >>> round(plan["days"], 3), round(plan["gpu_hours"], 2), round(plan["cost"], 2)
        (0.434, 83.33, 208.33)
    """
    raise NotImplementedError
