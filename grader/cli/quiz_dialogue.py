"""How ``grade quiz`` talks: lines out, lines in, and screens where the terminal can."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.text import Text


def runner(round_: Any, plain: bool) -> Any:
    """The runner for this terminal: screens where it can, lines where it cannot or should not."""
    import os

    from grader.cli.screen import width
    from grader.quiz.plain import PlainRunner
    from grader.quiz.terminal import TerminalRunner, can_draw

    if plain or not can_draw():
        return PlainRunner(round_, show, prompt, width())
    from grader.quiz.keyboard import Keyboard

    return TerminalRunner(round_, show, prompt, width(), Keyboard(colour=not os.environ.get("NO_COLOR")))


def show(rows: Sequence[Text]) -> None:
    """Print lines, in colour where stdout is a terminal that wants it."""
    from rich.text import Text

    from grader.cli.screen import print_text

    print_text(Text("\n").join(rows).append("\n"))


def prompt(text: str) -> str:
    """Prompt for a line and read it; raises EOFError at the end."""
    if sys.stdin.isatty():
        import contextlib

        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - input() then edits the line

        return input(text)
    click.echo(text, nl=False)
    line = sys.stdin.readline()
    if not line:
        click.echo()
        raise EOFError
    click.echo(line.rstrip("\n"))  # a transcript shows what was answered
    return line.rstrip("\n")
