"""How a learner stands, by topic, chapter and objective, and how well they judge themselves. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from rich.text import Text

from grader.quiz.model import TOPICS, Bank, Kind, Question
from grader.quiz.progress import Progress

SCHEMA = "quiz-stats/1"


@dataclass(frozen=True)
class Line:
    """One line of the table.

    Attributes:
        seen: questions that were answered as they are now.
        score: mean of their last scores, short answers left out; None where there is none.
        due: seen ones that are to be asked again now.
        flagged: how many carry a flag.
        stale: seen ones of which only answers to an older revision are left.
    """

    name: str
    questions: int
    seen: int
    score: float | None
    due: int
    flagged: int
    stale: int


def table(bank: Bank, progress: Progress, objectives: Iterable[int], now: datetime) -> dict[str, list[Line]]:
    """Lines by topic, chapter and objective, and one for all."""

    def lines(names: Mapping[Any, str], key: Callable[[Question], Any]) -> list[Line]:
        return [
            _line(label, [each for each in bank.questions if key(each) == name], progress, now)
            for name, label in names.items()
        ]

    chapters = sorted({question.chapter for question in bank.questions})
    return {
        "topics": lines({topic: topic for topic in TOPICS}, lambda question: question.topic),
        "chapters": lines({chapter: f"chapter {chapter}" for chapter in chapters}, lambda question: question.chapter),
        "objectives": lines({each: f"objective {each}" for each in objectives}, lambda question: question.objective),
        "all": [_line("all", bank.questions, progress, now)],
    }


def _line(name: str, questions: Sequence[Question], progress: Progress, now: datetime) -> Line:
    standings = [(question, progress.of(question)) for question in questions]
    scores = [
        standing.last_score
        for question, standing in standings
        if standing.last_score is not None and question.kind is not Kind.SHORT
    ]
    return Line(
        name=name,
        questions=len(questions),
        seen=sum(standing.seen for _, standing in standings),
        score=sum(scores) / len(scores) if scores else None,
        due=sum(standing.is_due(now) for _, standing in standings),
        flagged=sum(standing.flagged for _, standing in standings),
        stale=sum(standing.stale > 0 and not standing.seen for _, standing in standings),
    )


def calibration(progress: Progress) -> dict[int, tuple[int, int]]:
    """For each certainty how many answers were right, of how many."""
    found = {certainty: (0, 0) for certainty in (1, 2, 3)}
    for standing in progress.questions.values():
        for entry in standing.answers:
            if entry.certainty in found:
                right, count = found[entry.certainty]
                found[entry.certainty] = right + ((entry.score or 0) > 1 - 1e-9), count + 1
    return found


def render(lines: Mapping[str, Sequence[Line]], sure: Mapping[int, tuple[int, int]]) -> Text:
    """The tables for a terminal."""
    rows = [Text(f"{'':<24} {'seen':>7} {'score':>6} {'due':>4} {'flagged':>8}", "dim")]
    for group in ("topics", "chapters", "objectives", "all"):
        rows += [*(_row(line) for line in lines[group]), Text()]
    if any(count for _, count in sure.values()):
        told = ", ".join(f"{certainty}: {right} of {count}" for certainty, (right, count) in sure.items())
        rows += [Text(f"right by certainty  {told}"), Text()]
    return Text("\n").join(rows)


def _row(line: Line) -> Text:
    score = "-" if line.score is None else f"{100 * line.score:.0f} %"
    numbers = f" {line.seen:>3}/{line.questions:<3} {score:>6} {line.due:>4} {line.flagged:>8}"
    stale = f"  {line.stale} changed since" if line.stale else ""
    return Text(f"{line.name:<24}{numbers}{stale}")


def to_document(lines: Mapping[str, Sequence[Line]], sure: Mapping[int, tuple[int, int]]) -> dict[str, Any]:
    """What ``grade quiz stats --json`` prints."""
    return {
        "schema": SCHEMA,
        **{group: [asdict(line) for line in found] for group, found in lines.items()},
        "certainty": {str(certainty): {"right": right, "of": count} for certainty, (right, count) in sure.items()},
    }
