"""Warm: one file graded in a slot that is up, against the tests' own time in a plain pytest run.

Both sides run in this process, one file per ``pytest.main``, and are timed from before the first check to after
the last: without pytest's start and without collection. No case book: both sides draw all of their inputs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator

import direct
from measure import EXERCISE, ROOT, in_turn, milliseconds, print_table, ratio

from grader.boundary.sandbox import Slot
from grader.catalog import load_course
from grader.grading import preload
from grader.model import Exercise, Report, Submission, Verdict
from grader.session import grade

TARGET = 1.3


def grading_s(exercise: Exercise, slot: Slot, calls: list[int]) -> float:
    """Seconds for the checks of the reference as a learner's file; notes how many calls they made."""
    path = exercise.reference
    assert path
    submission = Submission(f"{exercise.slug}.py", path.read_bytes(), str(path))
    times: list[float] = []

    def files() -> Iterator[Submission]:
        times.append(time.perf_counter())  # asked for when pytest has collected
        yield submission

    def graded(report: Report) -> None:
        times.append(time.perf_counter())
        assert report.verdict is Verdict.PASS, report
        calls.append(sum(check.calls for check in report.checks))

    grade(exercise, files(), slot=slot, seed="0", book=False, on_report=graded)
    return times[1] - times[0]


def main() -> None:
    """Time both sides in turn and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exercise", nargs="?", default=EXERCISE)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--isolation", choices=["strict", "process"])
    options = parser.parse_args()
    [exercise] = load_course(ROOT / "exercises", what=[options.exercise]).exercises
    assert exercise.reference
    file, checks = exercise.reference, exercise.checks
    ours: list[int] = []
    theirs: list[int] = []

    def plain_s() -> float:
        seen = direct.run(file, checks)
        theirs.append(seen.calls)
        return seen.loop_s

    with (
        tempfile.TemporaryDirectory() as folder,
        Slot(preload(exercise, file.read_bytes()), options.isolation) as slot,
    ):
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        slot.start()
        taken = in_turn(options.rounds, {"graded": lambda: grading_s(exercise, slot, ours), "plain": plain_s})
    found = f"{ratio(taken['graded'], taken['plain']):.2f}x"
    row = [f"{exercise.slug}, {slot.isolation}", milliseconds(taken["graded"]), milliseconds(taken["plain"])]
    row += [found, f"{TARGET}x", f"{ours[-1]} and {theirs[-1]}"]
    print_table(["warm", "graded", "plain tests", "ratio", "at most", "calls"], [row])


if __name__ == "__main__":
    main()
