"""What keys do to an answer that is chosen from a list: the state behind a terminal's screen. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.quiz.asking import Asked, Item
from grader.quiz.model import Kind
from grader.quiz.reading import name_of
from grader.quiz.wording import LETTERS

KEYS = {
    Kind.SINGLE: "↑↓ or j k move · 1-9 choose · enter submits",
    Kind.MULTI: "↑↓ or j k move · space or 1-9 tick · enter submits",
    Kind.ORDER: "↑↓ or j k move · [ ] shift a step · space leaves it out or takes it in · enter submits",
    Kind.MATCH: "↑↓ or j k move · ←→ or a letter chooses · enter submits",
}


@dataclass
class Picking:
    """An answer while it is put together.

    Attributes:
        at: the row that the cursor is on.
        chosen: names that are chosen or ticked.
        order: for an order, names as they stand now; those in ``left_out`` do not count.
        pairs: for a match, left name -> right name.
    """

    asked: Asked
    at: int = 0
    chosen: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    pairs: dict[str, str] = field(default_factory=dict)
    touched: bool = False

    def __post_init__(self) -> None:
        self.kind = self.asked.question.kind
        self.public = self.asked.public(name_of(self.kind))
        self.order = [item.name for item in self.public.items]

    @property
    def rows(self) -> Sequence[Item]:
        """The rows that the cursor moves over, in the order shown."""
        if self.kind is Kind.MATCH:
            return self.public.lefts
        by_name = {item.name: item for item in self.public.items}
        return [by_name[name] for name in self.order]

    def press(self, key: str) -> None:
        """Change what a key changes; other keys do nothing."""
        count = len(self.rows)
        if key in ("up", "k"):
            self.at = (self.at - 1) % count
        elif key in ("down", "j"):
            self.at = (self.at + 1) % count
        elif key.isdecimal() and 1 <= int(key) <= count:
            self.at = int(key) - 1
            self._mark()
        elif key == "space":
            self._mark()
        elif self.kind is Kind.ORDER and key in ("[", "]"):
            self._shift(-1 if key == "[" else 1)
        elif self.kind is Kind.MATCH:
            self._pair(key)

    def _mark(self) -> None:
        name = self.rows[self.at].name
        if self.kind is Kind.SINGLE:
            self.chosen = {name}
        elif self.kind is Kind.MULTI:
            self.chosen ^= {name}
        elif self.kind is Kind.ORDER:
            self.left_out ^= {name}
            self.touched = True

    def _shift(self, step: int) -> None:
        to = self.at + step
        if 0 <= to < len(self.order):
            self.order[self.at], self.order[to] = self.order[to], self.order[self.at]
            self.at = to
        self.touched = True

    def _pair(self, key: str) -> None:
        names = [item.name for item in self.public.items]
        left = self.rows[self.at].name
        if key in ("left", "right"):
            now = names.index(self.pairs[left]) if left in self.pairs else (-1 if key == "right" else 0)
            self.pairs[left] = names[(now + (1 if key == "right" else -1)) % len(names)]
        elif len(key) == 1 and key in LETTERS[: len(names)] and key not in "jk":
            self.pairs[left] = key

    def response(self) -> dict[str, Any]:
        """The response as it stands."""
        ids = self.asked.ids(name_of(self.kind))
        if self.kind is Kind.SINGLE:
            return {"choice": next((ids[name] for name in self.chosen), None)}
        if self.kind is Kind.MULTI:
            return {"choices": [ids[name] for name in self.order if name in self.chosen]}
        if self.kind is Kind.ORDER:
            return {"order": [ids[name] for name in self.order if name not in self.left_out]}
        lefts = self.asked.lefts(name_of(self.kind))
        return {"pairs": {lefts[left]: ids[right] for left, right in self.pairs.items()}}
