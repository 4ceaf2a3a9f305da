"""``grade new chapter3/x``: both folders of a new exercise, with everything that the gate looks for."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from string import Template

from grader.authoring import templates
from grader.errors import UsageError
from grader.model import Chapter, Course

_NAME = re.compile(r"[a-z][a-z0-9_]*")
# A learner's file of such a name would hide the module.
_TAKEN = frozenset({"numpy", "torch", "triton", "given", "checks", "hidden_checks", "reference", "grader", "picture"})


@dataclass(frozen=True)
class Scaffold:
    """What was made.

    Attributes:
        exercise: its id.
        files: in the order in which an author opens them.
        steps: what to do next.
        closing: what else there is.
    """

    exercise: str
    files: tuple[Path, ...]
    steps: tuple[str, ...]
    closing: tuple[str, ...] = ()

    def __str__(self) -> str:
        """For the terminal."""
        files = [f"  {path}" for path in self.files]
        steps = [f"  {number}. {step}" for number, step in enumerate(self.steps, 1)]
        rows = [f"new exercise {self.exercise}:", *files, "", "next", *steps]
        return "\n".join([*rows, *(["", *self.closing] if self.closing else [])])


def scaffold(course: Course, name: str) -> Scaffold:
    """Write the files of a new exercise.

    Args:
        course: the whole of it, for the chapters, the names that are taken and the next place in the order.
        name: ``chapter3/minhash_lsh``.

    Raises:
        UsageError: the name is none, or taken, or its chapter does not exist. Nothing is written then.
    """
    chapter, slug = _parse(course, name)
    visible = course.root / chapter.id / slug
    hidden = (course.solutions or course.root.parent / "solutions") / chapter.id / slug
    _require_free(course, slug, visible, hidden)
    words = {
        "slug": slug,
        "title": slug.replace("_", " ").title(),
        "level": chapter.level,
        "order": str(int(max((exercise.order for exercise in chapter.exercises), default=0)) + 1),
        "objective": str(min(course.objectives, default=1)),
    }
    files = _files(visible, hidden, slug)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Template(text).substitute(words), encoding="utf-8")
    exercise = f"{chapter.id}/{slug}"
    shown = tuple(_shown(path) for path in files)
    return Scaffold(exercise, shown, _steps(exercise, slug, hidden), _closing(exercise, visible, hidden))


def _parse(course: Course, name: str) -> tuple[Chapter, str]:
    parts = name.strip("/").split("/")
    if len(parts) != 2:
        raise UsageError(f"`{name}` is no exercise's name.", "Give chapter and name, e.g. chapter3/minhash_lsh.")
    chapters = {chapter.id: chapter for chapter in course.chapters}
    if parts[0] not in chapters:
        close = get_close_matches(parts[0], chapters, n=1)
        guess = f"Did you mean {close[0]}? " if close else ""
        remedy = f"{guess}A new chapter begins with a chapter.yaml in {course.root / parts[0]}."
        raise UsageError(f"the course has no chapter `{parts[0]}`.", remedy)
    slug = parts[1]
    if not _NAME.fullmatch(slug) or keyword.iskeyword(slug):
        raise UsageError(f"`{slug}` cannot be a module's name.", "Small letters, digits, underscores; a letter first.")
    if slug in _TAKEN or slug in sys.stdlib_module_names:
        raise UsageError(f"`{slug}` is a module already.", "Choose a name that `import` does not know.")
    return chapters[parts[0]], slug


def _require_free(course: Course, slug: str, *folders: Path) -> None:
    for folder in folders:
        if folder.exists():
            raise UsageError(f"{folder} is there already.", "Choose another name, or remove the folder.")
    for exercise in course.exercises:
        if exercise.slug == slug:
            raise UsageError(f"{exercise.id} has that name.", "Choose another: `grade NAME` must be unambiguous.")


def _files(visible: Path, hidden: Path, slug: str) -> dict[Path, str]:
    files = {
        visible / f"{slug}.py": templates.STUB,
        visible / "README.md": templates.README,
        visible / "exercise.yaml": templates.YAML,
        visible / "checks.py": templates.CHECKS,
        hidden / "reference.py": templates.REFERENCE,
    }
    files |= {hidden / "wheats" / f"{name}.py": text for name, text in templates.WHEATS.items()}
    numbers = range(1, templates.CHAFFS + 1)
    return files | {hidden / "chaffs" / f"misconception_{number}.py": templates.CHAFF for number in numbers}


def _shown(path: Path) -> Path:
    here = Path.cwd()
    return path.absolute().relative_to(here) if path.absolute().is_relative_to(here) else path


def _steps(exercise: str, slug: str, hidden: Path) -> tuple[str, ...]:
    solution = _shown(hidden)
    return (
        f"The contract: write {slug}.py (docstring), README.md and exercise.yaml.",
        f"The right ways: write {solution / 'reference.py'} and at least two wheats.",
        f"The checks: a law first, the reference second. Try: grade {exercise} --using {solution.parents[1]}",
        "The misconceptions: one chaff each, named for it, and the check that kills it.",
        f"The gate: grade check {exercise} --mutants, until nothing is left.",
    )


def _closing(exercise: str, visible: Path, hidden: Path) -> tuple[str, ...]:
    solutions = _shown(hidden).parents[1]
    return (
        f"Last, grade check {exercise} --write keeps the misconceptions, so that a report can name them.",
        f"A picture may be added: {_shown(visible) / 'picture.py'}, with draw(learner, axes).",
        f"Look at it with grade show {exercise} --using {solutions}",
    )
