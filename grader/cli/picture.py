"""``grade show``: the picture of what a learner's file computes, as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from grader import pictures
from grader.boundary.isolation import level_named
from grader.catalog import find_submission
from grader.errors import UsageError
from grader.grading import Slots, learner_folder, preload, secrets
from grader.model import Course, Exercise
from grader.report.document import NOT_YET
from grader.report.visible import visible
from grader.session.needs import missing_needs


def show(
    course: Course, exercises: Sequence[Exercise], using: Path | None, file: Path | None, isolation: str | None
) -> int:
    """Draw, write, and say where to and what it shows.

    Args:
        course: where the exercises are from.
        exercises: what was named; a picture is one exercise's.
        using: where the learner's file is, or None to look for it.
        file: what to write; the exercise's name in the working folder where None.
        isolation: the level that was asked for.
    """
    exercise = _drawable(exercises)
    folder = learner_folder(course, [exercise], using)
    submission = find_submission(exercise, folder)
    if submission.source is None:
        raise UsageError(submission.fault)
    file = file or Path(f"{exercise.slug}.png")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {file.parent} to write {file.name} into.", "Check the path after -o.")
    with Slots(level_named(isolation), secrets(course, folder)) as slots:
        try:
            drawn = pictures.draw(exercise, submission, slots.get(preload(exercise, submission.source)))
        except pictures.Undrawn as error:
            click.echo(f"not yet: {visible(str(error))}", err=True)
            return NOT_YET
    file.write_bytes(drawn)
    click.echo("\n".join(filter(None, (str(file), pictures.caption(exercise)))))
    return 0


def _drawable(exercises: Sequence[Exercise]) -> Exercise:
    if len(exercises) != 1:
        names = ", ".join(exercise.slug for exercise in exercises if exercise.picture)
        raise UsageError("`grade show` draws one exercise.", f"Name one: {names}." if names else "")
    [exercise] = exercises
    if exercise.picture is None:
        raise UsageError(f"{exercise.id} has no picture.", "Only an exercise with a picture.py can be drawn.")
    lacking = missing_needs(exercise)
    if lacking:
        raise UsageError(f"{exercise.id} cannot be drawn: {lacking}.", "`grade doctor` says what this machine can do.")
    return exercise
