"""What the terminal report needs to know beside the reports."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from grader.cli.screen import width
from grader.grading import PUBLIC_SEED, Plan, following, strict_remedy
from grader.logbook import log_path
from grader.model import Course, Report
from grader.report import Notes


def make_notes(loaded: Course, reports: Sequence[Report], plan: Plan, using: Path | None, chosen: bool) -> Notes:
    """Put them together; ``chosen`` says that the isolation was asked for."""
    options = {
        "--using": using,
        "--seed": plan.seed if plan.seed != PUBLIC_SEED else None,
        "--isolation": plan.isolation if chosen else None,
    }
    words = [word for name, value in options.items() if value for word in (name, str(value))]
    return Notes(
        width=width(),
        seed=plan.seed,
        keyword=plan.keyword,
        options=shlex.join(words),
        isolation=plan.isolation,
        remedy="" if chosen or plan.inline else strict_remedy(),
        following=following(loaded, reports),
        log=str(log_path()),
    )
