"""The class as reports see it: students × exercises, with points, lateness and remarks. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.batch.deadline import Late, Policy
from grader.batch.records import Code, Entry, Intake, Remark, Student
from grader.batch.unit import has_problem
from grader.model import Course, Exercise, Report, Verdict

WORDS = ("pass", "not yet", "stopped", "missing", "refused", "skipped", "grader problem", "not graded")
STOPPED = (Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASH, Verdict.FLOOD)


@dataclass(frozen=True)
class Cell:
    """One student's one exercise.

    Attributes:
        word: pass, not yet, stopped, missing, refused, skipped, grader problem, or not graded.
        points: reached, before lateness, on the scale of the whole exercise; None where there are none to be told.
        most: what the exercise is worth.
        late: how late it was.
        report: what grading found out, where it was graded.
    """

    exercise: Exercise
    entry: Entry
    word: str
    points: float | None
    most: float
    late: Late
    report: Report | None = None

    @property
    def final(self) -> float | None:
        """Points after lateness."""
        return None if self.points is None else self.points * (1 - self.late.percent / 100)


@dataclass(frozen=True)
class Row:
    """One student's work."""

    student: Student
    cells: tuple[Cell, ...]

    @property
    def total(self) -> float | None:
        """Points after lateness, over all exercises that have any; None where none has."""
        known = [cell.final for cell in self.cells if cell.final is not None]
        return sum(known) if known else None

    @property
    def most(self) -> float:
        """What all exercises are worth that count for this student."""
        return sum(cell.most for cell in self.cells if cell.points is not None)


@dataclass(frozen=True)
class Gradebook:
    """The whole class.

    Attributes:
        title: the course's.
        exercises: the columns.
        rows: one for each student, by key.
        show_hidden: whether students may see names and verdicts of the checks that run at hand-in only.
        seed: the id of the seed that inputs were drawn from.
        isolation: how files were shut in.
        layout: how the hand-ins were laid out.
        remarks: what belongs to no student.
    """

    title: str
    exercises: tuple[Exercise, ...]
    rows: tuple[Row, ...]
    show_hidden: bool
    seed: str
    isolation: str
    layout: str
    remarks: tuple[Remark, ...] = ()

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All of them."""
        return tuple(cell for row in self.rows for cell in row.cells)


def gradebook(
    course: Course,
    exercises: Sequence[Exercise],
    intake: Intake,
    report_of: Callable[[Entry], Report | None],
    policy: Policy | None,
    seed: str,
    isolation: str,
) -> Gradebook:
    """Put it together.

    Args:
        course: title and disclosure are its.
        exercises: the columns.
        intake: who handed in what.
        report_of: the report of an entry with a file; None while it is not graded.
        policy: what lateness costs.
        seed: the seed's id.
        isolation: how files were shut in.
    """
    known = {exercise.id: exercise for exercise in exercises}
    cells: dict[str, list[Cell]] = {student.key: [] for student in intake.students}
    for entry in intake.entries:
        if entry.exercise in known:
            cells[entry.student.key].append(_cell(known[entry.exercise], entry, report_of, policy))
    rows = tuple(Row(student, tuple(cells[student.key])) for student in intake.students)
    remarks = (*intake.remarks, *(policy.strangers(intake.students) if policy else ()))
    return Gradebook(course.title, tuple(exercises), rows, course.show_hidden, seed, isolation, intake.layout, remarks)


def _cell(exercise: Exercise, entry: Entry, report_of: Callable[[Entry], Report | None], policy: Policy | None) -> Cell:
    most = float(sum(exercise.points.values()))
    late = policy.lateness(entry) if policy and not entry.missing else Late()
    if late.days or late.unknown:
        entry = entry.with_remark(Remark(Code.LATE, _lateness(late)))
    if entry.submission.source is None:
        return Cell(exercise, entry, "missing" if entry.missing else "refused", 0.0, most, late)
    report = report_of(entry)
    if report is None:
        return Cell(exercise, entry, "not graded", None, most, late)
    # Where some checks were skipped, or are the grader's problem, the others stand for the whole.
    points = report.points / report.max_points * most if report.max_points else None
    return Cell(exercise, entry, word(report), points, most, late, replace(report, file=entry.submission.path))


def _lateness(late: Late) -> str:
    if late.unknown:
        return (
            "marked as late by the course system; the deadline file does not say when it came, so nothing is taken off"
        )
    return f"{late.days} {'day' if late.days == 1 else 'days'} late: {late.percent:g} percent off"


def word(report: Report) -> str:
    """What a table says of a report: a check that ran into a limit makes an exercise ``stopped``."""
    if report.verdict is Verdict.NOT_YET and any(check.verdict in STOPPED for check in report.checks):
        return "stopped"
    return "not yet" if report.verdict is Verdict.LAYOUT else str(report.verdict)


def problems(book: Gradebook) -> list[Cell]:
    """What the grader itself is to blame for."""
    return [cell for cell in book.cells if cell.report is not None and has_problem(cell.report)]


def cause(cell: Cell) -> str:
    """What went wrong inside the grader."""
    if cell.report is None:
        return ""
    found = [check.message for check in cell.report.checks if check.verdict is Verdict.GRADER_PROBLEM]
    return next(filter(None, [cell.report.message, *found]), "no reason was given")


def counts(book: Gradebook) -> Mapping[str, Mapping[str, int]]:
    """For each exercise, how many students have which word."""
    found: dict[str, dict[str, int]] = {exercise.id: {} for exercise in book.exercises}
    for cell in book.cells:
        words = found[cell.exercise.id]
        words[cell.word] = words.get(cell.word, 0) + 1
    return found
