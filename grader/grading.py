"""Several exercises for one learner's folder, one after another.

Which folder is the learner's, and which slots its files run in: a slot stays warm for all that can share it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from grader import session
from grader.boundary.inline import InlineSlot
from grader.boundary.isolation import PROCESS, Level, bubblewrap
from grader.boundary.sandbox import Job, Slot
from grader.catalog import find_submission, load_course
from grader.errors import ContentError, UsageError
from grader.misconceptions import misconceptions
from grader.model import Course, Exercise, FunctionSignature, Limits, Place, Report, Submission, Verdict

PUBLIC_SEED = "0"  # the same for every learner, so that a right file stays right; hand-ins are graded with another
PRELOADS = ("none", "numpy", "torch", "triton")  # each imports what the ones before it do
PRELOAD = {"numpy": "numpy", "torch": "torch", "ranks": "torch", "triton": "triton", "gpu": "triton"}
# A sign to go by, not a parse: Python's own parser can be crashed by what is written for it.
IMPORTED = re.compile(rb"^[ \t]*(?:import|from)\b[^\n#]*\b(numpy|torch|triton)\b", re.MULTILINE)
THINKING_S = 86_400.0  # a person at a breakpoint has all day


@dataclass(frozen=True)
class Plan:
    """How a run was asked for.

    Attributes:
        level: how the learner's code is shut in.
        seed: what to draw inputs from.
        keyword: run only checks whose names match it.
        inline: run the learner's code with this terminal as its own, for ``breakpoint()``.
    """

    level: Level = PROCESS
    seed: str = PUBLIC_SEED
    keyword: str = ""
    inline: bool = False

    @property
    def isolation(self) -> str:
        """What reports call it."""
        return InlineSlot.isolation if self.inline else self.level.name


def learner_folder(course: Course, exercises: Sequence[Exercise], using: Path | None) -> Path:
    """Where the learner's files are.

    The folder that was named; else the working folder, if it holds a file for any of the exercises; else the
    course's own stubs. A path below the working folder is given as a relative one, for shorter messages.
    """
    if using is not None:
        return using
    here = Path()
    if any(_is_there(find_submission(exercise, here)) for exercise in exercises):
        return here
    return _relative(course.root)


def _is_there(submission: Submission) -> bool:
    """Whether something bears the file's name, be it readable or not."""
    return submission.source is not None or not submission.fault.startswith("there is no ")


def _relative(path: Path) -> Path:
    absolute, here = path.absolute(), Path.cwd()
    return absolute.relative_to(here) if absolute.is_relative_to(here) else path


def preload(exercise: Exercise, *sources: bytes | None) -> str:
    """What a slot should have imported beforehand: what the exercise needs and what the files import."""
    words = [PRELOAD[need] for need in exercise.needs]
    words += [found.decode() for source in sources for found in IMPORTED.findall(source or b"")]
    return max(words, key=PRELOADS.index, default="none")


def secrets(course: Course, folder: Path) -> list[Path]:
    """The folders that a learner's code must not see: the course, and where the files are."""
    return [path for path in (course.root, course.solutions, folder) if path and path.is_dir()]


class Slots:
    """Warm slots, one for each set of preloaded packages; started when first needed, ended together.

    Args:
        level: how the learner's code is shut in.
        secrets: folders that it must not see.
    """

    def __init__(self, level: Level, secrets: Sequence[Path]) -> None:
        """Starts nothing."""
        self._level, self._secrets = level, secrets
        self._open = ExitStack()
        self._slots: dict[str, Slot] = {}

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all of them."""
        self._open.close()

    @property
    def isolation(self) -> str:
        """How files are shut in."""
        return self._level.name

    def get(self, preload: str) -> Slot:
        """The slot with these packages."""
        if preload not in self._slots:
            self._slots[preload] = self._open.enter_context(Slot(preload, self._level, self._secrets))
        return self._slots[preload]


class SlotByImports:
    """For each file the slot that has imported what it imports: one exercise, many files.

    Args:
        slots: where they come from.
        exercise: whose files they are.
    """

    def __init__(self, slots: Slots, exercise: Exercise, place: Place = Place.HERE) -> None:
        """Starts nothing."""
        self._slots, self._exercise, self._place = slots, exercise, place

    @property
    def isolation(self) -> str:
        """How files are shut in."""
        return self._slots.isolation

    def at(self, place: Place) -> SlotByImports:
        """The same for calls made elsewhere."""
        return SlotByImports(self._slots, self._exercise, place)

    def job(
        self, submission: Submission, limits: Limits, given: Path | None, functions: Mapping[str, FunctionSignature]
    ) -> Job:
        """A fresh child for one file, in its slot."""
        slot = self._slots.get(preload(self._exercise, submission.source)).at(self._place)
        return slot.job(submission, limits, given, functions)


def run(course: Course, exercises: Iterable[Exercise], folder: Path, plan: Plan) -> list[Report]:
    """Grade what ``folder`` holds for each exercise.

    Args:
        course: where the exercises are from.
        exercises: what to grade, in this order; each is taken when its turn comes.
        folder: the learner's.
        plan: how.

    Raises:
        UsageError: the keyword matches no check of any of them.
    """
    reports: list[Report] = []
    unmatched: UsageError | None = None
    with Slots(plan.level, secrets(course, folder)) as slots:
        for exercise in exercises:
            try:
                reports.append(_grade(exercise, find_submission(exercise, folder), plan, slots))
            except UsageError as error:  # the keyword fits none of its checks; those of another will do
                unmatched = error
    if unmatched and not reports:
        raise unmatched
    return reports


def _grade(exercise: Exercise, submission: Submission, plan: Plan, slots: Slots) -> Report:
    if plan.inline:
        exercise = replace(exercise, limits=replace(exercise.limits, budget_s=THINKING_S))
    [report] = session.grade(
        exercise,
        [submission],
        slot=InlineSlot() if plan.inline else slots.get(preload(exercise, submission.source)),
        seed=plan.seed,
        keyword=plan.keyword or None,
        # With some checks left out, a set of failing ones means nothing.
        signatures={} if plan.keyword else misconceptions(exercise),
    )
    return report


def following(course: Course, reports: Sequence[Report]) -> str:
    """The exercise after the last one that was graded, in its chapter, once all of them pass; else ""."""
    if not reports or any(report.verdict not in (Verdict.PASS, Verdict.SKIPPED) for report in reports):
        return ""
    chapter = reports[-1].exercise.split("/")[0]
    try:
        exercises = load_course(course.root, what=[chapter]).exercises
    except ContentError:  # a fault in an exercise that nobody asked about
        return ""
    after = [exercise.id for exercise in exercises].index(reports[-1].exercise) + 1
    return exercises[after].slug if after < len(exercises) else ""


def strict_remedy() -> str:
    """What to do for isolation ``strict`` where a run had to do without."""
    if sys.platform != "linux":
        return "strict needs Linux"
    return "`grade doctor` says what strict needs" if bubblewrap() else "apt-get install bubblewrap for strict"
