"""What a class says about the checks: how many pass one, whether it tells strong from weak, what goes wrong."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from grader.batch.gradebook import Gradebook
from grader.model import CheckResult, Verdict

FEW: Final = 10  # students; of fewer, a correlation says nothing
UNJUDGED: Final = (Verdict.SKIPPED, Verdict.GRADER_PROBLEM, Verdict.LAYOUT)


@dataclass(frozen=True)
class Item:
    """One check, over the class.

    Attributes:
        judged: students whose file it judged.
        passed: those who pass it.
        discrimination: correlation of passing it with the share of the exercise's other checks passed (the
            corrected point-biserial correlation); None where nothing varies, or of fewer than ten.
        suspect: why a person should look at the check, or "".
    """

    exercise: str
    name: str
    tier: str
    title: str
    hidden: bool
    judged: int
    passed: int
    discrimination: float | None
    suspect: str

    @property
    def rate(self) -> float | None:
        """Share of the judged who pass."""
        return self.passed / self.judged if self.judged else None


def items(book: Gradebook) -> list[Item]:
    """Every check, in the order of the course."""
    found = []
    for exercise in book.exercises:
        reports = [cell.report for cell in book.cells if cell.exercise.id == exercise.id and cell.report]
        outcomes: dict[str, list[tuple[bool, float]]] = defaultdict(list)
        checks: dict[str, CheckResult] = {}
        for report in reports:
            judged = [check for check in report.checks if check.verdict not in UNJUDGED]
            passed = sum(check.verdict is Verdict.PASS for check in judged)
            checks |= {check.name: check for check in report.checks if check.name not in checks}
            for check in judged:
                own = check.verdict is Verdict.PASS
                rest = (passed - own) / (len(judged) - 1) if len(judged) > 1 else 0.0
                outcomes[check.name].append((own, rest))
        found += [_item(exercise.id, check, outcomes[name]) for name, check in checks.items()]
    return found


def _item(exercise: str, check: CheckResult, outcomes: Sequence[tuple[bool, float]]) -> Item:
    passed = sum(own for own, _ in outcomes)
    correlation = _correlation(outcomes) if len(outcomes) >= FEW else None
    return Item(
        exercise,
        check.name,
        check.tier,
        check.title,
        check.hidden,
        len(outcomes),
        passed,
        correlation,
        _suspicion(len(outcomes), passed, correlation),
    )


def _suspicion(judged: int, passed: int, correlation: float | None) -> str:
    if judged >= FEW and passed == 0:
        return "nobody passes it"
    if correlation is not None and correlation < 0:
        return "those who fail it do better elsewhere"
    return ""


def _correlation(pairs: Sequence[tuple[bool, float]]) -> float | None:
    """Pearson's, of a yes or no with a share."""
    count = len(pairs)
    mean_own = sum(own for own, _ in pairs) / count
    mean_rest = math.fsum(rest for _, rest in pairs) / count
    both = math.fsum((own - mean_own) * (rest - mean_rest) for own, rest in pairs)
    own_sq = math.fsum((own - mean_own) ** 2 for own, _ in pairs)
    rest_sq = math.fsum((rest - mean_rest) ** 2 for _, rest in pairs)
    return both / math.sqrt(own_sq * rest_sq) if own_sq * rest_sq > 1e-12 else None


def mix_ups(book: Gradebook) -> list[tuple[str, str, int]]:
    """Exercise, misconception, and how many students seem to have it; the commonest first."""
    found = Counter(
        (cell.exercise.id, cell.report.misconception)
        for cell in book.cells
        if cell.report is not None and cell.report.misconception
    )
    return [(exercise, says, count) for (exercise, says), count in sorted(found.items(), key=lambda i: (-i[1], i[0]))]
