"""``misconceptions.json``, held against what the chaffs show now, and written anew."""

from __future__ import annotations

from collections.abc import Sequence

from grader.authoring.matrix import Graded
from grader.authoring.records import ExerciseGate, Fault, Kind
from grader.errors import ContentError
from grader.misconceptions import Misconception, misconceptions_file, read_misconceptions, spell_misconceptions
from grader.model import Exercise


def stale(exercise: Exercise, graded: Graded, known: Sequence[Misconception]) -> tuple[Fault, ...]:
    """What is wrong with the file. A scale check measures: what only these change does not make it stale.

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
    measured = {check.name for _, report in graded for check in report.checks if check.tier == "scale"}
    if _steady(kept, measured) == _steady(known, measured):
        return ()
    happened = "not what the chaffs show now" if path.is_file() else "missing"
    remedy = f"Make it anew: grade check {exercise.id} --write"
    return (Fault(path.name, "as the chaffs show", happened, remedy),)


def _steady(known: Sequence[Misconception], measured: set[str]) -> set[tuple[frozenset[str], str]]:
    return {(frozenset(each.fails) - measured, says) for each in known for says in each.says}


def write_misconceptions(exercise: Exercise, found: ExerciseGate) -> bool:
    """Write the file if its content changes; says whether it did. Where no chaff was graded, none is written."""
    path = misconceptions_file(exercise)
    text = spell_misconceptions(found.misconceptions)
    if not found.count(Kind.CHAFF) or (path.is_file() and path.read_text(encoding="utf-8") == text):
        return False
    path.write_text(text, encoding="utf-8")
    return True
