"""The case book: the inputs of an exercise's checks under one seed, drawn once and replayed for every file.

A book also keeps the reference's answers, so that replaying works out nothing, and so that a kit without
solutions can be graded from the book alone. The book, not the seed, is what can be replayed for ever: draws
change with the version of Hypothesis.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from grader.boundary import wire
from grader.errors import ContentError
from grader.model import Exercise

SCHEMA: Final = 1
MAX_BYTES: Final = 2**20  # of one check's inputs; large arrays belong in as a seed and a shape
MAX_ANSWER_BYTES: Final = 2**23  # of one check's reference answers


class Entry(msgspec.Struct):
    """What the book knows of one check.

    Attributes:
        cases: the drawn arguments of each case, in wire form.
        answers: the reference's answers, by the digest of the question.
        replayed: whether the cases stand for the draws; if not, the check draws anew for every file.
        asked: whether the check asks the reference anything.
        reason: why the check is not replayed.
    """

    cases: list[bytes] = []
    answers: dict[bytes, bytes] = {}
    replayed: bool = False
    asked: bool = False
    reason: str = ""


class Book(msgspec.Struct):
    """The cases of one exercise under one seed; entries come in as checks are first run.

    Attributes:
        exercise: its id.
        seed: what the cases were drawn from.
        checks: digest of the check files.
    """

    exercise: str
    seed: str
    checks: str
    entries: dict[str, Entry] = {}
    schema: int = SCHEMA


def new(exercise: Exercise, seed: str) -> Book:
    """An empty book."""
    return Book(exercise.id, seed, digest(exercise))


def gaps(book: Book) -> list[str]:
    """The checks that a kit without a reference cannot run: they draw anew and ask the reference about it."""
    return [key for key, entry in book.entries.items() if entry.reason and entry.asked]


def digest(exercise: Exercise) -> str:
    """Tells whether the visible checks are still those that a book was drawn for."""
    return hashlib.sha256(exercise.checks.read_bytes()).hexdigest()


def require_match(book: Book, exercise: Exercise, seed: str) -> None:
    """Refuse a book that was drawn for something else.

    Raises:
        ContentError: exercise, checks or seed differ.
    """
    if (book.exercise, book.checks, book.seed) != (exercise.id, digest(exercise), seed):
        what = f"the case book of {book.exercise}, seed {book.seed}, does not fit {exercise.id}, seed {seed}"
        raise ContentError(what, "Draw it anew: it holds for one version of checks.py and one seed.")


def write(book: Book, path: Path) -> None:
    """Write a book, solutions' answers and all, but nothing of the solutions themselves."""
    path.write_bytes(msgspec.msgpack.encode(book))


def read(path: Path) -> Book:
    """Read a book.

    Raises:
        ContentError: the file is not a book of this version.
    """
    try:
        book = msgspec.msgpack.decode(path.read_bytes(), type=Book)
    except (OSError, msgspec.MsgspecError) as error:
        raise ContentError(f"{path}: not a case book: {error}", "Download or release the kit again.") from None
    if book.schema != SCHEMA:
        raise ContentError(f"{path}: a case book of version {book.schema}", "Update the grader or the kit.")
    return book


class Unfit(Exception):
    """The check's arguments cannot be kept; the text says why."""


def keep(arguments: Mapping[str, Any]) -> bytes:
    """The drawn arguments of a case in wire form.

    Raises:
        Unfit: one of them is not plain data.
    """
    try:
        case = wire.encode(dict(arguments))
    except wire.WireError as error:
        raise Unfit(str(error)) from None
    if has_opaque(wire.decode(case)):
        raise Unfit("an argument is not plain data")
    return case


def thaw(case: bytes) -> dict[str, Any]:
    """The arguments of a kept case, as new objects."""
    arguments: dict[str, Any] = wire.decode(case)
    return arguments


def has_opaque(value: Any) -> bool:
    """Whether something in a value did not survive the wire."""
    kind = type(value)
    if kind is wire.Opaque:
        return True
    if kind is dict:
        return any(has_opaque(item) for item in value.values())
    return kind in (list, tuple) and any(has_opaque(item) for item in value)
