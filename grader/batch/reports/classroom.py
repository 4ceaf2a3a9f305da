"""GitHub Classroom's results, one for each student: JSON as its autograding reporter reads it, and that in base64.

Source: https://github.com/classroom-resources/autograding-grading-reporter: it adds up numeric scores, and wants a
``max_score`` above 0 and at least one test.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from grader.batch.gradebook import Cell, Gradebook, Row
from grader.batch.reports.spelling import file_name
from grader.batch.reports.view import as_text, checks_of, folded, news
from grader.report.document import number

STATUS = {"pass": "pass", "skipped": "pass", "grader problem": "error"}


def render(book: Gradebook) -> dict[str, str]:
    """Two files for each student: one to read, one to set as a step's output."""
    found = {}
    for row in book.rows:
        name = file_name(row.student.key)
        text = json.dumps(results(book, row), indent=1)
        found[f"classroom/{name}.json"] = text + "\n"
        found[f"classroom/{name}.base64"] = base64.b64encode(text.encode()).decode() + "\n"
    return found


def results(book: Gradebook, row: Row) -> dict[str, Any]:
    """One student's results; lateness is in each test's score, since the reporter adds them up."""
    tests = [test for cell in row.cells for test in _tests(book, cell)]
    states = {test["status"] for test in tests}
    return {
        "version": 1,
        "status": "error" if "error" in states else "fail" if "fail" in states else "pass",
        "max_score": number(max(sum(cell.most for cell in row.cells), 1.0), 4),
        "tests": tests or [_test("nothing to grade", "pass", 0.0, "")],
    }


def _tests(book: Gradebook, cell: Cell) -> Iterator[dict[str, Any]]:
    kept = 1 - cell.late.percent / 100
    shown = folded(checks_of(cell, book.show_hidden))
    if not shown:
        status = STATUS.get(cell.word, "fail")
        yield _test(f"{cell.exercise.slug} · {cell.word}", status, 0.0, "\n".join(news(cell)))
    for each in shown:
        score = each.share.points * kept
        whole = each.share.points == each.share.max_points
        status = STATUS.get(each.word, "pass" if each.check is None and whole else "fail")
        yield _test(f"{cell.exercise.slug} · {each.title}", status, score, as_text(each))


def _test(name: str, status: str, score: float, message: str) -> dict[str, Any]:
    return {"name": name, "status": status, "score": number(score, 4), "message": message, "line_no": 0}
