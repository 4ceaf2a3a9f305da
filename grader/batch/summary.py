"""What ``grade batch`` says at its end: for a terminal of 80 columns, and as one JSON object."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from grader.batch.difference import Change
from grader.batch.gradebook import WORDS, Cell, Gradebook, cause, counts, problems
from grader.batch.reports.spelling import plain
from grader.report.document import number
from grader.report.rows import wrapped
from grader.report.visible import clip, visible

SCHEMA: Final = "batch/1"
SHORT: Final = {"grader problem": "problem", "not graded": "to do"}
MOST_SHOWN: Final = 20  # problems or changes told on a screen; --json and the files have all
MOST_CHECKS: Final = 5
COLUMN: Final = 7  # "not yet", "missing", "problem"
LABEL: Final = 10


@dataclass(frozen=True)
class Told:
    """What the command knows beside the gradebook.

    Attributes:
        graded: files graded in this run.
        known: files whose grade the ledger had.
        seconds: how long grading took.
        files: reports to open.
        again: the words of the command, for grading something again.
        changes: whose grade changed, where that was asked for.
        width: columns of the terminal.
    """

    graded: int
    known: int
    seconds: float
    files: Sequence[Path] = ()
    again: Sequence[str] = ()
    changes: Sequence[Change] | None = None
    width: int = 80
    environment: Mapping[str, str | None] = field(default_factory=dict)


def render(book: Gradebook, told: Told) -> Text:
    """The end of a run, for a terminal."""
    count = len(book.rows)
    rows = [Text(f"{visible(book.title)} · {count} student{'s' * (count != 1)} · {visible(book.layout)}", "bold")]
    rate = f" in {told.seconds:.0f} s, {told.graded / told.seconds:.1f}/s" if told.graded and told.seconds else ""
    graded = f"{told.graded} file{'s' * (told.graded != 1)} now{rate}; {told.known} known before"
    remarks = ", ".join(f"{amount} {code}" for code, amount in _remark_counts(book).items())
    last = _labelled("remarks", remarks, told.width) if remarks else []
    for at, file in enumerate(told.files):
        last += _labelled("reports" if at == 0 else "", visible(str(file)), told.width)
    last += _labelled("seed", f"{book.seed} · isolation {book.isolation}", told.width)
    groups = [
        [*rows, *_labelled("graded", graded, told.width)],
        _table(book, told.width),
        _problems(book, told),
        _changes(told),
        last,
    ]
    return Text("\n\n").join([Text("\n").join(group) for group in groups if group])


def _labelled(label: str, text: str, width: int) -> list[Text]:
    lines = wrapped(text, width - LABEL) or [""]
    return [Text(f"{label if at == 0 else '':<{LABEL}}", "dim").append(line, "") for at, line in enumerate(lines)]


def _table(book: Gradebook, width: int) -> list[Text]:
    """A line per exercise; where the columns leave too little room, names of exercises are cut."""
    found = counts(book)
    words = [word for word in WORDS if any(word in each for each in found.values())]
    heads = [f"{SHORT.get(word, word):>{COLUMN}}" for word in words]
    head = "".join(f"  {text}" for text in [*heads, f"{'mean':>{COLUMN}}"])
    longest = max([len(exercise.slug) for exercise in book.exercises], default=0)
    wide = max(COLUMN, min(longest, width - len(head)))
    rows = [Text(" " * wide + head, "dim")]
    for exercise in book.exercises:
        cells = [f"{found[exercise.id].get(word, 0):>{COLUMN}}" for word in words]
        line = "".join(f"  {text}" for text in [*cells, f"{_mean(book, exercise.id):>{COLUMN}}"])
        rows.append(Text(f"{clip(exercise.slug, wide):<{wide}}{line}"))
    return rows


def _mean(book: Gradebook, exercise: str) -> str:
    points = [cell.final for cell in book.cells if cell.exercise.id == exercise and cell.final is not None]
    most = next(cell.most for cell in book.cells if cell.exercise.id == exercise) if book.cells else 0
    return f"{sum(points) / len(points):.1f}/{plain(most)}" if points else ""


def _remark_counts(book: Gradebook) -> Mapping[str, int]:
    every = {(row.student.key, remark) for row in book.rows for cell in row.cells for remark in cell.entry.remarks}
    found = Counter(remark.code.value for _, remark in every)
    found.update(remark.code.value for remark in book.remarks)
    return dict(sorted(found.items()))


def reproduction(cell: Cell, told: Told) -> str:
    """The command that grades one student's exercise again."""
    words = [*told.again, "--only", cell.entry.student.key, "--only", cell.exercise.slug, "--regrade"]
    return shlex.join(["grade", "batch", *words])


def _problems(book: Gradebook, told: Told) -> list[Text]:
    found = problems(book)
    if not found:
        return []
    rows = [Text(f"grader problems: {len(found)}; they cost no points", "bold red")]
    for cell in found[:MOST_SHOWN]:
        rows += _labelled("", clip(f"{cell.entry.student.shown} · {cell.exercise.id} · {cause(cell)}", 300), told.width)
        rows.append(Text(f"{'again':<{LABEL}}", "dim").append(reproduction(cell, told), ""))
    if len(found) > MOST_SHOWN:
        rows.append(Text(f"… and {len(found) - MOST_SHOWN} more: --json has them all"))
    return rows


def _changes(told: Told) -> list[Text]:
    """What changed alike is told together: a check that was mended changes many grades in one way."""
    if told.changes is None:
        return []
    count = len(told.changes)
    rows = [Text(f"{count} grade{'s' * (count != 1)} changed" if count else "no grade changed", "bold")]
    groups: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[Change]] = {}
    for change in told.changes:
        groups.setdefault((change.exercise, change.why, change.checks), []).append(change)
    for (exercise, why, checks), members in list(groups.items())[:MOST_SHOWN]:
        rows += [Text(line) for line in wrapped(f"{exercise} · because of {', '.join(why)}", told.width)]
        rows += [Text(f"  {check}", "dim") for check in checks[:MOST_CHECKS]]
        points = [f"{visible(c.student)} {plain(c.before, 2)} → {plain(c.after, 2)}" for c in members[:MOST_SHOWN]]
        more = f", and {len(members) - MOST_SHOWN} more" if len(members) > MOST_SHOWN else ""
        rows += [Text(f"  {line}") for line in wrapped(", ".join(points) + more, told.width - 2)]
    if len(groups) > MOST_SHOWN:
        rows.append(Text(f"… and {len(groups) - MOST_SHOWN} other kinds of change: --json has them all"))
    return rows


def to_document(book: Gradebook, told: Told) -> dict[str, Any]:
    """What ``--json`` prints, as ``grader/schemas/batch.json`` describes it."""
    return {
        "schema": SCHEMA,
        "title": book.title,
        "layout": book.layout,
        "isolation": book.isolation,
        "seed": book.seed,
        "environment": dict(told.environment),
        "graded": told.graded,
        "known": told.known,
        "seconds": round(told.seconds, 3),
        "files": [_text(str(file)) for file in told.files],
        "exercises": {id: dict(words) for id, words in counts(book).items()},
        "students": [
            {
                "key": _text(row.student.key),
                "name": _text(row.student.shown),
                "points": None if row.total is None else number(row.total),
                "of": number(row.most),
                "results": {cell.exercise.id: cell.word for cell in row.cells},
            }
            for row in book.rows
        ],
        "problems": [
            {
                "student": _text(cell.entry.student.key),
                "exercise": cell.exercise.id,
                "cause": _text(cause(cell)),
                "again": _text(reproduction(cell, told)),
            }
            for cell in problems(book)
        ],
        "changes": None if told.changes is None else [asdict(change) for change in told.changes],
    }


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
