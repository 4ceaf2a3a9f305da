"""What the text of the checks tells: a title and a hint for each, and no answer of the reference given away."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from grader.authoring.content_rule import leaks
from grader.authoring.records import Fault
from grader.model import Exercise


def check_files(exercise: Exercise) -> tuple[Path, ...]:
    """The files with checks that are there."""
    paths = (exercise.checks, exercise.hidden_checks)
    return tuple(path for path in paths if path and path.is_file())


def lint_checks(exercise: Exercise) -> Iterator[Fault]:
    """What is wrong with checks, in every file that is Python; of the others the session tells the line."""
    for path in check_files(exercise):
        try:
            tree = ast.parse(path.read_bytes(), str(path))
        except (SyntaxError, ValueError):
            continue
        checks = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
        for check in checks:
            yield from _words(path, check)
        yield from _leaks(path, tree)


def _words(path: Path, check: ast.FunctionDef) -> Iterator[Fault]:
    """A learner reads the title of every check, and the hint of one that fails."""
    line = f"line {check.lineno}"
    if not (ast.get_docstring(check) or "").strip():
        remedy = "Let line 1 of the check's docstring be what must hold, in a learner's words."
        yield Fault(path.name, "has a title", f"{line}: no docstring", remedy, check.name)
    if not any(_is_hint(node) for each in check.decorator_list for node in ast.walk(each)):
        remedy = 'Write @pytest.mark.hint("…") above it: what helps, and does not solve.'
        yield Fault(path.name, "has a hint", f"{line}: no @pytest.mark.hint with a text", remedy, check.name)


def _is_hint(node: ast.AST) -> bool:
    """``….hint("text")``, as a decorator or among the marks of a parameter."""
    match node:
        case ast.Call(func=ast.Attribute(attr="hint"), args=[ast.Constant(value=str() as text), *_]):
            return bool(text.strip())
        case ast.Call(func=ast.Attribute(attr="hint"), args=[_, *_]):
            return True
    return False


def _leaks(path: Path, tree: ast.Module) -> Iterator[Fault]:
    for leak in leaks(tree):
        happened = f"line {leak.line} passes on what reference.{leak.function} returned"
        declared = f"asks for {leak.function} without showing the answer first"
        remedy = "Split the check: a file that remembers its arguments could answer from the first call."
        yield Fault(path.name, declared, happened, remedy, leak.check)
