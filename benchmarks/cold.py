"""Cold: one grading as a learner starts it, against one plain pytest run of the same checks.

Both are new processes, from start to end. The plain run imports the reference itself and calls it directly.
Neither side keeps compiled checks, as the grader never does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from direct import OPTIONS
from measure import EXERCISE, ROOT, in_turn, milliseconds, print_table, process_s, ratio

from grader.catalog import load_course

TARGET = 1.5


def main() -> None:
    """Time both sides in turn and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exercise", nargs="?", default=EXERCISE, help="one that needs numpy only")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    [exercise] = load_course(ROOT / "exercises", what=[options.exercise]).exercises
    grade = [sys.executable, "-m", "grader", exercise.id, "--using", "solutions"]
    plain = [sys.executable, "-m", "pytest", *OPTIONS, f"--rootdir={exercise.folder}", "-p", "direct"]
    plain += ["--file", str(exercise.reference), str(exercise.checks)]
    path = f"{ROOT}:{Path(__file__).parent}"
    with tempfile.TemporaryDirectory() as folder:
        taken = in_turn(
            options.rounds,
            {
                "grade": lambda: process_s(grade),
                "plain": lambda: process_s(plain, Path(folder), PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1"),
            },
        )
    found = f"{ratio(taken['grade'], taken['plain']):.2f}x"
    row = [exercise.slug, milliseconds(taken["grade"]), milliseconds(taken["plain"]), found, f"{TARGET}x"]
    print_table(["cold", "grade", "plain pytest", "ratio", "at most"], [row])


if __name__ == "__main__":
    main()
