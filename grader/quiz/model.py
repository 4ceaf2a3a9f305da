"""The nouns of the question bank: frozen records without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from grader.catalog.yaml_source import Place, YamlFile

TOPICS = ("data", "scaling", "distributed", "hardware", "stability", "profiling")


class Kind(StrEnum):
    """What a learner does to answer."""

    SINGLE = "single"
    MULTI = "multi"
    NUMERIC = "numeric"
    ORDER = "order"
    MATCH = "match"
    TRACE = "trace"
    SHORT = "short"


@dataclass(frozen=True)
class Computed:
    """A number that a reference solution computes.

    Attributes:
        fn: ``chapter2/zero_sharding:zero_bytes_per_gpu``.
        args: its arguments; ``"$name"`` stands for the parameter of that name.
        part: the key or place to take where it returns several values; None takes it whole.
        largest: an argument's name and a bound: the number is then the greatest whole value of that argument with
            which ``fn`` stays within the bound.
        chaff: the name of a known wrong solution of the exercise to call instead of its reference, or "".
    """

    fn: str
    args: Mapping[str, Any]
    part: str | int | None = None
    largest: tuple[str, Any] | None = None
    chaff: str = ""


@dataclass(frozen=True)
class Answer:
    """The key of a numeric question.

    Attributes:
        value: how it is computed.
        unit: the unit of what the function returns.
        ask: the unit in which a learner is asked; a bare number is read in it.
        rtol: relative tolerance.
        atol: absolute tolerance, in ``unit``.
    """

    value: Computed
    unit: str
    ask: str
    rtol: float
    atol: float


@dataclass(frozen=True)
class Trap:
    """A number that a known mistake leads to; either computed, or the key times a factor."""

    why: str
    value: Computed | None = None
    times: float | None = None


@dataclass(frozen=True)
class Option:
    """One choice of a single or multi question, with its reason."""

    id: str
    text: str
    correct: bool
    why: str


@dataclass(frozen=True)
class Block:
    """One step to be put in order; ``after`` names what must come before it. A distractor belongs nowhere."""

    id: str
    text: str
    why: str
    after: tuple[str, ...] = ()
    distractor: bool = False


@dataclass(frozen=True)
class Pair:
    """Two things that belong together, and why."""

    left: str
    right: str
    why: str


@dataclass(frozen=True)
class RubricItem:
    """What a good answer says, and what saying it is worth."""

    id: str
    text: str
    points: float


@dataclass(frozen=True)
class Choice:
    """One value of a parameter, and how a stem says it."""

    value: Any
    text: str


@dataclass(frozen=True)
class Question:
    """One question as its author wrote it; the keys are those of ``question_bank.json``."""

    id: str
    rev: int
    kind: Kind
    topic: str
    chapter: int
    level: str
    cognition: str
    objective: int
    stem: str
    explain: str
    source: YamlFile
    place: Place
    code: str = ""
    hint: str = ""
    points: float = 1.0
    refs: tuple[str, ...] = ()
    exercise: str = ""
    shuffle: bool = True
    credit: str = "all"
    params: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    values: Mapping[str, Answer] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    answer: Answer | None = None
    traps: tuple[Trap, ...] = ()
    blocks: tuple[Block, ...] = ()
    pairs: tuple[Pair, ...] = ()
    extra: tuple[str, ...] = ()
    expect: str = ""
    model: str = ""
    rubric: tuple[RubricItem, ...] = ()

    @property
    def number(self) -> str:
        """The id's first part: ``q19`` of ``q19-zero-memory``."""
        return self.id.split("-")[0]


@dataclass(frozen=True)
class Term:
    """A word of the module's vocabulary."""

    term: str
    chapter: int
    text: str
    place: Place = ()


@dataclass(frozen=True)
class BlueprintRow:
    """What the question with this number has to be like; ``awaits`` names an exercise that it needs."""

    number: str
    chapter: int
    topic: str
    level: str
    kind: str
    cognition: str
    tests: str
    awaits: str = ""


@dataclass(frozen=True)
class Bank:
    """All questions in the order of their numbers, with the files that they come from."""

    questions: tuple[Question, ...]
    terms: tuple[Term, ...] = ()
    blueprint: tuple[BlueprintRow, ...] = ()
    blueprint_source: YamlFile | None = None

    def find(self, id: str) -> Question | None:
        """The question with this id, or None."""
        return next((question for question in self.questions if question.id == id), None)
