"""Newton's method on the wall time's derivative; numpy scalars; a run as a state and a queue of what comes next."""

from collections import deque

import numpy as np


def job_mtbf(gpu_mtbf, gpus):
    return 1 / sum([np.float64(gpus) / gpu_mtbf])


def young_daly(write, mtbf, method):
    k = np.float64(write) / mtbf
    if method == "young":
        return mtbf * np.sqrt(2 * k)
    if method == "daly":
        return mtbf * (np.sqrt(2 * k) + 2 * k / 6 + np.sqrt(2 * k) * k / 18 - k) if k < 2 else np.float64(mtbf)
    if method != "exact":
        raise ValueError(method)
    x = min(np.sqrt(2 * k), 1.0)
    for _ in range(50):
        x -= (np.log1p(-x * (1 - 1e-16)) + x + k) / (1 - 1 / (1 - x)) if x < 1 else 1e-9
        x = min(max(x, 1e-12), 1 - 1e-12)
    return x * mtbf


def goodput(interval, write, restart, mtbf):
    segment = np.float64(interval + write) / mtbf
    return interval / mtbf * np.exp(-segment - np.float64(restart) / mtbf) / -np.expm1(-segment)


def simulate_run(failures, work, interval, write, restart):
    whole, rest = divmod(work, interval)
    todo = deque([interval] * int(whole) + ([rest] if rest else []))
    now, useful, checkpoint, lost, restarts = 0, 0, 0, 0, 0
    up = True
    for failure in [*failures, float("inf")]:
        if not up:
            if failure < now:  # hit during the restart, which would have ended now
                restarts -= now - failure
                restarts += restart
                now = failure + restart
                continue
            up = True
        while todo and now + todo[0] + write <= failure:
            useful += todo[0]
            checkpoint += write
            now += todo.popleft() + write
        if not todo:
            break
        lost += failure - now
        restarts += restart
        now = failure + restart
        up = False
    return {"wall": now, "useful": useful, "checkpoint": checkpoint, "lost": lost, "restart": restarts}
