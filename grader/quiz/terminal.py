"""The runner on a terminal: one key at a time for what is chosen, a line for what is typed."""

from __future__ import annotations

import sys
import time
from typing import Any

from rich.text import Text

from grader.quiz import wording
from grader.quiz.keyboard import Keyboard
from grader.quiz.model import Kind
from grader.quiz.picking import KEYS, Picking
from grader.quiz.plain import Ask, PlainRunner, Quit, Show
from grader.quiz.rounds import Round
from grader.quiz.units import UnreadableError

COMMON = "h hint · s skip · f flag · ? keys · q save and quit"
TICK_S = 1.0  # how often an exam looks at its clock


class TerminalRunner(PlainRunner):
    """As the plain runner, with a screen for questions whose answer is chosen."""

    def __init__(self, round_: Round, show: Show, ask: Ask, width: int, keyboard: Keyboard) -> None:
        super().__init__(round_, show, ask, width)
        self.keyboard = keyboard

    def run(self) -> None:
        """Ask all questions; Ctrl-C saves and quits like q."""
        try:
            super().run()
        except KeyboardInterrupt:
            self.show([Text(), *wording.prose("Saved. `grade quiz` goes on from here.", self.width)])
            self.finish()

    def question(self, at: int) -> None:
        """One question: on a screen of its own where it is chosen from a list."""
        asked = self.round.asked[at]
        if asked.question.kind not in KEYS:
            super().question(at)
            self.pause()
            return
        picking, begun = Picking(asked), time.monotonic()
        with self.keyboard.raw():
            response = self._choose(at, picking)
        if response is None:
            return
        sure = self.ask_certainty() if self.round.wanted.certainty else None
        if self.round.over:
            return
        marked = self.round.answer(at, response, round(1000 * (time.monotonic() - begun)), sure)
        self.show(self._header(at))
        self.after(at, marked)
        self.pause()

    def pause(self) -> None:
        """Wait for the learner to have read the feedback."""
        if not self.round.exam and self.ask("enter goes on, q quits> ").strip().lower() == "q":
            raise Quit

    def _choose(self, at: int, picking: Picking) -> dict[str, Any] | None:
        """Draw and take keys until there is an answer; None where the question is skipped or time is up."""
        asked, note = self.round.asked[at], ""
        while not self.round.over:
            self._draw(at, picking, note)
            key = self.keyboard.key(TICK_S if self.round.exam else None)
            note = ""
            if key in ("q", "interrupt", "end"):
                raise Quit
            if key == "s":
                self.round.skip(at)
                return None
            if key == "enter":
                try:
                    return self._checked(picking)
                except UnreadableError as error:
                    note = f"{error.message} {error.remedy}"
            elif key == "h":
                note = asked.fill(asked.question.hint) or "There is no hint."
            elif key == "f":
                note = "Flagged." if self.round.flag(at) else "No longer flagged."
            elif key == "?":
                note = f"{KEYS[picking.kind]} · {COMMON}"
            else:
                picking.press(key)
        return None

    def _checked(self, picking: Picking) -> dict[str, Any]:
        """The response, if it says anything."""
        response = picking.response()
        if picking.kind is Kind.ORDER and not picking.touched:
            raise UnreadableError("nothing was moved yet.", "[ and ] shift a step; space leaves one out.")
        if not any(response.values()):
            raise UnreadableError("there is no answer yet.", "Choose something, or skip with s.")
        return response

    def _draw(self, at: int, picking: Picking, note: str) -> None:
        rows, focus = self._rows(at, picking)
        if note:
            rows += [Text(), *wording.prose(note, self.width, style="bold")]
            focus = len(rows)
        self.keyboard.draw(rows, focus, f" {KEYS[picking.kind]} · ? for more ")

    def _rows(self, at: int, picking: Picking) -> tuple[list[Text], int]:
        rows = self._header(at)
        if picking.kind is Kind.MATCH:
            for item in picking.public.items:
                rows += wording.listed(f"    {item.name}.", item.text, self.width)
            rows.append(Text())
        focus = len(rows)
        for place, item in enumerate(picking.rows):
            here = place == picking.at
            focus = len(rows) if here else focus
            mark = f"{'>' if here else ' '} {_state(picking, item.name, place)}"
            rows += wording.listed(mark, item.text, self.width, "bold" if here else "")
        return [*rows, Text(), *wording.task(picking.public, self.width)], focus


def _state(picking: Picking, name: str, place: int) -> str:
    """The sign before a row: what it is now, in characters that need no colour."""
    if picking.kind is Kind.SINGLE:
        return f"({'x' if name in picking.chosen else ' '}) {place + 1}."
    if picking.kind is Kind.MULTI:
        return f"[{'x' if name in picking.chosen else ' '}] {place + 1}."
    if picking.kind is Kind.ORDER:
        kept = [other for other in picking.order if other not in picking.left_out]
        return " out" if name in picking.left_out else f"{kept.index(name) + 1:>3}."
    return f"[{picking.pairs.get(name, ' ')}] {name}."


def can_draw() -> bool:
    """Whether there is a terminal on both sides that takes single keys."""
    try:
        import termios  # noqa: F401
    except ImportError:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()
