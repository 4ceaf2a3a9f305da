"""Canvas' gradebook as CSV, to be imported there.

Source: https://community.canvaslms.com/t5/Instructor-Guide/How-do-I-import-grades-in-the-Gradebook/ta-p/807:
the first columns say who a student is, the second row what the assignment is worth, and ids must stay as they are.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.batch.gradebook import Gradebook, Row
from grader.batch.reports.spelling import csv_text, guarded, plain
from grader.batch.reports.view import is_settled, possible
from grader.errors import UsageError

WHO: Final = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POSSIBLE: Final = "    Points Possible"  # with four blanks, as Canvas writes it
MAX_ROSTER: Final = 2**27  # bytes


@dataclass(frozen=True)
class Roster:
    """A gradebook that Canvas exported: who is in the course, with all their ids.

    Attributes:
        head: the columns that say who somebody is.
        rows: one for each student, in the export's order, as it was.
    """

    head: tuple[str, ...] = WHO
    rows: tuple[tuple[str, ...], ...] = ()


def read_roster(path: Path) -> Roster:
    """Read a gradebook's export; grades in it are left alone.

    Raises:
        UsageError: it has no columns ``Student`` and ``ID``.
    """
    try:
        if path.stat().st_size > MAX_ROSTER:
            raise ValueError("it is too large")
        lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"{path} cannot be read: {error}.", "Export the gradebook from Canvas again.") from None
    if not lines or not {"Student", "ID"} <= set(lines[0]):
        raise UsageError(f"{path} is no Canvas gradebook.", "It must have the columns Student and ID.")
    at = [lines[0].index(name) for name in WHO if name in lines[0]]
    rows = [tuple(line[place] if place < len(line) else "" for place in at) for line in lines[1:]]
    people = tuple(row for row in rows if any(row) and "points possible" not in row[0].lower() and row[1].strip())
    return Roster(tuple(lines[0][place] for place in at), people)


def render(book: Gradebook, roster: Roster | None = None, assignment: str = "") -> str:
    """``canvas.csv``: one column of totals. A student whose work could not be judged has none yet."""
    head = roster.head if roster else WHO
    found = [[*head, guarded(assignment or book.title)], [POSSIBLE, *[""] * (len(head) - 1), plain(possible(book))]]
    students = _by_name(book)
    for line in roster.rows if roster else ():
        row = next((students[name] for name in map(_norm, line) if name in students), None)
        found.append([guarded(line[0]), *line[1:], _total(row)])
    if roster is None:
        found += [_line(row) for row in book.rows]
    return csv_text(found)


def strangers(book: Gradebook, roster: Roster) -> list[str]:
    """Keys of students who handed in and whom the roster does not have."""
    known = {_norm(text) for line in roster.rows for text in line if text.strip()}
    return [
        row.student.key
        for row in book.rows
        if not {_norm(text) for text in (row.student.key, row.student.name, *row.student.ids.values())} & known
    ]


def _line(row: Row) -> list[str]:
    ids = row.student.ids
    known = [ids.get("ID", ""), ids.get("SID", ""), ids.get("Email", "") or ids.get("GitHub", ""), ""]
    return [guarded(row.student.shown), *map(guarded, known), _total(row)]


def _total(row: Row | None) -> str:
    return plain(row.total) if row is not None and is_settled(row) else ""


def _by_name(book: Gradebook) -> dict[str, Row]:
    """Rows by all that a roster may call their student; a name that two students have is nobody's."""
    found: dict[str, Row] = {}
    doubled: set[str] = set()
    for row in book.rows:
        student = row.student
        for name in {_norm(text) for text in (student.key, student.name, *student.ids.values()) if text}:
            doubled |= {name} & found.keys()
            found[name] = row
    return {name: row for name, row in found.items() if name not in doubled}


def _norm(text: str) -> str:
    """Canvas' own file names have last and first name joined, in small letters: ``doejane`` for ``Doe, Jane``."""
    return "".join(char for char in text.lower() if char.isalnum() or char in "@.")


__all__: Sequence[str] = ("Roster", "read_roster", "render", "strangers")
