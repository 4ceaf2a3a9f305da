"""Mutants of a reference: the same file with one small fault, to see whether the checks notice.

Why no library does this: mutmut 3 and cosmic-ray are built around a command that runs a test suite once per
mutant in a working copy, where here one mutant is one more submission of a session that has already collected
its checks. Their operators alone cannot be had without the rest (textual and a fork-only runner; SQLAlchemy,
aiohttp and git), know nothing of bounds of slices and ranges, and mutate the texts of messages.
LibCST would keep the source as it is, but so does the standard library: `ast` knows the place of every node,
and a fault is a replacement of that text. What stays here is a table of operators (`operators`) and the
bookkeeping below.

A mutant's id is `function:L31:Lt->LtE`: the function, the line within it (its `def` is line 1), the change,
and `#2` for the second of its kind on that line. It does not move when another function does.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from grader.authoring.operators import Edit, edits

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
# Messages, asserts, and text with holes (whose parts have no true place in Python 3.11).
_LEFT_ALONE = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)
_GUARDS = ("__name__", "TYPE_CHECKING", "typing.TYPE_CHECKING")


@dataclass(frozen=True)
class Mutant:
    """A faulty copy of a reference.

    Attributes:
        id: stable name, `function:L31:Lt->LtE`.
        line: the line in the file.
        before: the text that was replaced.
        after: what stands there now.
        text: the line as it reads now.
        source: the whole file.
    """

    id: str
    line: int
    before: str
    after: str
    text: str
    source: bytes

    @property
    def owner(self) -> str:
        """The top-level name that it is a change of."""
        return self.id.split(":")[0].split(".")[0]


def mutate(source: bytes) -> tuple[Mutant, ...]:
    """Every mutant of `source` in order of place, without those that compile to the same thing.

    Args:
        source: a Python file, UTF-8.

    Returns:
        The mutants; none of them compiles to what `source` or an earlier mutant compiles to.

    Raises:
        SyntaxError: `source` is not Python.

    Example:
        >>> [mutant.id for mutant in mutate(b"def f(n):\\n    return n < 3\\n")]
        ['f:L2:Lt->LtE', 'f:L2:Lt->GtE', 'f:L2:3->4', 'f:L2:3->2']
    """
    source = source.removeprefix(b"\xef\xbb\xbf")
    seen = {_fingerprint(compile(source, "reference", "exec"))}
    counts: Counter[str] = Counter()
    found = []
    for owner, first_line, edit in _places(ast.parse(source)):
        stem = f"{owner}:L{edit.node.lineno - first_line + 1}:{edit.label}"
        counts[stem] += 1
        mutated = _splice(source, edit)
        code = _compiled(mutated)
        if code is None or (mark := _fingerprint(code)) in seen:
            continue
        seen.add(mark)
        name = stem if counts[stem] == 1 else f"{stem}#{counts[stem]}"
        text = mutated.splitlines()[edit.node.lineno - 1].decode("utf-8", "replace").strip()
        found.append(Mutant(name, edit.node.lineno, ast.unparse(edit.node), edit.after, text, mutated))
    return tuple(found)


def _places(tree: ast.Module) -> Iterator[tuple[str, int, Edit]]:
    """Each edit with the name and the first line of what it belongs to."""
    for statement in tree.body:
        yield from _walk(statement, _name_of(statement), statement.lineno)


def _walk(node: ast.AST, owner: str, first_line: int) -> Iterator[tuple[str, int, Edit]]:
    if isinstance(node, _LEFT_ALONE) or _is_guard(node) or _is_strict(node):
        return
    for edit in edits(node):
        yield owner, first_line, edit
    for child in _children(node):
        if isinstance(child, _Scope):
            yield from _walk(child, f"{owner}.{child.name}", child.lineno)
        else:
            yield from _walk(child, owner, first_line)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node is code that runs as part of the solution: no annotations and no decorators."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "ctx"):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield item


def _is_guard(node: ast.AST) -> bool:
    """`if __name__ == "__main__"` and `if TYPE_CHECKING` are no part of the solution."""
    return isinstance(node, ast.If) and ast.unparse(node.test).startswith(_GUARDS)


def _is_strict(node: ast.AST) -> bool:
    """``zip(…, strict=True)`` asserts something."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _name_of(statement: ast.stmt) -> str:
    """A function's or class's name; the name that a statement of the module binds; else `module`."""
    if isinstance(statement, _Scope):
        return statement.name
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return targets[0].id if isinstance(targets[0], ast.Name) else "module"


def _splice(source: bytes, edit: Edit) -> bytes:
    """The source with the text of one node replaced; columns of `ast` count bytes."""
    lines = source.splitlines(keepends=True)
    node = edit.node
    assert node.end_lineno is not None and node.end_col_offset is not None
    head = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    tail = lines[node.end_lineno - 1][node.end_col_offset :] + b"".join(lines[node.end_lineno :])
    return head + edit.text.encode() + tail


def _compiled(source: bytes) -> CodeType | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "is" with a literal, and the like: a mutant may be ugly
        try:
            return compile(source, "mutant", "exec")
        except (SyntaxError, ValueError):
            return None


def _fingerprint(code: CodeType) -> tuple[object, ...]:
    """What a code object does, without the places it came from."""
    constants = tuple(
        _fingerprint(value) if isinstance(value, CodeType) else (type(value).__name__, repr(value))
        for value in code.co_consts
    )
    return (
        code.co_name,
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_flags,
        code.co_argcount,
        code.co_kwonlyargcount,
        code.co_exceptiontable,
    )
