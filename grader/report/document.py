"""Reports as one JSON object, as ``grader/schemas/report.json`` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.errors import FAULT
from grader.model import CheckResult, Report, Verdict

SCHEMA = "report/1"
NOT_YET = 1

_CHECK = ("name", "tier", "title", "called", "returned", "expected", "got", "hint", "message")


def to_document(
    reports: Sequence[Report], environment: Mapping[str, str | None], isolation: str, seed: str
) -> dict[str, Any]:
    """What ``--json`` prints.

    Args:
        reports: one for each exercise.
        environment: versions, by name; see ``grader.environment``.
        isolation: the level that the learner's files ran at.
        seed: what the inputs were drawn from.
    """
    return {
        "schema": SCHEMA,
        "points": number(sum(report.points for report in reports)),
        "max_points": number(sum(report.max_points for report in reports)),
        "isolation": isolation,
        "seed": seed,
        "environment": dict(environment),
        "exercises": [_exercise(report) for report in reports],
    }


def _exercise(report: Report) -> dict[str, Any]:
    return {
        "id": report.exercise,
        "title": report.title,
        "verdict": str(report.verdict),
        "points": number(report.points),
        "max_points": number(report.max_points),
        "misconception": _text(report.misconception),
        "message": _text(report.message),
        "file": _text(report.file),
        "duration_s": round(report.duration_s, 6),
        "checks": [_check(check) for check in report.checks],
    }


def _check(check: CheckResult) -> dict[str, Any]:
    found: dict[str, Any] = {name: _text(getattr(check, name)) for name in _CHECK}
    return found | {
        "verdict": str(check.verdict),
        # What is printed or raised under a hidden check could publish its inputs.
        "traceback": "" if check.hidden else _text(check.traceback),
        "output": "" if check.hidden else _text(check.output),
        "hidden": check.hidden,
        "duration_s": round(check.duration_s, 6),
    }


def number(points: float, digits: int = 6) -> float | int:
    """Points as a whole number where they are one, else rounded."""
    rounded = round(points, digits)
    return int(rounded) if rounded == int(rounded) else rounded


def _text(text: str) -> str:
    """Text that any JSON reader takes: a lone surrogate becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def exit_code(reports: Sequence[Report]) -> int:
    """0 when all that could be graded passes, 1 when something does not yet, 3 when the grader is at fault.

    Where nothing was graded at all nothing passed: that is 1.
    """
    verdicts = {report.verdict for report in reports}
    verdicts |= {check.verdict for report in reports for check in report.checks}
    if Verdict.GRADER_PROBLEM in verdicts:
        return FAULT
    if any(verdict.costs_points for verdict in verdicts):
        return NOT_YET
    return 0 if Verdict.PASS in verdicts else NOT_YET
