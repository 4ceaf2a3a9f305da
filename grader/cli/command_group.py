"""The click group behind ``grade``.

A first word that is no command is something to grade, and every error is one line with a remedy and an exit
code, never a traceback.
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from grader.errors import FAULT, USAGE, ContentError, GraderError, UsageError
from grader.logbook import write_log

INTERRUPTED = 130  # 128 + SIGINT, as shells have it
BROKEN_PIPE = 141  # 128 + SIGPIPE


class _ReaderGone(Exception):
    """Nobody reads stdout any more."""


@contextmanager
def _noticing_readers() -> Iterator[None]:
    """A reader that has gone is not left to click, which would call it exit code 1."""
    try:
        yield
    except BrokenPipeError:
        raise _ReaderGone from None


class _NamelessContext(click.Context):
    """A context that messages name by its group alone: ``grade``."""

    @property
    def command_path(self) -> str:
        return self.parent.command_path if self.parent else super().command_path


class Words(click.Command):
    """The command that grades: it has no name of its own in usage lines and messages."""

    context_class = _NamelessContext


class CommandGroup(click.Group):
    """Commands, with one of them for whatever is no command's name."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        """``default`` is the name under which the command that takes everything else is registered."""
        super().__init__(*args, **kwargs)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default command's name before words that begin with no command."""
        own = {name for param in self.get_params(ctx) for name in param.opts}
        if args and args[0] not in self.commands and args[0] not in own:
            args.insert(0, self.default)
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show both ways to call it."""
        formatter.write_usage(ctx.command_path, "[OPTIONS] WHAT...")
        formatter.write_usage(ctx.command_path, "COMMAND [OPTIONS] ...", prefix="       ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the default command's options as the group's own, and then the commands."""
        default = self.commands[self.default]
        options = [param for param in [*default.params, *self.get_params(ctx)] if isinstance(param, click.Option)]
        rows = [option.get_help_record(ctx) for option in options]
        with formatter.section("Options"):
            formatter.write_dl([row for row in rows if row])
        self.format_commands(ctx, formatter)

    def suggestion(self, words: Sequence[str]) -> str:
        """The command that one of ``words`` may have been meant for, as a sentence, or ""."""
        visible = [name for name, command in self.commands.items() if not command.hidden]
        for word in words:
            close = get_close_matches(word.lower(), visible, n=1, cutoff=0.7)
            if close:
                return f"Did you mean the command `grade {close[0]}`?"
        return ""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the group's own words; ``--help`` prints here."""
        with _noticing_readers():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _noticing_readers():
            return super().invoke(ctx)

    def main(self, args: Any = None, prog_name: str | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run a command and exit; see the module."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a character says which
        try:
            code = super().main(args, prog_name, standalone_mode=False)
            sys.stdout.flush()
        except (BrokenPipeError, _ReaderGone):
            code = _quiet_pipe()
        except click.ClickException as error:
            error.show()
            code = USAGE
        except (click.Abort, KeyboardInterrupt):
            code = INTERRUPTED
        except GraderError as error:
            code = _say(error)
        except Exception as error:
            code = _apologise(error)
        sys.exit(code or 0)


def _say(error: GraderError) -> int:
    kind = "course problem" if isinstance(error, ContentError) else "grader problem"
    click.echo(f"{'grade' if error.exit_code == USAGE else kind}: {error.message}", err=True)
    if error.remedy:
        click.echo(f"  {error.remedy}", err=True)
    return error.exit_code


def _apologise(error: Exception) -> int:
    """One line for what should not have happened; the rest goes into the log."""
    cause = " ".join("".join(traceback.format_exception_only(error)).split())
    log = write_log(f"{shlex.join(sys.argv)}\n{traceback.format_exc()}")
    click.echo(f"grader problem: {cause} (not your fault; the whole story is in {log})", err=True)
    return FAULT


def _quiet_pipe() -> int:
    """Whoever read our output has gone: what is still buffered goes nowhere, and nobody is told."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def with_suggestion(error: UsageError, group: CommandGroup, words: Sequence[str]) -> UsageError:
    """The same error; where a command's name was mistyped, its remedy names the command."""
    hint = group.suggestion(words)
    if not hint:
        return error
    guess = error.remedy if error.remedy.startswith("Did you mean") else ""
    return UsageError(error.message, f"{guess} {hint}".strip())
