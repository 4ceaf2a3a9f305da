"""Reports for a learner at a terminal: readable at 80 columns, and without colour.

Words carry the verdict; colour only repeats it. Each failing check ends with the command that runs it again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from textwrap import dedent

from rich.text import Text

from grader.model import CheckResult, Report, Verdict
from grader.report.ending import ending, table
from grader.report.rows import expected_and_got, pasteable, prose, quoted, wrapped
from grader.report.visible import visible
from grader.report.words import STOPPED, Notes, command, counted, points, verdict_column, word

IN_FULL = 3  # failing checks of an exercise that are told whole: mending one often mends the others
UNWRITTEN = ("NotImplementedError", "not written yet")  # what a stub raises, and what the session says of it


def render(reports: Sequence[Report], notes: Notes) -> Text:
    """The whole report: every exercise, a table where there are several, and what to do next."""
    rows: list[Text] = []
    for report in reports:
        rows += [*_exercise(report, notes, whole=len(reports) == 1), Text()]
    if len(reports) > 1:
        rows += [*table(reports), Text()]
    return Text("\n").join([*rows, *ending(reports, notes)])


def _exercise(report: Report, notes: Notes, whole: bool) -> list[Text]:
    """One exercise; ``whole`` lists its passing checks by title, otherwise they are counted."""
    header = Text().append(report.exercise, "bold").append(f" · {visible(report.title)} · ")
    rows = [header.append_text(word(report.verdict)).append(f" · {points(report)}")]
    passing = report.verdict is Verdict.PASS
    if report.file and (whole or not passing):
        rows += pasteable("file", report.file)
    if report.message:
        rows += prose("why", report.message, notes.width)
    if report.verdict is Verdict.LAYOUT:
        return rows + _unreadable(report, notes)
    if whole or not passing:
        rows += _checks(report, notes, whole)
    if report.misconception:
        rows += [Text(), *prose("perhaps", f"a known mix-up: {report.misconception}", notes.width)]
    return rows


def _unreadable(report: Report, notes: Notes) -> list[Text]:
    """A file that could not be loaded: the reason once, not under every check."""
    reasons = dict.fromkeys(check.message for check in report.checks if check.message and not report.message)
    rows = [row for reason in reasons for row in prose("why", reason, notes.width)]
    traces = dict.fromkeys(check.traceback for check in report.checks if check.traceback and not check.hidden)
    rows += [row for trace in traces for row in quoted("where", dedent(trace))]
    waiting = f"{counted(len(report.checks), 'check')} could not begin"
    return rows + (prose("so", waiting, notes.width) if report.checks else [])


def _checks(report: Report, notes: Notes, whole: bool) -> list[Text]:
    rows: list[Text] = []
    passed = sum(check.verdict is Verdict.PASS for check in report.checks)
    if passed and not whole:
        rows.append(verdict_column(Verdict.PASS).append(counted(passed, "check")))
    seen: set[tuple[str, ...]] = set()
    cut = ""
    for brief, group in groupby(_cases_together(report.checks), lambda check: _brief(check, seen)):
        checks = list(group)
        if brief is None:
            for check in checks:
                rows += [*_title(check, notes.width), *_details(report, check, notes), Text()]
        elif whole or checks[0].verdict is not Verdict.PASS:
            rows += _title(checks[0], notes.width, cases=len(checks))
            if checks[0].verdict.costs_points and not _unwritten(checks[0]):
                cut = cut or keyword(checks[0])
    unwritten = sum(_unwritten(check) for check in report.checks)
    if unwritten:
        told = f"not written yet: {counted(unwritten, 'check')} met NotImplementedError"
        rows += prose("why", told, notes.width)
    if cut:
        rows += [Text(), *pasteable("more", command(report, notes, cut))]
    return rows if not rows or rows[-1] else rows[:-1]


def _cases_together(checks: Sequence[CheckResult]) -> list[CheckResult]:
    """The checks in their order, with the cases of one check side by side, those that pass first."""
    places: dict[str, int] = {}
    for check in checks:
        places.setdefault(keyword(check), len(places))
    return sorted(checks, key=lambda check: (places[keyword(check)], check.verdict is not Verdict.PASS))


def _brief(check: CheckResult, seen: set[tuple[str, ...]]) -> tuple[str, str] | None:
    """What makes cases of one check one line, or None for a check that is told whole.

    Told whole are the first few that fail, each for another reason than the ones before it.
    """
    finding = (
        check.verdict,
        check.message,
        check.traceback,
        "" if check.traceback else check.expected,
        check.got,
    )
    known = any(finding[1:3]) and finding in seen
    told = check.verdict in (Verdict.PASS, Verdict.SKIPPED) or _unwritten(check)
    if told or known or len(seen) >= IN_FULL:
        return keyword(check), str(check.verdict)
    seen.add(finding)
    return None


def _title(check: CheckResult, width: int, cases: int = 1) -> list[Text]:
    """``not yet  core · equal sets give equal signatures``."""
    lead = verdict_column(check.verdict)
    indent = lead.cell_len
    hidden = "hidden · " if check.hidden else ""
    several = f" ({cases} cases)" if cases > 1 else ""
    reason = f" · {check.message}" if check.verdict is Verdict.SKIPPED and check.message else ""
    title = f"{check.tier} · {hidden}{check.title or check.name}{several}{reason}"
    first, *rest = wrapped(title, width - indent)
    return [lead.append(first), *(Text(" " * indent + line) for line in rest)]


def _details(report: Report, check: CheckResult, notes: Notes) -> list[Text]:
    """Everything that helps with one check."""
    rows = pasteable("called", check.called) if check.called else []
    rows += _findings(check, notes.width)
    if check.verdict.costs_points and not check.hidden:
        rows += pasteable("again", command(report, notes, keyword(check)))
    return rows


def _findings(check: CheckResult, width: int) -> list[Text]:
    """What was expected, what came, and all that may explain it."""
    rows = prose("returned", check.returned, width) if _adds(check) else []
    rows += expected_and_got(check.expected, check.got, width)
    if check.message or check.verdict in STOPPED:
        rows += prose("why", check.message or STOPPED[check.verdict], width)
    if check.traceback and not check.hidden:
        rows += quoted("where", dedent(check.traceback))
    if check.output and not check.hidden:
        rows += quoted("printed", check.output)
    return rows + (prose("hint", check.hint, width) if check.hint else [])


def _adds(check: CheckResult) -> bool:
    """Whether what the call returned is not said already by what was got, or by the reason."""
    answer = check.returned.removeprefix("raises ")
    return bool(answer) and not any(answer in text for text in (check.got, check.message, check.traceback))


def keyword(check: CheckResult) -> str:
    """What ``-k`` finds a check by: ``equal_sets`` for ``test_equal_sets[4]``."""
    return re.sub(r"\[.*", "", check.name, flags=re.DOTALL).removeprefix("test_")


def _unwritten(check: CheckResult) -> bool:
    """Whether the check met a function of the stub that nobody has filled in yet."""
    signs = (check.message, check.got, check.returned)
    return check.verdict is Verdict.NOT_YET and any(sign in text for sign in UNWRITTEN for text in signs)
