"""The author's gate over the real course: `grade check` finds nothing."""

from __future__ import annotations

import pytest

from grader.authoring import check
from grader.authoring.records import GateReport
from grader.catalog import load_course
from tests.content.course import EXERCISES, IDS, load


def put_through(id: str) -> GateReport:
    """One exercise through the gate, in a process of its own."""
    return check([load(id)], jobs=1)


def test_the_course_is_sound():
    """Every yaml file fits its schema, and no folder was overlooked."""
    assert load_course(EXERCISES, validate=True).exercises


@pytest.mark.parametrize("id", IDS)
def test_gate(id, results):
    """Stub, reference, wheats and chaffs of an exercise do under every check what they were declared to do."""
    [report] = results(put_through, id)
    lines = [f"{fault.place} {fault.check}: {fault.declared}; {fault.happened}" for _, fault in report.faults]
    assert not lines, f"grade check {id}\n" + "\n".join(lines)
    [found] = report.exercises
    if found.skipped:
        pytest.skip(found.skipped)
