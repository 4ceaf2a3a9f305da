"""The mutation score of one exercise: every mutant of its reference is graded, and must fail some check.

One failing check is enough. So the checks go one by one, the cheapest first, each over the mutants that are
still alive and that it seems to run; then over what is left. Most are gone before the expensive checks begin.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.authoring import relevance
from grader.authoring.mutants import Mutant, mutate
from grader.authoring.records import Fault, MutantScore, Survivor
from grader.authoring.relevance import notices
from grader.authoring.variants import function_name
from grader.model import Exercise, Limits, Report, Submission, Verdict

SLOWER = 10  # times the reference: whatever takes longer does not end
LEAST_CPU_S = 1.0  # enough for a first call on a loaded machine

# Grades submissions under the checks that a pytest expression names: one report each, in order.
Grade = Callable[[Exercise, Sequence[Submission], str], Sequence[Report]]


def score(exercise: Exercise, reference: bytes, passed: Report, grade: Grade) -> tuple[MutantScore, tuple[Fault, ...]]:
    """Grade all mutants of a reference.

    Args:
        exercise: with its ``equivalent`` mutants.
        reference: the source.
        passed: the reference's own report, for its times.
        grade: how to grade.

    Returns:
        the score, and a fault for each survivor that is not declared and each declaration that does not hold.
    """
    mutants = mutate(reference)
    alive = dict.fromkeys(mutants)
    stumbled: dict[Mutant, str] = {}
    for check, chosen in _rounds(exercise, reference, mutants, passed):
        facing = [mutant for mutant in chosen if mutant in alive]
        hurried = replace(exercise, limits=hurry(exercise.limits, check.cost_s))
        submissions = [Submission(f"{exercise.slug}.py", mutant.source, mutant.id) for mutant in facing]
        reports = grade(hurried, submissions, check.keyword) if facing else ()
        for mutant, report in zip(facing, reports, strict=True):
            if text := _stumble(report):
                stumbled[mutant] = text
            if _is_killed(report):
                del alive[mutant]
    survivors = tuple(_survivor(mutant, exercise.equivalent) for mutant in alive)
    result = MutantScore(len(mutants), len(mutants) - len(survivors), survivors)
    found = [*_stumbles(stumbled), *_faults(survivors), *_stale(exercise, mutants, survivors)]
    return result, tuple(found)


def hurry(limits: Limits, cost_s: float) -> Limits:
    """Less time, by what a check costs the reference: an endless loop should not cost what a slow right file may."""
    return replace(limits, cpu_s=min(limits.cpu_s, max(LEAST_CPU_S, SLOWER * cost_s)))


@dataclass(frozen=True)
class _Check:
    """A check function, how to run it alone, and what it cost the reference."""

    name: str
    keyword: str
    cost_s: float


def _rounds(
    exercise: Exercise, reference: bytes, mutants: Sequence[Mutant], passed: Report
) -> Iterator[tuple[_Check, list[Mutant]]]:
    """Who meets which check: each mutant meets each check once, the likely and the cheap ones first."""
    reach = relevance.reached(ast.parse(reference))
    files = [path for path in (exercise.checks, exercise.hidden_checks) if path]
    asks = relevance.asked(ast.parse(path.read_bytes()) for path in files)
    for likely in True, False:
        for check in _checks(passed):
            chosen = [each for each in mutants if notices(each.owner, check.name, asks, reach) is likely]
            yield check, chosen


def _checks(passed: Report) -> list[_Check]:
    """The check functions, the cheapest first."""
    cost_s: dict[str, float] = {}
    for check in passed.checks:
        name = function_name(check)
        cost_s[name] = cost_s.get(name, 0.0) + check.duration_s
    cheapest = sorted(cost_s, key=lambda name: cost_s[name])
    return [_Check(name, _only(name, cost_s), cost_s[name]) for name in cheapest]


def _only(name: str, names: Mapping[str, object]) -> str:
    """``test_a and not test_ab``: pytest looks for parts of names."""
    longer = [other for other in names if name in other and other != name]
    return " and not ".join([name, *longer])


def _is_killed(report: Report) -> bool:
    return report.verdict.costs_points or any(check.verdict.costs_points for check in report.checks)


def _stumble(report: Report) -> str:
    """What a check of the report stumbled over, or "": such a check neither kills nor lets live."""
    messages = [check.message for check in report.checks if check.verdict is Verdict.GRADER_PROBLEM]
    if report.verdict is Verdict.GRADER_PROBLEM:
        messages.append(report.message)
    return next((f"grader problem: {message}" for message in messages), "")


def _survivor(mutant: Mutant, equivalent: Mapping[str, str]) -> Survivor:
    known = mutant.id in equivalent
    return Survivor(mutant.id, mutant.line, mutant.before, mutant.after, mutant.text, known)


def _stumbles(stumbled: Mapping[Mutant, str]) -> Iterator[Fault]:
    for mutant, text in stumbled.items():
        remedy = "Correct the check: no file of a learner's may cause this."
        yield Fault(f"mutant {mutant.id}", "a verdict", text, remedy)


def _faults(survivors: Sequence[Survivor]) -> Iterator[Fault]:
    for survivor in survivors:
        if not survivor.equivalent:
            happened = f"line {survivor.line} of reference.py may as well read `{survivor.text}`"
            remedy = "Write a check that notices, or give id and reason under `equivalent` in exercise.yaml."
            yield Fault(f"mutant {survivor.id}", "killed by a check", happened, remedy)


def _stale(exercise: Exercise, mutants: Sequence[Mutant], survivors: Sequence[Survivor]) -> Iterator[Fault]:
    made = {mutant.id for mutant in mutants}
    alive = {survivor.id for survivor in survivors}
    for name in exercise.equivalent:
        if name not in alive:
            happened = "a check kills it" if name in made else "there is no such mutant"
            remedy = f"Take it out of `equivalent` in {exercise.folder / 'exercise.yaml'}."
            yield Fault(f"mutant {name}", "survives as equivalent", happened, remedy)
