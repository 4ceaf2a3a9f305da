"""A grading process: takes units one by one, answers reports. The same on this machine and on a cluster.

It holds checks, references and case books, and warm slots for learners' code. One process grades one file at a
time: pytest is not re-entrant.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from grader import session
from grader.batch.unit import Circumstances, Unit, circumstances, problem_report, seed_id
from grader.boundary.isolation import level_named
from grader.catalog import find_course, load_course
from grader.errors import GraderError
from grader.grading import SlotByImports, Slots
from grader.logbook import write_log
from grader.misconceptions import misconceptions
from grader.model import Course, Exercise, Report, Submission
from grader.session import casebook

FILES_AT_ONCE: Final = 200  # files of one collection of the checks: what pytest and the session keep stays small


class Setup(msgspec.Struct, frozen=True):
    """What a station is told before its first unit; plain data.

    Attributes:
        root: the course's folder; where it is not there, a station looks for one as every command does.
        solutions: its hidden mirror.
        exercises: ids of what will be graded.
        secret: what inputs are drawn from.
        isolation: the level's name: how it is done is each machine's own matter.
        hide: folders that it must not see, beside the course.
    """

    root: str
    solutions: str | None
    exercises: tuple[str, ...]
    secret: str
    isolation: str
    hide: tuple[str, ...] = ()


def _course(setup: Setup) -> Course:
    root, solutions = Path(setup.root), Path(setup.solutions) if setup.solutions else None
    if (root / "course.yaml").is_file():
        return load_course(root, solutions, what=setup.exercises)
    return load_course(find_course(), what=setup.exercises)


class Station:
    """Grades units; see the module.

    Args:
        setup: what it grades with.
    """

    def __init__(self, setup: Setup) -> None:
        """Loads the course; slots start with the first file that needs them.

        Raises:
            GraderError: this machine has no such course, or no such isolation.
        """
        course = _course(setup)
        self.setup = setup
        self.exercises: dict[str, Exercise] = {exercise.id: exercise for exercise in course.exercises}
        hidden = [path for path in (course.root, course.solutions, *map(Path, setup.hide)) if path and path.is_dir()]
        self._slots = Slots(level_named(setup.isolation), hidden)
        self._books: dict[str, casebook.Book] = {}
        self._around: dict[str, Circumstances] = {}

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the slots."""
        self._slots.__exit__(kind, error, trace)

    def serve(self, following: Callable[[], Unit | None], answer: Callable[[Unit, Report], None]) -> None:
        """Grade until there is nothing more.

        Args:
            following: the next unit, or None at the end; waits for it.
            answer: told each report.
        """
        unit = following()
        while unit is not None:
            refusal = self._refusal(unit)
            if refusal:
                answer(unit, self._problem(unit, refusal))
                unit = following()
            else:
                unit = self._several(unit, following, answer)

    def grade(self, unit: Unit) -> Report:
        """Grade one unit."""
        units, found = iter([unit]), []
        self.serve(lambda: next(units, None), lambda _, report: found.append(report))
        return found[0]

    def _several(
        self, first: Unit, following: Callable[[], Unit | None], answer: Callable[[Unit, Report], None]
    ) -> Unit | None:
        """Grade the first and what comes after it, as long as it is the same exercise; answers what is not."""
        exercise = self.exercises[first.exercise]
        at_hand: Unit | None = first
        waiting: Unit | None = first

        def files() -> Iterator[Submission]:
            nonlocal at_hand, waiting
            for _ in range(FILES_AT_ONCE):
                if waiting is None or waiting.exercise != exercise.id:
                    return
                at_hand, waiting = waiting, None
                yield at_hand.submission
                waiting = following()

        def report(finished: Report) -> None:
            nonlocal at_hand
            if at_hand is not None:
                answer(at_hand, finished)
                at_hand = None

        try:
            self._session(exercise, files(), report)
        except (GraderError, Exception) as error:
            text = traceback.format_exc()
            log = write_log(f"{exercise.id}\n{text}")
            if at_hand is None:
                raise
            cause = error.message if isinstance(error, GraderError) else f"{type(error).__name__}: {error}"
            answer(at_hand, self._problem(at_hand, f"{cause} (the whole story is in {log})"))
            waiting = following() if waiting is None or waiting is at_hand else waiting
        return waiting

    def _session(self, exercise: Exercise, files: Iterator[Submission], report: Callable[[Report], None]) -> None:
        setup = self.setup
        if exercise.id not in self._books:
            self._books[exercise.id] = casebook.new(exercise, setup.secret)
        session.grade(
            exercise,
            files,
            slot=SlotByImports(self._slots, exercise),
            seed=setup.secret,
            hidden=True,
            book=self._books[exercise.id],
            on_report=lambda found: report(replace(found, seed=seed_id(setup.secret))),
            signatures=misconceptions(exercise),
            secret=setup.secret,
        )

    def _refusal(self, unit: Unit) -> str:
        """Why this machine should not grade a unit, or ""."""
        exercise = self.exercises.get(unit.exercise)
        if exercise is None:
            return f"this machine's course has no {unit.exercise}"
        if unit.exercise not in self._around:
            self._around[unit.exercise] = circumstances(exercise, self.setup.secret, self.setup.isolation)
        if self._around[unit.exercise].course != unit.course:
            return f"this machine has another version of {unit.exercise}, of the grader or of its packages"
        return ""

    def _problem(self, unit: Unit, message: str) -> Report:
        return refusal(unit, self.setup, message)


def refusal(unit: Unit, setup: Setup, message: str) -> Report:
    """What is said of a unit that this machine cannot grade."""
    return problem_report(unit.exercise, unit.exercise, seed_id(setup.secret), setup.isolation, message)
