"""One exercise, any number of learners' files, one Report each.

    reports = grade(exercise, [submission], slot=slot, seed="7")

All files go through one ``pytest.main``: the checks are collected once and run again for each. pytest is not
re-entrant, so one process grades one exercise at a time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader import scoring
from grader.errors import ContentError, UsageError
from grader.model import CheckResult, Exercise, Report, Submission, Verdict
from grader.session.needs import has_gpu, missing_needs

if TYPE_CHECKING:
    from grader.session.casebook import Book
    from grader.session.learner import SlotLike
    from grader.session.plugin import Run

_UNWANTED: Final = (
    "terminal cacheprovider faulthandler threadexception unraisableexception warnings logging "
    "junitxml pastebin doctest stepwise debugging randomly"
)
OPTIONS: Final = (
    *(word for name in _UNWANTED.split() for word in ("-p", f"no:{name}")),
    # Nothing of the folder that the learner happens to stand in: no ini, no conftest, no plugins, no output.
    *("-c", os.devnull, "--noconftest", "--disable-plugin-autoload", "--capture=no"),
    *("--import-mode=importlib", "--strict-markers"),
    *("-o", "python_functions=test_*", "-o", "python_classes="),
)


def grade(
    exercise: Exercise,
    submissions: Iterable[Submission],
    *,
    slot: SlotLike,
    seed: str,
    keyword: str | None = None,
    hidden: bool = False,
    book: Book | bool | None = None,
    on_report: Callable[[Report], None] | None = None,
    signatures: Mapping[frozenset[str], str] | None = None,
    careful: bool = True,
    secret: str = "",
) -> list[Report]:
    """Grade files of one exercise, in the order in which they come.

    Args:
        exercise: what to grade.
        submissions: the learners' files; may come in one by one.
        slot: where the learners' code runs; preloaded with what the exercise needs.
        seed: what inputs are drawn from.
        keyword: a pytest expression; only checks that it matches are run.
        hidden: whether the checks for hand-in are run, too.
        book: a case book, True for a new one, False for none; None takes one where there are several files.
        on_report: told each report as soon as it is there.
        signatures: sets of failing checks and the misconception behind them.
        careful: look for the smallest counterexample, and try it again in a fresh child; False where only verdicts
            count.
        secret: where there is one, what passes a book's cases is confirmed on inputs drawn from it and the file.

    Raises:
        UsageError: the keyword matches nothing, or is no expression.
        ContentError: the book is for other checks.
    """
    reports: list[Report] = []

    def report(finished: Report) -> None:
        reports.append(finished)
        if on_report:
            on_report(finished)

    lacking = missing_needs(exercise)
    if lacking:
        for submission in submissions:
            report(_bare(exercise, submission, seed, slot.isolation, Verdict.SKIPPED, lacking))
        return reports
    start_s = time.perf_counter()

    def finish(submission: Submission, results: list[CheckResult]) -> None:
        nonlocal start_s
        now_s = time.perf_counter()
        report(_full(exercise, submission, seed, slot.isolation, results, signatures or {}, now_s - start_s))
        start_s = now_s

    if isinstance(submissions, Sized) and len(submissions) == 1 and book is None:
        book = False  # drawing a book and replaying it once takes longer than drawing
    run = _run(exercise, submissions, slot, seed, keyword, hidden, book, careful, secret, finish)
    if run.faults:
        for submission in submissions:
            report(_bare(exercise, submission, seed, slot.isolation, Verdict.GRADER_PROBLEM, run.faults[0]))
    return reports


def draw_book(exercise: Exercise, *, slot: SlotLike, seed: str) -> Book:
    """A case book with everything that the visible checks need, so that a kit can do without the reference.

    Raises:
        ContentError: there is no reference, it does not pass, or a check cannot be kept.
    """
    from grader.session import casebook

    path = exercise.reference
    if path is None:
        raise ContentError(f"{exercise.id} has no reference to draw a case book with.", "Take a course with solutions.")
    book = casebook.new(exercise, seed)
    [report] = grade(exercise, [Submission(path.name, path.read_bytes(), str(path))], slot=slot, seed=seed, book=book)
    if report.verdict not in (Verdict.PASS, Verdict.SKIPPED):
        raise ContentError(f"{path} does not pass its own checks.", f"Look into it: grade check {exercise.id}")
    lost = [f"{key} ({book.entries[key].reason})" for key in casebook.gaps(book)]
    if lost:
        remedy = "Draw plain data, and large arrays as a seed and a shape."
        raise ContentError(f"{exercise.id}: these checks cannot be kept: {', '.join(lost)}.", remedy)
    return book


def _run(
    exercise: Exercise,
    submissions: Iterable[Submission],
    slot: SlotLike,
    seed: str,
    keyword: str | None,
    hidden: bool,
    book: Book | bool | None,
    careful: bool,
    secret: str,
    finish: Callable[[Submission, list[CheckResult]], None],
) -> Run:
    """Import what grading takes only now: commands that grade nothing start faster without it."""
    import pytest

    from grader.catalog import given_in_place, signatures
    from grader.session import casebook, plugin
    from grader.session.examiner import Examiner
    from grader.session.surroundings import undisturbed

    if book is True or book is None:
        book = casebook.new(exercise, seed)
    elif book:
        casebook.require_match(book, exercise, seed)
    if keyword:
        _require_expression(keyword)
    examiner = Examiner(exercise, slot, signatures(exercise.stub), seed, book or None, careful, secret)
    run = plugin.Run(examiner, submissions, finish, has_gpu())
    files = [exercise.checks, *([exercise.hidden_checks] if hidden and exercise.hidden_checks else [])]
    arguments: list[str] = [*OPTIONS, f"--rootdir={exercise.folder}", *map(str, files)]
    if keyword:
        arguments += ["-k", keyword]
    with undisturbed(_folders(exercise)), given_in_place(exercise.given):
        code = pytest.main(arguments, plugins=[plugin, run])
    if code == pytest.ExitCode.INTERRUPTED:  # Ctrl-C while the checks were collected
        raise KeyboardInterrupt
    if run.error is not None:
        raise run.error
    if not run.ran and not run.faults:
        if run.deselected:
            names = ", ".join(run.deselected)
            raise UsageError(f"-k {keyword} matches no check of {exercise.id}.", f"It has {names}.")
        run.faults.append(f"{exercise.checks} holds no checks (pytest says {int(code)})")
    return run


def _folders(exercise: Exercise) -> tuple[Path, ...]:
    return (exercise.folder, *([exercise.solution] if exercise.solution else []))


def _require_expression(keyword: str) -> None:
    from _pytest.mark.expression import Expression

    try:
        Expression.compile(keyword)
    except (SyntaxError, ValueError) as error:
        remedy = "Write names of checks or parts of them, joined by and, or, not."
        raise UsageError(f"-k {keyword}: {error}.", remedy) from None


def _full(
    exercise: Exercise,
    submission: Submission,
    seed: str,
    isolation: str,
    results: list[CheckResult],
    signatures: Mapping[frozenset[str], str],
    duration_s: float,
) -> Report:
    score = scoring.score(results, exercise.points)
    verdict = scoring.verdict(results)
    return Report(
        exercise=exercise.id,
        title=exercise.title,
        verdict=verdict,
        points=score.points,
        max_points=score.max_points,
        checks=tuple(results),
        seed=seed,
        isolation=isolation,
        misconception=scoring.misconception(results, signatures),
        message=results[0].message if verdict is Verdict.LAYOUT else "",
        file=submission.path,
        duration_s=duration_s,
    )


def _bare(
    exercise: Exercise, submission: Submission, seed: str, isolation: str, verdict: Verdict, message: str
) -> Report:
    """A report without checks: there was nothing to run them with."""
    full = _full(exercise, submission, seed, isolation, [], {}, 0.0)
    return replace(full, verdict=verdict, message=message)
