"""The class in the formats that course systems take: one pure renderer each, and one writer for all.

A renderer turns a gradebook into texts by file name. A file is replaced as a whole, so that a reader never sees
half of one, and nothing in it depends on how long grading took or on how often it was interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grader.batch.gradebook import Gradebook
from grader.batch.reports import canvas, classroom, gradescope, html, junit, table

Renderer = Callable[[Gradebook], Mapping[str, str]]


def _csv(book: Gradebook) -> Mapping[str, str]:
    return {"grades.csv": table.grades(book), "remarks.csv": table.remarks(book)}


RENDERERS: Mapping[str, Renderer] = {
    "csv": _csv,
    "html": html.render,
    "gradescope": gradescope.render,
    "canvas": lambda book: {"canvas.csv": canvas.render(book)},
    "classroom": classroom.render,
    "junit": lambda book: {"junit.xml": junit.render(book)},
}
FIRST: Mapping[str, str] = {
    "csv": "grades.csv",
    "html": "html/index.html",
    "gradescope": "gradescope",
    "canvas": "canvas.csv",
    "classroom": "classroom",
    "junit": "junit.xml",
}


def write_reports(
    book: Gradebook, formats: Sequence[str], out: Path, roster: canvas.Roster | None = None, assignment: str = ""
) -> list[Path]:
    """Write the class in some formats.

    Args:
        book: the class.
        formats: names of ``RENDERERS``.
        out: the folder for them.
        roster: who is in the course, where Canvas said so.
        assignment: what Canvas calls this work.

    Returns:
        the file of each format that a person opens first.
    """
    first = []
    for name in formats:
        made = RENDERERS[name](book)
        if name == "canvas":
            made = {"canvas.csv": canvas.render(book, roster, assignment)}
        for file, text in made.items():
            replace_file(out / file, text)
        first.append(out / FIRST[name])
    return first


def replace_file(path: Path, text: str) -> None:
    """Put a text in a file's place, all at once; a file that has it already is left alone."""
    data = text.encode("utf-8", "backslashreplace")
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    beside.write_bytes(data)
    os.replace(beside, path)
