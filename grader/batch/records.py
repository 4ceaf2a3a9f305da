"""The nouns of a batch: who handed in what, and what has to be said about it. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from grader.model import Submission


class Code(StrEnum):
    """What kind of remark one is; the value is what files and tables say."""

    REFUSED = "refused"
    MISSING = "missing"
    MISNAMED = "misnamed"
    OLDER = "older"
    IGNORED = "ignored"
    NOTEBOOK = "notebook"
    LATE = "late"


@dataclass(frozen=True)
class Remark:
    """Something that a person should know about a hand-in; no grade depends on it.

    Attributes:
        code: what kind it is.
        text: one sentence.
    """

    code: Code
    text: str


@dataclass(frozen=True)
class Student:
    """Whose work it is.

    Attributes:
        key: what tells this student from all others in the batch.
        name: for people; the key where nothing better is known.
        ids: what course systems call them, e.g. ``{"ID": "4711"}``.
    """

    key: str
    name: str = ""
    ids: Mapping[str, str] = field(default_factory=dict, hash=False, compare=False)

    @property
    def shown(self) -> str:
        """The name, or the key where there is none."""
        return self.name or self.key


@dataclass(frozen=True)
class Entry:
    """One student's file for one exercise.

    Attributes:
        exercise: its id.
        submission: the file; without source where there is none or it was refused.
        remarks: what is to be known about how it was found.
        submitted_at: when it was handed in, where that is known.
        changed_at: when it was handed in or, where nobody knows, when the file was last changed.
        late_mark: whether the course system marked it as late.
        missing: whether nothing was handed in for this exercise.
    """

    student: Student
    exercise: str
    submission: Submission
    remarks: tuple[Remark, ...] = ()
    submitted_at: datetime | None = None
    changed_at: datetime | None = None
    late_mark: bool = False
    missing: bool = False

    def with_remark(self, remark: Remark) -> Entry:
        """The same, with a remark more."""
        return replace(self, remarks=(*self.remarks, remark))


@dataclass(frozen=True)
class Intake:
    """Everything that was handed in.

    Attributes:
        layout: how it was laid out, in words.
        students: all of them, by key.
        entries: one for each student and exercise, missing ones among them.
        remarks: what belongs to no student.
    """

    layout: str
    students: tuple[Student, ...]
    entries: tuple[Entry, ...]
    remarks: tuple[Remark, ...] = ()
