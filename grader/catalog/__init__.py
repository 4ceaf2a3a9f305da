"""The course on disk: the only module that knows the layout of its folders and the keys of its yaml files.

A chapter is a folder with a ``chapter.yaml`` beside ``course.yaml``; an exercise is a folder with an
``exercise.yaml`` in a chapter. The path is the id. Nothing is registered anywhere, and a folder without its
yaml (one that is still being written) is not there yet.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from grader.catalog.course_code import content_error, given_in_place, import_file, signatures
from grader.catalog.schema import require_valid
from grader.catalog.selection import match
from grader.catalog.submission import find_submission
from grader.catalog.yaml_source import YamlFile, read_yaml
from grader.errors import ContentError, UsageError
from grader.model import Chapter, Course, Exercise, Limits

__all__ = [
    "SIBLING",
    "chapter_order",
    "content_error",
    "exercise_ids",
    "find_course",
    "find_submission",
    "given_in_place",
    "import_file",
    "load_course",
    "select",
    "signatures",
    "terms_file",
]

VARIABLE = "GRADE_COURSE"
SIBLING: Final = Path("..", "solutions")
PACKAGED = Path(__file__).parent.parent / "course" / "exercises"

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def find_course(start: Path | None = None, course: Path | None = None) -> Path:
    """The folder that holds ``course.yaml``.

    Args:
        start: where to begin looking upwards; the working folder where None.
        course: a course named outright (``--course``): the folder itself, or one with ``exercises`` in it.

    Returns:
        the first of: ``course``; the nearest folder at or above ``start`` that is a course or holds one in
        ``exercises``; the folder that GRADE_COURSE names; the course that was installed with the grader.

    Raises:
        UsageError: there is none, or the one that was named is none.
    """
    if course is not None:
        return _named_course(course, "--course")
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        found = _course_in(folder)
        # A course.yaml without chapters beside it is some other tool's.
        if found and (found.name == "exercises" or any(found.glob("*/chapter.yaml"))):
            return found
    if os.environ.get(VARIABLE):
        return _named_course(Path(os.environ[VARIABLE]), VARIABLE)
    if (PACKAGED / "course.yaml").is_file():
        return PACKAGED
    raise UsageError(
        f"there is no course at or above {here}.",
        f"Go to a folder of the course, give --course FOLDER, or let {VARIABLE} name the folder.",
    )


def _named_course(path: Path, origin: str) -> Path:
    found = _course_in(path.absolute())
    if found is None:
        raise UsageError(f"{path} holds no course.", f"Let {origin} name the folder with course.yaml in it.")
    return found


def _course_in(folder: Path) -> Path | None:
    for candidate in (folder / "exercises", folder):
        if (candidate / "course.yaml").is_file():
            return candidate
    return None


def exercise_ids(root: Path) -> tuple[str, ...]:
    """The ids of all exercises under ``root``, by name; no yaml file is read."""
    return tuple(
        f"{chapter}/{slug}"
        for chapter in _with(root, "chapter.yaml")
        for slug in _with(root / chapter, "exercise.yaml")
    )


def _with(folder: Path, file: str) -> list[str]:
    """Names of the folders in ``folder`` that hold ``file``, chapter2 before chapter10."""
    names = [path.parent.name for path in folder.glob(f"*/{file}") if _NAME.fullmatch(path.parent.name)]
    return sorted(names, key=_by_number)


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(digits or -1), letters) for digits, letters in re.findall(r"(\d+)|(\D+)", name)]


def load_course(
    root: Path, solutions: Path | None = SIBLING, what: Sequence[str] = ("all",), validate: bool = False
) -> Course:
    """The course under ``root``, chapters and exercises in the suggested order.

    Args:
        root: the folder with ``course.yaml``.
        solutions: the hidden mirror; None for none. By default ``solutions`` beside ``root``, where there
            is one.
        what: load only what these words name (see ``select``), so that a fault in another yaml does not
            matter.
        validate: hold every yaml file against the whole of its JSON Schema, and check references between
            files. Without it a quick look at keys and types has to do, and a doubt calls the schema.

    Raises:
        ContentError: a yaml file is not as it should be; the message names file, line, field and remedy.
        UsageError: ``what`` names something that is not there.
    """
    if solutions is SIBLING:
        solutions = root.parent / "solutions"
        solutions = solutions if solutions.is_dir() else None
    source = _read(root / "course.yaml", "course", validate)
    wanted = match(exercise_ids(root), what)
    chapters = []
    for name in _in_order(source.data["order"], _with(root, "chapter.yaml")):
        ids = [id for id in wanted if id.split("/")[0] == name]
        if ids or "all" in what:
            chapters.append(_load_chapter(root, solutions, name, ids, validate))
    course = Course(
        title=source.data["title"],
        root=root,
        solutions=solutions,
        objectives={int(number): text for number, text in source.data["objectives"].items()},
        chapters=tuple(chapters),
        show_hidden=source.data.get("show_hidden", False),
    )
    if validate:
        _check_references(course, source)
        _check_folders(course, everywhere="all" in what)
    return course


def _read(path: Path, schema: str, validate: bool) -> YamlFile:
    source = read_yaml(path)
    require_valid(source, schema, full=validate)
    return source


def _in_order(order: Sequence[str], present: Sequence[str]) -> list[str]:
    return [name for name in order if name in present] + [name for name in present if name not in order]


def _load_chapter(root: Path, solutions: Path | None, name: str, ids: Sequence[str], validate: bool) -> Chapter:
    data = _read(root / name / "chapter.yaml", "chapter", validate).data
    exercises = [_load_exercise(root, solutions, id, validate) for id in ids]
    return Chapter(
        id=name,
        title=data["title"],
        level=data["level"],
        folder=root / name,
        prerequisites=tuple(data.get("prerequisites", ())),
        exercises=tuple(sorted(exercises, key=lambda exercise: (exercise.order, exercise.slug))),
    )


def _load_exercise(root: Path, solutions: Path | None, id: str, validate: bool) -> Exercise:
    data: Mapping[str, Any] = _read(root / id / "exercise.yaml", "exercise", validate).data
    solution = solutions / id if solutions and (solutions / id).is_dir() else None
    return Exercise(
        id=id,
        title=data["title"],
        folder=root / id,
        solution=solution,
        level=data["level"],
        path=data["path"],
        minutes=data["minutes"],
        order=data["order"],
        points=data["points"],
        needs=tuple(data["needs"]),
        limits=Limits(**data.get("limits", {})),
        objectives=tuple(data["objectives"]),
        equivalent=data.get("equivalent", {}),
    )


def _check_references(course: Course, source: YamlFile) -> None:
    """Objectives and prerequisites must name what is there."""
    for exercise in course.exercises:
        for index, number in enumerate(exercise.objectives):
            if number not in course.objectives:
                file = read_yaml(exercise.folder / "exercise.yaml")
                remedy = f"Choose from 1 to {max(course.objectives)}."
                raise file.error(("objectives", index), f"course.yaml has no objective {number}.", remedy)
    for chapter in course.chapters:
        for index, name in enumerate(chapter.prerequisites):
            if re.fullmatch(r"chapter\d+", name) and name not in source.data["order"]:
                file = read_yaml(chapter.folder / "chapter.yaml")
                remedy = "Name a chapter of its `order`."
                raise file.error(("prerequisites", index), f"course.yaml has no {name}.", remedy)


def _check_folders(course: Course, everywhere: bool) -> None:
    """Each exercise has its files, and no folder was overlooked for its name or for want of a yaml file."""
    for exercise in course.exercises:
        for file in (exercise.stub, exercise.checks, exercise.statement):
            if not file.is_file():
                raise ContentError(f"{file}: no such file.", "Write it; CONTRIBUTING.md shows an example.")
    known = {exercise.folder for exercise in course.exercises}
    for file in course.root.glob("*/*/*"):
        if everywhere and file.name in ("exercise.yaml", "checks.py") and file.parent not in known:
            remedy = f"Name both folders {_NAME.pattern}, and give them chapter.yaml and exercise.yaml."
            raise ContentError(f"{file.parent}: looks like an exercise, but is none.", remedy)


def terms_file(course: Course) -> Path | None:
    """The key-terms file that ``course.yaml`` names, or None where it names none."""
    name = read_yaml(course.root / "course.yaml").data.get("terms")
    return Path(os.path.normpath(course.root / name)) if name else None


def chapter_order(course: Course) -> tuple[str, ...]:
    """The suggested order of chapters, those that are not there yet included."""
    return tuple(read_yaml(course.root / "course.yaml").data["order"])


def select(course: Course, words: Sequence[str]) -> tuple[Exercise, ...]:
    """The exercises that ``words`` name, in the suggested order, each once.

    Args:
        course: the course, or as much of it as was loaded.
        words: each is ``all``, a chapter (``chapter3``), an id (``chapter3/minhash_lsh``), a slug
            (``minhash_lsh``), or a path that ends in a chapter, an id or a stub.

    Raises:
        UsageError: a word names nothing, or a slug that two chapters have.
    """
    wanted = match([exercise.id for exercise in course.exercises], words)
    return tuple(exercise for exercise in course.exercises if exercise.id in wanted)
