"""Key terms as flash cards: a term, then what it means, and whether the learner knew."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.text import Text

from grader.quiz import log, wording
from grader.quiz.log import AnswerLog, Entry
from grader.quiz.model import Term
from grader.quiz.plain import Ask, Show
from grader.quiz.progress import Progress
from grader.quiz.schedule import due


def choose(terms: Sequence[Term], progress: Progress, words: Sequence[str], again: bool) -> list[Term]:
    """The cards of the named chapters that were never turned or are due; with ``again`` all of them."""
    chapters = {word.lower().removeprefix("chapter") for word in words}
    found = [term for term in terms if not chapters or str(term.chapter) in chapters]
    now = datetime.now(UTC)
    return [term for term in found if again or _waits(progress.terms.get(term.term, []), now)]


def _waits(entries: Sequence[Entry], now: datetime) -> bool:
    return not entries or due([(entry.time, entry.score or 0.0) for entry in entries]) <= now


def run(cards: Sequence[Term], answers: AnswerLog, show: Show, ask: Ask, width: int) -> int:
    """Turn the cards one by one; answers with how many were known."""
    known = turned = 0
    show([Text("enter turns a card · y or n: did you know it? · q saves and quits", "dim"), Text()])
    try:
        for at, term in enumerate(cards, start=1):
            show([Text(f"{term.term}", "bold").append(f"   chapter {term.chapter} · {at} of {len(cards)}", "dim")])
            if ask("> ").strip().lower() == "q":
                break
            show(wording.prose(term.text, width, indent=4))
            reply = ask("y or n> ").strip().lower()
            if reply == "q":
                break
            turned, known = turned + 1, known + reply.startswith("y")
            answers.append(Entry(what=log.TERM, id=term.term, score=float(reply.startswith("y")), at=log.now()))
            show([Text()])
    except EOFError:
        pass
    show([Text(), *wording.prose(f"{known} of {turned} known.", width, style="bold")])
    return known
