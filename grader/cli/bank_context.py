"""What every ``grade quiz`` command needs: the course's bank, its keys, and the learner's log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader import catalog
from grader.model import Course
from grader.quiz.bank import bank_folder, load_bank
from grader.quiz.keys import Keys
from grader.quiz.log import AnswerLog, default_log
from grader.quiz.model import Bank
from grader.quiz.progress import Progress, replay
from grader.quiz.table import find_keys


@dataclass(frozen=True)
class Context:
    """An open bank.

    Attributes:
        order: chapters in the suggested order.
    """

    course: Course
    bank: Bank
    keys: Keys
    log: AnswerLog
    order: tuple[str, ...]

    def progress(self) -> Progress:
        """What the log says as of now."""
        return replay(self.bank, self.log.read())


def open_bank(course: Path | None, log: Path | None) -> Context:
    """Find the course and read its bank.

    Raises:
        UsageError: there is no course, or it has no bank.
        ContentError: the bank is not as it should be; ``grade check question_bank`` says everything.
    """
    loaded = catalog.load_course(catalog.find_course(course=course))
    folder = bank_folder(loaded)
    answers = AnswerLog(log or default_log())
    return Context(loaded, load_bank(folder), find_keys(loaded, folder), answers, catalog.chapter_order(loaded))
