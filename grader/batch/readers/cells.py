"""What of a notebook's cells an exercise's functions need. Runs in a process of its own: it parses strangers' code.

Nothing is executed. What is not needed is left out: a cell that plots, prints or trains would run, and might
fail, each time that the file is loaded.
"""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

KEPT_MAGICS = ("time", "timeit", "capture", "prun", "memit", "mprun", "debug")  # the cell below them is Python
_ASSIGNED = re.compile(r"[\w,\s\[\]\"']+=\s*[%!]")


@dataclass(frozen=True)
class Cell:
    """A code cell: its number among all cells, from 1, its text, and whether it is tagged for the exercise."""

    number: int
    text: str
    tagged: bool = False


@dataclass
class Cut:
    """The file made of them, and what was left out."""

    source: str = ""
    found: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass
class _Statement:
    cell: int
    tagged: bool
    text: str
    node: ast.stmt
    binds: set[str]
    uses: set[str]


def cut(cells: Sequence[Cell], functions: Collection[str]) -> Cut:
    """Put together what the functions need, in the order in which it stands.

    Args:
        cells: the code cells.
        functions: names that the exercise asks for.
    """
    result = Cut()
    statements = [statement for cell in cells for statement in _statements(cell, result.remarks)]
    statements = _winners(statements, functions, result)
    wanted = _needed(statements, functions)
    at = -1
    lines = []
    for index in sorted(wanted):
        statement = statements[index]
        if statement.cell != at:
            lines.append(f"# cell {statement.cell}")
            at = statement.cell
        lines.append(statement.text)
    result.source = "\n".join(lines) + "\n"
    result.found = sorted({name for index in wanted for name in statements[index].binds} & set(functions))
    return result


def _statements(cell: Cell, remarks: list[str]) -> list[_Statement]:
    text = _without_magics(cell, remarks)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        found = []
        for node in tree.body:
            binds, uses = _names(node)
            start = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            lines = text.split("\n")[start - 1 : node.end_lineno]
            one = ast.get_source_segment(text, node) if _shares_line(node, tree.body) else "\n".join(lines)
            found.append(_Statement(cell.number, cell.tagged, one or ast.unparse(node), node, binds, uses))
        return found
    except SyntaxError as error:
        remarks.append(f"cell {cell.number} is no Python and was left out (line {error.lineno}: {error.msg})")
    except (ValueError, RecursionError, MemoryError) as error:
        remarks.append(f"cell {cell.number} cannot be read and was left out ({type(error).__name__})")
    return []


def _shares_line(node: ast.stmt, body: Sequence[ast.stmt]) -> bool:
    return any(
        other is not node and other.lineno <= (node.end_lineno or 0) and node.lineno <= (other.end_lineno or 0)
        for other in body
    )


def _without_magics(cell: Cell, remarks: list[str]) -> str:
    """Magics and shell lines become ``pass``, so that an ``if`` around them stays whole."""
    lines = cell.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("%%"):
        name = first[2:].split(" ")[0]
        if name not in KEPT_MAGICS:
            remarks.append(f"cell {cell.number} is for %%{name[:20]} and was left out")
            return ""
    if _parses(cell.text):
        return cell.text  # what looks like a magic is a line of a string, or of a long sum
    dropped = []
    for at, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith(("%", "!", "?")) or _ASSIGNED.match(bare) or re.fullmatch(r"[\w.]+\?{1,2}", bare):
            dropped.append(bare)
            lines[at] = line[: len(line) - len(line.lstrip())] + "pass"
    if dropped:
        shown = ", ".join(line[:40] for line in dropped[:3])
        remarks.append(f"cell {cell.number}: left out {shown}{' …' if len(dropped) > 3 else ''}")
    return "\n".join(lines)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _names(node: ast.stmt) -> tuple[set[str], set[str]]:
    """What a statement binds at the top level, and every name in it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        binds = {node.name}
    elif isinstance(node, ast.Import | ast.ImportFrom):
        binds = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    else:
        binds = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        for each in ast.walk(node):
            if isinstance(each, ast.Import | ast.ImportFrom):
                binds |= {(alias.asname or alias.name).split(".")[0] for alias in each.names}
            elif isinstance(each, ast.FunctionDef | ast.ClassDef):
                binds.add(each.name)
    uses = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return binds, uses - set(dir(builtins)) | (uses & binds)


def _winners(statements: list[_Statement], functions: Collection[str], result: Cut) -> list[_Statement]:
    """Of several cells that define a function, the tagged one, else the last."""
    losers: set[int] = set()
    for name in functions:
        defining = [
            at
            for at, each in enumerate(statements)
            if name in each.binds and isinstance(each.node, ast.FunctionDef | ast.ClassDef | ast.Assign)
        ]
        tagged = [at for at in defining if statements[at].tagged]
        if len(defining) > 1:
            winner = (tagged or defining)[-1]
            others = sorted({statements[at].cell for at in defining if at != winner})
            cells = ", ".join(map(str, others))
            result.remarks.append(f"{name} is taken from cell {statements[winner].cell}; also defined in cell {cells}")
            losers |= {at for at in defining if at != winner}
    return [each for at, each in enumerate(statements) if at not in losers]


def _needed(statements: Sequence[_Statement], functions: Collection[str]) -> set[int]:
    """Every statement that the functions need, directly or through others; star imports are always needed."""
    names = set(functions)
    kept: set[int] = set()
    grown = True
    while grown:
        grown = False
        for at, each in enumerate(statements):
            if at not in kept and (each.binds & names or "*" in each.binds or _changes(each, names)):
                kept.add(at)
                names |= each.uses | each.binds
                grown = True
    return kept if any(statements[at].binds & set(functions) for at in kept) else set()


def _changes(statement: _Statement, names: set[str]) -> bool:
    """Whether it fills a table that a function needs: ``TABLE[2] = 1``, ``TABLE.append(3)``."""
    node = statement.node
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(_root(target) in names for target in targets if not isinstance(target, ast.Name))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        root = _root(node.value.func)
        return root in names and node.value.func.attr in ("append", "add", "update", "extend", "setdefault", "register")
    return False


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
