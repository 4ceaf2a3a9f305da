"""What must hold of a bank beyond its schema: of each question alone, and of all together. Pure.

Each rule yields ContentErrors, which name file, line and remedy; the gate shows them all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.errors import ContentError
from grader.model import Course
from grader.quiz import units, variants
from grader.quiz.bank import broken
from grader.quiz.model import Answer, Bank, Block, Kind, Question
from grader.quiz.ordering import ancestors

Faults = Iterator[ContentError]

# "All of the above" tells which is right to whoever knows two, and forbids to shuffle.
ABOVE = re.compile(r"\b(all|none|both|neither) of (the|these) (above|options|below|others)\b|\ball of these\b", re.I)
TASKS = (
    "answer apply arrange choose compute decide enter estimate explain find give list match name order pair pick place "
    "predict put say select sort state tick trace type work write"
).split()
MOST_VARIANTS = 2000


def question_faults(question: Question) -> Faults:
    """The faults of one question that its schema does not see."""
    for rule in (_stem, _placeholders, _ids, _above, *_OF_KIND[question.kind]):
        yield from rule(question)


def _stem(question: Question) -> Faults:
    """A stem ends in a question or tells what to do."""
    last = re.split(r"(?<=[.?!:])\s+", question.stem.strip())[-1]
    words = set(re.findall(r"[a-z]+", last.lower()))
    if not last.endswith("?") and not (words & set(TASKS) and last.endswith((".", ":"))):
        remedy = f"End it with a question mark, or with a sentence that tells what to do ({', '.join(TASKS[:5])} …)."
        yield broken(question, ("stem",), "ends in neither a question nor a task.", remedy)


def _placeholders(question: Question) -> Faults:
    if (error := variants.undefined(question)) is not None:
        yield error
    texts = [question.stem, question.code, question.hint]
    used = {name for text in texts for name in variants.PLACEHOLDER.findall(text)}
    for name in question.params:
        if name not in used:
            yield broken(question, ("params", name), "the stem does not name it.", f"Write ${name} where it is said.")
    known = set(question.params) | set(question.values) | ({"answer"} if question.answer else set())
    for name in variants.PLACEHOLDER.findall(question.explain) if known else ():
        if name not in known:
            told = f"`${name}` is neither a parameter nor a value."
            yield broken(question, ("explain",), told, f"Choose one of {', '.join(sorted(known))}.")


def _ids(question: Question) -> Faults:
    for field in ("options", "blocks", "rubric"):
        counts = Counter(item.id for item in getattr(question, field))
        texts = Counter(item.text.strip().lower() for item in getattr(question, field))
        for at, item in enumerate(getattr(question, field)):
            if counts[item.id] > 1:
                yield broken(question, (field, at, "id"), f"the id `{item.id}` stands twice.", "Change one of them.")
                return
            if texts[item.text.strip().lower()] > 1:
                yield broken(question, (field, at, "text"), "two of them say the same.", "Change one of them.")
                return


def _above(question: Question) -> Faults:
    for at, option in enumerate(question.options):
        if ABOVE.search(option.text):
            remedy = "Say what it means, or leave it out: options are shuffled."
            yield broken(question, ("options", at, "text"), f"{option.text!r} refers to the others.", remedy)


def _single(question: Question) -> Faults:
    right = sum(option.correct for option in question.options)
    if right != 1:
        remedy = "Mark exactly one option `correct: true`, or make it kind multi."
        yield broken(question, ("options",), f"{right} options of a single question are correct.", remedy)


def _multi(question: Question) -> Faults:
    right = sum(option.correct for option in question.options)
    if right in (0, len(question.options)):
        told = f"{right} of {len(question.options)} options are correct: ticking all or none is the answer."
        yield broken(question, ("options",), told, "Write at least one right and one wrong option.")


def _numeric(question: Question) -> Faults:
    yield from _units(question, ("answer",), question.answer) if question.answer else ()
    for name, answer in question.values.items():
        yield from _units(question, ("values", name), answer)
    for at, trap in enumerate(question.traps):
        if (trap.value is None) == (trap.times is None):
            yield broken(question, ("traps", at), "says neither `fn` nor `times`, or both.", "Write one of them.")
    found = variants.count(question)
    if not 20 <= found <= MOST_VARIANTS:
        remedy = "Write more or fewer choices."
        yield broken(question, ("params",), f"there are {found} variants, not 20 to {MOST_VARIANTS}.", remedy)


def _units(question: Question, place: tuple[str, ...], answer: Answer) -> Faults:
    for field, unit in (("unit", answer.unit), ("ask", answer.ask)):
        if unit not in units.TABLE:
            remedy = f"Choose one of {', '.join(units.TABLE)}."
            yield broken(question, (*place, field), f"the unit {unit!r} is not known.", remedy)
            return
    if units.dimension(answer.unit) != units.dimension(answer.ask):
        told = f"{answer.ask} measures {units.dimension(answer.ask)}, {answer.unit} {units.dimension(answer.unit)}."
        yield broken(question, (*place, "ask"), told, "Ask in a unit of the same kind.")


def _order(question: Question) -> Faults:
    blocks = {block.id: block for block in question.blocks}
    for at, block in enumerate(question.blocks):
        for id in block.after:
            if id not in blocks or blocks[id].distractor:
                remedy = f"Choose from {', '.join(one for one in blocks if not blocks[one].distractor)}."
                yield broken(question, ("blocks", at, "after"), f"`{id}` is no step.", remedy)
                return
        if block.distractor and block.after:
            yield broken(question, ("blocks", at, "after"), "a distractor has no place.", "Leave `after` out.")
    yield from _acyclic(question, blocks)


def _acyclic(question: Question, blocks: Mapping[str, Block]) -> Faults:
    try:
        ancestors(blocks)
    except ValueError as error:
        remedy = "Remove one `after`, so that there is an order."
        yield broken(question, ("blocks",), f"the steps go round in a circle: {error}.", remedy)
        return
    if not any(block.after for block in question.blocks):
        yield broken(question, ("blocks",), "any order is right.", "Say with `after` what has to come first.")


def _match(question: Question) -> Faults:
    rights, lefts = ([getattr(pair, side) for pair in question.pairs] for side in ("right", "left"))
    if len(set(lefts)) < len(lefts):
        yield broken(question, ("pairs",), "the same thing stands on the left twice.", "Change one of them.")
    for at, text in enumerate(question.extra):
        if text in rights:
            yield broken(question, ("extra", at), "is the right one for a pair, too.", "Change it: nothing fits it.")


def _nothing(question: Question) -> Faults:
    yield from ()


_OF_KIND: Mapping[Kind, Sequence[Callable[[Question], Faults]]] = {
    Kind.SINGLE: [_single],
    Kind.MULTI: [_multi],
    Kind.NUMERIC: [_numeric],
    Kind.ORDER: [_order],
    Kind.MATCH: [_match],
    Kind.TRACE: [_nothing],
    Kind.SHORT: [_nothing],
}


def course_faults(bank: Bank, course: Course) -> Faults:
    """Chapters, objectives and exercises that questions name must be there, and each objective be asked twice."""
    ids = {exercise.id for exercise in course.exercises}
    for question in bank.questions:
        if question.objective not in course.objectives:
            remedy = f"Choose from 1 to {max(course.objectives)}."
            yield broken(question, ("objective",), f"course.yaml has no objective {question.objective}.", remedy)
        if question.exercise and question.exercise not in ids:
            told = f"there is no exercise {question.exercise}."
            yield broken(question, ("exercise",), told, "Name one that is there, or leave it out until it is.")
    asked = Counter(question.objective for question in bank.questions)
    for number in course.objectives:
        if asked[number] < 2:
            told = f"objective {number} of course.yaml is asked {asked[number]} times, not at least twice."
            yield broken(bank.questions[0], (), told, "Write a question for it, or correct `objective` of another.")
