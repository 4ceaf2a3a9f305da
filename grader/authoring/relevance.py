"""Which checks can notice a change in which part of a reference, as far as the text of both tells.

Only an order is made of it: the likely checks first. What is left is put before the others all the same, so a
wrong guess costs time and nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping


def reached(reference: ast.Module) -> dict[str, frozenset[str]]:
    """For each top-level name of a module: the names that running it may use, itself included."""
    used = {name: _names_in(node) for node in reference.body for name in _bound(node)}
    return {name: _closure(name, used) for name in used}


def _bound(node: ast.stmt) -> Iterable[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)]


def _names_in(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}  # fixtures


def _closure(name: str, used: Mapping[str, set[str]]) -> frozenset[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += used.get(each, set()) & used.keys()
    return frozenset(found)


def asked(checks: Iterable[ast.Module]) -> dict[str, frozenset[str]]:
    """For each check function: the ``f`` of each ``learner.f`` in it and in what it uses of its module."""
    found: dict[str, frozenset[str]] = {}
    for module in checks:
        own = {name: frozenset(_attributes(node)) for node in module.body for name in _bound(node)}
        for name, used in reached(module).items():
            found[name] = frozenset().union(*(own[each] for each in used))
    return found


def _attributes(node: ast.AST) -> Iterable[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "learner":
            yield each.attr


def notices(owner: str, check: str, asks: Mapping[str, frozenset[str]], reach: Mapping[str, frozenset[str]]) -> bool:
    """Whether a check seems to run what belongs to the top-level name `owner`."""
    return any(owner in reach.get(function, ()) for function in asks.get(check, ()))
