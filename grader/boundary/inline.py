"""Learner's code in a plain subprocess that shares the terminal, for ``breakpoint()``: no limits, no walls.

The values still cross as frames, and each job is still a fresh process: a check sees what it always sees.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.boundary import wire
from grader.boundary.outcome import Outcome, Raised, RanksOutcome, Returned, Stopped
from grader.model import FunctionSignature, Limits, Place, Submission, Verdict

HERE = Path(__file__).resolve().parent
NAME = "inline"
BOOT = """\
import socket, sys
sys.path.insert(0, sys.argv[1])
import worker
sys.exit(worker.serve(socket.socket(fileno=int(sys.argv[2]))))
"""


class InlineSlot:
    """Where inline jobs come from; has the face of ``sandbox.Slot``."""

    isolation = NAME

    def at(self, place: Place) -> InlineSlot:
        """This one: its jobs are interpreters of their own anyway, and see what the terminal's user sees."""
        return self

    def job(
        self,
        submission: Submission,
        limits: Limits,
        given: Path | None,
        functions: Mapping[str, FunctionSignature],
    ) -> InlineJob:
        """A job for one file; its process starts with its first call."""
        return InlineJob(submission, given, functions)


class InlineJob:
    """One learner's file in a process (one per rank) whose standard streams are this terminal."""

    def __init__(self, submission: Submission, given: Path | None, functions: Mapping[str, FunctionSignature]) -> None:
        """Nothing is started yet."""
        self._submission, self._given = submission, given
        self._functions = {
            name: [(p.name, p.kind, p.has_default) for p in signature.parameters]
            for name, signature in functions.items()
        }
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._workers: list[tuple[subprocess.Popen[bytes], socket.socket]] = []
        self._dead: Stopped | None = None
        self._group = False

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
        """Call a function of the learner's file; nothing is measured, a person may be in the middle of it."""
        outcome = self._call([(name, args, kwargs, {"kernels": kernels, "echo": echo, "gpu": False})], group=False)
        return outcome.outcomes[0] if isinstance(outcome, RanksOutcome) else outcome

    def call_ranks(
        self, name: str, args_by_rank: Sequence[tuple[Any, ...]], kwargs: dict[str, Any]
    ) -> RanksOutcome | Raised | Stopped:
        """Call a function once on each of several ranks, which share the terminal."""
        options = {"kernels": True, "echo": False, "gpu": False}
        return self._call([(name, args, kwargs, options) for args in args_by_rank], group=True)

    def output(self) -> str:
        """Nothing: it stands on the terminal already."""
        return ""

    def close(self) -> None:
        """End the processes."""
        workers, self._workers = self._workers, []
        for process, channel in workers:
            channel.close()
            process.kill()
            process.wait()
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.cleanup()

    def _call(self, values: Sequence[Any], *, group: bool) -> RanksOutcome | Stopped:
        if self._submission.source is None:
            return Stopped(Verdict.LAYOUT, self._submission.fault)
        if self._dead is None and (len(self._workers), self._group) != (len(values), group):
            self.close()
            self._group = group
            self._dead = self._start(len(values))
        if self._dead is not None:
            return self._dead
        replies = self._ask(values)
        if replies is None:
            self._dead = Stopped(Verdict.CRASH, "your code ended before it returned")
            return self._dead
        return RanksOutcome(tuple(_outcome(reply) for reply in replies), None)

    def _start(self, ranks: int) -> Stopped | None:
        """Start the processes and have them load the file; why that did not work, or None."""
        self._folder = tempfile.TemporaryDirectory(prefix="inline-")
        environment = os.environ | {"TRITON_INTERPRET": os.environ.get("TRITON_INTERPRET", "1")}
        for _ in range(ranks):
            ours, theirs = socket.socketpair()
            with theirs:
                command = [sys.executable, "-c", BOOT, str(HERE), str(theirs.fileno())]
                process = subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=self._folder.name, env=environment)
            self._workers.append((process, ours))
        order = {
            "name": self._submission.name,
            "source": self._submission.source,
            "given": self._given.read_bytes() if self._given else None,
            "functions": self._functions,
            "ranks": ranks if self._group else 0,
        }
        replies = self._ask([order | {"rank": rank} for rank in range(ranks)])
        for reply in replies or []:
            if reply.kind == "layout":
                return Stopped(Verdict.LAYOUT, str(reply.value))
        if replies is None or any(reply.kind != "loaded" for reply in replies):
            return Stopped(Verdict.CRASH, "your file could not be loaded")
        return None

    def _ask(self, values: Sequence[Any]) -> list[wire.Frame] | None:
        """One frame to each rank, one back from each; None where one has gone."""
        try:
            for (_, channel), value in zip(self._workers, values, strict=True):
                wire.send_frame(channel, secrets.randbits(64), "call", value)
            frames = [wire.recv_frame(channel) for _, channel in self._workers]
        except (OSError, wire.WireError):
            return None
        found = [frame for frame in frames if frame is not None]
        return found if len(found) == len(frames) else None


def _outcome(frame: wire.Frame) -> Outcome:
    if frame.kind == "returned":
        value, arguments, launches = frame.value
        return Returned(value, arguments, 0.0, None, launches)
    error = frame.value
    return Raised(error["type"], tuple(error["types"]), error["message"], error["traceback"], error["line"])
