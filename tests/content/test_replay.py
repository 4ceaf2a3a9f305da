"""Cases replayed from a book give every file the verdicts that drawing them gives."""

from __future__ import annotations

import pytest

from grader.model import Verdict
from tests.content.course import IDS, graded, load

SEED = "0"  # the learners' own
UNSTEADY = (Verdict.TIMEOUT, Verdict.MEMORY)  # what is slow or hungry may pass on one day, and not on another


def verdicts(id: str, book: bool) -> dict[tuple[str, str], tuple[str, str]]:
    """Tier and verdict of each check on each wheat and chaff, by file and check."""
    exercise = load(id)
    [reports] = graded(id, [*exercise.wheats, *exercise.chaffs], [SEED], book)
    return {
        (report["file"], check["name"]): (check["tier"], check["verdict"])
        for report in reports
        for check in report["checks"]
    }


@pytest.mark.nightly
@pytest.mark.parametrize("id", IDS)
def test_replaying_says_what_drawing_says(id, results):
    """Over all wheats and chaffs, each check says the same with a case book and without."""
    replayed, drawn = results(verdicts, id, [True, False])
    assert replayed.keys() == drawn.keys()
    told = {
        cell: (verdict, drawn[cell][1])
        for cell, (tier, verdict) in replayed.items()
        if tier != "scale" and not {verdict, drawn[cell][1]} & set(UNSTEADY)
    }
    assert not {cell: both for cell, both in told.items() if len(set(both)) > 1}
