"""What may be changed in a reference: one small fault at a time, of the kinds that a learner makes.

Each operator looks at one node of the syntax tree and yields `Edit`s: which node's text to replace, by what,
and a label that reads like the change (`Lt->LtE`, `1->2`, `if->True`, `stop->stop-1`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Node = ast.expr | ast.stmt


@dataclass(frozen=True)
class Edit:
    """Replace the text of `node` by `text`; `after` is the same change as a reader should see it."""

    node: Node
    label: str
    text: str
    after: str


# Boundary first (< and <= differ on one value only), then the opposite.
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
}
_PAIRS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("floor", "ceil"),
    ("sum", "mean"),
    ("sin", "cos"),
)
_NAMED = {**dict(_PAIRS), **{second: first for first, second in _PAIRS}}
_BUILTINS = frozenset({"min", "max", "any", "all"})  # the others exist as attributes only (np.floor, x.mean)
_RANGES = frozenset({"range", "arange"})
_LARGE = 1 << 16  # a mask or a prime: one neighbour is enough


def edits(node: ast.AST) -> Iterator[Edit]:
    """Every fault that can be put into `node` itself, not into what it contains."""
    for kind, operator in _OPERATORS:
        if isinstance(node, kind):
            yield from operator(node)


def _rewritten(node: Node, label: str, **fields: Any) -> Edit:
    """An edit that gives a shallow copy of `node` other fields."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    after = ast.unparse(changed)
    return Edit(node, label, f"({after})" if isinstance(node, ast.expr) else after, after)


def _replaced(node: Node, label: str, text: str) -> Edit:
    return Edit(node, label, text, text)


def _comparison(node: ast.Compare) -> Iterator[Edit]:
    for place, old in enumerate(node.ops):
        for new in _COMPARISONS[type(old)]:
            ops = [*node.ops[:place], new(), *node.ops[place + 1 :]]
            yield _rewritten(node, f"{type(old).__name__}->{new.__name__}", ops=ops)


def _arithmetic(node: ast.BinOp | ast.AugAssign) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
        return  # the old way to format a string
    for new in _ARITHMETIC[type(node.op)]:
        yield _rewritten(node, f"{type(node.op).__name__}->{new.__name__}", op=new())


def _unary(node: ast.UnaryOp) -> Iterator[Edit]:
    if not isinstance(node.op, ast.UAdd):
        operand = ast.unparse(node.operand)
        yield Edit(node, f"{type(node.op).__name__}->none", f"({operand})", operand)


def _logic(node: ast.BoolOp) -> Iterator[Edit]:
    new: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield _rewritten(node, f"{type(node.op).__name__}->{type(new).__name__}", op=new)


def _constant(node: ast.Constant) -> Iterator[Edit]:
    for new in _neighbours(node.value):
        text = repr(new)
        yield Edit(node, f"{node.value!r}->{text}", f"({text})" if text.startswith("-") else text, text)


def _neighbours(value: object) -> tuple[bool | int | float, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1,) if abs(value) >= _LARGE else (value + 1, value - 1)
    if isinstance(value, float):
        return (2 * value, 0.0) if value else (1.0,)
    return ()


def _branch(node: ast.If | ast.IfExp | ast.While) -> Iterator[Edit]:
    word = "while" if isinstance(node, ast.While) else "if"
    if word == "if":  # a `while True` in its place would only wait for the limit
        yield _replaced(node.test, "if->True", "True")
    yield _replaced(node.test, f"{word}->False", "False")


def _filter(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Iterator[Edit]:
    for generator in node.generators:
        for test in generator.ifs:
            yield _replaced(test, "filter->True", "True")


def _loop(node: ast.Break | ast.Continue) -> Iterator[Edit]:
    old, new = ("break", "continue") if isinstance(node, ast.Break) else ("continue", "break")
    yield _replaced(node, f"{old}->{new}", new)


def _named(node: ast.Call) -> Iterator[Edit]:
    function = node.func
    if isinstance(function, ast.Name) and function.id in _BUILTINS:
        yield _replaced(function, f"{function.id}->{_NAMED[function.id]}", _NAMED[function.id])
    elif isinstance(function, ast.Attribute) and function.attr in _NAMED:
        edit = _rewritten(function, f"{function.attr}->{_NAMED[function.attr]}", attr=_NAMED[function.attr])
        yield _replaced(function, edit.label, edit.after)


def _range(node: ast.Call) -> Iterator[Edit]:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if name not in _RANGES or any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    if len(node.args) > 1:
        yield from _moved(node.args[0], "start", "+")
    if node.args:
        yield from _moved(node.args[0] if len(node.args) == 1 else node.args[1], "stop", "-")


def _slice(node: ast.Subscript) -> Iterator[Edit]:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        if isinstance(part, ast.Slice):
            yield from _moved(part.lower, "lower", "+")
            yield from _moved(part.upper, "upper", "-")


def _moved(bound: ast.expr | None, name: str, sign: str) -> Iterator[Edit]:
    """One step inwards; a bound that is a number is `_constant`'s business."""
    if bound is None or isinstance(bound, ast.Constant) or _is_negative_number(bound):
        return
    step = ast.BinOp(bound, ast.Add() if sign == "+" else ast.Sub(), ast.Constant(1))
    yield _replaced(bound, f"{name}->{name}{sign}1", ast.unparse(step))


def _is_negative_number(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


_OPERATORS: tuple[tuple[Any, Callable[[Any], Iterator[Edit]]], ...] = (
    (ast.Compare, _comparison),
    ((ast.BinOp, ast.AugAssign), _arithmetic),
    (ast.UnaryOp, _unary),
    (ast.BoolOp, _logic),
    (ast.Constant, _constant),
    ((ast.If, ast.IfExp, ast.While), _branch),
    ((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), _filter),
    ((ast.Break, ast.Continue), _loop),
    (ast.Call, _named),
    (ast.Call, _range),
    (ast.Subscript, _slice),
)
