"""A failure costs half an interval.
Killed by: test_run_second_by_second, test_seconds_add_up
"""

import math


def job_mtbf(gpu_mtbf: float, gpus: int) -> float:
    return gpu_mtbf / gpus


def young_daly(write: float, mtbf: float, method: str) -> float:
    if method == "young":
        return math.sqrt(2 * write * mtbf)
    if method == "daly":
        if write >= 2 * mtbf:
            return mtbf
        half = write / (2 * mtbf)
        return math.sqrt(2 * write * mtbf) * (1 + math.sqrt(half) / 3 + half / 9) - write
    if method == "exact":
        # The derivative of (exp((tau + d) / M) - 1) / tau is 0 where exp(-(tau + d) / M) = 1 - tau / M: below M.
        low, tau, high = 0.0, mtbf / 2, mtbf
        while low < tau < high:
            if -math.expm1(-(tau + write) / mtbf) > tau / mtbf:
                low = tau
            else:
                high = tau
            tau = (low + high) / 2
        return tau
    raise ValueError("no such method")


def goodput(interval: float, write: float, restart: float, mtbf: float) -> float:
    return interval / (mtbf * math.exp(restart / mtbf) * math.expm1((interval + write) / mtbf))


def simulate_run(failures: list[float], work: float, interval: float, write: float, restart: float) -> dict[str, float]:
    spent = {"wall": 0, "useful": 0, "checkpoint": 0, "lost": 0, "restart": 0}
    times = iter(failures)
    failure = next(times, math.inf)
    while spent["useful"] < work:
        piece = min(interval, work - spent["useful"])
        end = spent["wall"] + piece + write
        if end <= failure:
            spent["useful"] += piece
            spent["checkpoint"] += write
            spent["wall"] = end
            continue
        spent["lost"] += interval / 2
        began, again = failure, True
        while again:
            up = failure + restart
            failure = next(times, math.inf)
            again = failure < up
        spent["restart"] += up - began
        spent["wall"] = up
    return spent
