"""Stations on a dask.distributed cluster: the same units, and their reports streaming back to the one ledger.

A worker's task is a unit in bytes and its answer a report in bytes. Each thread of a dask worker drives a station
in a process of its own: pytest and slots want a main thread. A station that dies is replaced there; a dask worker
that dies has its unit done elsewhere, and a unit that kills three of either is the grader's problem.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from grader.batch.crew import DEATHS, Done, LocalCrew
from grader.batch.station import Setup
from grader.batch.unit import Unit
from grader.errors import UsageError

ADDRESS: Final = re.compile(r"(tcp|tls|ws|wss|ucx|inproc)://.+")
CONNECT_S: Final = 20.0
AHEAD: Final = 2  # units per thread that are under way: the next one is there when one is done, and few are lost
_stations = threading.local()


class Answer(msgspec.Struct, frozen=True):
    """What a task sends back."""

    report: bytes | None
    fault: str = ""


class ClusterCrew:
    """Grades units on a cluster.

    Args:
        setup: what every station is told.
        address: the scheduler's.

    Raises:
        UsageError: there is no scheduler at that address, or dask.distributed is not installed.
    """

    def __init__(self, setup: Setup, address: str) -> None:
        """Connects, and waits for the first worker."""
        if not ADDRESS.fullmatch(address):
            raise UsageError(f"--cluster {address}: no address of a cluster.", "Write it as tcp://HOST:8786.")
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            remedy = "pip install 'pretraining-grader[cluster]'"
            raise UsageError("--cluster needs dask.distributed, which is not installed.", remedy) from None
        try:
            self._client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
        except OSError as error:
            remedy = "Start `dask scheduler`, and `dask worker` with the same course; docs/scale.md shows how."
            raise UsageError(f"no cluster answers at {address}: {error}.", remedy) from None
        self._setup = msgspec.msgpack.encode(setup)

    def __enter__(self) -> Self:
        """Connected already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the cluster as it is; what is under way is forgotten."""
        self._client.close(timeout=CONNECT_S)

    def grade(self, units: Sequence[Unit]) -> Iterator[Done]:
        """Each unit once, as they get done."""
        self._client.wait_for_workers(1, timeout=CONNECT_S)
        self._client.run_on_scheduler(allow_deaths)
        left = deque(units)
        running: dict[Any, Unit] = {}
        queue = import_module("distributed").as_completed(loop=self._client.loop)
        while left or running:
            threads = sum(self._client.nthreads().values()) or 1
            while left and len(running) < AHEAD * threads:
                unit = left.popleft()
                task = msgspec.msgpack.encode(unit)
                future = self._client.submit(grade_here, self._setup, task, key=f"grade-{unit.key}", pure=False)
                running[future] = unit
                queue.add(future)
            future = next(queue)
            yield _done(running.pop(future), future)
            future.release()


def _done(unit: Unit, future: Any) -> Done:
    if future.status in ("cancelled", "lost"):
        remedy = "What is graded is kept: run the command again when the cluster is back."
        raise UsageError("the cluster has gone, or has forgotten its work.", remedy)
    error = future.exception()
    if error is not None:
        text = " ".join(str(error).split())[:300]
        return Done(unit, None, f"the cluster gave it up: {type(error).__name__}: {text}")
    answer = msgspec.msgpack.decode(future.result(), type=Answer)
    return Done(unit, answer.report, answer.fault)


def allow_deaths(dask_scheduler: Any) -> None:
    """Runs in the scheduler: so many workers may die of one task."""
    dask_scheduler.allowed_failures = DEATHS - 1


def grade_here(setup: bytes, task: bytes) -> bytes:
    """Runs in a worker's thread: grade one unit in this thread's own station."""
    unit = msgspec.msgpack.decode(task, type=Unit)
    if getattr(_stations, "setup", None) != setup:
        _end_station()
        _stations.crew = LocalCrew(msgspec.msgpack.decode(setup, type=Setup), 1, {})
        _stations.setup = setup
    [done] = _stations.crew.grade([unit])
    return msgspec.msgpack.encode(Answer(done.report, done.fault))


def _end_station() -> None:
    crew = getattr(_stations, "crew", None)
    if crew is not None:
        crew.__exit__(None, None, None)
