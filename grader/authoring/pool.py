"""Many exercises through the gate at once: a fresh process for each, which leaves nothing to the next."""

from __future__ import annotations

import multiprocessing
import os
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.connection import Connection
from typing import Protocol

from grader.authoring.gate import Plan, check_exercise
from grader.authoring.mixups import write_misconceptions
from grader.authoring.records import ExerciseGate, Fault, GateReport
from grader.boundary.isolation import level_named
from grader.errors import GraderError
from grader.logbook import write_log
from grader.model import Exercise


class Watcher(Protocol):
    """Is told how far the gate is; from several threads."""

    def step(self, exercise: str, text: str) -> None:
        """An exercise is on its way: ``chaffs 3/8``."""

    def done(self, found: ExerciseGate) -> None:
        """An exercise is through."""


class Nobody:
    """Watches nothing."""

    def step(self, exercise: str, text: str) -> None:
        """Does nothing."""

    def done(self, found: ExerciseGate) -> None:
        """Does nothing."""


def check(
    exercises: Sequence[Exercise],
    plan: Plan = Plan(),  # noqa: B008 - frozen
    jobs: int | None = None,
    watcher: Watcher | None = None,
) -> GateReport:
    """Put exercises through the author's gate.

    Args:
        exercises: of a course that was loaded with ``validate``: yaml is not looked at again.
        plan: what to prove, and how.
        jobs: processes at once; as many as there are cores where None.
        watcher: told how far it is.

    Returns:
        one record per exercise, in the order in which they were given.

    Raises:
        IsolationError: this machine cannot isolate as the plan wants.
    """
    start_s = time.perf_counter()
    level = level_named(plan.isolation)  # before work is given out: what is missing is no exercise's fault
    watcher = watcher or Nobody()
    found: dict[str, ExerciseGate] = {}
    for exercise, result in _results(exercises, plan, min(jobs or _cores(), len(exercises)), watcher):
        if plan.write:
            write_misconceptions(exercise, result)
        found[exercise.id] = result
        watcher.done(result)
    ordered = tuple(found[exercise.id] for exercise in exercises)
    return GateReport(ordered, plan.seed, level.name, time.perf_counter() - start_s)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _results(
    exercises: Sequence[Exercise], plan: Plan, jobs: int, watcher: Watcher
) -> Iterator[tuple[Exercise, ExerciseGate]]:
    """Each exercise's record when it is there; a thread waits for each process."""
    with ThreadPoolExecutor(max(jobs, 1)) as threads:
        waiting = {threads.submit(_in_own_process, each, plan, watcher): each for each in exercises}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def _in_own_process(exercise: Exercise, plan: Plan, watcher: Watcher) -> ExerciseGate:
    """A process that dies takes nobody with it; its exercise is told so."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sender, exercise, plan), daemon=True)
    process.start()
    sender.close()
    result: ExerciseGate | None = None
    with receiver:
        while result is None:
            try:
                message = receiver.recv()
            except EOFError:
                break
            if isinstance(message, ExerciseGate):
                result = message
            else:
                watcher.step(exercise.id, message)
    process.join()
    if result is not None:
        return result
    remedy = "Look for what ends the process: os._exit, a crash in a library, too little memory."
    happened = f"its examiner ended with exit code {process.exitcode}"
    return ExerciseGate(exercise.id, (Fault("gate", "can be run", happened, remedy),))


def _child(sender: Connection, exercise: Exercise, plan: Plan) -> None:
    """Examine, and send steps and the record. Whatever goes wrong is a fault of this exercise alone."""
    try:
        result = check_exercise(exercise, plan, sender.send)
    except GraderError as error:
        fault = Fault("gate", "can be run", error.message, error.remedy)
        result = ExerciseGate(exercise.id, (fault,))
    except Exception as error:
        log = write_log(traceback.format_exc())
        fault = Fault("gate", "can be run", f"{type(error).__name__}: {error}", f"The whole story is in {log}.")
        result = ExerciseGate(exercise.id, (fault,))
    except KeyboardInterrupt:
        return
    sender.send(result)
