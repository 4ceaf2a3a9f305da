"""The files of one exercise that the gate grades, and what their docstrings declare."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.records import Kind
from grader.model import CheckResult, Exercise, Submission

_KILLED_BY = re.compile(r"^\s*killed\s+by\s*:\s*(.*)$", re.IGNORECASE)


@dataclass(frozen=True)
class Variant:
    """One file of the kill matrix.

    Attributes:
        says: line 1 of the docstring.
        killed_by: the checks that a chaff's docstring names.
        problem: why the file cannot be read as Python, or "".
    """

    kind: Kind
    path: Path
    source: bytes
    says: str = ""
    killed_by: tuple[str, ...] = ()
    problem: str = ""
    tree: ast.Module | None = None

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @property
    def place(self) -> str:
        """How a fault names this variant."""
        return str(self.kind) if self.kind in (Kind.STUB, Kind.REFERENCE) else f"{self.kind} {self.name}"

    def submission(self, exercise: Exercise) -> Submission:
        """This file as if a learner had handed it in."""
        return Submission(f"{exercise.slug}.py", self.source, str(self.path))


def read_variants(exercise: Exercise) -> tuple[Variant, ...]:
    """Stub, reference, wheats and chaffs, as far as they are there, in this order."""
    files = [(Kind.STUB, exercise.stub), (Kind.REFERENCE, exercise.reference)]
    files += [(Kind.WHEAT, path) for path in exercise.wheats]
    files += [(Kind.CHAFF, path) for path in exercise.chaffs]
    return tuple(_read(kind, path) for kind, path in files if path and path.is_file())


def _read(kind: Kind, path: Path) -> Variant:
    source = path.read_bytes()
    try:
        tree = ast.parse(source, str(path))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        return Variant(kind, path, source, problem=f"line {line}: {error}" if line else str(error))
    lines = (ast.get_docstring(tree) or "").splitlines() or [""]
    return Variant(kind, path, source, lines[0].strip(), _killers(lines), tree=tree)


def _killers(lines: list[str]) -> tuple[str, ...]:
    """The names after ``Killed by:``; a line that ends in a comma goes on in the next."""
    for at, line in enumerate(lines):
        found = _KILLED_BY.match(line)
        if found:
            text = found[1].strip()
            for more in lines[at + 1 :]:
                text += more.strip() if text.endswith(",") else ""
            names = [name.strip().strip("`.") for name in text.split(",")]
            return tuple(name for name in names if name)
    return ()


def function_name(check: CheckResult | str) -> str:
    """The check's function: ``test_x`` for ``test_x[3-4]``. A docstring names functions, not parameters."""
    name = check if isinstance(check, str) else check.name
    return name.split("[", 1)[0]
