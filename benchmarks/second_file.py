"""Second file: property checks replayed from the case book, against Hypothesis drawing them anew.

Only checks that draw their inputs count. The same file is graded three ways in this process: second in a
session with a case book (a wheat goes first, and pays for the draws), alone without a book, and under plain
pytest without any isolation.
"""

from __future__ import annotations

import argparse
import os
import tempfile

import direct
from measure import EXERCISE, ROOT, in_turn, milliseconds, print_table, ratio

from grader.boundary.sandbox import Slot
from grader.catalog import load_course
from grader.grading import preload
from grader.model import Exercise, Report, Submission, Verdict
from grader.session import grade

TARGET = 5.0


def drawn_s(report: Report, names: set[str]) -> float:
    """Seconds of those checks of a report."""
    assert report.verdict is Verdict.PASS, report
    return sum(check.duration_s for check in report.checks if check.name in names)


def files(exercise: Exercise) -> list[Submission]:
    """A wheat, and then the reference."""
    assert exercise.reference and exercise.wheats
    paths = (exercise.wheats[0], exercise.reference)
    return [Submission(f"{exercise.slug}.py", path.read_bytes(), str(path)) for path in paths]


def main() -> None:
    """Time the ways in turn and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exercise", nargs="?", default=EXERCISE)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--isolation", choices=["strict", "process"])
    options = parser.parse_args()
    [exercise] = load_course(ROOT / "exercises", what=[options.exercise]).exercises
    both = files(exercise)
    assert exercise.reference
    file, checks = exercise.reference, exercise.checks
    folder = tempfile.TemporaryDirectory()
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder.name
    bodies: list[float] = []

    def plain_s() -> float:
        seen = direct.run(file, checks)
        bodies.append(seen.bodies_s)
        return sum(seen.drawn_s.values())

    with folder, Slot(preload(exercise, both[1].source), options.isolation) as slot:
        names = set(direct.run(file, checks).drawn_s)
        taken = in_turn(
            options.rounds,
            {
                "book": lambda: drawn_s(grade(exercise, both, slot=slot, seed="0", book=True)[1], names),
                "anew": lambda: drawn_s(grade(exercise, both[1:], slot=slot, seed="0", book=False)[0], names),
                "plain": plain_s,
            },
        )
    times = {side: f"{ratio(taken[side], taken['book']):.1f}x" for side in ("plain", "anew")}
    rows = [
        [f"{exercise.slug}, {len(names)} checks from the book, {slot.isolation}", milliseconds(taken["book"]), "", ""],
        ["plain pytest and Hypothesis", milliseconds(taken["plain"]), times["plain"], f"{TARGET}x"],
        ["  of which the bodies of the checks, which no book saves", milliseconds(bodies[1:]), "", ""],
        ["graded without a book", milliseconds(taken["anew"]), times["anew"], ""],
    ]
    print_table(["second file", "time", "times the book's", "at least"], rows)


if __name__ == "__main__":
    main()
