"""``grade quiz --json``: questions out, answers in, results out; for scripts and for other front ends.

On stdin a list of ``{"id": …, "answer": …, "certainty": …}``; ``answer`` is a line as in plain mode. An empty stdin
asks for the questions only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from grader.errors import UsageError
from grader.quiz import reading
from grader.quiz.rounds import Round
from grader.quiz.units import UnreadableError

SCHEMA = "quiz/1"
EXPECTED = 'Send a list such as [{"id": "q2-vocabulary-size", "answer": "2"}], or nothing to get the questions.'


def run(round_: Round, text: str) -> dict[str, Any]:
    """The round's questions as a learner may see them, and what the answers in ``text`` are worth.

    Raises:
        UsageError: ``text`` is not a list of answers, or answers what is not asked.
    """
    results = [_result(round_, answer) for answer in _answers(text)]
    return {
        "schema": SCHEMA,
        "questions": [asked.public(reading.name_of(asked.question.kind)).document() for asked in round_.asked],
        "results": results,
        "points": sum(
            marked.score * round_.asked[at].question.points for at, marked in round_.results.items() if not marked.apart
        ),
    }


def _answers(text: str) -> Sequence[dict[str, Any]]:
    if not text.strip():
        return []
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageError(f"stdin is not JSON: {error}.", EXPECTED) from None
    if not isinstance(found, list) or not all(
        isinstance(one, dict) and "id" in one and "answer" in one for one in found
    ):
        raise UsageError("stdin is no list of answers.", EXPECTED)
    return found


def _result(round_: Round, answer: dict[str, Any]) -> dict[str, Any]:
    places = [at for at, asked in enumerate(round_.asked) if answer["id"] in (asked.question.id, asked.question.number)]
    if not places:
        raise UsageError(f"{answer['id']!r} is not asked in this round.", "Name it on the command line as well.")
    [at], sure = places, answer.get("certainty")
    if sure not in (None, 1, 2, 3):
        raise UsageError(f"a certainty is 1, 2 or 3, not {sure!r}.", "Leave it out, or correct it.")
    asked = round_.asked[at]
    try:
        response = reading.read(asked, str(answer["answer"]))
        if "awarded" in answer:
            response["awarded"] = list(answer["awarded"])
        marked = round_.answer(at, response, 0, sure)
    except UnreadableError as error:
        return {"id": asked.question.id, "seed": asked.seed, "error": error.message, "remedy": error.remedy}
    return {
        "id": asked.question.id,
        "seed": asked.seed,
        "score": marked.score,
        "verdict": marked.verdict,
        "read_as": marked.read_as,
        "expected": marked.expected,
        "mistake": marked.mistake,
        "reasons": [asdict(reason) for reason in marked.reasons],
        "explanation": asked.explanation(),
    }
