"""From a failed execution to what the learner is told: verdict, expected, got, message."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from grader.errors import GraderError
from grader.expect import LearnerError, Mismatch
from grader.model import Verdict
from grader.session.calls import Call
from grader.session.execution import Failure
from grader.session.oracle import OracleError
from grader.session.pace import Stopped

MESSAGE: Final = 300  # characters of a message: four lines of a terminal
OUT_OF_MEMORY: Final = ("can't allocate memory", "out of memory", "Unable to allocate")
CHECK_FILES: Final = ("checks.py", "hidden_checks.py")  # where a problem is sought before the engine's own lines
STATEFUL: Final = "the same call does not always give the same answer: the function keeps state between calls"
_log = logging.getLogger("grader")


@dataclass(frozen=True)
class Finding:
    """What is to be said of one check, its calls apart."""

    verdict: Verdict
    expected: str = ""
    got: str = ""
    message: str = ""
    traceback: str = ""

    def with_message(self, message: str) -> Finding:
        """The same, with a sentence more."""
        return replace(self, message="; ".join(filter(None, (self.message, message))))


def judge(failure: Failure) -> Finding | None:
    """Say what a failure means, or None where that takes a look at what the reference would have done."""
    finding = _judge(failure.error)
    if failure.flaky:
        finding = (finding or Finding(Verdict.NOT_YET)).with_message(STATEFUL)
    return finding


def _judge(error: BaseException) -> Finding | None:
    match error:
        case Stopped():
            return Finding(error.verdict, message=error.message)
        case Mismatch():
            return Finding(Verdict.NOT_YET, error.expected, error.got, error.detail)
        case OracleError():
            return None
        case LearnerError():
            return _learners(error)
        case AssertionError() | pytest.fail.Exception():
            return Finding(Verdict.NOT_YET, message=_first_line(str(error)))
        case GraderError():
            return grader_problem(error)
        case _:
            return None


def _learners(error: LearnerError) -> Finding:
    """Their code raised, and the check did not ask for that."""
    starved = "MemoryError" in error.types or any(text in error.message for text in OUT_OF_MEMORY)
    if starved:
        return Finding(Verdict.MEMORY, message=f"{error}"[:MESSAGE], traceback=error.traceback)
    return Finding(Verdict.NOT_YET, got=f"raised {error}"[:MESSAGE], traceback=error.traceback)


def unusable(error: BaseException) -> Finding:
    """The check stumbled over what the learner's function returned, and not over the reference's value."""
    text = f"{type(error).__name__}: {_first_line(str(error))}".removesuffix(": ")
    return Finding(Verdict.NOT_YET, message=f"this check could not use what your function returned ({text})")


def grader_problem(error: BaseException, where: str = "") -> Finding:
    """Ours: told in one line, with the traceback in the log only."""
    _log.error("%s: %r", where or "a check", error, exc_info=error)
    return Finding(Verdict.GRADER_PROBLEM, message=told(error))


def told(error: BaseException) -> str:
    """One line for whoever writes the checks, with the last place of theirs that led there."""
    text = f"{type(error).__name__}: {_first_line(str(error))}"
    places = [(Path(frame.filename).name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    places = [place for place in places if place[0] in CHECK_FILES] or places
    if isinstance(error, SyntaxError) and error.filename:
        text, places = f"{type(error).__name__}: {error.msg}", [(Path(error.filename).name, error.lineno)]
    elif isinstance(error, pytest.FixtureLookupError):
        text, places = f"there is no fixture {error.argname}", []
    place = f" ({places[-1][0]}:{places[-1][1]})" if places else ""
    return text.removesuffix(": ")[: MESSAGE - len(place)] + place


def _first_line(text: str) -> str:
    """A bare assert's own sentence, without what pytest adds below it."""
    lines = text.strip().splitlines()
    return lines[0][:MESSAGE] if lines else ""


def shown_call(failure: Failure) -> Call | None:
    """The call to show: the one whose answer was judged, or else the last."""
    calls = failure.calls
    if isinstance(failure.error, Mismatch) and failure.error.value is not None:
        for call in reversed(calls):
            shown = call.behind(failure.error.value)
            if shown is not None:
                return shown
    return calls[-1] if calls else None
