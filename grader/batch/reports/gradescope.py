"""Gradescope's ``results.json``, one for each student.

Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from grader.batch.gradebook import Cell, Gradebook, Row
from grader.batch.reports.spelling import file_name, plain
from grader.batch.reports.view import Shown, as_text, checks_of, is_settled, news
from grader.report.document import number
from grader.report.visible import visible


def render(book: Gradebook) -> dict[str, str]:
    """Every student's file."""
    return {place(row): spell(results(book, row)) for row in book.rows}


def place(row: Row) -> str:
    """Where a student's file goes."""
    return f"gradescope/{file_name(row.student.key)}/results.json"


def spell(document: dict[str, Any]) -> str:
    """A document as text, the same for the same content."""
    return json.dumps(document, indent=1) + "\n"


def results(book: Gradebook, row: Row) -> dict[str, Any]:
    """One student's results; the score at the top counts, and has lateness taken off."""
    tests = [test for at, cell in enumerate(row.cells, start=1) for test in _tests(book, cell, at)]
    return {
        "score": number(row.total or 0.0, 4),
        "output": _head(book, row),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"seed": book.seed, "isolation": book.isolation},
    }


def _head(book: Gradebook, row: Row) -> str:
    graded = sum(cell.word != "not graded" for cell in row.cells)
    lines = [visible(book.title)]
    if graded < len(row.cells):
        lines.append(f"{graded} of {len(row.cells)} exercises are graded so far")
    elif not is_settled(row):
        lines.append("one exercise or more could not be judged; it costs no points, and your instructor is told")
    lines += [
        f"{cell.exercise.slug}: {plain(cell.points, 2)} points, {cell.late.percent:g} percent off for lateness"
        for cell in row.cells
        if cell.late.percent and cell.points
    ]
    return "\n".join(lines)


def _tests(book: Gradebook, cell: Cell, at: int) -> Iterator[dict[str, Any]]:
    shown = checks_of(cell, book.show_hidden)
    head = "\n".join(news(cell))
    graded = cell.points is not None and not (shown and cell.word != "refused")
    if head or not shown:
        yield _test(
            f"{cell.exercise.slug} · {cell.word}",
            str(at),
            0.0,
            cell.most if graded else 0.0,
            cell.word == "pass",
            head,
            "visible",
        )
    for count, check in enumerate(shown, start=1):
        yield _check(cell, check, f"{at}.{count}")


def _check(cell: Cell, shown: Shown, at: str) -> dict[str, Any]:
    check = shown.check
    assert check is not None
    name = f"{cell.exercise.slug} · {check.tier} · {shown.title}"
    share = shown.share
    passed = shown.word in ("pass", "skipped")
    output = as_text(shown) or ("" if passed else shown.word)
    return _test(name, at, share.points, share.max_points, passed, output, "hidden" if shown.hidden else "visible")


def _test(name: str, at: str, score: float, most: float, passed: bool, output: str, visibility: str) -> dict[str, Any]:
    return {
        "name": name,
        "number": at,
        "score": number(score, 4),
        "max_score": number(most, 4),
        "status": "passed" if passed else "failed",
        "output": output,
        "output_format": "text",
        "visibility": visibility,
    }
