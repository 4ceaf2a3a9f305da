"""One run of a batch: what is there, what the ledger knows of it, and the grading of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from grader.batch.crew import Crew, Done, LocalCrew, cores
from grader.batch.ledger import Ledger
from grader.batch.readers import read_class
from grader.batch.records import Entry, Intake
from grader.batch.station import Setup
from grader.batch.unit import (
    Circumstances,
    Unit,
    circumstances,
    decode_report,
    encode_report,
    problem_report,
    seed_id,
    short_digest,
    unit_of,
)
from grader.boundary.isolation import Level
from grader.catalog import select
from grader.errors import UsageError
from grader.grading import PUBLIC_SEED
from grader.model import Course, Exercise, Report

CrewMaker = Callable[[Setup, Sequence[Exercise]], Crew]


@dataclass(frozen=True)
class Order:
    """What is to be graded, and what of it again.

    Attributes:
        path: where the hand-ins are.
        out: where ledger and reports go.
        only: words for exercises and students; nothing means all.
        regrade: grade again what the ledger knows.
        since: leave alone what was handed in earlier.
        seed: what to draw inputs from; made up and kept in the ledger where "".
        jobs: stations at once; as many as cores where None.
        level: how learners' code is shut in.
        cluster: the address of a cluster's scheduler, or "".
    """

    path: Path
    out: Path
    only: tuple[str, ...] = ()
    regrade: bool = False
    since: datetime | None = None
    seed: str = ""
    jobs: int | None = None
    level: Level = field(default_factory=lambda: _strict())
    cluster: str = ""


def _strict() -> Level:
    from grader.boundary.isolation import level_named

    return level_named("strict")


@dataclass(frozen=True)
class Scope:
    """What ``--only`` names: exercises, and students by key."""

    exercises: tuple[Exercise, ...]
    students: frozenset[str]
    named: bool


@dataclass
class Batch:
    """A class, read and held against the ledger.

    Attributes:
        exercises: those that count.
        units: by key, each file once.
        pending: what is to be graded now.
        keys: the unit of each student's exercise.
    """

    course: Course
    exercises: tuple[Exercise, ...]
    intake: Intake
    around: Mapping[str, Circumstances]
    secret: str
    units: dict[str, Unit]
    pending: list[Unit]
    keys: dict[tuple[str, str], str]

    @property
    def seed(self) -> str:
        """What reports call the seed."""
        return seed_id(self.secret)


def scope(course: Course, words: Sequence[str]) -> Scope:
    """Tell exercises from students: what names an exercise or a chapter is one."""
    exercises: list[Exercise] = []
    students: set[str] = set()
    for word in words:
        try:
            exercises += select(course, [word])
        except UsageError:
            students.add(word)
    chosen = {exercise.id for exercise in exercises}
    return Scope(
        tuple(each for each in course.exercises if each.id in chosen or not chosen), frozenset(students), bool(chosen)
    )


def prepare(course: Course, order: Order, ledger: Ledger) -> Batch:
    """Read the class, and find out what the ledger does not know.

    Raises:
        UsageError: nothing was handed in, ``only`` names nobody, or the seed is every learner's.
    """
    if order.seed == PUBLIC_SEED:
        raise UsageError("that seed is every learner's: its inputs are public.", "Leave --seed out, or give another.")
    chosen = scope(course, order.only)
    intake = read_class(order.path, course, chosen.exercises)
    exercises = _counting(chosen, intake)
    _check_students(chosen, intake, course)
    secret = ledger.secret(order.seed)
    around = {each.id: circumstances(each, secret, order.level.name) for each in exercises}
    units: dict[str, Unit] = {}
    keys: dict[tuple[str, str], str] = {}
    wanted: dict[str, Unit] = {}
    for entry in intake.entries:
        if entry.submission.source is None or entry.exercise not in around:
            continue
        unit = unit_of(entry.submission, around[entry.exercise])
        units.setdefault(unit.key, unit)
        keys[entry.student.key, entry.exercise] = unit.key
        if _is_meant(entry, chosen, order):
            wanted[unit.key] = unit
    known = set() if order.regrade else ledger.done(wanted)
    pending = [unit for key, unit in wanted.items() if key not in known]
    ledger.hand_in((student, exercise, key) for (student, exercise), key in keys.items())
    return Batch(course, exercises, intake, around, secret, units, pending, keys)


def _counting(chosen: Scope, intake: Intake) -> tuple[Exercise, ...]:
    """The exercises that are named; else those that somebody handed in."""
    if chosen.named:
        return chosen.exercises
    there = {entry.exercise for entry in intake.entries if not entry.missing}
    found = tuple(exercise for exercise in chosen.exercises if exercise.id in there)
    if not found:
        names = ", ".join(exercise.slug for exercise in chosen.exercises[:4])
        raise UsageError("no file for any exercise was found there.", f"Files are found by their names: {names} …")
    return found


def _check_students(chosen: Scope, intake: Intake, course: Course) -> None:
    unknown = chosen.students - {student.key for student in intake.students}
    if unknown:
        from difflib import get_close_matches

        word = sorted(unknown)[0]
        names = [*(student.key for student in intake.students), *(exercise.slug for exercise in course.exercises)]
        close = get_close_matches(word, names, n=1)
        remedy = f"Did you mean {close[0]}?" if close else "The tables name students as --only wants them."
        raise UsageError(f"--only {word}: neither an exercise nor a student who handed in.", remedy)


def _is_meant(entry: Entry, chosen: Scope, order: Order) -> bool:
    if chosen.students and entry.student.key not in chosen.students:
        return False
    return order.since is None or entry.changed_at is None or entry.changed_at >= order.since


def grade(batch: Batch, order: Order, ledger: Ledger, told: Callable[[Unit, Report], None]) -> int:
    """Grade what is pending; each report is in the ledger before anybody is told of it.

    Returns:
        how many units were graded.
    """
    count = 0
    if not batch.pending:
        return count
    by_id = {exercise.id: exercise for exercise in batch.exercises}
    with crew(batch, order) as stations:
        for done in stations.grade(batch.pending):
            report = _report(done, by_id[done.unit.exercise], batch, order)
            source = short_digest(done.unit.source)
            ledger.write(done.unit, source, encode_report(report), batch.around[done.unit.exercise])
            count += 1
            told(done.unit, report)
    return count


def _report(done: Done, exercise: Exercise, batch: Batch, order: Order) -> Report:
    if done.report is not None:
        return decode_report(done.report)
    return problem_report(exercise.id, exercise.title, batch.seed, order.level.name, done.fault)


@contextmanager
def crew(batch: Batch, order: Order) -> Iterator[Crew]:
    """The stations that an order asks for: on this machine, or on a cluster."""
    course, ids = batch.course, tuple(unit.exercise for unit in batch.pending)
    hide = [str(order.path.absolute())] if order.path.is_dir() else []
    setup = Setup(
        root=str(course.root.absolute()),
        solutions=str(course.solutions.absolute()) if course.solutions else None,
        exercises=tuple(dict.fromkeys(ids)),
        secret=batch.secret,
        isolation=order.level.name,
        hide=(*hide, str(order.out.absolute())),
    )
    if order.cluster:
        from grader.batch.cluster import ClusterCrew

        with ClusterCrew(setup, order.cluster) as remote:
            yield remote
        return
    budgets_s = {exercise.id: exercise.limits.budget_s for exercise in batch.exercises}
    with LocalCrew(setup, order.jobs or cores(), budgets_s) as local:
        yield local
