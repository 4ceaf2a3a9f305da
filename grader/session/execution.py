"""Running the body of a check: over the draws of Hypothesis, over the cases of a book, or once.

With ``surroundings``, the only module that touches the insides of Hypothesis: ``inner_test``,
``BuildContext``, ``ConjectureData`` and the seed. Its version is pinned for their sake.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import pytest
from hypothesis import Phase, is_hypothesis_test
from hypothesis import settings as Settings
from hypothesis._settings import local_settings
from hypothesis.control import BuildContext
from hypothesis.errors import Flaky, StopTest, UnsatisfiedAssumption
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.conjecture.shrinker import sort_key
from hypothesis.internal.entropy import deterministic_PRNG

from grader.session import casebook
from grader.session.calls import Call
from grader.session.frozen import freeze
from grader.session.learner import Seat
from grader.session.pace import Enough, Stopped

PASSING_BY: Final = (StopTest, UnsatisfiedAssumption, Enough, KeyboardInterrupt, pytest.skip.Exception)


@dataclass
class Failure:
    """How a check failed.

    Attributes:
        error: what its body raised.
        calls: the latest calls of that execution.
        arguments: what was drawn for it, or None where it failed outside of the body.
        size: orders failures of one check: the smallest is shown.
        flaky: whether the same arguments passed at another time.
    """

    error: BaseException
    calls: tuple[Call, ...] = ()
    arguments: Mapping[str, Any] | None = None
    size: Any = ()
    flaky: bool = False


class Body:
    """One collected check, with its fixtures filled in.

    Args:
        function: the test function as collected, under ``@given`` or not.
        fixtures: the values of the fixtures and parameters that it takes.
        seed: what Hypothesis draws from.
    """

    def __init__(self, function: Any, fixtures: Mapping[str, Any], seed: int) -> None:
        self.function, self.fixtures, self.seed = function, dict(fixtures), seed
        self.drawn = is_hypothesis_test(function)

    @property
    def inner(self) -> Callable[..., object]:
        """The function below ``@given``."""
        inner: Callable[..., object] = self.function.hypothesis.inner_test
        return inner

    def once(self, arguments: Mapping[str, Any]) -> None:
        """Run the body once, as Hypothesis would, with these arguments."""
        if not self.drawn:
            self.function(**self.fixtures)
            return
        with self._as_in_hypothesis():
            self.inner(**self.fixtures, **freeze(dict(arguments)))

    def explore(
        self,
        watch: Callable[[Callable[..., object]], Callable[..., object]],
        shrink: bool = True,
        examples: int | None = None,
    ) -> None:
        """Let Hypothesis run the body, wrapped by ``watch``; raises what it raises.

        Args:
            watch: wraps the body.
            shrink: whether a failing input is made smaller.
            examples: at most so many fresh inputs, and none of the written ones; None for what the check says.
        """
        function = self.function
        handle, inner, settings = function.hypothesis, self.inner, function._hypothesis_internal_use_settings
        if not shrink:
            phases = [phase for phase in settings.phases if phase is not Phase.shrink]
            function._hypothesis_internal_use_settings = Settings(settings, phases=phases)
        if examples is not None:
            phases = [phase for phase in settings.phases if phase is not Phase.explicit]
            most = min(examples, settings.max_examples)
            function._hypothesis_internal_use_settings = Settings(settings, phases=phases, max_examples=most)
        function._hypothesis_internal_use_seed = self.seed
        handle.inner_test = watch(inner)
        try:
            function(**self.fixtures)
        finally:
            handle.inner_test = inner
            function._hypothesis_internal_use_settings = settings

    @contextmanager
    def _as_in_hypothesis(self) -> Iterator[ConjectureData]:
        """What ``note``, ``event``, ``assume`` and ``target`` need around them."""
        data = ConjectureData.for_choices([])
        settings = self.function._hypothesis_internal_use_settings
        # Once for all cases of a check: seeding costs 0.2 ms, more than a case itself.
        with (
            local_settings(settings),
            deterministic_PRNG(),
            BuildContext(data, is_final=False, wrapped_test=self.function),
        ):
            yield data

    def replay(self, entry: casebook.Entry, seat: Seat, all_cases: bool) -> tuple[Failure | None, int]:
        """Run the body over the cases of a book.

        Args:
            entry: the book's entry for this check.
            seat: where the calls go.
            all_cases: go on after a failure, to find the smallest failing case.

        Returns:
            the failure, and how many cases an assumption dropped.
        """
        worst: Failure | None = None
        dropped = 0
        inner, fixtures = self.inner, self.fixtures
        with self._as_in_hypothesis() as data:
            for case in entry.cases:
                if worst is not None and len(case) >= worst.size:
                    continue
                seat.forget()
                data.target_observations.clear()
                try:
                    inner(**fixtures, **casebook.thaw(case))
                except UnsatisfiedAssumption:
                    dropped += 1
                except Enough:
                    break
                except Stopped as stop:
                    if worst is None:
                        worst = Failure(stop, tuple(seat.calls), casebook.thaw(case), len(case))
                    break
                except (Exception, pytest.fail.Exception) as error:
                    worst = Failure(error, tuple(seat.calls), casebook.thaw(case), len(case))
                    seat.pace.shrinking = True
                    if not all_cases:
                        break
        return worst, dropped


class Watcher:
    """Notes every failing execution of a body while Hypothesis explores it."""

    def __init__(self, body: Body, seat: Seat) -> None:
        self._body, self._seat = body, seat
        self.best: Failure | None = None
        self.last: Failure | None = None

    def wrap(self, inner: Callable[..., object]) -> Callable[..., object]:
        """The body, watched."""
        fixtures, seat = self._body.fixtures, self._seat

        @functools.wraps(inner)
        def watched(*args: Any, **kwargs: Any) -> object:
            drawn = {name: freeze(value) for name, value in kwargs.items() if name not in fixtures}
            seat.forget()
            try:
                return inner(*args, **kwargs)
            except PASSING_BY:
                raise
            except BaseException as error:
                self._note(Failure(error, tuple(seat.calls), drawn, _size()))
                raise

        return watched

    def _note(self, failure: Failure) -> None:
        if self.best is not None and isinstance(failure.error, Stopped):
            return  # a limit met while shrinking a wrong answer: the wrong answer came first
        self._seat.pace.shrinking = True
        self.last = failure
        if self.best is None or failure.size < self.best.size:
            self.best = failure


def _size() -> Any:
    from hypothesis.control import current_build_context

    return sort_key(current_build_context().data.nodes)


def explore(body: Body, seat: Seat, examples: int | None = None) -> Failure | None:
    """Run a check over fresh draws and shrink what fails."""
    watcher = Watcher(body, seat)
    try:
        body.explore(watcher.wrap, examples=examples)
    except (KeyboardInterrupt, pytest.skip.Exception):
        raise
    except (Enough, Stopped) as stop:
        return watcher.best or Failure(stop)
    except Flaky as error:
        last = watcher.last or Failure(error)
        return Failure(last.error, last.calls, last.arguments, last.size, flaky=True)
    except BaseException as error:
        last = watcher.last or Failure(error)
        return last if last.error is error else Failure(error)
    return None


def run_once(body: Body, seat: Seat) -> Failure | None:
    """Run a check that draws nothing."""
    seat.forget()
    try:
        body.once({})
    except (KeyboardInterrupt, pytest.skip.Exception):
        raise
    except BaseException as error:
        return Failure(error, tuple(seat.calls), {})
    return None


def draw(body: Body) -> casebook.Entry:
    """Draw the cases of a check, the reference being its learner, and keep those that complete."""
    entry = casebook.Entry(replayed=True)
    size = dropped = 0

    def record(inner: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(inner)
        def recorded(*args: Any, **kwargs: Any) -> object:
            nonlocal size, dropped
            # Before the body: it may change what was drawn.
            case = casebook.keep({name: value for name, value in kwargs.items() if name not in body.fixtures})
            try:
                inner(*args, **kwargs)
            except UnsatisfiedAssumption:
                dropped += 1
                raise
            size += len(case)
            if size > casebook.MAX_BYTES:
                raise casebook.Unfit(f"its inputs take more than {casebook.MAX_BYTES >> 20} MiB")
            entry.cases.append(case)
            return None

        return recorded

    try:
        body.explore(record, shrink=False)
    except (KeyboardInterrupt, pytest.skip.Exception):
        raise
    except BaseException as error:
        return casebook.Entry(reason=f"{type(error).__name__}: {error}"[:200])
    if dropped > len(entry.cases):
        return casebook.Entry(reason="assume() drops most of the cases")
    return entry
