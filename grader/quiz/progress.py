"""What a learner has done so far, derived from the answer log. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from grader.quiz.log import ANSWER, FLAG, SKIP, TERM, UNFLAG, Entry
from grader.quiz.model import Bank, Question
from grader.quiz.schedule import due


@dataclass
class Standing:
    """How a learner stands with one question.

    Attributes:
        answers: those to the question as it is now; answers to an older revision are stale, and only counted.
        stale: how many answers are to an older revision.
        flagged: whether the learner wants to see it again.
        skipped: whether the last thing that happened to it was being skipped.
    """

    answers: list[Entry] = field(default_factory=list)
    stale: int = 0
    flagged: bool = False
    skipped: bool = False

    @property
    def seen(self) -> bool:
        """Whether the question as it is now was answered."""
        return bool(self.answers)

    @property
    def last_score(self) -> float | None:
        """The score of the last answer."""
        return self.answers[-1].score if self.answers else None

    @property
    def missed(self) -> bool:
        """Whether the last answer was not wholly right."""
        return self.last_score is not None and self.last_score < 1 - 1e-9

    def due_at(self) -> datetime | None:
        """When it is to be asked again; None if it was never answered."""
        return due([(entry.time, entry.score or 0.0) for entry in self.answers]) if self.answers else None

    def is_due(self, now: datetime) -> bool:
        """Whether it is time; what was never answered is not due but unseen."""
        at = self.due_at()
        return at is not None and at <= now


@dataclass(frozen=True)
class Progress:
    """All of a learner's standings.

    Attributes:
        questions: by id; every question of the bank has one.
        terms: the entries of each flash card that was turned.
    """

    questions: dict[str, Standing]
    terms: dict[str, list[Entry]]

    def of(self, question: Question) -> Standing:
        """The standing with one question."""
        return self.questions[question.id]

    def next_seed(self, question: Question, base: int) -> int:
        """A seed that this question has not had yet: another variant at each review."""
        standing = self.of(question)
        return base + len(standing.answers) + standing.stale


def replay(bank: Bank, entries: Iterable[Entry], learner: str | None = None) -> Progress:
    """Read the log again from its beginning.

    Args:
        bank: the questions as they are now.
        entries: in the order in which they were written.
        learner: whose entries count; None for all.
    """
    progress = Progress({question.id: Standing() for question in bank.questions}, {})
    revisions = {question.id: question.rev for question in bank.questions}
    for entry in entries:
        if learner is not None and entry.learner != learner:
            continue
        if entry.what == TERM:
            progress.terms.setdefault(entry.id, []).append(entry)
        elif entry.id in revisions:
            _take(progress.questions[entry.id], entry, revisions[entry.id])
    return progress


def _take(standing: Standing, entry: Entry, revision: int) -> None:
    standing.skipped = entry.what == SKIP
    if entry.what == ANSWER and entry.rev == revision:
        standing.answers.append(entry)
    elif entry.what == ANSWER:
        standing.stale += 1
    elif entry.what in (FLAG, UNFLAG):
        standing.flagged = entry.what == FLAG
