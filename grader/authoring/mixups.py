"""``misconceptions.json``, held against what the chaffs show now, and written anew."""

from __future__ import annotations

from collections.abc import Sequence

from grader.authoring.matrix import Graded
from grader.authoring.records import ExerciseGate, Fault, Kind
from grader.errors import ContentError
from grader.misconceptions import Misconception, misconceptions_file, read_misconceptions, spell_misconceptions
from grader.model import Exercise, Verdict


def stale(exercise: Exercise, graded: Graded, known: Sequence[Misconception]) -> tuple[Fault, ...]:
    """What is wrong with the file. What only measured and skipped checks change does not make it stale.

    A scale check measures, and its verdict on a chaff may change with the machine; at isolation ``process`` some
    checks are skipped.

    Args:
        exercise: whose file it is.
        graded: its variants, with the learners' own seed: under another one a chaff may fail other checks.
        known: what the file should hold.
    """
    path = misconceptions_file(exercise)
    try:
        kept = read_misconceptions(exercise)
    except ContentError as error:
        return (Fault(path.name, "can be read", error.message, error.remedy),)
    checks = [check for _, report in graded for check in report.checks]
    unsteady = {check.name for check in checks if check.tier == "scale" or check.verdict is Verdict.SKIPPED}
    skipped = {check.name for check in checks if check.verdict is Verdict.SKIPPED}
    if _steady(kept, unsteady, skipped) == _steady(known, unsteady, skipped):
        return ()
    happened = "not what the chaffs show now" if path.is_file() else "missing"
    remedy = f"Make it anew: grade check {exercise.id} --write"
    return (Fault(path.name, "as the chaffs show", happened, remedy),)


def _steady(known: Sequence[Misconception], unsteady: set[str], skipped: set[str]) -> set[tuple[frozenset[str], str]]:
    """Which checks fail for which sentence, without those that say nothing here."""
    return {
        (frozenset(each.fails) - unsteady, says) for each in known if set(each.fails) - skipped for says in each.says
    }


def write_misconceptions(exercise: Exercise, found: ExerciseGate) -> bool:
    """Write the file if its content changes; says whether it did. Where no chaff was graded, none is written."""
    path = misconceptions_file(exercise)
    text = spell_misconceptions(found.misconceptions)
    if not found.count(Kind.CHAFF) or (path.is_file() and path.read_text(encoding="utf-8") == text):
        return False
    path.write_text(text, encoding="utf-8")
    return True
