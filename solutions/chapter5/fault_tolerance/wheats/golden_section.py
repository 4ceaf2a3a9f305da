"""Minimises the wall time itself, by golden sections; plays a run as periods between failures."""

from bisect import bisect_left
from math import e, exp, expm1, sqrt


def job_mtbf(gpu_mtbf, gpus):
    rate = gpus * (1 / gpu_mtbf)
    return 1 / rate


def young_daly(write, mtbf, method):
    match method:
        case "young":
            return (2 * write * mtbf) ** 0.5
        case "daly":
            if not write < 2 * mtbf:
                return mtbf
            root = (2 * write * mtbf) ** 0.5
            return root + root / 3 * (write / (2 * mtbf)) ** 0.5 + root / 9 * (write / (2 * mtbf)) - write
        case "exact":
            low, high, shrink = 0.0, min(mtbf, 2 * sqrt(2 * write * mtbf)), (sqrt(5) - 1) / 2
            for _ in range(80):
                left, right = high - shrink * (high - low), low + shrink * (high - low)
                if goodput(left, write, 0, mtbf) > goodput(right, write, 0, mtbf):
                    high = right
                else:
                    low = left
            return (low + high) / 2
    raise ValueError(method)


def goodput(interval, write, restart, mtbf):
    wall = mtbf * e ** (restart / mtbf) * expm1((interval + write) / mtbf)
    return interval / wall if wall < 1e300 else interval / mtbf * exp(-(interval + write + restart) / mtbf)


def simulate_run(failures, work, interval, write, restart):
    now = done = 0
    written = thrown = waited = 0
    upcoming = 0
    while done < work:
        limit = failures[upcoming] if upcoming < len(failures) else None
        full = -(-(work - done) // interval)  # segments that are left
        total = (work - done) + full * write
        if limit is None or now + total <= limit:
            written += full * write
            now, done = now + total, work
            break
        steps = int((limit - now) // (interval + write))  # whole segments before the failure
        steps = min(steps, int(full) - 1)
        done += steps * interval
        written += steps * write
        thrown += limit - now - steps * (interval + write)
        # All failures that come before the restart is over begin it anew.
        last = upcoming
        while last + 1 < len(failures) and failures[last + 1] < failures[last] + restart:
            last += 1
        waited += failures[last] + restart - limit
        now = failures[last] + restart
        upcoming = bisect_left(failures, now, last + 1)
    return {"wall": now, "useful": done, "checkpoint": written, "lost": thrown, "restart": waited}
