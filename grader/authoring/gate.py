"""The author's gate for one exercise: read, lint, grade every variant in one session, judge.

A right exercise passes a right file and fails a wrong one. The reference and the wheats stand for the right
files, the chaffs and the mutants for the wrong ones, the stub for the file that is not written yet.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader import session
from grader.authoring import matrix, mutation
from grader.authoring.lint import lint
from grader.authoring.matrix import Graded
from grader.authoring.records import ExerciseGate, Fault, Kind
from grader.authoring.variants import Variant, read_variants
from grader.errors import ContentError, GraderError
from grader.grading import PRELOADS, PUBLIC_SEED, preload
from grader.misconceptions import (
    Misconception,
    misconceptions_file,
    read_misconceptions,
    spell_misconceptions,
)
from grader.model import Exercise, Report, Submission
from grader.session import casebook
from grader.session.needs import missing_needs

if TYPE_CHECKING:
    from grader.session.learner import SlotLike


Tell = Callable[[str], object]


@dataclass(frozen=True)
class Plan:
    """How the gate was asked for.

    Attributes:
        mutants: grade mutants of the reference, too.
        seed: what inputs are drawn from; the learners' own by default, so that their failures match the
            chaffs'.
        isolation: ``strict``, ``process``, or None for the best of this machine.
        write: write ``misconceptions.json`` where it is not as it should be.
    """

    mutants: bool = False
    seed: str = PUBLIC_SEED
    isolation: str | None = None
    write: bool = False


def check_exercise(exercise: Exercise, plan: Plan, tell: Tell) -> ExerciseGate:
    """Put one exercise through the gate, in a slot of its own. Starts pytest: one at a time in a process.

    Args:
        exercise: with its solutions.
        plan: what to prove, and how.
        tell: told how far it is, e.g. ``variants 3/12``.
    """
    from grader.boundary.sandbox import Slot

    variants = read_variants(exercise)
    words = [preload(exercise, variant.source) for variant in variants]
    folders = [folder.parent.parent for folder in (exercise.folder, exercise.solution) if folder]
    with Slot(max(words, key=PRELOADS.index, default="none"), plan.isolation, folders) as slot:
        return examine(exercise, variants, plan, slot, tell)


def examine(
    exercise: Exercise, variants: Sequence[Variant], plan: Plan, slot: SlotLike, tell: Tell = str
) -> ExerciseGate:
    """Put one exercise through the gate in a given slot."""
    start_s = time.perf_counter()
    found = _examine(exercise, variants, plan, slot, tell)
    return replace(found, duration_s=time.perf_counter() - start_s)


def _examine(exercise: Exercise, variants: Sequence[Variant], plan: Plan, slot: SlotLike, tell: Tell) -> ExerciseGate:
    faults = lint(exercise, variants)
    lacking = missing_needs(exercise)
    sound = {variant.kind for variant in variants if not variant.problem}
    if lacking or not {Kind.STUB, Kind.REFERENCE} <= sound or not exercise.checks.is_file():
        return ExerciseGate(exercise.id, faults, skipped=lacking)
    book = casebook.new(exercise, plan.seed)
    readable = [variant for variant in variants if not variant.problem]
    try:
        submissions = [variant.submission(exercise) for variant in readable]
        reports = session.grade(
            exercise,
            submissions,
            slot=slot,
            seed=plan.seed,
            hidden=True,
            book=book,
            careful=False,
            on_report=_counted("variants", len(submissions), tell),
        )
    except GraderError as error:
        return ExerciseGate(exercise.id, (*faults, _unrunnable(exercise, error)))
    graded = list(zip(readable, reports, strict=True))
    known = matrix.find_misconceptions(graded)
    found = ExerciseGate(
        exercise.id,
        (*faults, *matrix.judge(exercise, graded), *_stale(exercise, graded, known, plan)),
        matrix.count_tiers(graded),
        tuple(matrix.make_row(variant, report) for variant, report in graded),
        misconceptions=known,
    )
    return _with_mutants(found, exercise, graded, plan, slot, book, tell) if plan.mutants else found


def _counted(word: str, total: int, tell: Tell) -> Callable[[Report], None]:
    """Tells how many reports of ``total`` are there."""
    numbers = itertools.count(1)

    def on_report(report: Report) -> None:
        tell(f"{word} {next(numbers)}/{total}")

    return on_report


def _unrunnable(exercise: Exercise, error: GraderError) -> Fault:
    remedy = error.remedy or f"Correct {exercise.checks}."
    return Fault(exercise.checks.name, "can be run", error.message, remedy)


def _with_mutants(
    found: ExerciseGate,
    exercise: Exercise,
    graded: Graded,
    plan: Plan,
    slot: SlotLike,
    book: casebook.Book,
    tell: Tell,
) -> ExerciseGate:
    """The same with the mutation score; a reference that does not pass has none."""
    reference, passed = next(pair for pair in graded if pair[0].kind is Kind.REFERENCE)
    if any(fault.place == reference.place for fault in found.faults):
        return found

    def grade(hurried: Exercise, submissions: Sequence[Submission], keyword: str) -> Sequence[Report]:
        tell(f"{len(submissions)} mutants, {keyword}")
        return session.grade(
            hurried, submissions, slot=slot, seed=plan.seed, keyword=keyword, hidden=True, book=book, careful=False
        )

    score, faults = mutation.score(exercise, reference.source, passed, grade)
    return replace(found, mutants=score, faults=(*found.faults, *faults))


def _stale(exercise: Exercise, graded: Graded, known: Sequence[Misconception], plan: Plan) -> tuple[Fault, ...]:
    """What is wrong with ``misconceptions.json``; nothing where it is about to be written.

    Under another seed than the learners' a chaff may fail other checks, and a scale check measures: what only
    these change does not make the file stale.
    """
    path = misconceptions_file(exercise)
    if plan.write or plan.seed != PUBLIC_SEED:
        return ()
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
    """Write the file if its content changes; says whether it did."""
    path = misconceptions_file(exercise)
    text = spell_misconceptions(found.misconceptions)
    if not found.rows or (path.is_file() and path.read_text(encoding="utf-8") == text):
        return False
    path.write_text(text, encoding="utf-8")
    return True
