"""One question as it is put to a learner: parameters filled in, things shuffled, and nothing that gives it away.

``Asked`` knows everything; ``PublicQuestion`` is the list of what may leave it before an answer is in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from grader.quiz import units, variants
from grader.quiz.keys import Keys, Solved
from grader.quiz.model import Block, Kind, Option, Question
from grader.quiz.variants import Variant

Namer = Callable[[str, int], str]  # of an item's own id and its place on the screen, the name that it goes by


@dataclass(frozen=True)
class Item:
    """Something to be chosen, moved or matched: a name that tells nothing, and its text."""

    name: str
    text: str


@dataclass(frozen=True)
class PublicQuestion:
    """All that a learner may see before answering.

    Attributes:
        seed: what the variant and the order of things come from.
        items: options, blocks, or what is to be matched to, in the order shown.
        lefts: for a match, what things are to be matched to, in the order shown.
        ask: for a number, the unit asked for; "" for a plain number.
        credit: the rule of scoring, in words.
    """

    id: str
    rev: int
    seed: int
    kind: str
    topic: str
    chapter: int
    level: str
    points: float
    stem: str
    code: str
    hint: str
    credit: str
    items: tuple[Item, ...] = ()
    lefts: tuple[Item, ...] = ()
    ask: str = ""

    def document(self) -> dict[str, Any]:
        """Plain data for JSON and for templates."""
        return asdict(self)


CREDIT = {
    "all": "full points for exactly the right choice",
    "net": "right ticks minus wrong ticks, never below 0",
    Kind.NUMERIC: "full points within the tolerance, which is shown afterwards",
    Kind.ORDER: "a share for the longest part that is in a right order; a step that belongs nowhere costs one",
    Kind.MATCH: "an equal share for each right pair",
    Kind.TRACE: "full points for exactly this output; white space does not matter",
    Kind.SHORT: "you mark it yourself with a list of what a good answer says; counted apart",
}


@dataclass(frozen=True)
class Asked:
    """A question under a seed.

    Attributes:
        question: as its author wrote it.
        seed: chooses the variant and the order of things.
        keys: where the keys of numeric questions come from.
    """

    question: Question
    seed: int
    keys: Keys = field(compare=False)

    @cached_property
    def chosen(self) -> Variant:
        """The values of the parameters."""
        return variants.variant(self.question, self.seed)

    @cached_property
    def words(self) -> dict[str, str]:
        """What stands for each ``$name`` in stem, code and hint."""
        return variants.words(self.chosen)

    @cached_property
    def solved(self) -> Solved:
        """The numbers behind this variant."""
        return self.keys.solved(self.question, self.chosen)

    @cached_property
    def options(self) -> Sequence[Option]:
        """The options in the order shown."""
        return self._mixed("options", self.question.options)

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks in the order shown; never in an order that is right already, where there is another."""
        return self._mixed("blocks", self.question.blocks, always=True)

    @cached_property
    def rights(self) -> Sequence[str]:
        """What a match may be made with, in the order shown."""
        texts = dict.fromkeys([pair.right for pair in self.question.pairs] + list(self.question.extra))
        return self._mixed("rights", list(texts), always=True)

    def _mixed(self, purpose: str, items: Sequence[Any], always: bool = False) -> Sequence[Any]:
        if not (self.question.shuffle or always):
            return items
        return variants.shuffled(variants.generator(self.question, self.seed, purpose), items)

    def fill(self, text: str) -> str:
        """``text`` with the parameters' values in it."""
        return variants.filled(text, self.words) if self.question.params else text

    def explanation(self) -> str:
        """The explanation, with the key and the other numbers that it names."""
        question = self.question
        if question.answer is None:
            return self.fill(question.explain)
        shown = {"answer": in_unit(self.solved.key, question.answer.unit, question.answer.ask)}
        for name, answer in question.values.items():
            shown[name] = in_unit(self.solved.values[name], answer.unit, answer.ask)
        return variants.filled(question.explain, self.words | shown)

    def public(self, name: Namer) -> PublicQuestion:
        """What may be shown before the answer; ``name`` makes the items' names."""
        question = self.question
        items, lefts = self._items(name)
        return PublicQuestion(
            id=question.id,
            rev=question.rev,
            seed=self.seed,
            kind=str(question.kind),
            topic=question.topic,
            chapter=question.chapter,
            level=question.level,
            points=question.points,
            stem=self.fill(question.stem),
            code=self.fill(question.code),
            hint=self.fill(question.hint),
            credit=CREDIT.get(question.kind, CREDIT[question.credit]),
            items=items,
            lefts=lefts,
            ask="" if question.answer is None or question.answer.ask == units.NONE else question.answer.ask,
        )

    def _items(self, name: Namer) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
        def named(pairs: Sequence[tuple[str, str]]) -> tuple[Item, ...]:
            return tuple(Item(name(id, at), self.fill(text)) for at, (id, text) in enumerate(pairs, start=1))

        if self.question.kind is Kind.MATCH:
            lefts = [(f"left:{pair.left}", pair.left) for pair in self.question.pairs]
            return named([(right, right) for right in self.rights]), named(lefts)
        blocks = self.blocks if self.question.kind is Kind.ORDER else self.options
        return named([(item.id, item.text) for item in blocks]), ()

    def ids(self, name: Namer) -> Mapping[str, str]:
        """From the names that ``public`` gives to the items' own ids."""
        if self.question.kind is Kind.MATCH:
            own: list[str] = list(self.rights)
        else:
            own = [item.id for item in (self.blocks if self.question.kind is Kind.ORDER else self.options)]
        return {name(id, at): id for at, id in enumerate(own, start=1)}

    def lefts(self, name: Namer) -> Mapping[str, str]:
        """From the names that ``public`` gives to what is matched to the texts themselves."""
        pairs = enumerate(self.question.pairs, start=1)
        return {name(f"left:{pair.left}", at): pair.left for at, pair in pairs}


def by_place(id: str, at: int) -> str:
    """Names for a terminal: 1, 2, 3 … in the order shown."""
    return str(at)


def in_unit(number: float, unit: str, ask: str) -> str:
    """``number`` of ``unit`` as a learner is to read it, in ``ask``."""
    return units.spell(number * units.factor(unit) / units.factor(ask), ask)
