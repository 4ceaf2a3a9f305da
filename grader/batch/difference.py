"""Whose grade changed since the last time, and why: the learner's file, the course, the grader, or the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.batch.gradebook import Gradebook, word
from grader.batch.ledger import Grade, Ledger
from grader.model import Report, Verdict

CLOSE = 1e-9  # points are sums of a few fractions


@dataclass(frozen=True)
class Change:
    """One grade that is another one now.

    Attributes:
        before: points of the older grade.
        after: points of the newer one.
        of: what the exercise is worth now.
        words: what tables said, and say.
        why: what is no longer the same.
        checks: names of the checks whose verdicts changed, with both.
    """

    student: str
    exercise: str
    before: float
    after: float
    of: float
    words: tuple[str, str]
    why: tuple[str, ...]
    checks: tuple[str, ...]


def changes(book: Gradebook, keys: Mapping[tuple[str, str], str], ledger: Ledger) -> list[Change]:
    """Every grade that differs from the one that this student had before."""
    found = []
    for row in book.rows:
        for cell in row.cells:
            key = keys.get((row.student.key, cell.exercise.id))
            now = ledger.grade(key) if key else None
            before = ledger.before(row.student.key, cell.exercise.id, key) if key else None
            if now and before and _differs(before.report, now.report):
                found.append(_change(row.student.key, before, now, ledger))
    return found


def _differs(before: Report, after: Report) -> bool:
    return (
        abs(before.points - after.points) > CLOSE
        or abs(before.max_points - after.max_points) > CLOSE
        or word(before) != word(after)
    )


def _change(student: str, before: Grade, now: Grade, ledger: Ledger) -> Change:
    older, newer = ledger.parts(before.circumstances), ledger.parts(now.circumstances)
    why = [name for name in newer if newer[name] != older.get(name)]
    if before.source != now.source:
        why.insert(0, "the student's file")
    return Change(
        student,
        now.report.exercise,
        before.report.points,
        now.report.points,
        now.report.max_points,
        (word(before.report), word(now.report)),
        tuple(why) or ("graded again",),
        _checks(before.report, now.report),
    )


def _checks(before: Report, after: Report) -> tuple[str, ...]:
    older: dict[str, Verdict] = {check.name: check.verdict for check in before.checks}
    newer: dict[str, Verdict] = {check.name: check.verdict for check in after.checks}
    return tuple(
        f"{name}: {older.get(name, 'new')} → {newer.get(name, 'gone')}"
        for name in dict.fromkeys([*older, *newer])
        if older.get(name) != newer.get(name)
    )
