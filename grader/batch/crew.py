"""Stations on this machine: one process each, fed over pipes, replaced when they die.

A unit whose station died is given to another one; a unit that three stations died of is the grader's problem,
and costs nobody a point.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

import msgspec

from grader.batch.station import Setup
from grader.batch.unit import Unit
from grader.session.examiner import FILE_BUDGETS

DEATHS: Final = 3  # of stations at one unit, after which it is left alone
SLACK_S: Final = 120.0  # beyond what a file may take: starting slots, drawing a book, a busy machine
POLL_S: Final = 5.0


@dataclass(frozen=True)
class Done:
    """A unit and what came of it.

    Attributes:
        report: as ``encode_report`` writes it, or None where nobody could grade it.
        fault: why not.
    """

    unit: Unit
    report: bytes | None
    fault: str = ""


class Crew(Protocol):
    """Grades units somewhere, in any order."""

    def grade(self, units: Sequence[Unit]) -> Iterator[Done]:
        """Each unit once."""
        ...


def cores() -> int:
    """How many stations this machine can keep busy."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Worker:
    """One station's process, as its master sees it.

    A plain subprocess: it can be started from any thread of any process, and knows nothing of the master's main
    module. Two descriptors are its whole world: the channel, and a leash that breaks when the master ends.
    """

    def __init__(self, setup: Setup) -> None:
        ours, theirs = socket.socketpair()
        hold, self._leash = os.pipe()
        root = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grader.batch.post", str(theirs.fileno()), str(hold)],
            pass_fds=[theirs.fileno(), hold],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for the master
        )
        theirs.close()
        os.close(hold)
        self.channel = Connection(ours.detach())
        self.unit: Unit | None = None
        self.since_s = 0.0
        self._send(msgspec.msgpack.encode(setup))

    def give(self, unit: Unit) -> None:
        """Hand over a unit."""
        self.unit, self.since_s = unit, time.monotonic()
        self._send(msgspec.msgpack.encode(unit))

    def _send(self, data: bytes) -> None:
        """A station that has just died is noticed by its silence."""
        with suppress(OSError):
            self.channel.send_bytes(data)

    def end(self) -> None:
        """End it at once; what it was grading is graded by another."""
        self.process.kill()
        self.process.wait()
        self.channel.close()
        os.close(self._leash)


class LocalCrew:
    """Stations on this machine.

    Args:
        setup: what each of them is told.
        size: how many.
        budgets_s: wall seconds that a check of each exercise may take, by id: a station that needs far more
            for a file is taken for hung.
    """

    def __init__(self, setup: Setup, size: int, budgets_s: dict[str, float]) -> None:
        """Starts nothing."""
        self._setup, self._size, self._budgets_s = setup, size, budgets_s
        self._workers: list[_Worker] = []
        self._deaths: Counter[str] = Counter()

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all stations."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.end()

    @property
    def pids(self) -> list[int]:
        """The stations' processes."""
        return [worker.process.pid for worker in self._workers]

    def grade(self, units: Sequence[Unit]) -> Iterator[Done]:
        """Each unit once, as they get done; a station stays with an exercise as long as there is work for it."""
        waiting: defaultdict[str, deque[Unit]] = defaultdict(deque)
        for unit in units:
            waiting[unit.exercise].append(unit)
        missing = len(units)
        while missing:
            self._fill(waiting)
            for done in self._hear(waiting):
                missing -= 1
                yield done

    def _fill(self, waiting: defaultdict[str, deque[Unit]]) -> None:
        """Start what is missing, and give everyone something to do."""
        left = sum(map(len, waiting.values()))
        busy = sum(worker.unit is not None for worker in self._workers)
        while len(self._workers) < min(self._size, busy + left):
            self._workers.append(_Worker(self._setup))
        for worker in self._workers:
            if worker.unit is None and any(waiting.values()):
                self._feed(worker, waiting)

    def _feed(self, worker: _Worker, waiting: defaultdict[str, deque[Unit]], last: str = "") -> None:
        if not waiting[last]:
            taken = Counter(other.unit.exercise for other in self._workers if other.unit)
            last = max(waiting, key=lambda id: len(waiting[id]) / (1 + taken[id]))
        if waiting[last]:
            worker.give(waiting[last].popleft())

    def _hear(self, waiting: defaultdict[str, deque[Unit]]) -> Iterator[Done]:
        channels = {worker.channel: worker for worker in self._workers}
        for ready in wait(list(channels), timeout=POLL_S):
            worker = channels[ready]  # type: ignore[index]
            unit = worker.unit
            try:
                report = worker.channel.recv_bytes()
            except (EOFError, OSError):
                yield from self._bury(worker, waiting, f"its process ended ({_how(worker.process)})")
                continue
            worker.unit = None
            if unit is not None:
                self._feed(worker, waiting, unit.exercise)
                yield Done(unit, report)
        for worker in list(self._workers):
            if worker.unit and time.monotonic() - worker.since_s > self._patience_s(worker.unit):
                yield from self._bury(worker, waiting, "its process did not answer any more")

    def _patience_s(self, unit: Unit) -> float:
        return 2 * FILE_BUDGETS * self._budgets_s.get(unit.exercise, 30.0) + SLACK_S

    def _bury(self, worker: _Worker, waiting: defaultdict[str, deque[Unit]], how: str) -> Iterator[Done]:
        self._workers.remove(worker)
        worker.end()
        unit = worker.unit
        if unit is None:
            self._deaths[""] += 1
            if self._deaths[""] > DEATHS * self._size:
                raise RuntimeError(f"stations do not stay alive: {how}")
            return
        self._deaths[unit.key] += 1
        if self._deaths[unit.key] >= DEATHS:
            yield Done(unit, None, f"{DEATHS} processes died of it: {how}")
        else:
            waiting[unit.exercise].appendleft(unit)


def _how(process: subprocess.Popen[bytes]) -> str:
    try:
        code = process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return "it closed its channel"
    return f"signal {-code}" if code < 0 else f"exit code {code}"
