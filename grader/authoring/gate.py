"""The author's gate for one exercise: read, lint, grade every variant in one session, judge.

A right exercise passes a right file and fails a wrong one. The reference and the wheats stand for the right
files, the chaffs and the mutants for the wrong ones, the stub for the file that is not written yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader import pictures, session
from grader.authoring import matrix, mixups, mutation
from grader.authoring.lint import lint, misfits
from grader.authoring.matrix import Graded
from grader.authoring.records import ExerciseGate, Fault, Kind
from grader.authoring.variants import Variant, read_variants
from grader.errors import ContentError, GraderError
from grader.grading import PUBLIC_SEED, preload
from grader.model import Exercise, Report, Submission
from grader.session import casebook
from grader.session.needs import missing_needs

if TYPE_CHECKING:
    from grader.session.learner import SlotLike


RIGHT = (Kind.REFERENCE, Kind.WHEAT)

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
    preloaded = preload(exercise, *(variant.source for variant in variants))
    folders = [folder.parent.parent for folder in (exercise.folder, exercise.solution) if folder]
    with Slot(preloaded, plan.isolation, folders) as slot:
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
    readable = [variant for variant in variants if not variant.problem]
    if lacking or not {Kind.STUB, Kind.REFERENCE} <= {each.kind for each in readable} or not exercise.checks.is_file():
        return ExerciseGate(exercise.id, faults, skipped=lacking)
    book = casebook.new(exercise, plan.seed)
    try:
        graded = _grade(exercise, readable, plan, slot, book, tell)
    except GraderError as error:
        return ExerciseGate(exercise.id, (*faults, _unrunnable(exercise, error)))
    found = ExerciseGate(exercise.id, (*faults, *_judge(exercise, graded)), matrix.count_tiers(graded))
    if len(graded) == 1:
        return found
    reference_s = next(report.duration_s for variant, report in graded if variant.kind is Kind.REFERENCE)
    found = replace(
        found,
        rows=tuple(matrix.make_row(variant, report) for variant, report in graded),
        misconceptions=matrix.find_misconceptions(graded),
        notes=matrix.find_notes(graded, reference_s),
        reference_s=reference_s,
    )
    found = replace(found, faults=(*found.faults, *_pictures(exercise, graded, slot, tell)))
    found = _with_mutants(found, exercise, graded, plan, slot, book, tell) if plan.mutants else found
    # What else is to be mended may change what the chaffs fail.
    judged = not found.faults and not plan.write and plan.seed == PUBLIC_SEED
    return replace(found, faults=mixups.stale(exercise, graded, found.misconceptions)) if judged else found


def _grade(
    exercise: Exercise, readable: Sequence[Variant], plan: Plan, slot: SlotLike, book: casebook.Book, tell: Tell
) -> Graded:
    """The files with their reports; the reference alone where it does not pass: what the others do means nothing then.

    The reference is graded twice. The first time draws the case book; the second time is the one that a learner
    with a right file has to wait for. Wrong files have as much time as mutants have: an endless loop should not cost
    what the slowest right answer may.
    """
    right = sorted((each for each in readable if each.kind in RIGHT), key=lambda each: each.kind is not Kind.REFERENCE)
    wrong = [variant for variant in readable if variant.kind not in RIGHT]
    reports: list[Report] = []

    def files() -> Iterator[Submission]:
        yield right[0].submission(exercise)
        if matrix.passes(reports[0]):
            yield from (variant.submission(exercise) for variant in right)

    def on_report(report: Report) -> None:
        reports.append(report)
        tell(f"variants {len(reports)}/{len(readable) + 1}")

    def grade(hurried: Exercise, submissions: Iterable[Submission]) -> None:
        session.grade(
            hurried,
            submissions,
            slot=slot,
            seed=plan.seed,
            hidden=True,
            book=book,
            careful=False,
            on_report=on_report,
        )

    grade(exercise, files())
    if len(reports) == 1:
        return [(right[0], reports[0])]
    slowest_s = max(check.duration_s for check in reports[1].checks)
    hurried = replace(exercise, limits=mutation.hurry(exercise.limits, slowest_s))
    grade(hurried, [variant.submission(exercise) for variant in wrong])
    reported = {variant.path: report for variant, report in zip([*right, *wrong], reports[1:], strict=True)}
    return [(variant, reported[variant.path]) for variant in readable]


def _judge(exercise: Exercise, graded: Graded) -> Iterator[Fault]:
    """What the matrix shows, without what follows from a signature that lint has told of already."""
    told = {fault.place for fault in misfits(exercise, [variant for variant, _ in graded])}
    for fault in matrix.judge(exercise, graded):
        if not (fault.place in told and fault.declared == matrix.LOADED):
            yield fault


def _pictures(exercise: Exercise, graded: Graded, slot: SlotLike, tell: Tell) -> Iterator[Fault]:
    """The picture must be drawn with every right file; the reference comes first, and what it cannot do ends it."""
    if exercise.picture is None:
        return
    right = [variant for variant, report in graded if variant.kind in RIGHT and matrix.passes(report)]
    for number, variant in enumerate(right, 1):
        tell(f"pictures {number}/{len(right)}")
        try:
            pictures.draw(exercise, variant.submission(exercise), slot)
        except (ContentError, pictures.Undrawn) as error:
            happened = f"with {variant.place}: {error}"
            remedy = f"Try it: grade show {exercise.id} --using {variant.path}"
            yield Fault(exercise.picture.name, "is drawn with every right file", happened, remedy)
            if variant.kind is Kind.REFERENCE:
                return


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
