"""The trusted side of the boundary: slots that stay warm, and jobs that run one learner's file for one check.

    with Slot("numpy") as slot, slot.job(submission, limits, given, functions) as job:
        outcome = job.call("minhash_signature", ({"a", "b"},), {"num_perm": 4, "seed": 1})

Values come back, verdicts never do. Whatever a job does, a call ends as an ``Outcome``; only a failure of the slot
itself raises (SandboxError), and then the slot is thrown away. A job's processes and files end with it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from grader.boundary import isolation, usage
from grader.boundary.exchange import Broken, Exchange
from grader.boundary.isolation import Level
from grader.boundary.outcome import Outcome, Raised, RanksOutcome, Returned, Stopped
from grader.errors import SandboxError
from grader.model import FunctionSignature, Limits, Place, Submission, Verdict

START_S = 120.0  # a slot that has not imported torch by then is broken: 2.3 s on an idle core, 5.4 s on a busy one
REPLY_S = 30.0  # the zygote only forks and waits: far more than it needs under any load
SCRATCH_MB = 64  # each of a job's /tmp and /dev/shm
BACKSTOP_CPU_S = 3600  # RLIMIT_CPU, should the trusted side stop watching
FILE_MB = 64  # RLIMIT_FSIZE
FLAT_SLOTS = 4  # flat slots of root's that may run at once without taking one another's processes


class Slot:
    """A warm process that forks one confined child per job; at most one job at a time.

    Start slots from the main thread: bubblewrap's ``--die-with-parent`` follows the thread that started it.

    Args:
        preload: what is imported before the forks: ``none``, ``numpy``, ``torch``, ``triton`` (whose kernels run in
            its interpreter on the CPU) or ``gpu`` (triton that compiles).
        level: a level, its name, or None for the best that works here.
        secrets: folders that must not be seen from inside, wherever they lie.
    """

    def __init__(self, preload: str = "numpy", level: Level | str | None = None, secrets: Sequence[Path] = ()) -> None:
        self.preload = preload
        self.level = level if isinstance(level, Level) else isolation.level_named(level)
        package = Path(__file__).resolve().parent.parent
        self.secrets = (package, *(Path(s).resolve() for s in secrets))
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._siblings: dict[Place, Slot] = {}
        self._jobs = self._owed = 0
        self.pid = self.steward = 0
        self.base_mb = 0.0

    @property
    def isolation(self) -> str:
        """The level's name, as reports show it."""
        return self.level.name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def job(
        self,
        submission: Submission,
        limits: Limits,
        given: Path | None,
        functions: Mapping[str, FunctionSignature],
    ) -> Job:
        """A job for one file; its process starts with its first call."""
        return Job(self, submission, limits, given, functions)

    def at(self, place: Place) -> Slot:
        """The slot for calls made there: this one, another interpreter (whose hashes of strings have another salt),
        or one that compiles Triton kernels and, at ``process``, sees the machine's CUDA devices.
        """
        if place is Place.HERE:
            return self
        if place not in self._siblings:
            preload = "gpu" if place is Place.GPU else self.preload
            self._siblings[place] = Slot(preload, self.level, self.secrets)
        return self._siblings[place]

    def start(self) -> None:
        """Start the zygote, unless it runs."""
        if self._process is not None and self._process.poll() is None:
            return
        self.stop()
        self._folder = tempfile.TemporaryDirectory(prefix="slot-", ignore_cleanup_errors=True)
        ours, theirs = socket.socketpair()
        command = isolation.command(self.level, self.preload, self.secrets, theirs.fileno())
        self._log = Path(self._folder.name, "slot.log")
        read_end, write_end = os.pipe()
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [word.replace("{options}", str(read_end)) for word in command.argv],
                pass_fds=[theirs.fileno(), read_end],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=command.environment,
                start_new_session=True,  # Ctrl-C is for the grader, which ends its slots itself
            )
        theirs.close()
        os.close(read_end)
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(command.options or b"")
        self._control = ours
        ours.settimeout(START_S)
        self._read_reply()
        ours.settimeout(REPLY_S)
        self._find_processes()

    def _find_processes(self) -> None:
        assert self._process is not None
        self.pid = self._process.pid
        for _ in range(self.level.wrapped):
            below = usage.children(self.pid)
            self.pid = below[0] if below else self.pid
        below = usage.children(self.pid) if self.level.nested else []
        self.steward = below[0] if below else 0
        self.base_mb = usage.memory_mb([self.pid])  # preloaded pages, which a job shares

    def request(self, fds: Sequence[int] = (), **fields: Any) -> dict[str, Any]:
        """Ask the zygote for something; its reply.

        Raises:
            SandboxError: the zygote died, or could not do it.
        """
        self._send(fds, fields)
        return self._read_reply()

    def post(self, **fields: Any) -> None:
        """Ask for something without waiting for the reply, which the next request reads first.

        Raises:
            SandboxError: the zygote died.
        """
        self._send((), fields)
        self._owed += 1

    def settle(self) -> None:
        """Wait until what was posted is done: nothing is left of the job before.

        Raises:
            SandboxError: the zygote died, or could not do it.
        """
        while self._owed:
            self._owed -= 1
            self._read_reply()

    def _send(self, fds: Sequence[int], fields: Mapping[str, Any]) -> None:
        self.settle()
        data = json.dumps(fields).encode()
        try:
            socket.send_fds(self._control, [struct.pack("<I", len(data))], list(fds))
            self._control.sendall(data)
        except OSError as error:
            raise self._failed(f"could not ask the slot: {error}") from None

    def _read_reply(self) -> dict[str, Any]:
        try:
            head = self._receive(4)
            reply: dict[str, Any] = json.loads(self._receive(struct.unpack("<I", head)[0]))
        except (OSError, struct.error, json.JSONDecodeError) as error:
            raise self._failed(f"the slot does not answer: {error}") from None
        if "error" in reply:
            raise self._failed(str(reply["error"]))
        return reply

    def _receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._control.recv(size - len(data))
            if not more:
                raise OSError("it ended")
            data += more
        return data

    def _failed(self, what: str) -> SandboxError:
        log = self._log.read_text(errors="replace").strip()[-500:] if self._log.exists() else ""
        self.stop()
        return SandboxError(f"sandbox ({self.level.name}, {self.preload}): {what} {log}".strip())

    def scratch(self) -> str:
        """The working folder of the next job, as the job sees it."""
        if self.level.wrapped:
            return "/tmp"
        assert self._folder is not None
        self._jobs += 1
        path = Path(self._folder.name, f"job{self._jobs}")
        path.mkdir()
        return str(path)

    def close(self) -> None:
        """End the zygote with everything in it, and the slots for other places."""
        siblings, self._siblings = self._siblings, {}
        for sibling in siblings.values():
            sibling.close()
        self.stop()

    def stop(self) -> None:
        """End the zygote with everything in it; the next job starts another."""
        process, self._process = self._process, None
        self._owed = 0
        if process is not None:
            process.kill()
            process.wait()
            self._control.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


class Job:
    """One learner's file in a fresh process (or one process per rank), for the calls of one check."""

    def __init__(
        self,
        slot: Slot,
        submission: Submission,
        limits: Limits,
        given: Path | None,
        functions: Mapping[str, FunctionSignature],
    ) -> None:
        self.slot = slot
        self.limits = limits
        self._submission = submission
        self._given = given
        self._functions = {
            name: [(p.name, p.kind, p.has_default) for p in signature.parameters]
            for name, signature in functions.items()
        }
        self._exchange: Exchange | None = None
        self._dead: Stopped | Raised | None = None
        self._retried = self._group = False
        self._scratch = self._printed = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def ranks(self) -> int:
        """How many processes the job has; 0 before the first call."""
        return len(self._exchange.channels) if self._exchange else 0

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
        """Call a function of the learner's file; in a slot for GPUs, with tensors on the device.

        Args:
            name: the function.
            args: positional arguments, plain values.
            kwargs: keyword arguments, plain values.
            kernels: whether Triton launches do anything.
            echo: whether the arguments come back as they are after the call.
            measure: whether CPU time and peak memory are read, from outside.
        """
        options = {"kernels": kernels, "echo": echo, "gpu": self.slot.preload == "gpu"}
        values = [(name, args, dict(kwargs), options)]
        result = self._run(values, measure, group=False)
        return result.outcomes[0] if isinstance(result, RanksOutcome) else result

    def call_ranks(
        self, name: str, args_by_rank: Sequence[tuple[Any, ...]], kwargs: Mapping[str, Any]
    ) -> RanksOutcome | Raised | Stopped:
        """Call the function once on each rank of a fresh gloo group, at the same time.

        Where a rank fails, the answer is that failure, with the rank in its message.
        """
        options = {"kernels": True, "echo": False, "gpu": False}
        return self._run([(name, args, dict(kwargs), options) for args in args_by_rank], False, group=True)

    def output(self) -> str:
        """What the file printed so far, bounded."""
        if self._exchange is not None:
            self._printed = self._exchange.output()
        return self._printed

    def close(self) -> None:
        """End the job's processes, whatever they are doing."""
        exchange, self._exchange = self._exchange, None
        if exchange is None:
            return
        exchange.close()
        level = self.slot.level
        if level.nested and not level.single_use:
            self.slot.post(op="end")  # the kernel takes what the job leaves while the next check is prepared
        else:
            self._end()

    def _run(self, values: list[Any], measure: bool, *, group: bool) -> RanksOutcome | Raised | Stopped:
        if self._dead is not None:
            return self._dead
        if self._submission.source is None:
            self._dead = Stopped(Verdict.LAYOUT, self._submission.fault)
            return self._dead
        try:
            if self._exchange is None or (self.ranks, self._group) != (len(values), group):
                self.close()
                self._group = group
                self._start(len(values))
            assert self._exchange is not None
            return self._exchange.call(values, measure or group)
        except Broken as broken:
            outcome = self._explain(broken)
            again = broken.starved and not self._retried
        if again:  # a busy machine, perhaps: once more, in a fresh child
            self._retried, self._dead = True, None
            return self._run(values, measure, group=group)
        return outcome

    def _start(self, ranks: int) -> None:
        self.slot.start()
        self._scratch = self.slot.scratch()
        channels = [socket.socketpair() for _ in range(ranks)]
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        try:
            self.slot.request(
                [*(theirs.fileno() for _, theirs in channels), out_write, err_write],
                op="start",
                rlimits=self._rlimits(),
                scratch=self._scratch,
                scratch_mb=SCRATCH_MB,
                strict=self.slot.level.strict,
                sockets=self._group,
            )
        except SandboxError:
            for ours, _ in channels:
                ours.close()
            os.close(out_read)
            os.close(err_read)
            raise
        finally:
            for _, theirs in channels:
                theirs.close()
            os.close(out_write)
            os.close(err_write)
        self._exchange = Exchange(self.slot, [ours for ours, _ in channels], out_read, err_read, self.limits)
        order = {
            "name": self._submission.name,
            "source": self._submission.source,
            "given": self._given.read_bytes() if self._given else None,
            "functions": self._functions,
            "ranks": ranks if self._group else 0,
        }
        self._exchange.load([order | {"rank": rank} for rank in range(ranks)])

    def _rlimits(self) -> dict[str, int]:
        limits = {
            "RLIMIT_CPU": BACKSTOP_CPU_S,
            "RLIMIT_FSIZE": FILE_MB * 2**20,
            "RLIMIT_NOFILE": 256,
            "RLIMIT_CORE": 0,
        }
        level = self.slot.level
        if level.wrapped:
            # Counted per user namespace, or, in a flat slot of root's, over all such slots of the machine.
            own = level.nested or level.user_namespace
            limits["RLIMIT_NPROC"] = self.limits.processes * (1 if own else FLAT_SLOTS)
        if self.slot.preload != "gpu":  # CUDA reserves addresses for all of the device's memory
            preloaded = usage.data_mb(self.slot.pid)
            limits["RLIMIT_DATA"] = int((preloaded + self.limits.memory_mb) * 2**20)
        return limits

    def _end(self) -> dict[str, Any]:
        try:
            return self.slot.request(op="end") if self.slot.level.fork else {}
        finally:
            if self.slot.level.single_use:
                self.slot.stop()
            if not self.slot.level.wrapped and self._scratch:
                shutil.rmtree(self._scratch, ignore_errors=True)

    def _explain(self, broken: Broken) -> Raised | Stopped:
        """End the job and say why, in the learner's terms."""
        exchange, self._exchange = self._exchange, None
        statuses: list[int] = []
        if exchange is not None:
            self._printed = exchange.output()
            exchange.close()
            statuses = self._end().get("statuses", [])
        outcome: Raised | Stopped
        if broken.raised is not None:
            return broken.raised  # a rank raised; the group is over, the next call starts a new one
        if broken.verdict is Verdict.CRASH and broken.ended:
            outcome = ended(statuses[broken.rank] if broken.rank < len(statuses) else -1, broken.who)
        else:
            outcome = Stopped(broken.verdict, broken.message)
        self._dead = outcome
        return outcome


def ended(status: int, who: str) -> Stopped:
    """The verdict on a process that ended by itself in the middle of a call, from its wait status."""
    if status < 0:
        return Stopped(Verdict.CRASH, f"{who} closed its answer channel in the middle of a call.")
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name
        if number == signal.SIGXCPU:
            return Stopped(Verdict.TIMEOUT, f"{who} used all of its CPU time.")
        return Stopped(Verdict.CRASH, f"{who} was ended by {name} ({signal.strsignal(number)}).")
    code = os.WEXITSTATUS(status)
    return Stopped(
        Verdict.CRASH,
        f"{who} ended itself with exit code {code} before it returned; look for os._exit() or exit() in C code.",
    )


__all__ = ["Job", "Outcome", "Raised", "RanksOutcome", "Returned", "Slot", "Stopped"]
