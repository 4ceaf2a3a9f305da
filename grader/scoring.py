"""From the results of the checks to points and to one word for the exercise. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.model import CheckResult, Verdict

UNCOUNTED = (Verdict.SKIPPED, Verdict.GRADER_PROBLEM)


@dataclass(frozen=True)
class Score:
    """Points reached, and the most that could be reached with the checks that counted."""

    points: float
    max_points: float


def score(checks: Iterable[CheckResult], points: Mapping[str, float]) -> Score:
    """Share out each tier's points evenly among its checks.

    A skipped check and a grader problem do not count: their share goes to the tier's other checks, and a tier
    with nothing left drops out of the most that can be reached.

    Args:
        checks: one result for each check that was run.
        points: points per tier.
    """
    passed: dict[str, int] = {}
    counted: dict[str, int] = {}
    for check in checks:
        if check.verdict not in UNCOUNTED:
            counted[check.tier] = counted.get(check.tier, 0) + 1
            passed[check.tier] = passed.get(check.tier, 0) + (check.verdict is Verdict.PASS)
    reached = sum(points.get(tier, 0) * (passed[tier] / counted[tier]) for tier in counted)
    return Score(reached, sum(points.get(tier, 0) for tier in counted))


def verdict(checks: Sequence[CheckResult]) -> Verdict:
    """One word for the exercise as a whole."""
    verdicts = [check.verdict for check in checks]
    counted = [each for each in verdicts if each not in UNCOUNTED]
    if Verdict.LAYOUT in counted:
        return Verdict.LAYOUT
    if any(each is not Verdict.PASS for each in counted):
        return Verdict.NOT_YET
    if Verdict.GRADER_PROBLEM in verdicts:
        return Verdict.GRADER_PROBLEM
    return Verdict.PASS if counted else Verdict.SKIPPED


def misconception(checks: Iterable[CheckResult], signatures: Mapping[frozenset[str], str]) -> str:
    """What a file gets wrong that fails exactly the checks that a known-wrong variant fails, or ""."""
    failing = frozenset(check.name for check in checks if check.verdict.costs_points and not check.hidden)
    return signatures.get(failing, "") if failing else ""
