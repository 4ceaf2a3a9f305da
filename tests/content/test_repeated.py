"""Right files pass under every seed: references and wheats, graded again and again, each time on other inputs."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Sequence
from typing import Any

import pytest

from grader.model import Verdict
from tests.content.course import IDS, graded, load

IN_CI, NIGHTLY = 5, 200
TOGETHER = 10  # seeds that share a process and its warm slot: starting both takes as long as grading once


def grade_right_files(id: str, seeds: Sequence[str]) -> list[list[dict[str, Any]]]:
    """The reports on reference and wheats, all checks included, by seed."""
    exercise = load(id)
    assert exercise.reference
    return graded(id, [exercise.reference, *exercise.wheats], seeds)


def parts(seeds: Sequence[str]) -> list[Sequence[str]]:
    """Seeds in lots that go to the processes in turn."""
    return [seeds[at : at + TOGETHER] for at in range(0, len(seeds), TOGETHER)]


@functools.cache
def new_seeds() -> tuple[str, ...]:
    """Seeds that no night before had."""
    return tuple(f"{secrets.token_hex(4)}-{number}" for number in range(NIGHTLY))


def require_passes(lots: Sequence[list[list[dict[str, Any]]]], files: int, seeds: int) -> None:
    """Ask that each file was graded with each seed and passed; tells how to see it again."""
    reports = [report for lot in lots for by_file in lot for report in by_file]
    assert len(reports) == files * seeds
    if all(report["verdict"] == Verdict.SKIPPED for report in reports):
        pytest.skip(reports[0]["message"])
    wrong = [
        f"{report['file']}, seed {report['seed']}, {check['name']}: {check['verdict']}; called {check['called']}; "
        f"expected {check['expected']}, got {check['got']}; {check['message']}"
        for report in reports
        for check in report["checks"] or [report | {"name": "", "called": "", "expected": "", "got": ""}]
        if check["verdict"] not in (Verdict.PASS, Verdict.SKIPPED)
    ]
    assert not wrong, "\n".join(wrong)


def count_right_files(id: str) -> int:
    """Reference and wheats."""
    return 1 + len(load(id).wheats)


@pytest.mark.parametrize("id", IDS)
def test_right_files_pass(id, results):
    """Under each of a few seeds, the reference and every wheat pass every check."""
    seeds = [str(number) for number in range(1, IN_CI + 1)]
    require_passes(results(grade_right_files, id, parts(seeds)), count_right_files(id), IN_CI)


@pytest.mark.nightly
@pytest.mark.parametrize("id", IDS)
def test_right_files_pass_every_night(id, results):
    """Under many seeds that were never tried before, the reference and every wheat pass every check."""
    require_passes(results(grade_right_files, id, parts(new_seeds())), count_right_files(id), NIGHTLY)
