"""What lateness costs. Applied when reports are made, never in the ledger: a deadline may move."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import get_close_matches
from pathlib import Path

from grader.batch.records import Code, Entry, Remark, Student
from grader.catalog.schema import require_valid
from grader.catalog.yaml_source import YamlFile, read_yaml


@dataclass(frozen=True)
class Late:
    """What a hand-in's time means.

    Attributes:
        days: days begun after the due time and the grace; 0 for in time.
        percent: what it costs, of the points reached.
        unknown: whether the course system says late, and nobody says how late.
    """

    days: int = 0
    percent: float = 0.0
    unknown: bool = False


@dataclass(frozen=True)
class Policy:
    """A deadline file; see ``grader/schemas/deadline.json``."""

    due: datetime
    grace: timedelta = timedelta()
    percent_per_day: float = 0.0
    most_percent: float = 100.0
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    submitted: Mapping[str, datetime] = field(default_factory=dict)

    def lateness(self, entry: Entry) -> Late:
        """How late a hand-in was, and what that costs. What has no time counts as in time."""
        when = _of(entry.student, self.submitted) or entry.submitted_at
        if when is None:
            return Late(unknown=entry.late_mark)
        over = when - (_of(entry.student, self.extensions) or self.due)
        if over <= self.grace:
            return Late()
        days = math.ceil((over - self.grace) / timedelta(days=1))
        return Late(days, min(days * self.percent_per_day, self.most_percent))

    def strangers(self, students: Iterable[Student]) -> list[Remark]:
        """Names in the file that are no student's: a slip of the pen would cost somebody points."""
        known = {name for student in students for name in names_of(student)}
        remarks = []
        for name in sorted({*self.extensions, *self.submitted} - known):
            close = get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            remarks.append(Remark(Code.LATE, f"the deadline file names {name}, who handed in nothing{hint}"))
        return remarks


def names_of(student: Student) -> tuple[str, ...]:
    """Everything that a file of the instructor's may call a student."""
    return tuple(name for name in (student.key, student.name, *student.ids.values()) if name)


def _of(student: Student, times: Mapping[str, datetime]) -> datetime | None:
    return next((times[name] for name in names_of(student) if name in times), None)


def read_policy(path: Path) -> Policy:
    """Read a deadline file.

    Raises:
        ContentError: it is not as its schema wants it, or a time has no zone.
    """
    source = read_yaml(path)
    require_valid(source, "deadline")
    data = source.data
    return Policy(
        due=_time(source, ("due",), data["due"]),
        grace=timedelta(minutes=data.get("grace_minutes", 0)),
        percent_per_day=float(data.get("percent_per_day", 0)),
        most_percent=float(data.get("most_percent", 100)),
        extensions=_times(source, "extensions"),
        submitted=_times(source, "submitted"),
    )


def _times(source: YamlFile, name: str) -> dict[str, datetime]:
    return {student: _time(source, (name, student), text) for student, text in source.data.get(name, {}).items()}


def _time(source: YamlFile, place: tuple[str, ...], text: str) -> datetime:
    remedy = "Write it as 2026-03-01T23:59:00+01:00."
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise source.error(place, f"`{text}` is no ISO 8601 time.", remedy) from None
    if found.tzinfo is None:
        raise source.error(place, f"`{text}` has no time zone.", remedy)
    return found
