"""The words of a terminal report: verdicts, points, commands."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text

from grader.model import Report, Verdict
from grader.report.document import number

STOPPED = {
    Verdict.TIMEOUT: "no answer in time",
    Verdict.MEMORY: "it took more memory than it may",
    Verdict.CRASH: "the process ended before it answered",
    Verdict.FLOOD: "it printed more than it may",
}
STYLES = {
    "pass": "bold green",
    "not yet": "bold yellow",
    "stopped": "bold magenta",
    "skipped": "bold cyan",
    "grader problem": "bold red",
}
WORD = 7  # "not yet", "stopped" and "skipped" have as many letters


@dataclass(frozen=True)
class Notes:
    """What the command knows beside the reports.

    Attributes:
        width: columns of the terminal.
        seed: what the inputs were drawn from.
        keyword: the ``-k`` expression, where only some checks ran.
        options: what a command has to repeat to see the same again, e.g. ``--using solutions``.
        isolation: the level that the files ran at.
        remedy: how to get the level ``strict`` on this machine, where it was not had.
        following: the exercise that comes next in the course, or "".
        log: where the grader writes down what went wrong inside it.
    """

    width: int = 80
    seed: str = ""
    keyword: str = ""
    options: str = ""
    isolation: str = "strict"
    remedy: str = ""
    following: str = ""
    log: str = ""


def word(verdict: Verdict) -> Text:
    """What a learner reads for a verdict: one of five words."""
    text = "stopped" if verdict in STOPPED else "not yet" if verdict is Verdict.LAYOUT else str(verdict)
    return Text(text, STYLES[text])


def verdict_column(verdict: Verdict) -> Text:
    """The word in its column, to be followed by something else."""
    shown = word(verdict)
    return Text().append_text(shown).append(" " * (max(WORD - shown.cell_len, 0) + 2))


def points(report: Report) -> str:
    """``6 of 10 points``; a skipped exercise is not counted."""
    return of_points(report.points, report.max_points) if report.max_points else "not counted"


def of_points(reached: float, most: float) -> str:
    """Points for reading: two digits are enough."""
    return f"{number(reached, 2)} of {number(most, 2)} points"


def command(report: Report, notes: Notes, keyword: str = "") -> str:
    """The command that grades this exercise again in the same way, or one check of it."""
    words = [f"grade {report.exercise.split('/')[-1]}"]
    words += [f"-k {keyword}"] if keyword else []
    return " ".join([*words, *([notes.options] if notes.options else [])])


def counted(count: int, noun: str) -> str:
    """``1 check``, ``2 checks``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
