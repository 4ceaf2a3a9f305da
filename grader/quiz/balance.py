"""What must hold of all questions together: no pattern gives a key away, and the blueprint is kept. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from grader.errors import ContentError
from grader.quiz.bank import broken
from grader.quiz.model import Bank, BlueprintRow, Kind, Question

LONGER = 1.1  # a key has to stand out by a tenth before an eye takes it for the longest
ENOUGH = 6  # questions below which shares mean nothing


def length_faults(bank: Bank) -> Iterator[ContentError]:
    """Over all single questions the key is the longest option no more often than guessing makes it, or half."""
    singles = [question for question in bank.questions if question.kind is Kind.SINGLE]
    longest = [question for question in singles if _stands_out(question)]
    if len(singles) >= ENOUGH and len(longest) > len(singles) / 2:
        names = ", ".join(question.number for question in longest)
        told = f"the key is the longest option in {len(longest)} of {len(singles)} questions: {names}."
        yield broken(longest[0], ("options",), told, "Shorten keys or lengthen wrong options.")


def _stands_out(question: Question) -> bool:
    key = max(len(option.text) for option in question.options if option.correct)
    return key > LONGER * max(len(option.text) for option in question.options if not option.correct)


def position_faults(bank: Bank) -> Iterator[ContentError]:
    """As written, no place among the options holds the key of single questions more often than half the time."""
    singles = [question for question in bank.questions if question.kind is Kind.SINGLE]
    places = Counter(next(at for at, one in enumerate(each.options) if one.correct) for each in singles)
    for place, times in places.items():
        if len(singles) >= ENOUGH and times > len(singles) / 2:
            told = f"the key stands in place {place + 1} in {times} of {len(singles)} questions."
            at = next(each for each in singles if each.options[place].correct)
            yield broken(at, ("options",), told, "Move keys to other places: exports keep the order.")


def tick_faults(bank: Bank) -> Iterator[ContentError]:
    """Multi questions do not all have the same number of right options."""
    multis = [question for question in bank.questions if question.kind is Kind.MULTI]
    counts = Counter(sum(option.correct for option in question.options) for question in multis)
    if len(multis) >= ENOUGH and len(counts) == 1:
        told = f"every multi question has {next(iter(counts))} right options."
        yield broken(multis[0], ("options",), told, "Let the number of right options vary.")


def blueprint_faults(bank: Bank, exercises: Collection[str]) -> Iterator[ContentError]:
    """Each row of the blueprint has its question, as the row says, and each question its row.

    A row may say that it ``awaits`` an exercise; its question may be missing while that is not there.
    """
    source = bank.blueprint_source
    if source is None:
        return
    by_number = {question.number: question for question in bank.questions}
    for at, row in enumerate(bank.blueprint):
        question = by_number.pop(row.number, None)
        if question is not None:
            yield from _differs(question, row)
        elif not row.awaits or row.awaits in exercises:
            reason = f" ({row.awaits} is there now)" if row.awaits else ""
            told = f"the bank has no question {row.number}{reason}: {row.tests}."
            yield source.error(("questions", at), told, f"Write it in chapter{row.chapter}.yaml.")
    for question in by_number.values():
        remedy = f"Add a row to {source.path.name}, or remove the question."
        yield broken(question, ("id",), f"the blueprint has no {question.number}.", remedy)


def _differs(question: Question, row: BlueprintRow) -> Iterator[ContentError]:
    for field in ("chapter", "topic", "level", "kind", "cognition"):
        wanted, found = getattr(row, field), getattr(question, field)
        if str(wanted) != str(found):
            told = f"is {found}, but the blueprint wants {wanted} for {row.number}."
            yield broken(question, (field,), told, "Change the question, or the blueprint if it is wrong.")


def waiting(bank: Bank) -> list[BlueprintRow]:
    """The rows of the blueprint whose questions wait for an exercise."""
    there = {question.number for question in bank.questions}
    return [row for row in bank.blueprint if row.awaits and row.number not in there]
