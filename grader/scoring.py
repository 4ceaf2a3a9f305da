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
    """Share out each tier's points evenly among its checks; the cases of a parametrised check share its part.

    A skipped check and a grader problem do not count: their share goes to the tier's other checks, and a tier
    with nothing left drops out of the most that can be reached.

    Args:
        checks: one result for each check that was run.
        points: points per tier.
    """
    cases: dict[tuple[str, str], list[bool]] = {}
    for check in checks:
        if check.verdict not in UNCOUNTED:
            cases.setdefault((check.tier, function(check)), []).append(check.verdict is Verdict.PASS)
    shares: dict[str, list[float]] = {}
    for (tier, _), passed in cases.items():
        shares.setdefault(tier, []).append(sum(passed) / len(passed))
    reached = sum(points.get(tier, 0) * (sum(parts) / len(parts)) for tier, parts in shares.items())
    return Score(reached, sum(points.get(tier, 0) for tier in shares))


def shares(checks: Sequence[CheckResult], points: Mapping[str, float]) -> list[Score]:
    """What each check brought and could have brought; together they are the score.

    Args:
        checks: as for ``score``.
        points: points per tier.
    """
    counted = [check for check in checks if check.verdict not in UNCOUNTED]
    cases: dict[tuple[str, str], int] = {}
    for check in counted:
        cases[check.tier, function(check)] = cases.get((check.tier, function(check)), 0) + 1
    parts: dict[str, int] = {}
    for tier, _ in cases:
        parts[tier] = parts.get(tier, 0) + 1
    found = []
    for check in checks:
        most = 0.0
        if check.verdict not in UNCOUNTED:
            most = points.get(check.tier, 0) / parts[check.tier] / cases[check.tier, function(check)]
        found.append(Score(most if check.verdict is Verdict.PASS else 0.0, most))
    return found


def function(check: CheckResult) -> str:
    """The name of a check without the parameters of its case: where it stands, and what it is called there."""
    return f"{'hidden ' if check.hidden else ''}{check.name.partition('[')[0]}"


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
