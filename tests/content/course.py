"""The real course, and grading in a process of its own: pytest is not re-entrant, and exercises leave modules behind.

reports = graded("chapter3/minhash_lsh", [reference, wheat], ["1", "2"])
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.boundary.sandbox import Slot
from grader.catalog import exercise_ids, load_course
from grader.grading import preload
from grader.model import Exercise, Report, Submission
from grader.session import grade

ROOT = Path(__file__).parents[2]
EXERCISES = ROOT / "exercises"
SECRETS = (EXERCISES, ROOT / "solutions")
IDS = exercise_ids(EXERCISES)


def load(id: str) -> Exercise:
    """One exercise, its yaml files held against the whole of their schemas."""
    [exercise] = load_course(EXERCISES, what=[id], validate=True).exercises
    return exercise


def graded(id: str, files: Iterable[Path], seeds: Sequence[str], book: bool = True) -> list[list[dict[str, Any]]]:
    """For each seed the reports on the files, as plain data; all graded with one case book, or with none."""
    order = json.dumps({"id": id, "files": [str(path) for path in files], "seeds": seeds, "book": book})
    command = [sys.executable, "-m", "tests.content.course"]
    done = subprocess.run(command, input=order, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reports: list[list[dict[str, Any]]] = json.loads(done.stdout.splitlines()[-1])
    return reports


def _grade(order: dict[str, Any]) -> list[list[Report]]:
    exercise = load(order["id"])
    paths = [Path(name) for name in order["files"]]
    submissions = [Submission(f"{exercise.slug}.py", path.read_bytes(), str(path)) for path in paths]
    with Slot(preload(exercise, *(each.source for each in submissions)), secrets=SECRETS) as slot:
        return [grade(exercise, submissions, slot=slot, seed=seed, book=order["book"]) for seed in order["seeds"]]


if __name__ == "__main__":
    print(json.dumps([[asdict(report) for report in reports] for reports in _grade(json.load(sys.stdin))]))
