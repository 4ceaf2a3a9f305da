"""The question bank's part of ``grade check``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.model import Course
    from grader.quiz.gate import BankReport

WORD = "question_bank"


def alone(what: Sequence[str]) -> bool:
    """Whether the bank is all that ``what`` names."""
    return bool(what) and {word.strip("./").split("/")[-1] for word in what} == {WORD}


def check(course: Path | None, as_json: bool, write: bool) -> int:
    """``grade check question_bank``."""
    from grader import catalog
    from grader.cli.screen import print_json, print_text, width
    from grader.quiz import gate

    report = gate.check(catalog.load_course(catalog.find_course(course=course), validate=True), write)
    if as_json:
        print_json(gate.to_document(report))
    else:
        print_text(gate.render(report, width()))
    return report.exit_code


def along(course: Course, what: Sequence[str], write: bool) -> BankReport | None:
    """What is found out about the bank where everything is checked; None where it is not, or there is no bank."""
    from grader.quiz import gate

    if what and "all" not in what:
        return None
    try:
        return gate.check(course, write)
    except UsageError:
        return None


def document(report: BankReport | None) -> dict[str, Any]:
    """The key that the bank adds to what ``grade check --json`` prints."""
    from grader.quiz import gate

    return {"question_bank": gate.to_document(report)} if report else {}


def print_along(report: BankReport | None) -> None:
    """What is said of the bank below the exercises."""
    from grader.cli.screen import print_text, width
    from grader.quiz import gate

    if report:
        print_text(gate.render(report, width()))
