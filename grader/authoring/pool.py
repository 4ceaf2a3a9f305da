"""Many exercises through the gate at once: a fresh process for each, which leaves nothing to the next."""

from __future__ import annotations

import multiprocessing
import os
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed

from grader.authoring.gate import Plan, check_exercise, write_misconceptions
from grader.authoring.records import ExerciseGate, Fault, GateReport
from grader.boundary.isolation import level_named
from grader.errors import GraderError
from grader.logbook import write_log
from grader.model import Exercise


def check(
    exercises: Sequence[Exercise],
    plan: Plan = Plan(),  # noqa: B008 - frozen
    jobs: int | None = None,
    on_done: Callable[[ExerciseGate], None] | None = None,
) -> GateReport:
    """Put exercises through the author's gate.

    Args:
        exercises: of a course that was loaded with ``validate``: yaml is not looked at again.
        plan: what to prove, and how.
        jobs: processes at once; as many as there are cores where None.
        on_done: told of each exercise as soon as it is through, in whatever order.

    Returns:
        one record per exercise, in the order in which they were given.

    Raises:
        IsolationError: this machine cannot isolate as the plan wants.
    """
    start_s = time.perf_counter()
    level = level_named(plan.isolation)  # before work is given out: what is missing is no exercise's fault
    found: dict[str, ExerciseGate] = {}
    for exercise, result in _results(exercises, plan, min(jobs or _cores(), len(exercises))):
        if plan.write:
            write_misconceptions(exercise, result)
        found[exercise.id] = result
        if on_done:
            on_done(result)
    ordered = tuple(found[exercise.id] for exercise in exercises)
    return GateReport(ordered, plan.seed, level.name, time.perf_counter() - start_s)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _results(exercises: Sequence[Exercise], plan: Plan, jobs: int) -> Iterator[tuple[Exercise, ExerciseGate]]:
    """Each exercise's record when it is there; a thread waits for each process."""
    with ThreadPoolExecutor(max(jobs, 1)) as threads:
        waiting = {threads.submit(_in_own_process, exercise, plan): exercise for exercise in exercises}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def _in_own_process(exercise: Exercise, plan: Plan) -> ExerciseGate:
    """A process that dies takes nobody with it, and whatever goes wrong is a fault of this exercise alone."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        try:
            return process.submit(check_exercise, exercise, plan).result()
        except GraderError as error:
            fault = Fault("gate", "can be run", error.message, error.remedy)
        except Exception as error:
            log = write_log("".join(traceback.format_exception(error)))
            happened = f"{type(error).__name__}: {error}"
            fault = Fault("gate", "can be run", happened, f"The whole story is in {log}.")
    return ExerciseGate(exercise.id, (fault,))
