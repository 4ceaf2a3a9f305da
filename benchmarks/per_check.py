"""Per check: what a fresh child costs, from the fork over namespaces, hardening and loading to its end.

One job after the other in a slot that is up, one call each; a call's own time in a job that is up is taken off.
"""

from __future__ import annotations

import argparse
import statistics
import time

from measure import percentile, print_table

from grader.boundary.outcome import Returned
from grader.boundary.sandbox import Job, Slot
from grader.model import FunctionSignature, Limits, Parameter, Submission

TARGETS_MS = {"numpy": 12, "torch": 25}
FUNCTIONS = {"same": FunctionSignature("same", (Parameter("x", "positional_or_keyword"),))}
CALLS = 200  # enough for the median of calls of 0.1 ms


def call(job: Job) -> float:
    """Seconds of one call that does nothing."""
    start_s = time.perf_counter()
    outcome = job.call("same", (1,), {})
    assert isinstance(outcome, Returned) and outcome.value == 1, outcome
    return time.perf_counter() - start_s


def jobs_s(preload: str, isolation: str | None, count: int) -> tuple[list[float], float, str]:
    """Seconds of each of ``count`` jobs, the median call's, and the level's name."""
    source = f"import {preload}\n\n\ndef same(x):\n    return x\n".encode()
    submission = Submission("same.py", source)
    taken = []
    with Slot(preload, isolation) as slot:
        with slot.job(submission, Limits(), None, FUNCTIONS) as job:
            call(job)
            call_s = statistics.median(call(job) for _ in range(CALLS))
        for _ in range(count):
            start_s = time.perf_counter()
            with slot.job(submission, Limits(), None, FUNCTIONS) as job:
                call(job)
                job.output()
            taken.append(time.perf_counter() - start_s - call_s)
        return taken, call_s, slot.isolation


def main() -> None:
    """Time jobs with each package preloaded and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preload", nargs="*", default=list(TARGETS_MS), help="numpy, torch or triton")
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--isolation", choices=["strict", "process"])
    options = parser.parse_args()
    rows = []
    for preload in options.preload:
        taken, call_s, level = jobs_s(preload, options.isolation, options.jobs)
        figures = [1000 * statistics.median(taken), 1000 * percentile(taken, 90), 1000 * call_s]
        target = TARGETS_MS.get(preload)
        rows.append([f"{preload}, {level}", *(f"{ms:.2f} ms" for ms in figures), f"{target} ms" if target else ""])
    print_table(["per check", "median", "p90", "a call", "at most"], rows)


if __name__ == "__main__":
    main()
