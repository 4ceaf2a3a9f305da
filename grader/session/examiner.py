"""The examiner: runs the collected checks of one exercise for one learner's file after the other."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import pytest
from hypothesis.errors import UnsatisfiedAssumption

from grader.boundary import wire
from grader.expect import LearnerError
from grader.model import CheckResult, Exercise, FunctionSignature, Submission, Verdict
from grader.session import casebook
from grader.session.bench import Bench
from grader.session.calls import Call
from grader.session.execution import Body, Failure, draw, explore, run_once
from grader.session.judgement import Finding, grader_problem, judge, shown_call, unusable
from grader.session.learner import Seat, SlotLike
from grader.session.pace import Pace, Stopped
from grader.session.results import to_result

FILE_BUDGETS: Final = 10  # times a check's budget: what all checks of one file may take together
PATIENT_TIMEOUTS: Final = 2  # of a file; after them a check that hangs costs its learner less waiting
SHRINK_S: Final = 0.5  # with a case book many files wait: shrinking is what costs, so it is cut short
SHRINK_CALLS: Final = 200  # about as long as SHRINK_S for a fast function, but the same on every machine
SHRUNK_CHECKS: Final = 2  # of one file; the others show their smallest case of the book
CONFIRMED: Final = 20  # fresh inputs of a check that passes the book: enough to meet a table of known answers


class Examiner:
    """One exercise with its checks, its reference and its case book; files come and go.

    Args:
        exercise: what is graded.
        slot: where the learner's code runs.
        functions: the stub's signatures.
        seed: what inputs are drawn from.
        book: where drawn inputs are kept, or None to draw for each file.
        careful: look for the smallest counterexample, and try it again in a fresh child; where only verdicts
            count, that is half of the work.
        secret: where there is one, a check that passes the book meets inputs of this file alone as well, so that
            knowing the book by heart does not help.
    """

    def __init__(
        self,
        exercise: Exercise,
        slot: SlotLike,
        functions: Mapping[str, FunctionSignature],
        seed: str,
        book: casebook.Book | None,
        careful: bool = True,
        secret: str = "",
    ) -> None:
        self.exercise, self.seed, self.book, self.careful = exercise, seed, book, careful
        self.secret = secret
        self.bench = Bench(exercise, slot, functions)
        self._submission = Submission("", None)
        self._taken = self.bench.seat(self._submission)
        self._file_by_s = 0.0
        self._shrunk = self._timeouts = 0

    def begin(self, submission: Submission) -> None:
        """Take the next learner's file."""
        self._submission = submission
        self._shrunk = self._timeouts = 0
        self.bench.limits = self.exercise.limits
        self._file_by_s = time.perf_counter() + FILE_BUDGETS * self.exercise.limits.budget_s

    @contextmanager
    def seated(self) -> Iterator[None]:
        """Hold a fresh child ready for one check and its fixtures."""
        pace = Pace(self._file_by_s, FILE_BUDGETS * self.exercise.limits.budget_s)
        self._taken = self.bench.seat(self._submission, pace)
        with self.bench.seated(self._taken):
            yield

    def failed_setup(self, item: pytest.Item, error: BaseException) -> CheckResult:
        """A fixture kept the check from running."""
        if isinstance(error, pytest.skip.Exception):
            return self.result(item, Finding(Verdict.SKIPPED, message=str(error)))
        failure = Failure(error, tuple(self._taken.calls))
        finding = judge(failure) or grader_problem(error, item.nodeid)
        return to_result(item, finding, self.is_hidden(item), shown_call(failure), self._taken.output())

    def check(self, item: pytest.Function) -> CheckResult:
        """Run one check for the file at hand."""
        start_s = time.perf_counter()
        seat, output = self._taken, ""
        failure: Failure | None = None
        try:
            body = Body(item.obj, _arguments(item), self._seed(item))
            try:
                failure = self._run(body, seat, item)
            finally:
                output = seat.output()
                seat.close()  # a slot has one child at a time, and judging may take another
            finding = Finding(Verdict.PASS) if failure is None else self._judge(failure, body, item)
            call = shown_call(failure) if failure and finding.verdict.costs_points else None
            if self.careful and call and finding.verdict is Verdict.NOT_YET and failure and not failure.flaky:
                finding = self._again(call, finding)
        except pytest.skip.Exception as skip:
            finding, call = Finding(Verdict.SKIPPED, message=str(skip)), None
        except Exception as error:
            finding, call = grader_problem(error, item.nodeid), None
        taken_s = time.perf_counter() - start_s
        self._timeouts += finding.verdict is Verdict.TIMEOUT
        if self._timeouts == PATIENT_TIMEOUTS:
            self.bench.limits = self.exercise.limits.impatient()
        return to_result(item, finding, self.is_hidden(item), call, output, seat.count, taken_s)

    def result(self, item: pytest.Item, finding: Finding, output: str = "") -> CheckResult:
        """What was found out, in the shape of a report."""
        return to_result(item, finding, self.is_hidden(item), output=output)

    def is_hidden(self, item: pytest.Item) -> bool:
        """Whether a check runs at hand-in only."""
        return item.path == self.exercise.hidden_checks

    def _seed(self, item: pytest.Item) -> int:
        """Each check draws from a seed of its own, so that adding one does not change the others."""
        key = f"{self.exercise.id}/{item.path.name}::{item.name}".encode()
        return int.from_bytes(hmac.digest(self.seed.encode(), key, hashlib.sha256), "big")

    def _run(self, body: Body, seat: Seat, item: pytest.Item) -> Failure | None:
        seat.pace.shrink_by_s = time.perf_counter() + self.exercise.limits.budget_s
        oracle = self.bench.oracle
        oracle.answers, oracle.room = None, 0
        if self.book is None:
            return explore(body, seat) if body.drawn else run_once(body, seat)
        key = f"{item.path.name}::{item.name}"
        if key in self.book.entries:
            oracle.answers = self.book.entries[key].answers
        elif body.drawn:
            self.book.entries[key] = self._draw(body)
        else:
            return self._first_run(body, seat, self.book.entries.setdefault(key, casebook.Entry()))
        entry = self.book.entries[key]
        if not body.drawn:
            return run_once(body, seat)
        return self._replay(body, seat, entry) if entry.replayed else explore(body, seat)

    def _first_run(self, body: Body, seat: Seat, entry: casebook.Entry) -> Failure | None:
        """Run a check that draws nothing, and keep the reference's answers for the next file."""
        with self.bench.oracle.kept_in(entry):
            return run_once(body, seat)

    def _draw(self, body: Body) -> casebook.Entry:
        if self.exercise.reference is None:
            return casebook.Entry(reason="there is no reference to draw with")
        answers = casebook.Entry()
        with self.bench.reference_seated(), self.bench.oracle.kept_in(answers):
            entry = draw(body)
        entry.answers = answers.answers
        entry.asked = answers.asked or "reference" in body.fixtures
        return entry

    def _replay(self, body: Body, seat: Seat, entry: casebook.Entry) -> Failure | None:
        blind = entry.asked and self.exercise.reference is None
        shrinks = self.careful and not blind and self._shrunk < SHRUNK_CHECKS
        self._hurry(seat.pace)
        failure, dropped = body.replay(entry, seat, all_cases=self.careful and not shrinks)
        if failure is None and dropped * 2 > len(entry.cases) and not blind:
            return explore(body, seat)
        if failure is None and self.secret and not blind:
            return self._confirm(body, seat)
        if failure is None or not shrinks or isinstance(failure.error, Stopped):
            return failure
        self._shrunk += 1
        seat.close()
        self._hurry(seat.pace)
        seat.pace.hurried = True
        smaller = explore(body, seat)
        found = smaller is not None and smaller.calls and not isinstance(smaller.error, Stopped)
        return smaller if found else failure

    def _confirm(self, body: Body, seat: Seat) -> Failure | None:
        """Inputs that are this file's own: the same whenever it is graded, and no use to any other."""
        message = body.seed.to_bytes(32, "big") + (self._submission.source or b"")
        body.seed = int.from_bytes(hmac.digest(self.secret.encode(), message, hashlib.sha256), "big")
        self._hurry(seat.pace)
        failure = explore(body, seat, CONFIRMED)
        self._shrunk += failure is not None
        return failure

    def _hurry(self, pace: Pace) -> None:
        pace.shrinking, pace.shrink_calls = False, SHRINK_CALLS
        pace.shrink_by_s = time.perf_counter() + SHRINK_S

    def _judge(self, failure: Failure, body: Body, item: pytest.Item) -> Finding:
        finding = judge(failure)
        if finding is not None:
            return finding
        if self._learner_called(failure) and self._reference_passes(failure, body):
            return unusable(failure.error)
        return grader_problem(failure.error, item.nodeid)

    @staticmethod
    def _learner_called(failure: Failure) -> bool:
        """Whether the learner's code had a say in the failure."""
        return bool(failure.calls) or failure.arguments is None

    def _reference_passes(self, failure: Failure, body: Body) -> bool:
        """Whether the same execution goes through with the reference in the learner's place."""
        if self.exercise.reference is None:
            return True  # the content was proven before the kit was made
        with self.bench.reference_seated() as seat:
            try:
                if failure.arguments is None or not _kept(failure.arguments):
                    return (explore(body, seat) if body.drawn else run_once(body, seat)) is None
                body.once(failure.arguments)
            except UnsatisfiedAssumption:
                return True
            except KeyboardInterrupt:
                raise
            except BaseException:
                return False
        return True

    def _again(self, call: Call, finding: Finding) -> Finding:
        """Make the shown call once more in a fresh child: an answer that changes tells of state."""
        seat = self.bench.seat(self._submission)
        try:
            again = call.repeat(seat)
        except LearnerError:
            again = seat.calls[-1]
        except Stopped:
            return finding
        finally:
            seat.close()
        if not call.done or _same(call, again):
            return finding
        answers = f"it gave {call.answer} here and {again.answer} in a fresh process"
        return finding.with_message(f"{answers}: it keeps state between calls")


def _arguments(item: pytest.Function) -> dict[str, Any]:
    return {name: item.funcargs[name] for name in item._fixtureinfo.argnames}


def _kept(arguments: Mapping[str, Any]) -> bool:
    try:
        casebook.keep(arguments)
    except casebook.Unfit:
        return False
    return True


def _same(call: Call, again: Call) -> bool:
    if call.raised or again.raised:
        return bool(call.raised and again.raised and call.raised.type == again.raised.type)
    return wire.encode(call.evidence) == wire.encode(again.evidence)
