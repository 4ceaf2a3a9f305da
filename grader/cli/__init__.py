"""The command line. Every command imports what it needs in its body: ``grade --help`` answers at once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader import __version__
from grader.cli.command_group import CommandGroup, Words, with_suggestion
from grader.cli.instructor import batch, similar
from grader.cli.options import USING, course_option, isolation_option, json_option
from grader.cli.quiz import chapter9, quiz
from grader.errors import UsageError

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from grader.grading import Plan
    from grader.model import Course, Exercise


@click.group(
    cls=CommandGroup,
    default="what",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 all pass, 1 not yet, 2 wrong usage, 3 the grader or the course is at fault.",
)
@click.version_option(__version__, prog_name="grade")
def cli() -> None:
    """Grade your files.

    WHAT is an exercise (minhash_lsh), a chapter (chapter3), or all; several may be named. Your files are
    looked for in the working folder; where none is there, the course's own exercises/ are graded.

    \b
      grade minhash_lsh            one exercise
      grade chapter3               a chapter
      grade all --using my_files   everything, with the files from another folder
    """


@cli.command("what", cls=Words, hidden=True)
@click.argument("what", nargs=-1, required=True)
@click.option("--using", type=USING, metavar="DIR", help="Where the files to be graded are; or one file.")
@json_option
@click.option("--seed", metavar="S", help="Draw the inputs from this seed; a report shows the seed that it used.")
@click.option("-k", "keyword", metavar="EXPR", default="", help="Run only checks whose names match, as pytest does.")
@isolation_option
@click.option("--inline", is_flag=True, help="Run your code with this terminal as its own, for breakpoint().")
@course_option
@click.pass_context
def grade(ctx: click.Context, /, what: Sequence[str], using: Path | None, as_json: bool, **how: Any) -> int:
    """Grade WHAT: exercises (minhash_lsh, chapter3/minhash_lsh), chapters (chapter3), or all."""
    from grader import grading, logbook
    from grader.cli.notes import make_notes
    from grader.cli.screen import print_json, print_text
    from grader.environment import environment
    from grader.report import exit_code, render, to_document

    logbook.attach()
    loaded, exercises = _load(ctx, what, how.pop("course"))
    plan = _plan(as_json=as_json, **how)
    if using and using.is_file() and len(exercises) > 1:
        raise UsageError(f"{using} is one file, and {len(exercises)} exercises are named.", "Name one exercise.")
    folder = grading.learner_folder(loaded, exercises, using)
    with _progress(exercises) as each:
        reports = grading.run(loaded, each, folder, plan)
    if as_json:
        print_json(to_document(reports, environment(), plan.isolation, plan.seed))
    else:
        print_text(render(reports, make_notes(loaded, reports, plan, using, bool(how["isolation"]))))
    return exit_code(reports)


def _load(
    ctx: click.Context, what: Sequence[str], course: Path | None, validate: bool = False
) -> tuple[Course, tuple[Exercise, ...]]:
    """The part of the course that ``what`` names; a name that is none may be a mistyped command."""
    from grader import catalog

    root = catalog.find_course(course=course)
    try:
        loaded = catalog.load_course(root, what=what, validate=validate)
        return loaded, catalog.select(loaded, what)
    except UsageError as error:
        group = ctx.find_root().command
        raise with_suggestion(error, group, what) if isinstance(group, CommandGroup) else error from None


def _plan(as_json: bool, isolation: str | None, seed: str | None, keyword: str, inline: bool) -> Plan:
    from grader.boundary.isolation import PROCESS, level_named
    from grader.grading import PUBLIC_SEED, Plan

    if inline and (as_json or isolation):
        raise UsageError("--inline goes with neither --json nor --isolation.", "Leave one of them out.")
    return Plan(PROCESS if inline else level_named(isolation), seed or PUBLIC_SEED, keyword, inline)


def _progress(exercises: Sequence[Exercise]) -> ProgressBar[Exercise]:
    """The exercises one by one, with a bar on stderr where there are several and somebody who can see it."""
    return click.progressbar(
        exercises,
        file=sys.stderr,
        hidden=len(exercises) < 2 or not sys.stderr.isatty(),
        item_show_func=lambda exercise: exercise.id if exercise else None,
    )


@cli.command("list")
@click.argument("what", nargs=-1)
@json_option
@course_option
@click.pass_context
def list_(ctx: click.Context, what: Sequence[str], as_json: bool, course: Path | None) -> int:
    """List the exercises in the suggested order."""
    from grader.cli.screen import print_json, print_text, width
    from grader.report.listing import list_document, render_list

    loaded, _ = _load(ctx, what or ["all"], course)
    if as_json:
        print_json(list_document(loaded))
    else:
        print_text(render_list(loaded, width()))
    return 0


@cli.command("show")
@click.argument("exercise")
@click.option("--using", type=USING, metavar="DIR", help="Where the file to be drawn is; or the file itself.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.png",
    help="What to write; NAME.png in the working folder if left out.",
)
@isolation_option
@course_option
@click.pass_context
def show(
    ctx: click.Context,
    exercise: str,
    using: Path | None,
    output: Path | None,
    isolation: str | None,
    course: Path | None,
) -> int:
    """Draw what your file computes."""
    from grader.cli import picture

    loaded, exercises = _load(ctx, [exercise], course)
    return picture.show(loaded, exercises, using, output, isolation)


@cli.command("doctor")
@json_option
def doctor_(as_json: bool) -> int:
    """Say what this machine can do, and how to get the rest."""
    from grader.cli import doctor
    from grader.cli.screen import print_json, print_text, width

    found, level = doctor.facts(), doctor.level()
    if as_json:
        print_json(doctor.to_document(found, level))
    else:
        print_text(doctor.render(found, level, width()))
    return 0


@cli.command("check")
@click.argument("what", nargs=-1)
@json_option
@click.option("--mutants", is_flag=True, help="Grade small changes of each reference, too.")
@click.option("--write", is_flag=True, help="Write misconceptions.json, and the bank's answers.")
@click.option("--seed", metavar="S", help="Draw the inputs from this seed.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Exercises at once; as many as cores if left out.")
@isolation_option
@course_option
@click.pass_context
def check(
    ctx: click.Context,
    /,
    what: Sequence[str],
    as_json: bool,
    course: Path | None,
    seed: str | None,
    jobs: int | None,
    **how: Any,
) -> int:
    """Prove exercises, and the question_bank: right files pass, wrong ones fail as declared."""
    from grader import logbook
    from grader.authoring import gate, pool, progress, rendering
    from grader.cli import bank_check
    from grader.cli.screen import print_json, print_text, width
    from grader.environment import environment
    from grader.grading import PUBLIC_SEED

    logbook.attach()
    if bank_check.alone(what):
        return bank_check.check(course, as_json, how["write"])
    loaded, exercises = _load(ctx, what or ["all"], course, validate=True)
    plan = gate.Plan(seed=seed or PUBLIC_SEED, **how)
    with progress.Bar(len(exercises), quiet=as_json) as bar:
        report = pool.check(exercises, plan, jobs, bar)
    bank = bank_check.along(loaded, what, how["write"])
    if as_json:
        print_json(rendering.to_document(report, environment()) | bank_check.document(bank))
    else:
        print_text(rendering.render(report, width()))
        bank_check.print_along(bank)
    return max(report.exit_code, bank.exit_code if bank else 0)


@cli.command("new")
@click.argument("exercise", metavar="CHAPTER/NAME")
@course_option
@click.pass_context
def new(ctx: click.Context, exercise: str, course: Path | None) -> int:
    """Begin an exercise: every file that it needs, with what to write."""
    from grader.authoring.scaffold import scaffold

    loaded, _ = _load(ctx, ["all"], course)
    click.echo(scaffold(loaded, exercise))
    return 0


cli.add_command(batch)
cli.add_command(similar)
cli.add_command(quiz)
cli.add_command(chapter9)  # its review bank is the chapter


def main() -> None:
    """The entry point of ``grade``."""
    cli.main(prog_name="grade")
