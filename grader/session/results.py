"""From what was found out about a check to the record of it, without what a hidden check must not tell."""

from __future__ import annotations

from typing import Final

import pytest

from grader.model import TIERS, CheckResult, Verdict
from grader.session.calls import Call
from grader.session.judgement import Finding
from grader.session.literal import TOO_LARGE

UNPASTABLE: Final = "the inputs are too large to be written out: the same seed makes them again"


def to_result(
    item: pytest.Item,
    finding: Finding,
    hidden: bool,
    call: Call | None = None,
    output: str = "",
    calls: int = 0,
    duration_s: float = 0.0,
) -> CheckResult:
    """Put a result together.

    Args:
        item: the check as pytest collected it.
        finding: what was found out.
        hidden: whether it runs at hand-in only: nothing of its inputs is told, no exception's text either.
        call: the call to show.
        output: what the learner's code printed.
        calls: how many calls it made.
        duration_s: how long it took.
    """
    failed = finding.verdict.costs_points
    told = failed and not hidden
    called = call.text if call and told else ""
    if TOO_LARGE in called:
        finding = finding.with_message(UNPASTABLE)
    hint = item.get_closest_marker("hint")
    return CheckResult(
        name=item.name,
        tier=tier(item),
        title=_title(item),
        verdict=finding.verdict,
        called=called,
        returned=call.answer if call and told else "",
        expected=finding.expected if told else "",
        got=finding.got if told else "",
        hint=str(hint.args[0]) if hint and hint.args and failed else "",
        message="" if hidden and finding.verdict in (Verdict.NOT_YET, Verdict.MEMORY) else finding.message,
        traceback=finding.traceback if told else "",
        output=output if told else "",
        duration_s=duration_s,
        hidden=hidden,
        calls=calls,
    )


def tier(item: pytest.Item) -> str:
    """The tier that a check's marker names, or ""."""
    return next((name for name in TIERS if item.get_closest_marker(name)), "")


def _title(item: pytest.Item) -> str:
    """The first line of the check's docstring."""
    doc = getattr(getattr(item, "obj", None), "__doc__", None) or ""
    return doc.strip().split("\n")[0] or item.name
