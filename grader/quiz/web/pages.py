"""Pages as HTML. ``question`` is made from what is public; ``feedback``, ``rubric`` and ``done`` reply to an answer."""

from __future__ import annotations

import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from grader.quiz.asking import Item, Namer
from grader.quiz.marking import certainty_points
from grader.quiz.model import TOPICS, Bank, Kind
from grader.quiz.progress import Progress
from grader.quiz.rounds import SEEDS, Round
from grader.quiz.web import forms
from grader.quiz.wording import LETTERS, TASKS, points

TEMPLATES = Path(__file__).parent / "templates"
ON_PAGES = TASKS | {Kind.MATCH: "Choose a letter for each."}


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _page(template: str, status: int = 200, **values: Any) -> Response:
    return HTMLResponse(_environment().get_template(template).render(**values), status)


def message(title: str, text: str, status: int) -> Response:
    """A page that says what happened and leads on."""
    return _page("message.html", status, title=title, text=text)


def home(bank: Bank, progress: Progress, round_: Round | None) -> Response:
    """What there is to do."""
    now = datetime.now(UTC)
    standings = [(question, progress.of(question)) for question in bank.questions]
    topics = [
        {
            "name": topic,
            "questions": sum(question.topic == topic for question, _ in standings),
            "seen": sum(question.topic == topic and standing.seen for question, standing in standings),
            "right": sum(
                question.topic == topic and standing.seen and not standing.missed for question, standing in standings
            ),
        }
        for topic in TOPICS
        if any(question.topic == topic for question, _ in standings)
    ]
    counts = {
        "new": sum(not standing.seen for _, standing in standings),
        "due": sum(standing.is_due(now) for _, standing in standings),
        "missed": sum(standing.missed for _, standing in standings),
        "flagged": sum(standing.flagged for _, standing in standings),
    }
    exam = min(10, sum(question.kind is not Kind.SHORT for question in bank.questions))
    return _page("home.html", topics=topics, counts=counts, going=_next_open(round_), exam=exam, terms=len(bank.terms))


def _next_open(round_: Round | None) -> int | None:
    """The place of the first question of a round that is not answered, counted from 1."""
    if round_ is None:
        return None
    return next((at + 1 for at in range(len(round_.asked)) if at not in round_.results), None)


def for_learner(round_: Round, learner: str, progress: Progress) -> Round:
    """The round with seeds of this learner's own, where one server asks many."""
    if round_.wanted.seed is not None:
        return round_
    own = zlib.crc32(learner.encode()) % SEEDS
    asked = [replace(asked, seed=progress.next_seed(asked.question, own)) for asked in round_.asked]
    return replace(round_, asked=asked)


def question(round_: Round, at: int, name: Namer, ticket: str, fields: forms.Fields, problem: str) -> Response:
    """A question with its form; what was filled in already stays."""
    asked = round_.asked[at]
    public = asked.public(name)
    items: Sequence[Item] = public.items
    if public.kind == Kind.ORDER:
        by_name = {item.name: item for item in items}
        items = [by_name[item] for item in forms.arranged(asked, fields, name)]
    return _page(
        "question.html",
        question=public,
        items=items,
        letters=LETTERS,
        task=ON_PAGES[Kind(public.kind)],
        at=at + 1,
        count=len(round_.asked),
        ticket=ticket,
        begun=forms.first(fields, "begun") or time.time_ns() // 10**6,
        flagged=public.id in round_.flagged,
        answered=at in round_.results,
        exam=round_.exam,
        filled=_filled(fields),
        problem=problem,
    )


def _filled(fields: forms.Fields) -> Mapping[str, Any]:
    return {
        "text": forms.first(fields, "text"),
        "chosen": set(fields.get("choice", ())),
        "out": set(fields.get("out", ())),
        "certainty": forms.first(fields, "certainty"),
        "fields": {key: values[0] for key, values in fields.items()},
        "moved": forms.first(fields, "move").partition(":")[0],
    }


def rubric(round_: Round, at: int, ticket: str, text: str) -> Response:
    """The reply to a short answer: a model, and a list to mark it with."""
    asked = round_.asked[at]
    return _page(
        "rubric.html",
        at=at + 1,
        count=len(round_.asked),
        stem=asked.fill(asked.question.stem),
        ticket=ticket,
        text=text,
        model=asked.question.model,
        items=[{"text": item.text, "points": points(item.points)} for item in asked.question.rubric],
    )


def _review(round_: Round, at: int) -> dict[str, Any]:
    """Everything that is said of one answered question."""
    asked, marked = round_.asked[at], round_.results[at]
    sure = round_.certainty.get(at)
    return {
        "at": at + 1,
        "id": asked.question.id,
        "kind": str(asked.question.kind),
        "stem": asked.fill(asked.question.stem),
        "code": asked.fill(asked.question.code),
        "text": round_.responses[at].get("text", ""),
        "marked": marked,
        "percent": f"{100 * marked.score:.0f}",
        "certainty": f"certainty {sure}: {certainty_points(marked, sure):+d}" if sure and not marked.apart else "",
        "explanation": asked.explanation(),
        "exercise": asked.question.exercise,
        "refs": asked.question.refs,
    }


def feedback(round_: Round, at: int) -> Response:
    """The reply to an answer."""
    if at not in round_.results:
        return last(round_)
    return _page("feedback.html", review=_review(round_, at), at=at + 1, count=len(round_.asked))


def last(round_: Round) -> Response:
    """After the last question: end the round, or go back to what was left out."""
    missing = [at + 1 for at in range(len(round_.asked)) if at not in round_.results]
    return _page("last.html", missing=[] if round_.over else missing, exam=round_.exam, over=round_.over)


def done(round_: Round) -> Response:
    """The end of a round."""
    graded = {at: marked for at, marked in round_.results.items() if not marked.apart}
    counted = range(len(round_.asked)) if round_.exam else graded
    most = sum(round_.asked[at].question.points for at in counted if round_.asked[at].question.kind is not Kind.SHORT)
    reached = sum(marked.score * round_.asked[at].question.points for at, marked in graded.items())
    return _page(
        "done.html",
        reached=f"{reached:.2f}".rstrip("0").rstrip("."),
        most=f"{most:g}",
        apart=len(round_.results) - len(graded),
        missed=[round_.asked[at].question.number for at, marked in sorted(round_.results.items()) if not marked.right],
        reviews=[_review(round_, at) for at in sorted(round_.results)] if round_.exam else [],
    )


def terms(bank: Bank) -> Response:
    """The key terms by chapter."""
    chapters = sorted({term.chapter for term in bank.terms})
    return _page(
        "terms.html",
        chapters=[(number, [term for term in bank.terms if term.chapter == number]) for number in chapters],
    )
