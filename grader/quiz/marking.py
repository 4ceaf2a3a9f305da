"""Mark an answer: a score from 0 to 1, and the reason of everything that could have been chosen. Pure.

A response is plain data with the items' own ids:
``{"choice": id}``, ``{"choices": [id, …]}``, ``{"text": …}``, ``{"order": [id, …]}``, ``{"pairs": {left: right}}``,
and for a short answer ``{"text": …, "awarded": [id, …]}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.quiz import units
from grader.quiz.asking import Asked, in_unit
from grader.quiz.model import Answer, Kind
from grader.quiz.ordering import longest_in_order, one_order
from grader.quiz.tracing import lines

Response = Mapping[str, Any]
EMPTY = "Choose or write something first; s skips a question."


@dataclass(frozen=True)
class Reason:
    """One thing that could be chosen: whether it is right, whether it was chosen, and why it is so."""

    text: str
    right: bool
    chosen: bool
    why: str


@dataclass(frozen=True)
class Marked:
    """What is said after an answer.

    Attributes:
        score: from 0 to 1.
        reasons: for each option, block, pair or rubric item, in the order shown.
        expected: the right answer in words, where it is no choice.
        read_as: how a number was read, or "".
        mistake: which known mistake the number comes from, or "".
        apart: whether it is marked by the learner, and counted apart.
    """

    score: float
    reasons: tuple[Reason, ...] = ()
    expected: str = ""
    read_as: str = ""
    mistake: str = ""
    apart: bool = False

    @property
    def right(self) -> bool:
        """Whether nothing is missing."""
        return self.score > 1 - 1e-9

    @property
    def verdict(self) -> str:
        """The word for it."""
        return "right" if self.right else "partly right" if self.score > 0 else "not right"


def mark(asked: Asked, response: Response) -> Marked:
    """Mark ``response``.

    Raises:
        UnreadableError: nothing was chosen or written, or a number cannot be read; it is asked for again.
    """
    return _MARKERS[asked.question.kind](asked, response)


def _options(asked: Asked, response: Response) -> Marked:
    single = asked.question.kind is Kind.SINGLE
    chosen = {response["choice"]} if single else set(response["choices"])
    _require(bool(chosen - {None, ""}))
    right = {option.id for option in asked.options if option.correct}
    if asked.question.credit == "net":
        score = max(0.0, (len(chosen & right) - len(chosen - right)) / len(right))
    else:
        score = float(chosen == right)
    reasons = [
        Reason(asked.fill(option.text), option.correct, option.id in chosen, asked.fill(option.why))
        for option in asked.options
    ]
    return Marked(score, tuple(reasons))


def _number(asked: Asked, response: Response) -> Marked:
    answer = asked.question.answer
    assert answer is not None
    _require(bool(str(response["text"]).strip()))
    reading = units.read(str(response["text"]), answer.ask)
    given = reading.value / units.factor(answer.unit)
    right = is_near(given, asked.solved.key, answer)
    mistake = ""
    if not right:
        found = zip(asked.question.traps, asked.solved.traps, strict=True)
        mistake = next((asked.fill(trap.why) for trap, value in found if is_near(given, value, answer)), "")
    return Marked(float(right), expected=interval(asked.solved.key, answer), read_as=reading.text, mistake=mistake)


def tolerance(key: float, answer: Answer) -> float:
    """How far from the key an answer may be, in the unit of the key."""
    return max(answer.atol, answer.rtol * abs(key), 1e-9 * abs(key))


def is_near(given: float, key: float, answer: Answer) -> bool:
    """Whether a number counts as the key."""
    return abs(given - key) <= tolerance(key, answer) * (1 + 1e-9)


def interval(key: float, answer: Answer) -> str:
    """``112 GB (110.88 GB to 113.12 GB count)``."""
    low, middle, high = (in_unit(key + sign * tolerance(key, answer), answer.unit, answer.ask) for sign in (-1, 0, 1))
    return middle if low == high else f"{middle} (from {low} to {high} counts)"


def _order(asked: Asked, response: Response) -> Marked:
    blocks = {block.id: block for block in asked.question.blocks}
    given = [id for id in response["order"] if id in blocks]
    _require(bool(given))
    real = [block for block in blocks.values() if not block.distractor]
    kept = longest_in_order(given, blocks)
    wrong = sum(blocks[id].distractor for id in given)
    score = max(0.0, (len(kept) - wrong) / len(real))
    if len(given) > len(set(given)):
        score = 0.0
    reasons = [
        Reason(block.text, not block.distractor and (id in kept), True, block.why)
        for id, block in ((id, blocks[id]) for id in given)
    ]
    missing = [block for block in asked.blocks if block.id not in given]
    reasons += [Reason(block.text, block.distractor, False, block.why) for block in missing]
    example = " → ".join(blocks[id].text for id in one_order(asked.question.blocks))
    return Marked(score, tuple(reasons), expected=example)


def _match(asked: Asked, response: Response) -> Marked:
    given: Mapping[str, str] = response["pairs"]
    _require(any(given.values()))
    pairs = asked.question.pairs
    right = sum(given.get(pair.left) == pair.right for pair in pairs)
    reasons = [
        Reason(f"{pair.left} – {pair.right}", given.get(pair.left) == pair.right, True, _pair_why(pair, given))
        for pair in pairs
    ]
    return Marked(right / len(pairs), tuple(reasons))


def _pair_why(pair: Any, given: Mapping[str, str]) -> str:
    chosen = given.get(pair.left) or "nothing"
    return str(pair.why) if chosen == pair.right else f"You chose {chosen}. {pair.why}"


def _trace(asked: Asked, response: Response) -> Marked:
    _require(bool(str(response["text"]).strip()))
    expect = asked.fill(asked.question.expect)
    return Marked(float(lines(str(response["text"])) == lines(expect)), expected=expect.rstrip("\n"))


def _short(asked: Asked, response: Response) -> Marked:
    _require(bool(str(response["text"]).strip()))
    awarded, rubric = set(response.get("awarded", ())), asked.question.rubric
    points = sum(item.points for item in rubric if item.id in awarded)
    reasons = [
        Reason(
            item.text, True, item.id in awarded, f"{item.points:g} of {sum(each.points for each in rubric):g} points"
        )
        for item in rubric
    ]
    score = points / sum(item.points for item in rubric)
    return Marked(score, tuple(reasons), expected=asked.question.model.strip(), apart=True)


def _require(answered: bool) -> None:
    if not answered:
        raise units.UnreadableError("there is no answer yet.", EMPTY)


_MARKERS = {
    Kind.SINGLE: _options,
    Kind.MULTI: _options,
    Kind.NUMERIC: _number,
    Kind.ORDER: _order,
    Kind.MATCH: _match,
    Kind.TRACE: _trace,
    Kind.SHORT: _short,
}

CERTAINTY = {1: (1, 0), 2: (2, -2), 3: (3, -6)}  # Gardner-Medwin's certainty-based marking: right, wrong


def certainty_points(marked: Marked, certainty: int) -> int:
    """What a certainty of 1 to 3 adds; partly right counts as wrong."""
    return CERTAINTY[certainty][0 if marked.right else 1]
