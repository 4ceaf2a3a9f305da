"""Imports inside grader/ point down only, wherever in a file they stand."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

GRADER = Path(__file__).parent.parent / "grader"

# Top row first. A name is a module or a package right under grader/. It may import what stands in a row below
# it, and itself; what shares its row it may not.
ROWS = (
    ("__main__",),
    ("cli",),
    ("authoring", "batch", "quiz"),
    ("grading", "pictures"),
    ("session",),
    ("catalog", "expect", "misconceptions", "report", "scoring", "strategies"),
    ("boundary",),
    ("environment", "errors", "logbook", "model"),
)
ROW_OF = {name: row for row, names in enumerate(ROWS) for name in names}

# Of the boundary, what runs learners' code is for the session and what stands above it; below, only its values.
FOR_ALL = {"outcome", "wire"}
FOR_SESSIONS = FOR_ALL | {"exchange", "inline", "isolation", "sandbox", "usage"}

# The slot sees these files and nothing else of the grader; there, they find one another as plain modules.
INSIDE = {"kernel": set(), "wire": set(), "worker": {"wire"}, "zygote": {"kernel", "worker"}}
THIRD_PARTY = {
    "kernel": set(),
    "wire": {"msgspec"},
    "worker": {"numpy", "torch", "triton"},  # for learners' files, which may use them
    "zygote": set(),
}
STDLIB = sys.stdlib_module_names


class Import(NamedTuple):
    """One imported name and where it stands."""

    file: Path
    line: int
    name: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(GRADER.parent)}:{self.line} imports {self.name}"


def imports(file: Path) -> Iterator[Import]:
    """Everything that a file imports, at its top, in its functions, and for type checkers only."""
    for node in ast.walk(ast.parse(file.read_bytes(), str(file))):
        if isinstance(node, ast.Import):
            yield from (Import(file, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield Import(file, node.lineno, "." * node.level + (node.module or ""))
        elif isinstance(node, ast.ImportFrom):
            yield from (Import(file, node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def files() -> list[Path]:
    """Every Python file of the grader."""
    return sorted(GRADER.rglob("*.py"))


def top_name(file: Path) -> str:
    """The name right under grader/ that a file belongs to; "" for grader/__init__.py."""
    name = file.relative_to(GRADER).parts[0].removesuffix(".py")
    return "" if name == "__init__" else name


ALL = [each for file in files() for each in imports(file)]
OURS = [each for each in ALL if each.name.split(".")[0] == "grader"]


def test_every_name_has_a_row():
    """The table holds each module and package under grader/ once, and nothing that is not there."""
    there = {top_name(file) for file in files()} - {""}
    assert there == set(ROW_OF)
    assert len(ROW_OF) == sum(map(len, ROWS))


@pytest.mark.parametrize("name", ["", *ROW_OF], ids=lambda name: name or "__init__")
def test_imports_point_down(name):
    """No module imports from its own row or from a row above, not even in a function or for type checkers."""
    row = ROW_OF.get(name, len(ROWS))
    wrong = []
    for each in OURS:
        parts = each.name.split(".")
        target = parts[1] if len(parts) > 1 else ""
        if top_name(each.file) != name or target == name or target not in ROW_OF:
            continue  # of the package itself: __version__
        if ROW_OF[target] <= row:
            wrong.append(str(each))
    assert not wrong, "\n".join(wrong)


def test_imports_are_absolute():
    """An import says where it goes, so that the table can be held against it."""
    assert not [str(each) for each in ALL if each.name.startswith(".")]


def test_the_boundary_is_entered_by_its_doors():
    """Above the session, slots and jobs may be used; below it, only values and outcomes; never what runs inside."""
    wrong = []
    for each in OURS:
        name, parts = top_name(each.file), each.name.split(".")
        if name == "boundary" or parts[1:2] != ["boundary"]:
            continue
        doors = FOR_SESSIONS if ROW_OF[name] <= ROW_OF["session"] else FOR_ALL
        if len(parts) < 3 or parts[2] not in doors:
            wrong.append(str(each))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", INSIDE)
def test_the_inside_stands_alone(name):
    """What runs in the slot imports the standard library, its neighbours there, and what learners may use."""
    allowed = INSIDE[name] | THIRD_PARTY[name]
    found = imports(GRADER / "boundary" / f"{name}.py")
    roots = ((each, each.name.split(".")[0]) for each in found)
    wrong = [str(each) for each, root in roots if root not in allowed and root not in STDLIB]
    assert not wrong, "\n".join(wrong)


def test_pictures_alone_import_matplotlib():
    """Whoever draws nothing does not wait for matplotlib."""
    wrong = [str(each) for each in ALL if each.name.split(".")[0] == "matplotlib" and top_name(each.file) != "pictures"]
    assert not wrong, "\n".join(wrong)


def test_torch_is_imported_inside_only():
    """The trusted side looks torch up where it is loaded already, and never loads it."""
    trusted = [each for each in ALL if each.file.stem not in INSIDE or each.file.parent.name != "boundary"]
    wrong = [str(each) for each in trusted if each.name.split(".")[0] in ("torch", "triton")]
    assert not wrong, "\n".join(wrong)
