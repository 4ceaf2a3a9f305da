"""The bench where a check finds both files: the learner's in a child, the reference in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from grader.model import Exercise, FunctionSignature, Place, Submission
from grader.session.learner import JobLike, Seat, SlotLike
from grader.session.oracle import Oracle
from grader.session.pace import Pace
from grader.session.proxy import Proxy


class Bench:
    """The proxies of one exercise, and the seats behind them.

    Attributes:
        learner: behind the fixture of that name; who sits there changes with every check.
        reference: behind the fixture of that name.
        oracle: answers for the reference.
        limits: of the children to come.

    Args:
        exercise: whose files these are.
        slot: where children come from.
        functions: the stub's signatures.
    """

    def __init__(self, exercise: Exercise, slot: SlotLike, functions: Mapping[str, FunctionSignature]) -> None:
        self.exercise = exercise
        self._slot, self._functions = slot, functions
        self.limits = exercise.limits
        self.oracle = Oracle(exercise)
        self.learner = Proxy(tuple(functions), "learner")
        self.reference = Proxy(tuple(functions), "reference")
        self.reference.seat_ = self.oracle

    @property
    def isolation(self) -> str:
        """How far the learner's code is shut in."""
        return self._slot.isolation

    def seat(self, submission: Submission, pace: Pace | None = None) -> Seat:
        """A seat for a file; its child starts with the first call."""
        exercise = self.exercise

        def open_job(place: Place) -> JobLike:
            return self._slot.at(place).job(submission, self.limits, exercise.given, self._functions)

        return Seat(open_job, pace or Pace())

    @contextmanager
    def seated(self, seat: Seat) -> Iterator[Seat]:
        """While it lasts, calls of the fixture ``learner`` go to ``seat``; it is closed afterwards."""
        before, self.learner.seat_ = self.learner.seat_, seat
        try:
            yield seat
        finally:
            self.learner.seat_ = before
            seat.close()

    @contextmanager
    def reference_seated(self) -> Iterator[Seat]:
        """The reference in the learner's place, in a child like theirs: with ranks, kernels and limits."""
        path = self.exercise.reference
        assert path is not None
        with self.seated(self.seat(Submission(path.name, path.read_bytes(), str(path)))) as seat:
            yield seat
