"""``grade quiz``: the review bank in the terminal and in a browser, its statistics, cards and exports."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import FOLDER, course_option, json_option
from grader.cli.quiz_dialogue import prompt, runner, show
from grader.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from grader.cli.bank_context import Context

log_option = click.option(
    "--log", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Keep answers in this file."
)


class QuizGroup(click.Group):
    """Commands about the bank; whatever is none of them is what to ask."""

    default = "ask"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the name of the asking command before words that begin with no command."""
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help")):
            args.insert(0, self.default)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the asking command's options as the group's own, and then the commands."""
        options = [param for param in self.commands[self.default].params if isinstance(param, click.Option)]
        with formatter.section("Options"):
            formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])
        self.format_commands(ctx, formatter)


@click.group(cls=QuizGroup)
def quiz() -> None:
    """Review questions: answer, see why, and meet them again when it is time.

    \b
      grade quiz               all that is due or new, in the suggested order
      grade quiz scaling       a topic, a chapter (chapter4), a level, or a question (q19)
      grade quiz --exam 10     ten questions against the clock, feedback at the end
    """


@quiz.command("ask", hidden=True)
@click.argument("words", nargs=-1)
@click.option("--exam", type=click.IntRange(1), metavar="N", help="N questions, two minutes each, feedback at the end.")
@click.option("--missed", is_flag=True, help="Only questions whose last answer was not right.")
@click.option("--due", is_flag=True, help="Only questions that it is time to repeat.")
@click.option("--flagged", is_flag=True, help="Only questions that you flagged.")
@click.option(
    "--seed", type=click.IntRange(0), metavar="S", help="Choose variants, and an exam's questions, from this."
)
@click.option("--certainty", is_flag=True, help="Ask how sure you are: +1 to +3, or 0 to -6.")
@click.option("--plain", is_flag=True, help="Line by line: for screen readers and scripts.")
@json_option
@log_option
@course_option
def ask(words: Sequence[str], plain: bool, as_json: bool, log: Path | None, course: Path | None, **how: Any) -> int:
    """Ask questions."""
    from grader.cli.bank_context import open_bank
    from grader.quiz.rounds import Wanted, make_round

    bank = open_bank(course, log)
    round_ = make_round(bank.bank, bank.keys, bank.log, bank.progress(), Wanted(words=words, **how), bank.order)
    if as_json:
        from grader.cli.screen import print_json
        from grader.quiz import scripted

        print_json(scripted.run(round_, "" if sys.stdin.isatty() else sys.stdin.read()))
        return 0
    if not round_.asked:
        show(_nothing(bank))
        return 0
    runner(round_, plain).run()
    return 0


def _nothing(bank: Context) -> list[Text]:
    from grader.cli.screen import width
    from grader.quiz import wording

    times = [at for standing in bank.progress().questions.values() if (at := standing.due_at())]
    when = f" The next one is due {min(times).astimezone():%A, %d %B, %H:%M}." if times else ""
    told = f"Nothing to ask.{when} `grade quiz all` asks everything once more."
    return wording.prose(told, width())


@quiz.command("stats")
@click.option("--class", "logs", type=FOLDER, metavar="LOGS", help="Analyse the logs of a class, for an instructor.")
@json_option
@log_option
@course_option
def stats_(logs: Path | None, as_json: bool, log: Path | None, course: Path | None) -> int:
    """Say how you stand, or how the questions do in a class."""
    from datetime import UTC, datetime

    from grader.cli.bank_context import open_bank
    from grader.cli.screen import print_json, print_text, width
    from grader.quiz import items, stats

    bank = open_bank(course, log)
    if logs:
        learners = items.read_class(logs)
        found = items.analyse(bank.bank, learners)
        document, text = items.to_document(found, len(learners)), items.render(found, len(learners), width())
    else:
        progress = bank.progress()
        lines = stats.table(bank.bank, progress, bank.course.objectives, datetime.now(UTC))
        sure = stats.calibration(progress)
        document, text = stats.to_document(lines, sure), stats.render(lines, sure)
    if as_json:
        print_json(document)
    else:
        print_text(text)
    return 0


@quiz.command("terms")
@click.argument("chapters", nargs=-1, metavar="[CHAPTER]...")
@click.option("--all", "again", is_flag=True, help="All cards, not only those that are new or due.")
@json_option
@log_option
@course_option
def terms(chapters: Sequence[str], again: bool, as_json: bool, log: Path | None, course: Path | None) -> int:
    """Turn flash cards of the key terms."""
    from grader.cli.bank_context import open_bank
    from grader.cli.screen import print_json, width
    from grader.quiz import flashcards, wording

    bank = open_bank(course, log)
    cards = flashcards.choose(bank.bank.terms, bank.progress(), chapters, again or as_json)
    if as_json:
        found = [{"term": card.term, "chapter": card.chapter, "text": card.text} for card in cards]
        print_json({"schema": "quiz-terms/1", "terms": found})
    elif cards:
        flashcards.run(cards, bank.log, show, prompt, width())
    else:
        show(wording.prose("No card is due. `grade quiz terms --all` shows all of them.", width()))
    return 0


@quiz.command("serve")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any that is free."
)
@click.option("--many", is_flag=True, help="Each browser is a learner of its own.")
@log_option
@course_option
def serve(port: int, many: bool, log: Path | None, course: Path | None) -> int:
    """Ask in a browser, on this machine only; Ctrl-C ends it."""
    from grader.cli.bank_context import open_bank

    bank = open_bank(course, log)
    try:
        from grader.quiz.web.server import serve as run
    except ImportError as error:
        raise not_there("web", error) from None
    run(bank.bank, bank.keys, bank.log, bank.order, many, port, lambda address: click.echo(f"{address}  Ctrl-C ends"))
    return 0


@quiz.command("export")
@click.argument("target", type=click.Choice(["gift", "qti", "anki"]))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", type=click.IntRange(0), default=1, metavar="S", help="Which variants; 1 if left out.")
@course_option
def export(target: str, file: Path, seed: int, course: Path | None) -> int:
    """Write the bank for Moodle (gift), Canvas (qti) or Anki (anki)."""
    import time

    from grader.cli.bank_context import open_bank
    from grader.quiz.exports import anki, gift, qti

    bank = open_bank(course, None)
    try:
        if target == "anki":
            warnings = anki.export(bank.bank, bank.keys, seed, int(time.time()), file)
        elif target == "gift":
            text, warnings = gift.export(bank.bank, bank.keys, seed)
            file.write_text(text, encoding="utf-8")
        else:
            data, warnings = qti.export(bank.bank, bank.keys, seed)
            file.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}.", "Name a file in another folder.") from None
    for warning in warnings:
        click.echo(warning, err=True)
    click.echo(f"{file}: {len(bank.bank.questions)} questions; the keys are in it.")
    return 0


def not_there(extra: str, error: ImportError) -> UsageError:
    """What to say where an optional package is missing."""
    remedy = f"Run: pip install 'pretraining-grader[{extra}]'."
    return UsageError(f"this needs the package {error.name}.", remedy)


# Chapter 9 of the module is the bank: `grade chapter9` is `grade quiz`.
chapter9 = QuizGroup("chapter9", commands=quiz.commands, help=quiz.help, hidden=True)
