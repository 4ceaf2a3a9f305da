"""Finds out who handed in what, in whatever layout a class's work comes.

A folder per student, a flat folder of files, a zip or tar of either; what Canvas, Gradescope and GitHub Classroom
hand out; Python files and notebooks in any of them. Nothing that was handed in is run, unpickled or written to disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from grader.batch.readers.archives import CLASS, open_archive
from grader.batch.readers.handins import Class, Names
from grader.batch.readers.items import GIT, Item, folder_items, is_junk
from grader.batch.readers.layouts import sort_out
from grader.batch.readers.matching import Wanted, entries
from grader.batch.readers.notebooks import Notebooks
from grader.batch.readers.unpacking import ending, expand
from grader.batch.records import Code, Intake, Remark
from grader.catalog import signatures
from grader.catalog.submission import Unlucky, show
from grader.errors import UsageError
from grader.model import Course, Exercise

MOST_LEFT_OVER = 20  # files of nobody that are named; the rest is counted


def read_class(path: Path, course: Course, exercises: Sequence[Exercise]) -> Intake:
    """Everything that was handed in under ``path``.

    Args:
        path: a folder or an archive.
        course: whose exercises and chapters the names are held against.
        exercises: what is to be graded.

    Raises:
        UsageError: there is nothing at ``path``, or it is an archive that cannot be opened.
    """
    wanted = Wanted(
        exercises,
        {exercise.id: tuple(signatures(exercise.stub)) for exercise in exercises},
        sorted({exercise.slug for exercise in (*course.exercises, *exercises)}),
    )
    names = Names(
        wanted.slugs,
        sorted({exercise.chapter for exercise in (*course.exercises, *exercises)}),
        exercises[0].slug if len(exercises) == 1 else "",
        _stem(path),
    )
    with ExitStack() as keep:
        notebooks = keep.enter_context(Notebooks())
        found = sort_out(_items(path, keep), names)
        handins = sorted(found.handins, key=lambda handin: handin.student.key)
        every = tuple(entry for handin in handins for entry in entries(handin, wanted, notebooks))
    return Intake(found.layout, tuple(handin.student for handin in handins), every, _left_over(found))


def _stem(path: Path) -> str:
    name = path.resolve().name
    return name.removesuffix(ending(name)) if path.is_file() else name


def _items(path: Path, keep: ExitStack) -> list[Item]:
    if path.is_dir():
        found = folder_items(path)
        return list(expand(found, keep)) if path.is_dir() else []
    if not ending(path.name):
        raise UsageError(f"{path} is neither a folder nor a zip or tar file.", "Name what the course system gave you.")
    try:
        file = keep.enter_context(path.open("rb"))
        members = list(open_archive(file, path.name, CLASS, keep))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from None
    except Unlucky as unlucky:
        raise UsageError(str(unlucky), "Download it again from the course system.") from None
    return list(expand(iter(members), keep))


def _left_over(found: Class) -> tuple[Remark, ...]:
    """What belongs to no student: named, so that nothing is lost in silence."""
    items = [item for item in found.left_over if not is_junk(item.parts) and item.name != GIT]
    texts = [item.fault or f"{_path(item)} belongs to no student or exercise" for item in items[:MOST_LEFT_OVER]]
    if len(items) > MOST_LEFT_OVER:
        texts.append(f"{len(items) - MOST_LEFT_OVER} more files belong to no student or exercise")
    return tuple(Remark(Code.IGNORED, text) for text in texts)


def _path(item: Item) -> str:
    return show(Path(*item.parts))
