"""What one call across the boundary came to.

A call of a learner's function ends in one of three ways: it returned, it raised, or it was stopped. None of
them is a judgement yet; judging is done by the checks, on the trusted side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.model import Verdict


@dataclass(frozen=True)
class Returned:
    """The function came back with a value.

    Attributes:
        value: plain data, or ``wire.Opaque`` where it was something else.
        arguments: positional and keyword arguments as they are after the call, or None unless asked for.
        cpu_s: CPU seconds of the call, measured from outside.
        peak_mb: largest memory of the call in MiB, measured from outside; None where the OS cannot tell.
        launches: how many Triton kernels were launched.
    """

    value: Any
    arguments: tuple[tuple[Any, ...], Mapping[str, Any]] | None = None
    cpu_s: float = 0.0
    peak_mb: float | None = 0.0
    launches: int = 0


@dataclass(frozen=True)
class Raised:
    """The learner's code raised an exception.

    Attributes:
        type: name of the exception's class.
        types: names of the class and its bases, in method resolution order.
        message: what ``str`` of the exception gave, bounded.
        traceback: the learner's own frames, trimmed.
        line: line of the learner's file where it was raised, or None where no frame is theirs.
    """

    type: str
    types: tuple[str, ...]
    message: str
    traceback: str
    line: int | None


@dataclass(frozen=True)
class Stopped:
    """The call was ended from outside; the job takes no more calls.

    Attributes:
        verdict: timeout, memory, crash, flood or layout.
        message: what happened, with the limit or the line, in the learner's words.
    """

    verdict: Verdict
    message: str


Outcome = Returned | Raised | Stopped


@dataclass(frozen=True)
class RanksOutcome:
    """What one call on several ranks came to.

    Attributes:
        outcomes: one per rank, in order of rank.
        wire_bytes: bytes that crossed the loopback between the ranks, counted by the kernel; None where there
            is no network namespace to count in.
        peak_mb: per rank, how far its memory rose above what it was before the call, in MiB, measured from
            outside; None where the OS cannot tell.
    """

    outcomes: tuple[Outcome, ...]
    wire_bytes: int | None
    peak_mb: tuple[float | None, ...] = ()
