"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
USING = click.Path(exists=True, path_type=Path)
course_option = click.option("--course", type=FOLDER, metavar="DIR", help="The course, if it is not found by itself.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
isolation_option = click.option(
    "--isolation",
    type=click.Choice(["strict", "process"]),
    help="How your code is shut in; the best level if left out.",
)
