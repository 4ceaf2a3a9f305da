"""The end of a terminal report: the sums, how it was graded, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from grader.model import Report, Verdict
from grader.report.rows import pasteable, wrapped
from grader.report.visible import visible
from grader.report.words import Notes, command, of_points, points, verdict_column


def table(reports: Sequence[Report]) -> list[Text]:
    """One line for each exercise."""
    wide = max(len(report.exercise) for report in reports)
    shown = [points(report) for report in reports]
    right = max(len(text) for text in shown)
    columns = [verdict_column(report.verdict) for report in reports]
    middle = max(column.cell_len for column in columns)
    rows = []
    for report, column, text in zip(reports, columns, shown, strict=True):
        column.pad_right(middle - column.cell_len)
        rows.append(Text(f"{report.exercise:<{wide}}  ").append_text(column).append(f"{text:>{right}}"))
    return rows


def ending(reports: Sequence[Report], notes: Notes) -> list[Text]:
    """The last lines: points and seed, the isolation where it is not the best, and the next step."""
    reached, most = (sum(getattr(report, name) for report in reports) for name in ("points", "max_points"))
    facts = [of_points(reached, most)]
    facts += [f"only checks that match -k {visible(notes.keyword)}"] if notes.keyword else []
    facts += [f"seed {visible(notes.seed)}"] if notes.seed else []
    lines = wrapped(" · ".join(facts), notes.width)
    if notes.isolation != "strict":
        remedy = f": {notes.remedy}" if notes.remedy else ""
        lines += wrapped(f"graded at isolation {notes.isolation}{remedy}", notes.width)
    steps = zip(("next", "then"), _next(reports, notes), strict=False)
    return [*map(Text, lines), *(row for name, step in steps for row in pasteable(name, step))]


def _next(reports: Sequence[Report], notes: Notes) -> list[str]:
    """What to do now, in one step or two."""
    verdicts = {report.verdict for report in reports}
    if any(Verdict.GRADER_PROBLEM in (report.verdict, *(c.verdict for c in report.checks)) for report in reports):
        first = "tell whoever runs the course: a grader problem costs no points"
        return [first, f"send them {notes.log}"] if notes.log else [first]
    unsolved = next((report for report in reports if report.verdict.costs_points), None)
    if unsolved:
        again = command(unsolved, notes)
        return [f"mend {unsolved.file}", again] if unsolved.file else [again]
    if verdicts == {Verdict.SKIPPED}:
        return ["nothing was graded: `grade doctor` says what is missing"]
    return [f"grade {notes.following}" if notes.following else "grade list"]
