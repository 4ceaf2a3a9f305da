"""A slot without a sandbox: it runs a learner's file in this process, behind the same two methods.

For tests of what lies above the boundary. Values still go through the codec, a new job still is a new module,
and ``stops`` lets a test end calls as a limit would.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.boundary import wire
from grader.boundary.outcome import Outcome, Raised, RanksOutcome, Returned, Stopped
from grader.catalog import given_in_place
from grader.model import FunctionSignature, Limits, Place, Submission, Verdict


class FakeSlot:
    """Opens fake jobs and remembers what they did.

    Args:
        stops: asked before each call of a learner's file; what it returns ends the job.
    """

    isolation = "process"

    def __init__(self, stops: Callable[[str, tuple[Any, ...]], Stopped | None] | None = None) -> None:
        self.stops = stops
        self.started = 0
        self.calls = 0
        self.open = 0

    def at(self, place: Place) -> FakeSlot:
        """This one: a fake has one interpreter."""
        return self

    def job(
        self,
        submission: Submission,
        limits: Limits,
        given: Path | None,
        functions: Mapping[str, FunctionSignature],
    ) -> FakeJob:
        """A new module of the same source."""
        self.started += 1
        return FakeJob(self, submission, given, functions)


class FakeJob:
    """One run of a learner's file."""

    def __init__(
        self, slot: FakeSlot, submission: Submission, given: Path | None, functions: Mapping[str, Any]
    ) -> None:
        self.slot, self.submission, self.given, self.functions = slot, submission, given, functions
        self.module: ModuleType | None = None
        self.dead: Stopped | None = None
        self.printed = io.StringIO()
        self.closed = False

    def call(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        *,
        kernels: bool = True,
        echo: bool = False,
        measure: bool = False,
    ) -> Outcome:
        """Call a function in this process."""
        assert not self.closed, "a closed job was called"
        if self.dead is None and self.module is None:
            self.dead = self._load()
        if self.dead is None and self.slot.stops and self.submission.name != "reference.py":
            self.dead = self.slot.stops(name, args)
        if self.dead is not None:
            return self.dead
        self.slot.calls += 1
        args, kwargs = wire.decode(wire.encode((args, dict(kwargs))))
        start_s = time.process_time()
        try:
            with contextlib.redirect_stdout(self.printed), given_in_place(self.given):
                value = getattr(self.module, name)(*args, **kwargs)
        except Exception as error:
            return self._raised(error)
        cpu_s = time.process_time() - start_s
        after = wire.decode(wire.encode((args, kwargs))) if echo else None
        return Returned(wire.decode(wire.encode(value)), after, cpu_s, None, int(kernels))

    def call_ranks(
        self, name: str, args_by_rank: list[tuple[Any, ...]], kwargs: Mapping[str, Any]
    ) -> RanksOutcome | Raised | Stopped:
        """Call the function once per rank, one after the other: for functions that do not talk."""
        outcomes = []
        for args in args_by_rank:
            outcome = self.call(name, args, kwargs)
            if not isinstance(outcome, Returned):
                return outcome
            outcomes.append(outcome)
        return RanksOutcome(tuple(outcomes), None)

    def output(self) -> str:
        """What it printed."""
        return self.printed.getvalue()

    def close(self) -> None:
        """Forget the module."""
        if not self.closed and self.module is not None:
            self.slot.open -= 1
        self.closed, self.module = True, None

    def _load(self) -> Stopped | None:
        if self.submission.source is None:
            return Stopped(Verdict.LAYOUT, self.submission.fault)
        module = ModuleType("submission")
        try:
            code = compile(self.submission.source, self.submission.name, "exec", dont_inherit=True)
            with contextlib.redirect_stdout(self.printed), given_in_place(self.given):
                exec(code, module.__dict__)
        except Exception as error:
            return Stopped(Verdict.LAYOUT, f"{self.submission.name} cannot be loaded: {error!r}")
        missing = [name for name in self.functions if name not in module.__dict__]
        if missing:
            return Stopped(Verdict.LAYOUT, f"{self.submission.name} has no function {missing[0]}")
        self.module = module
        self.slot.open += 1
        return None

    def _raised(self, error: Exception) -> Raised:
        frames = [
            f"line {frame.lineno}, in {frame.name}"
            for frame in traceback.extract_tb(sys.exc_info()[2])
            if frame.filename == self.submission.name
        ]
        types = tuple(kind.__name__ for kind in type(error).__mro__)
        return Raised(type(error).__name__, types, str(error), "\n".join(frames), None)
