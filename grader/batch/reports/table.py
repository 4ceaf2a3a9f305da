"""The class as plain CSV: a line per student and exercise, and the remarks."""

from __future__ import annotations

from grader.batch.gradebook import Cell, Gradebook
from grader.batch.records import Student
from grader.batch.reports.spelling import csv_text, guarded, plain

HEAD = ("student", "name", "exercise", "result", "points", "late_percent", "final", "of", "misconception", "file")


def grades(book: Gradebook) -> str:
    """``grades.csv``: one line for each student and exercise."""
    return csv_text([HEAD, *(_line(row.student, cell) for row in book.rows for cell in row.cells)])


def _line(student: Student, cell: Cell) -> list[str]:
    report = cell.report
    return [
        guarded(student.key),
        guarded(student.shown),
        cell.exercise.id,
        cell.word,
        plain(cell.points),
        plain(cell.late.percent),
        plain(cell.final),
        plain(cell.most),
        guarded(report.misconception) if report else "",
        guarded(cell.entry.submission.path),
    ]


def remarks(book: Gradebook) -> str:
    """``remarks.csv``: what a person should look at, refusals first."""
    lines = [
        [remark.code.value, guarded(row.student.key), cell.exercise.id, guarded(remark.text)]
        for row in book.rows
        for cell in row.cells
        for remark in cell.entry.remarks
    ]
    lines += [[remark.code.value, "", "", guarded(remark.text)] for remark in book.remarks]
    lines = [list(line) for line in dict.fromkeys(map(tuple, lines))]
    lines.sort(key=lambda line: line[0] != "refused")
    return csv_text([("kind", "student", "exercise", "remark"), *lines])
