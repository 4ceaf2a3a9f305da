"""The runner line by line: for pipes, screen readers, tests, and whoever asks for ``--plain``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.text import Text

from grader.quiz import reading, wording
from grader.quiz.asking import Asked
from grader.quiz.marking import Marked, certainty_points
from grader.quiz.model import Kind
from grader.quiz.rounds import Round
from grader.quiz.units import UnreadableError

Show = Callable[[Sequence[Text]], None]
Ask = Callable[[str], str]  # shows a prompt, answers with a line; raises EOFError where there is none

HELP = (
    "h hint · s skip · f flag or unflag · ? these keys · q save and quit",
    "Answers: 2 for a choice, 1 3 for several, 3 1 2 for an order, 1b 2a for pairs; end text with an empty line.",
)


class Quit(Exception):
    """The learner has had enough; everything is saved."""


class PlainRunner:
    """Asks the questions of a round in a plain dialogue.

    Args:
        round_: what to ask.
        show: prints lines.
        ask: prompts for a line.
        width: columns to wrap at.
    """

    def __init__(self, round_: Round, show: Show, ask: Ask, width: int) -> None:
        self.round, self.show, self.ask, self.width = round_, show, ask, width
        self.certainty: list[int] = []

    def run(self) -> None:
        """Ask all questions, or as many as the learner wants, and say what came of it."""
        if self.round.asked:
            self.show([Text(HELP[0], "dim")])
        try:
            for at in range(len(self.round.asked)):
                if self.round.over:
                    self.show(wording.prose("The time is up.", self.width, style="bold"))
                    break
                self.question(at)
        except (Quit, EOFError):
            self.show([Text(), *wording.prose("Saved. `grade quiz` goes on from here.", self.width)])
        self.finish()

    def finish(self) -> None:
        """The exam's feedback, which had to wait, and the summary."""
        if self.round.exam:
            for at, marked in sorted(self.round.results.items()):
                self.show([Text(), *self._header(at)])
                self.show(self._feedback(at, marked))
        self.show(wording.summary(self.round, self.certainty, self.width))

    def _header(self, at: int) -> list[Text]:
        asked = self.round.asked[at]
        public = asked.public(reading.name_of(asked.question.kind))
        return wording.heading(public, at + 1, len(self.round.asked), self.width, public.id in self.round.flagged)

    def _feedback(self, at: int, marked: Marked) -> list[Text]:
        asked, sure = self.round.asked[at], self.round.certainty.get(at)
        told = f"certainty {sure}: {certainty_points(marked, sure):+d}" if sure else ""
        return wording.feedback(asked.question, asked.explanation(), marked, self.width, told)

    def question(self, at: int) -> None:
        """One question, until it is answered or skipped."""
        asked = self.round.asked[at]
        public = asked.public(reading.name_of(asked.question.kind))
        self.show([Text(), *self._header(at), *wording.choices(public, self.width), *wording.task(public, self.width)])
        begun = time.monotonic()
        while (line := self.line(at)) is not None:
            try:
                response = self.respond(asked, line)
                sure = self.ask_certainty() if self.round.wanted.certainty else None
                if self.round.over:
                    return
                marked = self.round.answer(at, response, round(1000 * (time.monotonic() - begun)), sure)
            except UnreadableError as error:
                self.show(wording.prose(f"{error.message} {error.remedy}", self.width))
                continue
            self.after(at, marked)
            return

    def after(self, at: int, marked: Marked) -> None:
        """Feedback, or in an exam just the word that it is kept."""
        if self.round.certainty.get(at) and not marked.apart:
            self.certainty.append(certainty_points(marked, self.round.certainty[at]))
        if self.round.exam:
            self.show(wording.prose("Kept.", self.width))
        else:
            self.show([Text(), *self._feedback(at, marked)])

    def line(self, at: int) -> str | None:
        """A line that is an answer; commands are obeyed. None where the question is skipped."""
        asked = self.round.asked[at]
        while True:
            line = self.ask("answer> ")
            command = line.strip().lower()
            if command == "q":
                raise Quit
            if command == "s":
                self.round.skip(at)
                self.show(wording.prose("Skipped.", self.width))
                return None
            if command == "h":
                self.show(wording.prose(asked.fill(asked.question.hint) or "There is no hint.", self.width))
            elif command == "f":
                told = "Flagged." if self.round.flag(at) else "No longer flagged."
                self.show(wording.prose(told, self.width))
            elif command == "?":
                self.show([row for text in HELP for row in wording.prose(text, self.width)])
            else:
                return line

    def respond(self, asked: Asked, line: str) -> dict[str, Any]:
        """The response that begins with ``line``; text may have more lines, up to an empty one."""
        if asked.question.kind not in (Kind.TRACE, Kind.SHORT):
            return reading.read(asked, line)
        text = "\n".join([line, *self._more()]) if line.strip() else line
        response = reading.read(asked, text)
        if asked.question.kind is Kind.SHORT and line.strip():
            response["awarded"] = self.award(asked)
        return response

    def _more(self) -> Iterator[str]:
        while True:
            try:
                line = self.ask("... ")
            except EOFError:
                return
            if not line.strip():
                return
            yield line

    def award(self, asked: Asked) -> list[str]:
        """The learner marks a short answer: what of a good answer does it say?"""
        self.show([Text(), *wording.prose("A good answer says the following. Does yours?", self.width, style="bold")])
        awarded = []
        for item in asked.question.rubric:
            self.show(wording.listed("  -", f"{item.text} ({wording.points(item.points)})", self.width))
            if self.ask("y or n> ").strip().lower().startswith("y"):
                awarded.append(item.id)
        return awarded

    def ask_certainty(self) -> int:
        """How sure the learner is."""
        while True:
            line = self.ask("how sure, 1 to 3> ").strip()
            if line in ("1", "2", "3"):
                return int(line)
            self.show(wording.prose("1 is a guess (+1 or 0), 2 (+2 or -2), 3 certain (+3 or -6).", self.width))
