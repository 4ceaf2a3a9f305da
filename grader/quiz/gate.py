"""``grade check question_bank``: prove the bank, and compute every variant of every key."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.text import Text

from grader.errors import FAULT, ContentError
from grader.model import Course
from grader.quiz import balance, lint, table, tracing, units, variants
from grader.quiz.bank import bank_folder, broken, load_bank
from grader.quiz.keys import Keys, ReferenceKeys, Solved
from grader.quiz.marking import tolerance
from grader.quiz.model import Bank, Kind, Question
from grader.report.rows import prose

SCHEMA = "check-bank/1"
MARGIN = 2  # a trap lies at least this many tolerances from the key


@dataclass(frozen=True)
class BankReport:
    """What the gate found out about a bank.

    Attributes:
        faults: all of them, each with file, line and remedy.
        waiting: numbers of the blueprint's questions that wait for an exercise -> that exercise.
        variants: how many keys were computed.
    """

    folder: Path
    questions: int = 0
    terms: int = 0
    variants: int = 0
    faults: tuple[ContentError, ...] = ()
    waiting: Mapping[str, str] = field(default_factory=dict)
    duration_s: float = 0.0

    @property
    def exit_code(self) -> int:
        """0 where everything holds, 3 where something does not."""
        return FAULT if self.faults else 0


def check(course: Course, write: bool = False) -> BankReport:
    """Hold the bank of a course against its schema, the lint and the references; run what learners trace.

    Args:
        course: whose bank.
        write: write the table of answers anew.

    Raises:
        UsageError: the course has no bank.
    """
    begun = time.monotonic()
    folder = bank_folder(course)
    try:
        bank = load_bank(folder)
    except ContentError as error:
        return BankReport(folder, faults=(error,), duration_s=time.monotonic() - begun)
    faults, computed, keys = [], 0, ReferenceKeys(course)
    for question in bank.questions:
        own = list(_alone(question))
        if question.answer and not own:  # a key that is asked for wrongly would only fail once more
            own = key_faults(question, keys)
            computed += variants.count(question)
        faults += own
    faults += _together(bank, course)
    if not faults:
        faults += _table(bank, keys, folder / table.TABLE, write)
    return BankReport(
        folder=folder,
        questions=len(bank.questions),
        terms=len(bank.terms),
        variants=computed,
        faults=tuple(faults),
        waiting={row.number: row.awaits for row in balance.waiting(bank)},
        duration_s=time.monotonic() - begun,
    )


def _alone(question: Question) -> Iterator[ContentError]:
    yield from lint.question_faults(question)
    if question.kind is Kind.TRACE and (error := tracing.fault(question)) is not None:
        yield error


def _together(bank: Bank, course: Course) -> Iterator[ContentError]:
    yield from lint.course_faults(bank, course)
    for rule in (balance.length_faults, balance.position_faults, balance.tick_faults):
        yield from rule(bank)
    references = {exercise.id for exercise in course.exercises if exercise.reference}
    yield from balance.blueprint_faults(bank, references)


def _table(bank: Bank, keys: Keys, path: Path, write: bool) -> Iterator[ContentError]:
    """The table of answers must be there and say what the references compute."""
    right = table.make_table(keys, bank.questions)
    if write:
        path.write_text(json.dumps(right, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif not path.is_file() or not table.agree(table.read_table(path), right["questions"]):
        told = "does not say what the references compute" if path.is_file() else "no such file"
        yield ContentError(f"{path}: {told}.", "Run `grade check question_bank --write`, and keep the file.")


def key_faults(question: Question, keys: Keys) -> list[ContentError]:
    """Compute every variant: each key is a finite number that no trap comes near.

    One fault is told per place, with the first variant that shows it: the others would say the same.
    """
    found: dict[tuple[str | int, ...], ContentError] = {}
    for chosen in variants.every(question):
        try:
            solved = keys.solved(question, chosen)
        except ContentError as error:
            return [*found.values(), error]
        for place, collision in _collisions(question, solved, variants.name(chosen)):
            found.setdefault(place, collision)
    return list(found.values())


def _collisions(question: Question, solved: Solved, name: str) -> Iterator[tuple[tuple[str | int, ...], ContentError]]:
    answer = question.answer
    assert answer is not None
    near = tolerance(solved.key, answer)
    for at, value in enumerate(solved.traps):
        spelled = units.spell(value, answer.unit)
        if abs(value - solved.key) <= MARGIN * near:
            place: tuple[str | int, ...] = ("traps", at)
            told = f"gives {spelled}, and the key is {units.spell(solved.key, answer.unit)} with {name}."
            remedy = f"Keep {MARGIN} tolerances apart: leave out those choices, or tighten rtol."
            yield place, broken(question, place, told, remedy)
        for other in range(at):
            if abs(value - solved.traps[other]) <= max(near, tolerance(value, answer)):
                place = ("traps", at, other)
                told = f"gives {spelled}, as trap {other + 1} does, with {name}: nobody can say which mistake it was."
                yield place, broken(question, ("traps", at), told, "Leave one of them out, or change the choices.")


def render(report: BankReport, width: int = 80) -> Text:
    """The gate's findings for a terminal: each fault with its remedy, and a line at the end."""
    rows: list[Text] = []
    for error in report.faults:
        rows += [Text(error.message, "bold")]  # whole, so that file and line can be copied
        rows += [*prose("remedy", error.remedy, width), Text()]
    if report.waiting:
        told = ", ".join(f"{number} for {exercise}" for number, exercise in report.waiting.items())
        rows += [*prose("waiting", told, width), Text()]
    count = len(report.faults)
    ending = f"{count} fault{'s' if count != 1 else ''}" if count else "the question bank holds"
    parts = [f"{report.questions} questions", f"{report.variants} variants computed", f"{report.terms} terms"]
    told = " · ".join([*parts, f"{report.duration_s:.1f} s"])
    return Text("\n").join([*rows, Text(ending, "red" if count else "green"), Text(told)]).append("\n")


def to_document(report: BankReport) -> dict[str, Any]:
    """What ``--json`` says of a bank, as ``grader/schemas/check_bank.json`` describes it."""
    return {
        "schema": SCHEMA,
        "ok": not report.faults,
        "questions": report.questions,
        "terms": report.terms,
        "variants": report.variants,
        "waiting": dict(report.waiting),
        "faults": [{"message": error.message, "remedy": error.remedy} for error in report.faults],
        "duration_s": round(report.duration_s, 6),
    }
