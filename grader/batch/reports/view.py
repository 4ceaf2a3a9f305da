"""What a student may see of a grade: the same for every format.

Of a check that runs at hand-in only, name and verdict are shown where the course says so, and nothing otherwise;
its inputs never are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.batch.gradebook import Cell, Gradebook, Row
from grader.model import CheckResult, Verdict
from grader.report.visible import visible
from grader.report.words import STOPPED
from grader.scoring import Score, shares

MAX_TEXT = 2000  # characters that somebody may want to read, or to copy
CUT = 240  # of a longer text: three lines


@dataclass(frozen=True)
class Line:
    """One thing said of a check: ``expected``, and the text beside it.

    Attributes:
        whole: all of it, where the text is cut.
    """

    label: str
    text: str
    whole: str = ""


@dataclass(frozen=True)
class Shown:
    """One check, or all that are not shown one by one.

    Attributes:
        check: what was found out; None for several hidden ones together.
        title: for people.
        word: pass, not yet, stopped, skipped or grader problem.
        share: points reached and possible, on the scale of the whole exercise.
        hidden: whether students must not see it.
        lines: what is told of a failure.
    """

    check: CheckResult | None
    title: str
    word: str
    share: Score
    hidden: bool = False
    lines: tuple[Line, ...] = ()


def check_word(verdict: Verdict) -> str:
    """The word for a check's verdict, as the terminal has it."""
    if verdict in STOPPED:
        return "stopped"
    return "not yet" if verdict is Verdict.LAYOUT else str(verdict)


def checks_of(cell: Cell, show_hidden: bool) -> list[Shown]:
    """The checks of a cell in their order, with what may be told; all of them, hidden ones marked."""
    report = cell.report
    if report is None or cell.points is None:
        return []
    scale = cell.most / report.max_points if report.max_points else 0.0
    found = []
    for check, share in zip(report.checks, shares(report.checks, cell.exercise.points), strict=True):
        scaled = Score(share.points * scale, share.max_points * scale)
        secret = check.hidden and not show_hidden
        lines = () if check.hidden else tuple(_lines(check))
        found.append(Shown(check, visible(check.title), check_word(check.verdict), scaled, secret, lines))
    return found


def folded(shown: Sequence[Shown]) -> list[Shown]:
    """The same for a reader who must not see the hidden ones: they become one line, without a verdict."""
    open_ = [each for each in shown if not each.hidden]
    secret = [each for each in shown if each.hidden]
    if not secret:
        return open_
    share = Score(sum(each.share.points for each in secret), sum(each.share.max_points for each in secret))
    one = len(secret) == 1
    title = "1 check that runs at hand-in only" if one else f"{len(secret)} checks that run at hand-in only"
    return [*open_, Shown(None, title, "not shown", share)]


def _lines(check: CheckResult) -> list[Line]:
    labels = {
        "called": check.called,
        "returned": check.returned if not check.got else "",
        "expected": check.expected,
        "got": check.got,
        "why": check.message,
        "hint": check.hint,
        "traceback": check.traceback,
        "output": check.output,
    }
    if check.verdict in (Verdict.PASS, Verdict.SKIPPED):
        labels = {"why": check.message}
    return [_line(label, visible(text.rstrip("\n"), lines=True)) for label, text in labels.items() if text]


def _line(label: str, text: str) -> Line:
    if len(text) <= MAX_TEXT:
        return Line(label, text)
    return Line(label, f"{text[:CUT]} … {len(text):,} characters", text)


def as_text(shown: Shown) -> str:
    """The lines of a check as plain text."""
    wide = max((len(line.label) for line in shown.lines), default=0)
    rows = []
    for line in shown.lines:
        first, *rest = line.text.split("\n")
        rows.append(f"{line.label:<{wide}}  {first}")
        rows += [f"{'':<{wide}}  {more}" for more in rest]
    return "\n".join(rows)


def news(cell: Cell) -> list[str]:
    """Sentences for the student about one exercise: why there is no grade, lateness, how the file was found."""
    texts = []
    if cell.word == "not graded":
        texts.append("not graded yet")
    elif cell.word in ("missing", "refused"):
        texts.append(cell.entry.submission.fault)
    elif cell.word == "grader problem":
        texts.append("the grader could not judge this; it costs no points, and your instructor is told")
    elif cell.report is not None and cell.report.message:
        texts.append(cell.report.message)
    if cell.report is not None and cell.report.misconception:
        texts.append(f"perhaps a known mix-up: {cell.report.misconception}")
    texts += [remark.text for remark in cell.entry.remarks if remark.text not in cell.entry.submission.fault]
    return [visible(text, lines=True) for text in dict.fromkeys(texts)]


def is_settled(row: Row) -> bool:
    """Whether a student's total can be told: everything is graded, and nothing is the grader's fault."""
    return not any(cell.word in ("not graded", "grader problem") and cell.points is None for cell in row.cells)


def possible(book: Gradebook) -> float:
    """What the class can reach: exercises that this machine skipped for everybody do not count."""
    skipped = {
        exercise.id
        for exercise in book.exercises
        if {cell.word for cell in book.cells if cell.exercise.id == exercise.id} <= {"skipped", "missing"}
        and any(cell.word == "skipped" for cell in book.cells if cell.exercise.id == exercise.id)
    }
    return float(sum(sum(exercise.points.values()) for exercise in book.exercises if exercise.id not in skipped))
