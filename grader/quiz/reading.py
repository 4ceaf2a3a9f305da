"""Answers typed in one line, as plain mode and ``--json`` take them, turned into responses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grader.quiz.asking import Asked, by_place
from grader.quiz.model import Kind
from grader.quiz.units import UnreadableError
from grader.quiz.wording import LETTERS

EXAMPLES = {
    Kind.SINGLE: "2",
    Kind.MULTI: "1 3",
    Kind.ORDER: "3 1 2",
    Kind.MATCH: "1b 2a",
}


def name_of(kind: str) -> Any:
    """How items are named in a terminal: by their places; in a match, numbers go with letters."""
    return _by_letter if kind == Kind.MATCH else by_place


def _by_letter(id: str, at: int) -> str:
    return str(at) if id.startswith("left:") else LETTERS[at - 1]


def read(asked: Asked, line: str) -> dict[str, Any]:
    """The response that a line stands for.

    Raises:
        UnreadableError: it names what is not there, or cannot be taken apart.
    """
    kind = asked.question.kind
    ids = asked.ids(name_of(kind))
    if kind in (Kind.NUMERIC, Kind.TRACE, Kind.SHORT):
        return {"text": line}
    if kind is Kind.MATCH:
        return {"pairs": _pairs(line, asked.lefts(name_of(kind)), ids)}
    chosen = [_known(word, ids, kind) for word in re.findall(r"[^\s,;]+", line)]
    if kind is Kind.SINGLE:
        if len(chosen) > 1:
            raise UnreadableError("only one can be chosen.", f"Type one number, such as {EXAMPLES[kind]}.")
        return {"choice": chosen[0] if chosen else None}
    if len(set(chosen)) < len(chosen):
        raise UnreadableError("a number stands twice.", "Type each number once.")
    return {"order" if kind is Kind.ORDER else "choices": chosen}


def _known(word: str, ids: Mapping[str, str], kind: Kind) -> str:
    name = word.strip("().").lower()
    if name not in ids:
        raise UnreadableError(f"there is no {word}.", f"Type names from {_range(ids)}, such as {EXAMPLES[kind]}.")
    return ids[name]


def _range(ids: Mapping[str, str]) -> str:
    names = list(ids)
    return f"{names[0]} to {names[-1]}"


def _pairs(line: str, lefts: Mapping[str, str], rights: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, letter in re.findall(r"(\d+)\s*[-=:.)]?\s*([A-Za-z])", line):
        if number not in lefts or letter.lower() not in rights:
            remedy = f"Numbers go from {_range(lefts)}, letters from {_range(rights)}, as in {EXAMPLES[Kind.MATCH]}."
            raise UnreadableError(f"there is no {number}{letter}.", remedy)
        if lefts[number] in found:
            raise UnreadableError(f"{number} is matched twice.", "Match each number once.")
        found[lefts[number]] = rights[letter.lower()]
    rest = re.sub(r"(\d+)\s*[-=:.)]?\s*([A-Za-z])", "", line)
    if re.search(r"\w", rest):
        raise UnreadableError(f"{line.strip()!r} is not clear.", f"Type pairs, such as {EXAMPLES[Kind.MATCH]}.")
    return found
