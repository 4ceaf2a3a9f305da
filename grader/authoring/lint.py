"""What can be said of an exercise without running anything: files, docstrings, signatures, words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.authoring.check_files import check_files, lint_checks
from grader.authoring.records import Fault, Kind
from grader.authoring.variants import Variant
from grader.catalog import signatures
from grader.model import Exercise, FunctionSignature

LEAST_WHEATS = 2
LEAST_CHAFFS = 5
_SUMMARY = re.compile(r"<details>\s*<summary>", re.IGNORECASE)
_EXAMPLE = re.compile(r"^(#+|\*\*).*\bexample", re.IGNORECASE | re.MULTILINE)
_TODO = re.compile(r"\bTODO\b")
_ABSOLUTE = re.compile(r"(?<![\w./~)\]-])/(home|root|tmp|Users)\b|\bC:\\")
_TEXTS = (".py", ".md", ".yaml")


def lint(exercise: Exercise, variants: Sequence[Variant]) -> tuple[Fault, ...]:
    """Every fault that shows in the text of an exercise's files."""
    found = [
        *_missing(exercise, variants),
        *_statement(exercise),
        *_todos(exercise),
        *(fault for variant in variants for fault in _docstring(exercise, variant)),
        *_copies(exercise, variants),
        *_absolute_paths(exercise),
        *lint_checks(exercise),
    ]
    sound = [variant for variant in variants if not variant.problem]
    if any(variant.kind is Kind.STUB for variant in sound):
        found += [*_contract(exercise), *misfits(exercise, sound)]
    return tuple(found)


def _missing(exercise: Exercise, variants: Sequence[Variant]) -> Iterator[Fault]:
    paths = [exercise.stub, exercise.statement, exercise.checks]
    if exercise.solution:
        paths.append(exercise.solution / "reference.py")
    else:
        remedy = "Give the course with its solutions: the gate has nothing to compare with in a kit."
        yield Fault("solutions", "a folder of the same path", "there is none", remedy)
    for path in paths:
        if not path.is_file():
            yield Fault(path.name, "is there", "is missing", f"Write {path}.")
    for kind, least in (Kind.WHEAT, LEAST_WHEATS), (Kind.CHAFF, LEAST_CHAFFS):
        count = sum(variant.kind is kind for variant in variants)
        if exercise.solution and count < least:
            remedy = f"Write more files in {exercise.solution / f'{kind}s'}."
            yield Fault(f"{kind}s", f"at least {least}", str(count), remedy)


def _statement(exercise: Exercise) -> Iterator[Fault]:
    if not exercise.statement.is_file():
        return
    text = exercise.statement.read_text(encoding="utf-8")
    if not _EXAMPLE.search(text):
        remedy = "Add a section `## Example` with numbers that one can follow by hand."
        yield Fault("README.md", "a worked example", "no heading names one", remedy)
    if not _SUMMARY.search(text):
        remedy = "Add `<details><summary>Hint 1</summary>`, an empty line, the hint, `</details>`."
        yield Fault("README.md", "hints, folded", "no <details> with a <summary>", remedy)


def _todos(exercise: Exercise) -> Iterator[Fault]:
    for folder in (exercise.folder, exercise.solution):
        for path in sorted(folder.rglob("*")) if folder else ():
            if path.is_file() and path.suffix in _TEXTS:
                yield from _todos_of(exercise, folder, path)


def _todos_of(exercise: Exercise, folder: Path | None, path: Path) -> Iterator[Fault]:
    """One fault for a file, at its first marker: a scaffold has many."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    places = [number for number, line in enumerate(lines, 1) if _TODO.search(line)]
    if places:
        name = str(path.relative_to(folder)) if folder else path.name
        rest = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
        happened = f"line {places[0]}: {lines[places[0] - 1].strip()}{rest}"
        yield Fault(name, "finished", happened, "Write what the TODO asks for, and take the word out.")


def _absolute_paths(exercise: Exercise) -> Iterator[Fault]:
    """A path of the author's machine leads nowhere on a learner's; one fault for a file, at its first one."""
    for path in (exercise.statement, exercise.stub, *check_files(exercise)):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
        found = next(((number, line) for number, line in enumerate(lines, 1) if _ABSOLUTE.search(line)), None)
        if found:
            remedy = "Name it relative to the working folder, or take it out: it leads nowhere on another machine."
            yield Fault(path.name, "no absolute path", f"line {found[0]}: {found[1].strip()}", remedy)


def _docstring(exercise: Exercise, variant: Variant) -> Iterator[Fault]:
    if variant.problem:
        yield Fault(variant.place, "is Python", variant.problem, f"Correct {variant.path}.")
    elif variant.kind is Kind.WHEAT and not variant.says:
        remedy = "Say in its docstring what is different about this right way."
        yield Fault(variant.place, "a docstring", "has none", remedy)
    elif variant.kind is Kind.CHAFF and (not variant.says or variant.says.lower().startswith("killed by")):
        remedy = "Let line 1 of its docstring be the misconception, in the learner's words."
        yield Fault(variant.place, "a misconception", "its docstring has none", remedy)
    elif variant.kind is Kind.CHAFF and not variant.killed_by:
        remedy = "Let line 2 of its docstring be `Killed by: test_x`, with one or more checks."
        yield Fault(variant.place, "Killed by: …", "no check is named", remedy)


def _contract(exercise: Exercise) -> Iterator[Fault]:
    tree = ast.parse(exercise.stub.read_bytes())
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]
    if not functions:
        yield Fault("stub", "a public function", "has none", f"Write one in {exercise.stub}.")
    for node in functions:
        if not ast.get_docstring(node):
            remedy = "Write the contract there: arguments, their ranges, what is returned and raised."
            yield Fault("stub", f"a docstring for {node.name}", "it has none", remedy)
        if not _is_unwritten(node):
            remedy = "Let the docstring be followed by this line alone; what is handed over goes into given.py."
            happened = f"line {node.lineno}: {node.name} does something else"
            yield Fault("stub", "raise NotImplementedError", happened, remedy)


def _is_unwritten(function: ast.FunctionDef) -> bool:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return len(body) == 1 and ast.unparse(body[0]) in ("raise NotImplementedError", "raise NotImplementedError()")


def misfits(exercise: Exercise, variants: Sequence[Variant]) -> Iterator[Fault]:
    """The stub's functions must be in every variant, called the same way; more functions are free."""
    for variant in variants:
        found = signatures(variant.path)
        for name, wanted in signatures(exercise.stub).items():
            if found.get(name) != wanted:
                happened = _spell(found[name]) if name in found else f"no function {name}"
                remedy = f"Make {variant.path} and the stub agree."
                yield Fault(variant.place, _spell(wanted), happened, remedy)


def _spell(signature: FunctionSignature) -> str:
    """``f(a, /, b=…, *, c)``."""
    parts = []
    kinds = [parameter.kind for parameter in signature.parameters]
    for at, parameter in enumerate(signature.parameters):
        before = kinds[at - 1] if at else ""
        if parameter.kind != "positional_only" and before == "positional_only":
            parts.append("/")
        if parameter.kind == "keyword_only" and before not in ("keyword_only", "var_positional"):
            parts.append("*")
        stars = {"var_positional": "*", "var_keyword": "**"}.get(parameter.kind, "")
        parts.append(f"{stars}{parameter.name}{'=…' if parameter.has_default else ''}")
    if kinds and kinds[-1] == "positional_only":
        parts.append("/")
    return f"{signature.name}({', '.join(parts)})"


def _copies(exercise: Exercise, variants: Sequence[Variant]) -> Iterator[Fault]:
    """A variant that is another one with different words proves nothing."""
    first: dict[str, Variant] = {}
    for variant in variants:
        unwritten = variant.kind is Kind.STUB or b"TODO" in variant.source
        if variant.tree is None or unwritten:
            continue
        other = first.setdefault(_code_of(variant.tree), variant)
        if other is not variant:
            remedy = f"Make {variant.path} do it in another way, or remove it."
            yield Fault(variant.place, "code of its own", f"the same code as {other.place}", remedy)


def _code_of(tree: ast.Module) -> str:
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    return ast.dump(ast.Module(body, []))
