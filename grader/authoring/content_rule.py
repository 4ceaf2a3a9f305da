"""The content rule: one check must not hand the reference's answer to the learner's file and then ask for it.

A file that remembers what it was given could answer the second call from the first (``BOUNDARY``: secrets and
state). Each check runs in a fresh child, so the rule holds per check, and this reads one check function at a
time: a name is tainted by ``reference.f`` when a call of that function flows into it; a tainted argument of
any call of the learner's is a fault if the same check also calls ``learner.f``. It does not follow values
into functions of the checks file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_Function = ast.FunctionDef | ast.AsyncFunctionDef
Taints = dict[str, set[str]]


@dataclass(frozen=True)
class Leak:
    """A check that breaks the rule.

    Attributes:
        check: its function's name.
        line: where the reference's answer is passed on.
        function: the function that is asked for as well.
    """

    check: str
    line: int
    function: str


def leaks(checks: ast.Module) -> tuple[Leak, ...]:
    """The first leak of each check function in a checks file."""
    found = []
    for node in ast.walk(checks):
        if isinstance(node, _Function) and node.name.startswith("test_"):
            found += list(_leaks_of(node))[:1]
    return tuple(found)


def _leaks_of(check: _Function) -> Iterator[Leak]:
    asked = set(_functions_of("learner", check))
    tainted = _taints(check)
    for call in ast.walk(check):
        if not isinstance(call, ast.Call) or not _asks_learner(call):
            continue
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        for argument in arguments:
            for function in sorted(_taint_of(argument, tainted) & asked):
                yield Leak(check.name, call.lineno, function)


def _taints(check: _Function) -> Taints:
    """Name -> functions of the reference whose answers may be in it: a fixed point, whatever the order."""
    tainted: Taints = {}
    while True:
        before = {name: set(functions) for name, functions in tainted.items()}
        for target, value in _bindings(check):
            functions = _taint_of(value, tainted)
            for name in _names(target):
                tainted.setdefault(name, set()).update(functions)
        if tainted == before or not any(tainted.values()):
            return tainted


def _bindings(check: _Function) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each (what is bound, what it is bound to) of a function."""
    for node in ast.walk(check):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                yield target, value
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield target, value
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                yield target, value
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                yield target, value


def _taint_of(value: ast.AST, tainted: Mapping[str, set[str]]) -> set[str]:
    """Which functions of the reference an expression carries answers of."""
    functions = set(_functions_of("reference", value))
    for node in ast.walk(value):
        if isinstance(node, ast.Name):
            functions |= tainted.get(node.id, set())
    return functions


def _functions_of(side: str, tree: ast.AST) -> Iterator[str]:
    """The ``f`` of every ``learner.f`` (or ``reference.f``) in a piece of code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == side:
            yield node.attr


def _asks_learner(call: ast.Call) -> bool:
    """``learner.f(…)``, ``learner.f.observe(…)``, or ``expect.unchanged(learner.f, …)`` and its kin."""
    if any(True for _ in _functions_of("learner", call.func)):
        return True
    bare = [argument for argument in call.args if isinstance(argument, ast.Attribute)]
    return any(True for argument in bare for _ in _functions_of("learner", argument))


def _names(target: ast.expr) -> Iterator[str]:
    """Names that a target binds or writes into: ``a``, ``a, b``, ``a[i]``, ``a.b``."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            yield node.id
