"""Who handed in what: the records that every layout is turned into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from grader.batch.readers.items import MAX_FILES, Item
from grader.batch.readers.names import attempt_of, stem_of
from grader.batch.records import Remark, Student


@dataclass(frozen=True)
class File:
    """One file of one student.

    Attributes:
        item: where it lies, and how to read it.
        parts: its path within what the student handed in.
        attempt: which attempt it is of; the highest number is the newest.
    """

    item: Item
    parts: tuple[str, ...]
    attempt: int = 0


@dataclass
class Handin:
    """Everything that one student handed in."""

    student: Student
    files: list[File] = field(default_factory=list)
    submitted_at: datetime | None = None
    late_mark: bool = False
    fault: str = ""
    remarks: list[Remark] = field(default_factory=list)
    numbered: bool = False

    def take(self, file: File) -> None:
        """Add a file, or note what is wrong with it."""
        if file.item.refuses:
            self.fault = self.fault or file.item.fault
        else:
            self.files.append(file)
            if len(self.files) > MAX_FILES:
                self.fault = f"more than {MAX_FILES} files were handed in. Hand in your solution alone."


@dataclass(frozen=True)
class Class:
    """What was found: the layout's name, who handed in what, and what belongs to nobody."""

    layout: str
    handins: Sequence[Handin]
    left_over: Sequence[Item] = ()


@dataclass(frozen=True)
class Names:
    """What the course calls things, and what the whole is called.

    Attributes:
        slugs: of the exercises that may be handed in.
        chapters: folders that are no student's.
        only: the slug, where there is but one exercise to grade.
        whole: the name of the folder or archive.
    """

    slugs: Sequence[str]
    chapters: Sequence[str]
    only: str
    whole: str


def gather(key: str, placed: Iterable[tuple[Item, tuple[str, ...]]], student: Student | None = None) -> Handin:
    """One student's files, each with its path within what they handed in."""
    handin = Handin(student or Student(key))
    for item, parts in placed:
        attempt = max((attempt_of(part) for part in parts[:-1]), default=0)
        handin.take(File(item, parts, max(attempt, stem_of(parts[-1]).attempt)))
    return handin
