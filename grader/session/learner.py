"""The learner's side of a check: one fresh child for its calls, whose answers come back as plain data.

A ``Seat`` belongs to one check of one file. The proxy behind the fixture ``learner`` stays for the whole
session and is given a new seat for each check.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from grader.boundary.outcome import Outcome, Raised, RanksOutcome, Returned
from grader.boundary.outcome import Stopped as StoppedOutcome
from grader.expect import LearnerError
from grader.model import FunctionSignature, Limits, Place, Submission, Verdict
from grader.session.calls import AnyCall, Call, RanksCall, RanksResult, rank_remark
from grader.session.frozen import freeze
from grader.session.pace import Pace, Stopped

REMEMBERED: Final = 64  # calls of one execution; a check that compares more of them shows its last
UNWRITTEN: Final = "NotImplementedError"


class JobLike(Protocol):
    """One fresh child of a slot; ``boundary.sandbox.Job`` is one, the tests' fake another."""

    def call(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        kernels: bool = True,
        echo: bool = False,
        measure: bool = False,
    ) -> Outcome:
        """Call a function of the learner's file."""
        ...

    def call_ranks(
        self, name: str, args_by_rank: list[tuple[Any, ...]], kwargs: dict[str, Any]
    ) -> RanksOutcome | Raised | StoppedOutcome:
        """Call a function once on each rank."""
        ...

    def output(self) -> str:
        """What the learner's code printed so far."""
        ...

    def close(self) -> None:
        """End the child and everything that it started."""
        ...


class SlotLike(Protocol):
    """Where jobs come from; ``boundary.sandbox.Slot`` is one, the tests' fake another."""

    @property
    def isolation(self) -> str:
        """How far the learner's code is shut in: strict or process."""
        ...

    def job(
        self,
        submission: Submission,
        limits: Limits,
        given: Path | None,
        functions: Mapping[str, FunctionSignature],
    ) -> JobLike:
        """Open a fresh child for a learner's file; it starts at its first call."""
        ...

    def at(self, place: Place) -> SlotLike:
        """The slot for calls made there."""
        ...


class Seat:
    """Where the calls of one check go: a child that the first call starts.

    Args:
        open_job: opens a job at a place.
        pace: asked before each call whether there is time for it.
    """

    def __init__(self, open_job: Callable[[Place], JobLike], pace: Pace) -> None:
        self._open_job = open_job
        self._jobs: dict[Place, JobLike] = {}
        self.pace = pace
        self.calls: deque[Call] = deque(maxlen=REMEMBERED)
        self.count = 0

    def call(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        place: Place = Place.HERE,
        **options: bool,
    ) -> Returned:
        """Call a function at a place; answers what it returned.

        Raises:
            LearnerError: the function raised.
            Stopped: it met a limit, or is not written yet.
        """
        remark = "" if options.get("kernels", True) else "  # with Triton launches disabled"
        call = self._note(Call(name, freeze(args), freeze(kwargs), remark, place, options))
        outcome = self._open(place).call(name, args, kwargs, **options)
        if isinstance(outcome, Returned):
            call.value, call.done = outcome.value, True
            return outcome
        raise self._ended(call, outcome)

    def call_ranks(self, name: str, args_by_rank: Sequence[tuple[Any, ...]], kwargs: dict[str, Any]) -> RanksResult:
        """Call a function once on each of several ranks.

        Raises:
            LearnerError: a rank raised.
            Stopped: a rank met a limit.
        """
        by_rank = [tuple(args) for args in args_by_rank]
        call = self._note(RanksCall(name, freeze(by_rank[0]), freeze(kwargs), rank_remark(0, len(by_rank))))
        call.by_rank = freeze(by_rank)
        outcome = self._open(Place.HERE).call_ranks(name, by_rank, kwargs)
        if not isinstance(outcome, RanksOutcome):
            raise self._ended(call, outcome)
        bad = next((each for each in outcome.outcomes if not isinstance(each, Returned)), None)
        if bad is not None:
            raise self._ended(call, bad)
        call.values = [each.value for each in outcome.outcomes if isinstance(each, Returned)]
        call.value, call.done = call.values[0], True
        peaks = [peak for peak in outcome.peak_mb if peak is not None]
        told = len(peaks) == len(by_rank)
        return RanksResult(list(call.values), outcome.wire_bytes, peaks if told else None)

    def _note(self, call: AnyCall) -> AnyCall:
        self.pace.step()
        self.count += 1
        self.calls.append(call)
        return call

    def _open(self, place: Place) -> JobLike:
        if place not in self._jobs:
            self._jobs[place] = self._open_job(place)
        return self._jobs[place]

    def _ended(self, call: Call, outcome: Raised | StoppedOutcome) -> BaseException:
        if isinstance(outcome, StoppedOutcome):
            return Stopped(outcome.verdict, outcome.message)
        call.raised, call.done = outcome, True
        if outcome.type == UNWRITTEN:
            return Stopped(Verdict.NOT_YET, "not written yet")
        return LearnerError(outcome.type, outcome.types, outcome.message, outcome.traceback, outcome.line)

    def forget(self) -> None:
        """Begin a new execution of the check: calls from before are not shown."""
        self.calls.clear()

    def output(self) -> str:
        """What the learner's code printed."""
        return "".join(job.output() for job in self._jobs.values())

    def close(self) -> None:
        """End the child; the next call starts a new one."""
        jobs, self._jobs = self._jobs, {}
        for job in jobs.values():
            job.close()
