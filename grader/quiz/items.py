"""Item analysis for an instructor: how hard each question is for a class, and whether it tells learners apart.

Difficulty is the mean score of first answers; discrimination the correlation of a question's score with the mean score
of the same learner's other questions (item-rest). Bounds are those that test handbooks give for classroom tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import StatisticsError, correlation, fmean
from typing import Any

from rich.text import Text

from grader.errors import UsageError
from grader.quiz.log import ANSWER, AnswerLog, Entry
from grader.quiz.model import Bank, Kind, Question
from grader.report.rows import prose

SCHEMA = "quiz-class/1"
EASY, HARD = 0.8, 0.2  # p outside: nearly everybody or nearly nobody knows it
WEAK = 0.2  # item-rest correlation below: the question does not go with the others
RARE = 0.05  # a wrong option chosen by fewer is no distractor
FEW = 10  # learners below which no flag is raised


@dataclass(frozen=True)
class Item:
    """One question in a class.

    Attributes:
        n: learners who answered it.
        p: mean score of their first answers.
        r: item-rest correlation; None where it is not defined.
        shares: for single and multi, option -> share of learners who chose it.
        flags: what an author should look at.
    """

    id: str
    n: int
    p: float | None = None
    r: float | None = None
    shares: Mapping[str, float] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def read_class(folder: Path) -> dict[str, list[Entry]]:
    """The entries of each learner: one log per file, or several learners in one log.

    Raises:
        UsageError: there is no log.
    """
    files = sorted(folder.rglob("*.jsonl"))
    if not files:
        raise UsageError(f"{folder} holds no answer logs.", "Collect the learners' quiz.jsonl files there.")
    found: dict[str, list[Entry]] = {}
    for file in files:
        for entry in AnswerLog(file).read():
            found.setdefault(f"{file.relative_to(folder)} {entry.learner}".strip(), []).append(entry)
    return found


def analyse(bank: Bank, learners: Mapping[str, Sequence[Entry]]) -> list[Item]:
    """Every question of the bank, from each learner's first answer to it as it is now."""
    first = {name: _first(bank, entries) for name, entries in learners.items()}
    return [_item(question, first) for question in bank.questions]


def _first(bank: Bank, entries: Sequence[Entry]) -> dict[str, Entry]:
    revisions = {question.id: question.rev for question in bank.questions}
    found: dict[str, Entry] = {}
    for entry in entries:
        if entry.what == ANSWER and entry.score is not None and revisions.get(entry.id) == entry.rev:
            found.setdefault(entry.id, entry)
    return found


def _item(question: Question, first: Mapping[str, Mapping[str, Entry]]) -> Item:
    answered = {name: entries for name, entries in first.items() if question.id in entries}
    if not answered:
        return Item(question.id, 0)
    scores = [entries[question.id].score or 0.0 for entries in answered.values()]
    p, r = fmean(scores), _discrimination(question.id, answered)
    shares = _shares(question, [entries[question.id] for entries in answered.values()])
    flags = _flags(question, p, r, shares) if len(answered) >= FEW else ()
    return Item(question.id, len(answered), p, r, shares, tuple(flags))


def _discrimination(id: str, answered: Mapping[str, Mapping[str, Entry]]) -> float | None:
    pairs = []
    for entries in answered.values():
        rest = [entry.score or 0.0 for other, entry in entries.items() if other != id]
        if rest:
            pairs.append((entries[id].score or 0.0, fmean(rest)))
    try:
        return correlation([own for own, _ in pairs], [rest for _, rest in pairs])
    except StatisticsError:  # too few, or all alike
        return None


def _shares(question: Question, entries: Sequence[Entry]) -> dict[str, float]:
    if question.kind not in (Kind.SINGLE, Kind.MULTI):
        return {}
    chosen: Counter[str] = Counter()
    for entry in entries:
        response = entry.response or {}
        chosen.update([response["choice"]] if "choice" in response else response.get("choices", ()))
    return {option.id: chosen[option.id] / len(entries) for option in question.options}


def _flags(question: Question, p: float, r: float | None, shares: Mapping[str, float]) -> list[str]:
    found = []
    if not HARD <= p <= EASY:
        found.append(f"p {p:.2f} is outside {HARD} to {EASY}")
    if r is not None and r < WEAK:
        found.append(f"r {r:.2f} is under {WEAK}")
    wrong = {option.id for option in question.options if not option.correct}
    rare = [id for id, share in shares.items() if id in wrong and share < RARE]
    return found + ([f"hardly chosen: {', '.join(rare)}"] if rare else [])


def render(items: Sequence[Item], learners: int, width: int) -> Text:
    """The analysis for a terminal."""
    rows = [Text(f"{'question':<30} {'n':>4} {'p':>6} {'r':>6}", "dim")]
    for item in items:
        p, r = ("-" if value is None else f"{value:.2f}" for value in (item.p, item.r))
        rows.append(Text(f"{item.id[:30]:<30} {item.n:>4} {p:>6} {r:>6}"))
        if item.shares:
            told = ", ".join(f"{id} {100 * share:.0f} %" for id, share in item.shares.items())
            rows += prose("chosen", told, width)
        for flag in item.flags:
            rows += prose("look", flag, width)
    rows += [Text(), Text(f"{learners} learners; flags need at least {FEW} answers"), Text()]
    return Text("\n").join(rows)


def to_document(items: Sequence[Item], learners: int) -> dict[str, Any]:
    """What ``grade quiz stats --class LOGS --json`` prints."""
    return {"schema": SCHEMA, "learners": learners, "items": [asdict(item) for item in items]}
