"""From the fields of a form to a response with the items' own ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.quiz.asking import Asked, Namer
from grader.quiz.model import Kind
from grader.quiz.units import UnreadableError

Fields = Mapping[str, Sequence[str]]
MAX_CHARACTERS = 20_000


def first(fields: Fields, name: str) -> str:
    """The first value of a field, or ""."""
    values = fields.get(name, ())
    return values[0][:MAX_CHARACTERS] if values else ""


def response(asked: Asked, fields: Fields, name: Namer) -> dict[str, Any]:
    """What a form answers.

    Raises:
        UnreadableError: it names an item that this question does not have.
    """
    kind = asked.question.kind
    if kind in (Kind.NUMERIC, Kind.TRACE, Kind.SHORT):
        return {"text": first(fields, "text").replace("\r\n", "\n")}
    ids = asked.ids(name)
    if kind is Kind.MATCH:
        lefts = asked.lefts(name)
        return {"pairs": {lefts[left]: _id(ids, value) for left in lefts if (value := first(fields, left))}}
    if kind is Kind.ORDER:
        out = set(fields.get("out", ()))
        return {"order": [_id(ids, item) for item in arranged(asked, fields, name) if item not in out]}
    chosen = [_id(ids, item) for item in fields.get("choice", ())]
    if kind is Kind.SINGLE:
        return {"choice": chosen[0] if chosen else None}
    return {"choices": list(dict.fromkeys(chosen))}


def _id(ids: Mapping[str, str], name: str) -> str:
    if name not in ids:
        raise UnreadableError("this form belongs to another question.", "Load the page again.")
    return ids[name]


def arranged(asked: Asked, fields: Fields, name: Namer) -> list[str]:
    """The names of an order's steps as they stand in the form, after a move up or down if one was asked for."""
    known = list(asked.ids(name))
    order = [item for item in fields.get("order", ()) if item in known]
    if sorted(order) != sorted(known):
        order = known
    item, _, way = first(fields, "move").partition(":")
    if item in order and way in ("up", "down"):
        at = order.index(item)
        to = at + (-1 if way == "up" else 1)
        if 0 <= to < len(order):
            order[at], order[to] = order[to], order[at]
    return order


def certainty(fields: Fields) -> int | None:
    """1 to 3, or None."""
    value = first(fields, "certainty")
    return int(value) if value in ("1", "2", "3") else None
