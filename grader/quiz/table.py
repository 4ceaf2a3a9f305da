"""The table of answers: every variant's key, computed once by the references and written down."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.errors import ContentError
from grader.model import Course
from grader.quiz import variants
from grader.quiz.keys import Keys, ReferenceKeys, Solved
from grader.quiz.model import Question
from grader.quiz.variants import Variant

TABLE = "answers.json"
SCHEMA = "quiz-answers/1"


class TableKeys:
    """Keys that were computed before and written down; what the table does not have is left to ``others``.

    So a quiz needs neither torch nor the seconds that importing it takes, and a kit needs no solutions. The author's
    gate holds the table against the references. A question that has changed since is not looked up.

    Args:
        path: the table.
        others: where else to ask; None in a kit.
    """

    def __init__(self, path: Path, others: Keys | None = None) -> None:
        self._path = path
        self._others = others
        self._table = read_table(path)

    def solved(self, question: Question, chosen: Variant) -> Solved:
        """Look a variant up.

        Raises:
            ContentError: the table does not have it, and there are no others to ask.
        """
        entry = self._table.get(question.id, {})
        row = entry.get("variants", {}).get(variants.name(chosen)) if entry.get("digest") == digest(question) else None
        if row is not None:
            return Solved(row["key"], tuple(row["traps"]), row["values"])
        if self._others is not None:
            return self._others.solved(question, chosen)
        remedy = "Fetch the kit again: its bank and its answers are not of one age."
        raise ContentError(f"{self._path}: no answer to {question.id} ({variants.name(chosen)}).", remedy)


def read_table(path: Path) -> Mapping[str, Any]:
    """The questions of a table of answers.

    Raises:
        ContentError: it is none.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["schema"] != SCHEMA:
            raise KeyError(document["schema"])
        table: Mapping[str, Any] = document["questions"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = "Make it anew with `grade check question_bank --write`, or fetch the kit again."
        raise ContentError(f"{path}: not a table of answers: {error}", remedy) from None
    return table


def digest(question: Question) -> str:
    """A mark of everything that a question's numbers depend on, the reference's code apart."""
    data: Any = question.source.data
    for part in question.place:
        data = data[part]
    numbers = {name: data.get(name) for name in ("params", "answer", "traps", "values")}
    return hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:16]


def make_table(keys: Keys, questions: Sequence[Question]) -> dict[str, Any]:
    """The answers of all variants of all numeric questions, as ``answers.json`` holds them."""
    table = {
        question.id: {
            "digest": digest(question),
            "variants": {
                variants.name(chosen): _row(keys.solved(question, chosen)) for chosen in variants.every(question)
            },
        }
        for question in questions
        if question.answer
    }
    return {"schema": SCHEMA, "questions": table}


def agree(one: Any, other: Any) -> bool:
    """Whether two tables say the same, up to the last digits, in which machines may differ."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    return bool(one == other)


def _row(solved: Solved) -> dict[str, Any]:
    return {"key": solved.key, "traps": list(solved.traps), "values": dict(solved.values)}


def find_keys(course: Course, folder: Path) -> Keys:
    """The table of answers in the bank's folder; behind it the course's references, where it has them."""
    references = ReferenceKeys(course) if course.solutions else None
    if (folder / TABLE).is_file():
        return TableKeys(folder / TABLE, references)
    return references or ReferenceKeys(course)
