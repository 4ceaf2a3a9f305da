"""The kill matrix: what every variant did under every check, held against what was declared. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from grader.authoring.records import Fault, Kind, Note, Row
from grader.authoring.variants import Variant, function_name
from grader.misconceptions import Misconception
from grader.model import CheckResult, Exercise, Report, Verdict

LEAST_CHECKS = {"core": 3, "edge": 1}
MOST_REFERENCE_S = 6.0  # CONTRIBUTING: 3 s of CPU, 6 s with ranks or Triton's interpreter
LOADED = "can be loaded"

Graded = Sequence[tuple[Variant, Report]]


def make_row(variant: Variant, report: Report) -> Row:
    """One row of the matrix."""
    verdicts = {check.name: check.verdict for check in report.checks}
    return Row(variant.kind, variant.name, verdicts, variant.says)


def judge(exercise: Exercise, graded: Graded) -> tuple[Fault, ...]:
    """Every cell that is not as declared.

    Args:
        exercise: whose variants they are.
        graded: each variant with its report; the reference is among them.
    """
    known = _functions(graded)
    found: list[Fault] = []
    for variant, report in graded:
        problems = list(_problems(exercise, variant, report))
        found += problems
        if variant.kind is Kind.REFERENCE or not problems:
            found += _undeclared(variant, report, known)
    return (*found, *_tiers(exercise, graded), *_idle(exercise, graded, known))


def passes(report: Report) -> bool:
    """Whether every check that could be run passes, and there are some."""
    return bool(report.checks) and all(check.verdict in (Verdict.PASS, Verdict.SKIPPED) for check in report.checks)


def count_tiers(graded: Graded) -> dict[str, int]:
    """Number of check functions per tier."""
    checks = {function_name(check): check.tier for _, report in graded for check in report.checks}
    return dict(Counter(checks.values()))


def _functions(graded: Graded) -> dict[str, None]:
    """The check functions in order of appearance."""
    return dict.fromkeys(function_name(check) for _, report in graded for check in report.checks)


def _problems(exercise: Exercise, variant: Variant, report: Report) -> Iterator[Fault]:
    """What makes a report worthless: the grader or the content stumbled, or the file could not be loaded."""
    stumbled = _with(report, Verdict.GRADER_PROBLEM)
    for check in stumbled:
        remedy = "Correct the check: no file of a learner's may cause this."
        yield Fault(variant.place, "a verdict", _story(check), remedy, check.name)
    if stumbled:
        return
    if report.verdict is Verdict.LAYOUT:
        reason = report.message or next((check.message for check in report.checks if check.message), "")
        yield Fault(variant.place, LOADED, f"layout: {reason}", f"Correct {variant.path}.")
    elif not report.checks:
        files = [path for path in (exercise.checks, exercise.hidden_checks) if path]
        path = next((path for path in files if f"({path.name}:" in report.message), exercise.checks)
        yield Fault(path.name, "can be run", report.message or f"{report.verdict}", f"Correct {path}.")


def _undeclared(variant: Variant, report: Report, known: Mapping[str, None]) -> Iterator[Fault]:
    """The verdicts that are not as this kind of file should have them."""
    match variant.kind:
        case Kind.STUB:
            return _impolite(variant, report)
        case Kind.CHAFF:
            return _alive(variant, report, known)
        case _:
            return _not_passing(variant, report)


def _impolite(variant: Variant, report: Report) -> Iterator[Fault]:
    remedy = "Let the stub raise NotImplementedError and nothing else, and the check ask for an answer."
    for check in report.checks:
        if check.verdict not in (Verdict.NOT_YET, Verdict.SKIPPED):
            yield Fault(variant.place, "not yet", _story(check), remedy, check.name)


def _not_passing(variant: Variant, report: Report) -> Iterator[Fault]:
    remedy = f"Correct the check where it refuses a right answer, or {variant.path} where it is wrong."
    for check in report.checks:
        if check.verdict not in (Verdict.PASS, Verdict.SKIPPED, Verdict.GRADER_PROBLEM, Verdict.LAYOUT):
            yield Fault(variant.place, "pass", _story(check), remedy, check.name)


def _alive(variant: Variant, report: Report, known: Mapping[str, None]) -> Iterator[Fault]:
    """A chaff must be killed, by each check that it names."""
    failing = dict.fromkeys(function_name(check) for check in report.checks if check.verdict.costs_points)
    skipped = {function_name(check) for check in _with(report, Verdict.SKIPPED)}
    others = f"killed by {', '.join(failing)}" if failing else "no check kills it"
    for name in variant.killed_by:
        if name not in known:
            yield _unknown(variant, name, known)
        elif name not in failing and name not in skipped:
            remedy = f"Sharpen {name} until it fails here, or correct `Killed by:` in {variant.path}."
            yield Fault(variant.place, "fails", f"passes; {others}", remedy, name)
    if not failing and not variant.killed_by and not skipped:
        remedy = f"Write a check that notices, and name it in the docstring of {variant.path}."
        yield Fault(variant.place, "fails a check", "passes every check", remedy)


def _unknown(variant: Variant, name: str, known: Mapping[str, None]) -> Fault:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    remedy = f"Did you mean {close[0]}?" if close else f"The checks are {', '.join(known)}."
    return Fault(variant.place, f"Killed by: {name}", "there is no such check", remedy, name)


def _tiers(exercise: Exercise, graded: Graded) -> Iterator[Fault]:
    """Enough checks, and points where there are checks."""
    counts = count_tiers(graded)
    for tier, least in LEAST_CHECKS.items():
        if counts and counts.get(tier, 0) < least:
            declared = f"at least {least} {tier} check{'s' if least > 1 else ''}"
            remedy = f"Write more checks with @pytest.mark.{tier}."
            yield Fault(exercise.checks.name, declared, str(counts.get(tier, 0)), remedy)
    for tier in exercise.points:
        if counts and tier not in counts and tier not in LEAST_CHECKS:
            remedy = f"Write one with @pytest.mark.{tier}, or take `{tier}` out of `points`."
            yield Fault("exercise.yaml", f"a {tier} check for its points", "there is none", remedy)
    for tier in counts:
        if tier not in exercise.points:
            remedy = f"Give `{tier}` its share in `points`, or mark the checks otherwise."
            yield Fault("exercise.yaml", f"points for its {tier} checks", "there are none", remedy)


def _idle(exercise: Exercise, graded: Graded, known: Mapping[str, None]) -> Iterator[Fault]:
    """A check that no chaff fails has not been shown to notice anything."""
    chaffs = [report for variant, report in graded if variant.kind is Kind.CHAFF]
    if any(report.checks for report in chaffs):
        busy = {
            function_name(check)
            for report in chaffs
            for check in report.checks
            if check.verdict.costs_points or check.verdict is Verdict.SKIPPED
        }
        for name in [name for name in known if name not in busy]:
            remedy = "Write a chaff that only this check notices, or remove the check."
            yield Fault(exercise.checks.name, "kills a chaff", "kills none", remedy, name)


def _with(report: Report, verdict: Verdict) -> list[CheckResult]:
    return [check for check in report.checks if check.verdict is verdict]


def _story(check: CheckResult) -> str:
    """What happened, short enough for one cell: the verdict, the call, and the two sides."""
    parts = [str(check.verdict)]
    if check.called:
        parts.append(f"called {check.called}")
    sides = [f"{word} {text}" for word, text in (("expected", check.expected), ("got", check.got)) if text]
    parts += [", ".join(sides)] if sides else []
    trace = check.traceback.strip().splitlines()
    parts += [check.message] if check.message else trace[-1:]
    return " · ".join(parts)


def find_misconceptions(graded: Graded) -> tuple[Misconception, ...]:
    """What ``misconceptions.json`` should hold: chaffs by the visible checks that they fail.

    A chaff that fails as the stub does (every check) tells nothing: a file that crashes would look like it.
    Nor does one that only hidden checks notice, or that cannot be loaded.
    """
    silent = {_failing(report) for variant, report in graded if variant.kind is Kind.STUB} | {()}
    says: dict[tuple[str, ...], set[str]] = {}
    for variant, report in graded:
        told = variant.kind is Kind.CHAFF and variant.says and report.verdict is not Verdict.LAYOUT
        if told and _failing(report) not in silent:
            says.setdefault(_failing(report), set()).add(variant.says)
    return tuple(Misconception(fails, tuple(sorted(says[fails]))) for fails in sorted(says))


def find_notes(graded: Graded, reference_s: float) -> tuple[Note, ...]:
    """A slow reference, and chaffs that a learner's report cannot tell apart."""
    found = []
    if reference_s > MOST_REFERENCE_S:
        text = f"its checks take {reference_s:.1f} s; more than {MOST_REFERENCE_S:g} s is long for whoever waits"
        found.append(Note("reference", text))
    twins: dict[tuple[str, ...], list[str]] = {}
    for variant, report in graded:
        if variant.kind is Kind.CHAFF and report.verdict is not Verdict.LAYOUT:
            twins.setdefault(_failing(report), []).append(variant.name)
    for fails, names in twins.items():
        if fails and len(names) > 1:
            found.append(Note(f"chaffs {', '.join(names)}", f"fail the same checks: {', '.join(fails)}", minor=True))
    return tuple(found)


def _failing(report: Report) -> tuple[str, ...]:
    visible = [check for check in report.checks if not check.hidden]
    return tuple(sorted(check.name for check in visible if check.verdict.costs_points))
