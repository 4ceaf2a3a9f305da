"""The instructor's commands: ``grade batch``, ``grade similar``. Each imports what it needs in its body."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from grader.cli.options import course_option, json_option
from grader.errors import UsageError

FORMATS = ("csv", "html", "gradescope", "canvas", "classroom", "junit")
DROPPED = ("--only", "--since", "--format", "--regrade", "--diff", "--json")  # the first three take a value
MOST_MATCHES = 30  # of an exercise, on a screen
EXISTING = click.Path(exists=True, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUT = click.Path(file_okay=False, path_type=Path)


@click.command("batch")
@click.argument("path", type=EXISTING)
@click.option("--out", required=True, type=OUT, metavar="DIR", help="Where the ledger and the reports go.")
@click.option(
    "--format", "formats", multiple=True, type=click.Choice([*FORMATS, "all"]), help="csv and html if left out."
)
@click.option("--only", multiple=True, metavar="WORD", help="An exercise, a chapter or a student; several are welcome.")
@click.option("--regrade", is_flag=True, help="Grade again, whatever the ledger knows.")
@click.option("--since", metavar="TIME", help="Leave alone what was handed in earlier: 2026-03-01 or 2026-03-01T12:00.")
@click.option("--diff", is_flag=True, help="Say whose grade changed since the last time, and why.")
@click.option("--deadline", type=FILE, metavar="FILE", help="A YAML file: when work is due, and what lateness costs.")
@click.option("--roster", type=FILE, metavar="FILE", help="Canvas' exported gradebook: its students and ids are kept.")
@click.option("--assignment", default="", metavar="NAME", help='What Canvas calls it: "Homework 1 (12345)".')
@click.option("--seed", default="", metavar="S", help="Draw inputs from this; made up and kept in DIR if left out.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Files at once; as many as cores if left out.")
@click.option(
    "--isolation", type=click.Choice(["strict", "process"]), default="strict", help="strict, unless you say otherwise."
)
@click.option("--cluster", default="", metavar="tcp://HOST:PORT", help="Grade on a dask.distributed cluster.")
@json_option
@course_option
@click.pass_context
def batch(ctx: click.Context, /, path: Path, out: Path, as_json: bool, **how: Any) -> int:
    """Grade a class; run it again to go on.

    What is new or changed is graded, and nothing twice: after a stop the same command goes on where it was.

    PATH is a folder, a zip or a tar: a folder per student, files named after students, Canvas' download,
    Gradescope's export, or GitHub Classroom's clones.
    """
    from grader import catalog, logbook
    from grader.batch.run import Order
    from grader.boundary.isolation import level_named
    from grader.cli import batch_run

    logbook.attach()
    loaded = catalog.load_course(catalog.find_course(course=how["course"]))
    order = Order(
        path=path,
        out=out,
        only=how["only"],
        regrade=how["regrade"],
        since=moment(how["since"]) if how["since"] else None,
        seed=how["seed"],
        jobs=how["jobs"],
        level=level_named(how["isolation"]),
        cluster=how["cluster"],
    )
    wishes = batch_run.Wishes(
        formats=_formats(how["formats"]),
        diff=how["diff"],
        deadline=how["deadline"],
        roster=how["roster"],
        assignment=how["assignment"],
        as_json=as_json,
        again=again_words(sys.argv),
    )
    return batch_run.run(loaded, order, wishes)


@click.command("similar")
@click.argument("path", type=EXISTING)
@click.option("--only", multiple=True, metavar="WORD", help="An exercise or a chapter; may be repeated.")
@click.option(
    "--threshold", type=click.FloatRange(0, 1, min_open=True), default=0.6, show_default=True, help="Least similarity."
)
@json_option
@course_option
def similar(path: Path, only: Sequence[str], threshold: float, as_json: bool, course: Path | None) -> int:
    """List hand-ins that are much alike.

    They are candidates for a human look, and no verdict.
    """
    from grader import catalog
    from grader.batch.readers import read_class
    from grader.batch.similarity import compare, lines, to_document
    from grader.cli.screen import print_json
    from grader.report.visible import visible

    loaded = catalog.load_course(catalog.find_course(course=course))
    exercises = catalog.select(loaded, only) if only else loaded.exercises
    found = compare(read_class(path, loaded, exercises), exercises, threshold)
    if as_json:
        print_json(to_document(found, threshold))
    else:
        click.echo("\n".join(visible(line) for line in lines(found, MOST_MATCHES)))
    return 0


def _formats(named: Sequence[str]) -> tuple[str, ...]:
    if "all" in named:
        return FORMATS
    from grader.environment import installed

    return tuple(dict.fromkeys(named)) or (("csv", "html") if installed("jinja2") else ("csv",))


def moment(text: str) -> datetime:
    """A time that somebody typed; without a zone it is the machine's own.

    Raises:
        UsageError: it is none.
    """
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise UsageError(f"--since {text}: no time.", "Write it as 2026-03-01 or 2026-03-01T12:00.") from None


def again_words(argv: Sequence[str]) -> tuple[str, ...]:
    """The words of this command that a command for one student has to repeat."""
    words = list(argv[argv.index("batch") + 1 :]) if "batch" in argv else []
    kept: list[str] = []
    skip = False
    for word in words:
        name, equals, _ = word.partition("=")
        if skip or name in DROPPED:
            skip = not skip and name in DROPPED[:3] and not equals
        else:
            kept.append(word)
    return tuple(kept)
