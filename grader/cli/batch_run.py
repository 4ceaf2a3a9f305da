"""What ``grade batch`` does once its options are understood: grade, write reports, say how it went."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from grader.batch import run as runs
from grader.batch import summary
from grader.batch.deadline import Policy, read_policy
from grader.batch.difference import changes
from grader.batch.gradebook import Gradebook, gradebook, problems
from grader.batch.ledger import Ledger, open_ledger
from grader.batch.progress import Bar
from grader.batch.records import Code, Entry, Intake, Remark
from grader.batch.reports import canvas, gradescope, replace_file, write_reports
from grader.batch.unit import Unit
from grader.cli.screen import print_json, print_text, width
from grader.environment import environment
from grader.errors import FAULT
from grader.model import Course, Report


@dataclass(frozen=True)
class Wishes:
    """What to tell, and how.

    Attributes:
        formats: names of report formats.
        diff: whether to say whose grade changed.
        deadline: the deadline file, or None.
        roster: Canvas' exported gradebook, or None.
        assignment: what Canvas calls this work.
        as_json: whether to print one JSON object.
        again: the words of the command, for the commands that reproduce problems.
    """

    formats: Sequence[str]
    diff: bool
    deadline: Path | None
    roster: Path | None
    assignment: str
    as_json: bool
    again: Sequence[str]


def run(course: Course, order: runs.Order, wishes: Wishes) -> int:
    """Grade a class; 0 when everything is graded, 3 when the grader is to blame for something."""
    policy = read_policy(wishes.deadline) if wishes.deadline else None
    roster = canvas.read_roster(wishes.roster) if wishes.roster else None
    with open_ledger(order.out) as ledger:
        found = runs.prepare(course, order, ledger)
        ledger.begin(" ".join(wishes.again))
        class_ = Class(found, order, policy, ledger)
        start_s = time.monotonic()
        graded = _grade(class_, wishes)
        seconds = time.monotonic() - start_s
        book = class_.book(found.intake, ledger.reports(found.units))
        if roster and "canvas" in wishes.formats:
            book = _with_strangers(book, roster)
        told = summary.Told(
            graded=graded,
            known=len(found.units) - graded,
            seconds=seconds,
            files=write_reports(book, wishes.formats, order.out, roster, wishes.assignment),
            again=wishes.again,
            changes=changes(book, found.keys, ledger) if wishes.diff else None,
            width=width(),
            environment=environment(),
        )
    return _tell(book, told, wishes)


@dataclass(frozen=True)
class Class:
    """A class under way: what is to be graded, and how reports of it are made."""

    batch: runs.Batch
    order: runs.Order
    policy: Policy | None
    ledger: Ledger

    def book(self, intake: Intake, reports: Mapping[str, Report]) -> Gradebook:
        """The gradebook of some or all students, with the reports that there are."""

        def report_of(entry: Entry) -> Report | None:
            return reports.get(self.batch.keys.get((entry.student.key, entry.exercise), ""))

        found, level = self.batch, self.order.level.name
        return gradebook(found.course, found.exercises, intake, report_of, self.policy, found.seed, level)


def _with_strangers(book: Gradebook, roster: canvas.Roster) -> Gradebook:
    texts = [f"{key} is not in the roster, and not in canvas.csv" for key in canvas.strangers(book, roster)]
    return replace(book, remarks=(*book.remarks, *(Remark(Code.IGNORED, text) for text in texts)))


def _grade(class_: Class, wishes: Wishes) -> int:
    count = 0
    pending = class_.batch.pending
    early = Early(class_) if "gradescope" in wishes.formats else None

    def told(unit: Unit, report: Report) -> None:
        nonlocal count
        count += 1
        bar.step()
        if early:
            early.told(unit, report)

    try:
        with Bar(len(pending), quiet=wishes.as_json) as bar:
            return runs.grade(class_.batch, class_.order, class_.ledger, told)
    except KeyboardInterrupt:
        text = f"stopped: {count} of {len(pending)} graded and kept; the same command goes on from here"
        click.echo(text, err=True)
        raise


class Early:
    """Partial results for Gradescope, which shows what is there when its own time is up: after each file anew.

    Args:
        class_: the class under way.
    """

    def __init__(self, class_: Class) -> None:
        """Looks up whose file is whose."""
        self._class = class_
        self._entries: dict[str, list[Entry]] = {}
        self._students: dict[str, list[str]] = {}
        found = class_.batch
        for entry in found.intake.entries:
            self._entries.setdefault(entry.student.key, []).append(entry)
        for (student, _), key in found.keys.items():
            self._students.setdefault(key, []).append(student)
        self._reports = class_.ledger.reports(found.units.keys() - {unit.key for unit in found.pending})

    def told(self, unit: Unit, report: Report) -> None:
        """A file is graded: write what its students have so far."""
        self._reports[unit.key] = report
        for key in self._students.get(unit.key, ()):
            entries = tuple(self._entries[key])
            intake = Intake("", (entries[0].student,), entries)
            book = self._class.book(intake, self._reports)
            [row] = book.rows
            replace_file(self._class.order.out / gradescope.place(row), gradescope.spell(gradescope.results(book, row)))


def _tell(book: Gradebook, told: summary.Told, wishes: Wishes) -> int:
    if wishes.as_json:
        print_json(summary.to_document(book, told))
    else:
        print_text(summary.render(book, told))
    return FAULT if problems(book) else 0
