"""The class and each student as HTML: pages that need nothing else, run no script and load nothing.

A learner's file decides what some of the text says. Everything is escaped by the template engine, and the pages'
own policy forbids scripts, pictures and requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from grader.batch.analysis import Item, items, mix_ups
from grader.batch.gradebook import STOPPED, WORDS, Cell, Gradebook, Row, cause, counts, problems
from grader.batch.reports.spelling import file_name, plain
from grader.batch.reports.view import checks_of, folded, is_settled, news
from grader.errors import UsageError
from grader.model import Verdict
from grader.report.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).parent / "templates"
MOST_CELLS: Final = 60_000  # of the map: 6 MB of page; a browser still scrolls through that
MOST_ROWS: Final = 5000
MOST_LINES: Final = 500  # of other tables
QUOTED: Final = ("called", "returned", "expected", "got", "traceback", "output")
CLASSES: Final = {"pass": "p", "not yet": "f", "refused": "f", "stopped": "s", "grader problem": "g"}
SIGNS: Final = {"p": "✓", "f": "–", "s": "!", "g": "?", "o": "·"}


def render(book: Gradebook) -> dict[str, str]:
    """``html/index.html`` for the class, and a page per student that shows what a student may see."""
    pages = {"html/index.html": class_page(book)}
    for row in book.rows:
        pages[f"html/{file_name(row.student.key)}.html"] = student_page(book, row)
    return pages


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise UsageError("HTML needs Jinja2.", "pip install 'pretraining-grader[batch]', or choose --format.") from None
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    from markupsafe import Markup

    environment.globals["style"] = Markup((TEMPLATES / "style.css").read_text(encoding="utf-8"))
    return environment


def student_page(book: Gradebook, row: Row) -> str:
    """One student's page."""
    points = f"{plain(row.total, 2) or 'no'} of {plain(sum(cell.most for cell in row.cells), 2)} points"
    return (
        _environment()
        .get_template("student.html")
        .render(
            book=book,
            name=visible(row.student.shown),
            points=points if is_settled(row) else f"{points} so far",
            cells=[_student_cell(book, cell) for cell in row.cells],
            quoted=QUOTED,
        )
    )


def _student_cell(book: Gradebook, cell: Cell) -> dict[str, Any]:
    return {
        "title": cell.exercise.title,
        "id": cell.exercise.id,
        "word": cell.word,
        "class": CLASSES.get(cell.word, "o"),
        "points": "not counted" if cell.final is None else f"{plain(cell.final, 2)} of {plain(cell.most, 2)} points",
        "news": news(cell),
        "checks": [
            {
                "title": each.title,
                "word": each.word,
                "class": CLASSES.get(each.word, "o"),
                # Of one hidden check the points would be the verdict.
                "points": f"{plain(each.share.points, 2)} of {plain(each.share.max_points, 2)}" if each.check else "",
                "lines": each.lines,
            }
            for each in folded(checks_of(cell, book.show_hidden))
        ],
    }


def class_page(book: Gradebook) -> str:
    """The class's page, for the instructor."""
    found = items(book)
    shown = sorted(book.rows, key=lambda row: (-(row.total or 0), row.student.key))[:MOST_ROWS]
    by_exercise = len(shown) * max(len(found), 1) > MOST_CELLS
    remarks = _remarks(book)
    return (
        _environment()
        .get_template("class.html")
        .render(
            book=book,
            words=(words := [word for word in WORDS if any(word in each for each in counts(book).values())]),
            exercises=[_exercise(book, exercise.id, words) for exercise in book.exercises],
            problems=[_problem(cell) for cell in problems(book)][:MOST_LINES],
            mix_ups=mix_ups(book)[:MOST_LINES],
            suspects=[item for item in found if item.suspect],
            by_exercise=by_exercise,
            groups=_groups(book, found, by_exercise),
            rows=[_map_row(row, found, by_exercise) for row in shown],
            left_out=len(book.rows) - len(shown),
            items=_item_lines(found),
            remarks=remarks[:MOST_LINES],
            more_remarks=max(0, len(remarks) - MOST_LINES),
        )
    )


def _exercise(book: Gradebook, id: str, words: Sequence[str]) -> dict[str, Any]:
    cells = [cell for cell in book.cells if cell.exercise.id == id]
    points = [cell.final for cell in cells if cell.final is not None]
    exercise = next(each for each in book.exercises if each.id == id)
    found = counts(book)[id]
    return {
        "title": exercise.title,
        "id": id,
        "numbers": [found.get(word, 0) for word in words],
        "mean": plain(sum(points) / len(points), 1) if points else "",
        "most": plain(sum(exercise.points.values()), 2),
    }


def _problem(cell: Cell) -> dict[str, str]:
    return {"student": visible(cell.entry.student.shown), "exercise": cell.exercise.id, "cause": visible(cause(cell))}


def _groups(book: Gradebook, found: Sequence[Item], by_exercise: bool) -> list[dict[str, Any]]:
    return [
        {
            "id": exercise.id,
            "slug": exercise.slug,
            "columns": [] if by_exercise else [item for item in found if item.exercise == exercise.id],
        }
        for exercise in book.exercises
    ]


def _map_row(row: Row, found: Sequence[Item], by_exercise: bool) -> dict[str, Any]:
    cells = [
        each
        for cell in row.cells
        for each in (
            _by_exercise(cell) if by_exercise else _by_check(cell, [i for i in found if i.exercise == cell.exercise.id])
        )
    ]
    return {
        "name": visible(row.student.shown),
        "link": f"{file_name(row.student.key)}.html",
        "points": plain(row.total, 2),
        "cells": cells,
    }


def _by_exercise(cell: Cell) -> list[tuple[str, str, str]]:
    percent = "" if cell.final is None else f"{100 * cell.final / (cell.most or 1):.0f}"
    return [(CLASSES.get(cell.word, "o"), percent, f"{cell.exercise.id}: {cell.word}")]


def _by_check(cell: Cell, columns: Sequence[Item]) -> list[tuple[str, str, str]]:
    verdicts: Mapping[str, Verdict] = {check.name: check.verdict for check in cell.report.checks} if cell.report else {}
    if not columns:
        return [_map_cell(CLASSES.get(cell.word, "o"), cell.word)]
    return [
        _map_cell(_class(verdicts[item.name]), f"{item.name}: {verdicts[item.name]}")
        if item.name in verdicts
        else _map_cell(CLASSES.get(cell.word, "o"), cell.word)
        for item in columns
    ]


def _map_cell(kind: str, title: str) -> tuple[str, str, str]:
    return kind, SIGNS[kind], title


def _class(verdict: Verdict) -> str:
    if verdict in STOPPED:
        return "s"
    return {Verdict.PASS: "p", Verdict.SKIPPED: "o", Verdict.GRADER_PROBLEM: "g"}.get(verdict, "f")


def _item_lines(found: Sequence[Item]) -> list[dict[str, Any]]:
    numbers: dict[str, int] = {}
    lines = []
    for item in found:
        numbers[item.exercise] = numbers.get(item.exercise, 0) + 1
        lines.append(
            {
                "number": numbers[item.exercise],
                "title": item.title,
                "exercise": item.exercise,
                "tier": item.tier,
                "hidden": item.hidden,
                "percent": round(100 * (item.rate or 0)),
                "judged": item.judged,
                "discrimination": "" if item.discrimination is None else f"{item.discrimination:.2f}",
            }
        )
    return lines


def _remarks(book: Gradebook) -> list[dict[str, str]]:
    lines = [
        (remark.code.value, visible(row.student.shown), cell.exercise.slug, visible(remark.text))
        for row in book.rows
        for cell in row.cells
        for remark in cell.entry.remarks
    ]
    lines += [(remark.code.value, "", "", visible(remark.text)) for remark in book.remarks]
    lines = sorted(dict.fromkeys(lines), key=lambda line: line[0] != "refused")
    return [dict(zip(("kind", "student", "exercise", "text"), line, strict=True)) for line in lines]
