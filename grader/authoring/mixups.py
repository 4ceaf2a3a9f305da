"""``misconceptions.json``, held against what the chaffs show now, and written anew."""

from __future__ import annotations

from collections.abc import Sequence

from grader.authoring.matrix import Graded
from grader.authoring.records import ExerciseGate, Fault, Kind
from grader.errors import ContentError
from grader.misconceptions import Misconception, misconceptions_file, read_misconceptions, spell_misconceptions
from grader.model import Exercise, Verdict


def stale(exercise: Exercise, graded: Graded, known: Sequence[Misconception]) -> tuple[Fault, ...]:
    """What is wrong with the file. Small differences are none: a report that names no mistake tells no untruth.

    Scale checks measure, and any check of a slow file may meet its time limit on one machine and not on another; at
    isolation ``process`` some checks are skipped. So the sentences must be those of the chaffs, every check that is
    named must be there, and what fails for each sentence must be mostly what the chaff fails now.

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
    before, now = _by_sentence(kept, unsteady, skipped), _by_sentence(known, unsteady, skipped)
    there = {name for each in kept for name in each.fails} <= {check.name for check in checks}
    if there and before.keys() == now.keys() and all(_alike(before[says], now[says]) for says in now):
        return ()
    happened = "not what the chaffs show now" if path.is_file() else "missing"
    remedy = f"Make it anew: grade check {exercise.id} --write"
    return (Fault(path.name, "as the chaffs show", happened, remedy),)


def _by_sentence(known: Sequence[Misconception], unsteady: set[str], skipped: set[str]) -> dict[str, frozenset[str]]:
    """Which checks fail for which sentence, without those that say nothing here."""
    told = [each for each in known if set(each.fails) - skipped]
    return {says: frozenset(each.fails) - unsteady for each in told for says in each.says}


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of checks have at least half of their members in common."""
    return 2 * len(one & other) >= len(one | other)


def write_misconceptions(exercise: Exercise, found: ExerciseGate) -> bool:
    """Write the file if its content changes; says whether it did. Where no chaff was graded, none is written."""
    path = misconceptions_file(exercise)
    text = spell_misconceptions(found.misconceptions)
    if not found.count(Kind.CHAFF) or (path.is_file() and path.read_text(encoding="utf-8") == text):
        return False
    path.write_text(text, encoding="utf-8")
    return True
