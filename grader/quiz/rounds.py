"""A round: which questions are asked, in which order, and what becomes of the answers."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.errors import UsageError
from grader.quiz import log, marking
from grader.quiz.asking import Asked
from grader.quiz.bank import select
from grader.quiz.keys import Keys
from grader.quiz.log import AnswerLog, Entry
from grader.quiz.marking import Marked
from grader.quiz.model import Bank, Kind, Question
from grader.quiz.progress import Progress
from grader.quiz.variants import shuffled

EXAM_MINUTES = 2  # for each question of an exam
SEEDS = 10**6


@dataclass(frozen=True)
class Wanted:
    """What a learner asked for.

    Attributes:
        words: topics, chapters, questions; empty for all that is due or unseen.
        exam: how many questions an exam has; None for practice.
        seed: of the variants, and of an exam's choice of questions; None for the learner's own.
    """

    words: Sequence[str] = ()
    exam: int | None = None
    seed: int | None = None
    missed: bool = False
    due: bool = False
    flagged: bool = False
    certainty: bool = False


def choose(bank: Bank, progress: Progress, wanted: Wanted, order: Sequence[str], now: datetime) -> list[Question]:
    """The questions of a round, in the suggested order of chapters; an exam's in a random one.

    Raises:
        UsageError: a word names nothing, or an exam is to have more questions than there are.
    """
    found = list(select(bank, wanted.words))
    found.sort(key=lambda question: _place(question, order))
    if wanted.missed:
        found = [question for question in found if progress.of(question).missed]
    if wanted.flagged:
        found = [question for question in found if progress.of(question).flagged]
    if wanted.due:
        found = [question for question in found if progress.of(question).is_due(now)]
    if wanted.exam is not None:
        # What a learner marks with a list of right things cannot be kept until the end.
        return _exam([question for question in found if question.kind is not Kind.SHORT], wanted, wanted.exam)
    if wanted.missed or wanted.due or wanted.flagged:
        return found
    open_ones = [question for question in found if not progress.of(question).seen or progress.of(question).is_due(now)]
    outright = [
        question for question in found if {question.id, question.number} & {word.lower() for word in wanted.words}
    ]
    # Whoever was interrupted goes on where they were; what is named outright is asked in any case.
    chosen = [question for question in found if question in open_ones or question in outright]
    return chosen or (found if wanted.words else [])


def _place(question: Question, order: Sequence[str]) -> tuple[int, int, int]:
    name = f"chapter{question.chapter}"
    at = order.index(name) if name in order else len(order)
    return at, question.chapter, int(question.number[1:])


def _exam(found: list[Question], wanted: Wanted, count: int) -> list[Question]:
    if count > len(found):
        raise UsageError(
            f"there are {len(found)} such questions, not {count}.", f"Ask for --exam {len(found)} or less."
        )
    import random

    return list(shuffled(random.Random(f"exam {wanted.seed or 0}"), found)[:count])


def own_seed(path: Path) -> int:
    """A learner's own first seed: the log lies in their home, so neighbours get other variants."""
    return zlib.crc32(str(path.absolute()).encode()) % SEEDS


@dataclass
class Round:
    """The questions of one sitting and what was answered.

    Attributes:
        asked: in the order in which they are asked.
        results: of the answered ones, by place.
        deadline_s: on the monotonic clock; None where there is time without end.
    """

    asked: Sequence[Asked]
    log: AnswerLog
    wanted: Wanted = field(default_factory=Wanted)
    learner: str = ""
    results: dict[int, Marked] = field(default_factory=dict)
    responses: dict[int, dict[str, Any]] = field(default_factory=dict)
    certainty: dict[int, int] = field(default_factory=dict)
    flagged: set[str] = field(default_factory=set)
    deadline_s: float | None = None

    @property
    def exam(self) -> bool:
        """Whether feedback waits until the end."""
        return self.wanted.exam is not None

    @property
    def over(self) -> bool:
        """Whether the time of an exam is up."""
        return self.deadline_s is not None and time.monotonic() > self.deadline_s

    def answer(self, at: int, response: dict[str, Any], ms: int, certainty: int | None = None) -> Marked:
        """Mark an answer and write it down; it is on disk when this returns.

        Raises:
            UnreadableError: it cannot be read; nothing is written down, and it may be given again.
        """
        asked = self.asked[at]
        marked = marking.mark(asked, response)
        question = asked.question
        self.log.append(
            Entry(
                what=log.ANSWER,
                id=question.id,
                rev=question.rev,
                seed=asked.seed,
                response=response,
                score=round(marked.score, 6),
                certainty=certainty,
                ms=ms,
                at=log.now(),
                mode="exam" if self.exam else "practice",
                learner=self.learner,
            )
        )
        self.results[at], self.responses[at] = marked, response
        if certainty is not None:
            self.certainty[at] = certainty
        return marked

    def skip(self, at: int) -> None:
        """Write down that a question was passed over."""
        self._note(log.SKIP, self.asked[at].question)

    def flag(self, at: int) -> bool:
        """Flag a question, or take its flag away; answers whether it is flagged now."""
        question = self.asked[at].question
        gone = question.id in self.flagged
        self._note(log.UNFLAG if gone else log.FLAG, question)
        self.flagged ^= {question.id}
        return not gone

    def _note(self, what: str, question: Question) -> None:
        self.log.append(Entry(what=what, id=question.id, rev=question.rev, at=log.now(), learner=self.learner))


def make_round(
    bank: Bank, keys: Keys, answers: AnswerLog, progress: Progress, wanted: Wanted, order: Sequence[str]
) -> Round:
    """Choose questions and seeds for one sitting."""
    questions = choose(bank, progress, wanted, order, datetime.now(UTC))
    own = own_seed(answers.path)
    asked = [
        Asked(question, wanted.seed if wanted.seed is not None else progress.next_seed(question, own), keys)
        for question in questions
    ]
    flagged = {id for id, standing in progress.questions.items() if standing.flagged}
    deadline_s = time.monotonic() + 60 * EXAM_MINUTES * len(asked) if wanted.exam is not None else None
    return Round(asked, answers, wanted, flagged=flagged, deadline_s=deadline_s)
