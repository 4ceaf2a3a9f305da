"""One job's conversation: a frame to each rank, a frame back from each, and an eye on what it costs meanwhile.

The stream is never trusted: bytes before a question, a wrong id, an undecodable frame or a closed end finish the job.
Time and memory are read from outside; the job is not asked.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import socket
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from grader.boundary import usage, wire
from grader.boundary.outcome import Outcome, Raised, RanksOutcome, Returned
from grader.model import Limits, Verdict

if TYPE_CHECKING:
    from grader.boundary.sandbox import Slot

QUIET_S = 0.05  # a call shorter than this is not sampled: most end in microseconds
SAMPLE_S = 0.05  # between samples of CPU and memory; the memory limit can be overrun for as long
IDLE_SHARE = 0.05  # of a core: four ranks that wait for one another use 0.007 in gloo's timers
BACKSTOP = 10  # wall seconds per CPU second that a call may use: for those that neither compute nor sleep
LOAD_CPU_S = 20.0  # for importing the learner's file: torch takes 1.8 s on a busy core
GRACE_S = 0.5  # for the other ranks to answer after one has failed
SHOWN = 4_000  # characters of output that are kept for showing
CHUNK = 1 << 18
FLOWING = 4096  # bytes at once of an answer that is on its way; what drips keeps nobody waiting


class Broken(Exception):
    """The job is over: which verdict, and why."""

    def __init__(
        self,
        verdict: Verdict,
        message: str = "",
        *,
        rank: int = 0,
        ended: bool = False,
        starved: bool = False,
    ) -> None:
        super().__init__(message)
        self.verdict, self.message, self.rank = verdict, message, rank
        self.ended, self.starved = ended, starved
        self.who = "your code"
        self.raised: Raised | None = None


class Exchange:
    """The channels and pipes of one running job."""

    def __init__(self, slot: Slot, channels: Sequence[socket.socket], out: int, err: int, limits: Limits) -> None:
        self.channels = list(channels)
        self._slot, self._limits = slot, limits
        self._pipes = [out, err]
        self._readers = [wire.FrameReader() for _ in channels]
        self._poll = select.poll()
        for channel in channels:
            channel.setblocking(False)
            self._poll.register(channel, select.POLLIN)
        for fd in self._pipes:
            os.set_blocking(fd, False)
            self._poll.register(fd, select.POLLIN)
        self._fds = {channel.fileno(): rank for rank, channel in enumerate(channels)}
        self._printed = bytearray()
        self._printed_bytes = 0
        self._meter = usage.Meter()

    def close(self) -> None:
        """Close this side's descriptors."""
        for channel in self.channels:
            channel.close()
        for fd in self._pipes:
            os.close(fd)

    def output(self) -> str:
        """What was printed so far, the first part of it, whether or not it is over the limit."""
        with contextlib.suppress(Broken):  # a verdict belongs to a call
            self._drain()
        return self._printed.decode("utf-8", "replace")[:SHOWN]

    def load(self, orders: Sequence[dict[str, Any]]) -> None:
        """Send each rank its file to load; returns when all have it.

        Raises:
            Broken: the file cannot be loaded (``layout``), or loading it broke a limit.
        """
        replies = self._ask(list(orders), LOAD_CPU_S + self._limits.cpu_s, "was imported")
        for rank, (kind, value) in sorted(replies.items()):
            if kind == "layout" and isinstance(value, str):
                raise Broken(Verdict.LAYOUT, value)
            if kind == "raised":
                raised = self._raised(value, rank)
                if raised.type == "MemoryError":
                    raise Broken(Verdict.MEMORY, self._memory_text("while it was imported"))
                raise Broken(Verdict.CRASH, f"the worker could not start: {raised.type}: {raised.message}")
            if kind != "loaded":
                raise self._confused(rank, f"a {kind!r} frame")

    def call(self, values: Sequence[Any], measure: bool) -> RanksOutcome:
        """Put one call to each rank and collect what they answer; of several ranks, traffic and memory are read too."""
        many = len(values) > 1
        pids = self._job_pids() if measure else []
        before_mb = [usage.reset_peak(pid) for pid in pids]
        cpu_before = self.read_cpu(self.pids()) if pids else 0.0
        counted = many and self._slot.level.strict
        wire_before = usage.loopback_bytes(self._slot.pid) if counted else None
        replies = self._ask(values, self._limits.cpu_s, "ran")
        outcomes = tuple(self._outcome(rank, *replies[rank]) for rank in range(len(values)))
        after = usage.loopback_bytes(self._slot.pid) if counted else None
        wire_bytes = None if wire_before is None or after is None else after - wire_before
        peaks = tuple(
            None if before is None else max(0.0, usage.peak_mb(pid) - before)
            for pid, before in zip(pids, before_mb, strict=True)
        )
        returned = outcomes[0]
        if not many and pids and isinstance(returned, Returned):
            self._settle(pids)
            cpu_s = self.read_cpu(self.pids()) - cpu_before
            outcomes = (Returned(returned.value, returned.arguments, cpu_s, peaks[0], returned.launches),)
        return RanksOutcome(outcomes, wire_bytes, peaks)

    def read_cpu(self, pids: list[int]) -> float:
        """CPU seconds of the job so far; ``pids`` are its processes now."""
        return self._meter.read(pids)

    def _settle(self, pids: list[int]) -> None:
        """Wait until nothing of the job runs any more, so that work left to a thread counts too."""
        for _ in range(200):
            if usage.all_asleep(usage.tree(pids)):
                return
            time.sleep(0.001)

    def _outcome(self, rank: int, kind: str, value: Any) -> Outcome:
        if kind == "raised":
            return self._raised(value, rank)
        if kind != "returned" or not (isinstance(value, tuple) and len(value) == 3):
            raise self._confused(rank, f"a {kind!r} frame")
        result, arguments, launches = value
        if arguments is not None and not (isinstance(arguments, tuple) and len(arguments) == 2):
            raise self._confused(rank, "echoed arguments of another shape")
        return Returned(result, arguments, 0.0, None, launches if isinstance(launches, int) else 0)

    def _raised(self, value: Any, rank: int) -> Raised:
        if not isinstance(value, dict):
            raise self._confused(rank, "an exception of another shape")
        text = {key: value.get(key) if isinstance(value.get(key), str) else "" for key in ("type", "message")}
        types = value.get("types")
        names = tuple(t for t in types if isinstance(t, str)) if isinstance(types, list) else ()
        trace, line = value.get("traceback"), value.get("line")
        message = str(text["message"])
        if len(self.channels) > 1:
            message = f"on rank {rank}: {message}"
        return Raised(
            str(text["type"]) or "Exception",
            names,
            message,
            trace if isinstance(trace, str) else "",
            line if isinstance(line, int) else None,
        )

    def _confused(self, rank: int, what: str) -> Broken:
        return Broken(Verdict.CRASH, f"{self._who(rank)} broke the answer channel: {what}.", rank=rank)

    def _who(self, rank: int) -> str:
        return f"rank {rank}" if len(self.channels) > 1 else "your code"

    def _ask(self, values: Sequence[Any], cpu_s: float, verb: str) -> dict[int, tuple[str, Any]]:
        calls: list[int] = []
        parts: list[Any] = []
        for rank, value in enumerate(values):
            if self._readers[rank].pending or self._readable(rank):
                raise self._confused(rank, "it wrote without being asked")
            calls.append(secrets.randbits(64))
            parts.append(wire.encode_frame(calls[rank], "call", value))
        watch = Watch(self, cpu_s, verb)
        for rank, channel in enumerate(self.channels):
            self._send(rank, channel, parts[rank], watch)
        replies: dict[int, tuple[str, Any]] = {}
        while len(replies) < len(values):
            for fd, event in self._poll.poll(watch.timeout_ms()):
                rank = self._fds.get(fd, -1)
                if rank < 0:
                    self._drain()
                elif event and self._read(rank, calls, replies) >= FLOWING:
                    watch.moved()
            if watch.due():
                watch.look()
            if len(self.channels) > 1:
                self._watch_ranks(replies, watch)
        self._drain()
        return replies

    def _send(self, rank: int, channel: socket.socket, parts: Any, watch: Watch) -> None:
        """Send all of a frame; a job that does not read is on its own clock."""
        view = memoryview(b"".join(parts))
        while view:
            try:
                view = view[channel.send(view) :]
                watch.moved()
            except BlockingIOError:
                select.select([self._pipes[0], self._pipes[1]], [channel], [], 0.02)
                self._drain()
                if watch.due():
                    watch.look()
            except OSError:
                raise self._gone(rank) from None

    def _gone(self, rank: int) -> Broken:
        broken = Broken(Verdict.CRASH, rank=rank, ended=True)
        broken.who = self._who(rank)
        return broken

    def _read(self, rank: int, calls: list[int], replies: dict[int, tuple[str, Any]]) -> int:
        """Take what one rank sent; how many bytes that was."""
        try:
            data = self.channels[rank].recv(CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            if rank in replies:  # it answered, then ended: the next call finds out
                self._poll.unregister(self.channels[rank])
                return 0
            raise self._gone(rank)
        try:
            frame = self._readers[rank].feed(data)
            if frame is None:
                return len(data)
            if rank in replies or frame.call != calls[rank]:
                raise self._confused(rank, "an answer that was not asked for")
            replies[rank] = (frame.kind, frame.value)
        except wire.WireError as error:
            raise self._confused(rank, str(error)) from None
        return len(data)

    def _readable(self, rank: int) -> bool:
        try:
            data = self.channels[rank].recv(CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            raise self._gone(rank)
        return True

    def _drain(self) -> None:
        for fd in self._pipes:
            while True:
                try:
                    data = os.read(fd, CHUNK)
                except BlockingIOError:
                    break
                if not data:
                    with contextlib.suppress(KeyError):
                        self._poll.unregister(fd)
                    break
                self._printed_bytes += len(data)
                self._printed += data[: max(0, 4 * SHOWN - len(self._printed))]
                if self._printed_bytes > self._limits.output_kb * 1024:
                    raise Broken(
                        Verdict.FLOOD,
                        f"your code printed more than {self._limits.output_kb} KB; print less of it.",
                    )

    def _watch_ranks(self, replies: dict[int, tuple[str, Any]], watch: Watch) -> None:
        """Where a rank has raised, give the others a moment, then name the one that failed first."""
        failed = [rank for rank, (kind, _) in replies.items() if kind == "raised"]
        if not failed:
            return
        if watch.first_failure is None:
            watch.first_failure = time.monotonic()
        if len(replies) < len(self.channels) and time.monotonic() - watch.first_failure < GRACE_S:
            return
        culprit = min(failed, key=lambda rank: (is_echo(replies[rank][1]), not is_timeout(replies[rank][1]), rank))
        value = replies[culprit][1]
        if is_timeout(value):
            raise Broken(Verdict.TIMEOUT, "the ranks wait for one another: " + self._waiting(replies), rank=culprit)
        broken = Broken(Verdict.NOT_YET, rank=culprit)
        broken.raised = self._raised(value, culprit)
        raise broken

    def _waiting(self, replies: dict[int, tuple[str, Any]]) -> str:
        """What each rank was doing, as far as its thread names and its last words tell."""
        words = []
        pids = self._job_pids()
        for rank in range(len(self.channels)):
            kind, value = replies.get(rank, ("", None))
            doing = str(value.get("doing", "")) if kind == "raised" and isinstance(value, dict) else ""
            if kind == "returned":
                doing = "finished"
            elif not doing and rank < len(pids):
                names = usage.thread_names(pids[rank])
                doing = names[0] if names else ""
            words.append(f"rank {rank} in {doing!r}" if doing else f"rank {rank} silent")
        return ", ".join(words) + ". Look for a send and a receive that block in the same order on every rank."

    def _memory_text(self, when: str) -> str:
        return f"your code needs more than {self._limits.memory_mb} MB {when}."

    def _job_pids(self) -> list[int]:
        if not self._slot.level.fork:
            return [self._slot.pid]
        return [pid for pid in usage.children(self._slot.pid) if pid != self._slot.steward]

    def pids(self) -> list[int]:
        """Every process of the job, the reaper and its holder included, the zygote and the steward not."""
        if not self._slot.level.fork:
            return usage.tree([self._slot.pid])
        return usage.tree(usage.children(self._slot.pid), frozenset({self._slot.steward}))


def is_echo(value: Any) -> bool:
    """Whether a rank's exception only says that another rank went away or did not come."""
    text = str(value.get("message", "")) if isinstance(value, dict) else ""
    return any(word in text for word in ("Connection closed", "Connection reset", "Timed out", "Broken pipe"))


def is_timeout(value: Any) -> bool:
    """Whether a rank's exception is gloo's word for having waited too long."""
    return isinstance(value, dict) and "Timed out waiting" in str(value.get("message", ""))


class Watch:
    """Looks at a running call from outside, now and then: CPU, memory, and whether anything moves at all."""

    def __init__(self, exchange: Exchange, cpu_s: float, verb: str) -> None:
        self._exchange, self._cpu_s, self._verb = exchange, cpu_s, verb
        self._started = time.monotonic()
        self._wait_s = QUIET_S
        self._next = self._started + self._wait_s
        self._cpu_before: float | None = None
        self._last_cpu, self._last_look, self._idle_s = 0.0, self._started, 0.0
        self.first_failure: float | None = None

    def timeout_ms(self) -> float:
        """How long poll may sleep."""
        return max(1.0, (self._next - time.monotonic()) * 1000)

    def due(self) -> bool:
        """Whether it is time to look."""
        return time.monotonic() >= self._next

    def moved(self) -> None:
        """Bytes came or went: what the job waited for was the trusted side."""
        self._idle_s = 0.0
        self._last_look = time.monotonic()

    def look(self) -> None:
        """Compare what the job uses with its limits.

        Raises:
            Broken: a limit is broken.
        """
        exchange, limits = self._exchange, self._exchange._limits
        now = time.monotonic()
        pids = exchange.pids()
        cpu = exchange.read_cpu(pids)
        if self._cpu_before is None:
            # Calls before this one were short; what they used is known to be less than one sample each.
            self._cpu_before = max(0.0, cpu - (now - self._started) * len(exchange.channels))
            self._last_cpu = cpu
        if cpu - self._cpu_before > self._cpu_s:
            raise Broken(Verdict.TIMEOUT, f"no answer after {self._cpu_s:g} s of CPU time while it {self._verb}.")
        self._look_at_memory(pids, limits)
        passed = now - self._last_look
        still = cpu - self._last_cpu <= IDLE_SHARE * passed and usage.all_asleep(pids)
        # On a busy machine the trusted side may not have run for seconds: what it did not watch does not count.
        watched = min(passed, 2 * self._wait_s)
        # A timer that happens to run while one looks takes back a little; work takes back everything.
        self._idle_s = self._idle_s + watched if still else max(0.0, self._idle_s - 2 * watched)
        self._last_cpu, self._last_look = cpu, now
        if self._idle_s > limits.idle_s:
            if len(exchange.channels) > 1:
                raise Broken(Verdict.TIMEOUT, "the ranks wait for one another: " + exchange._waiting({}))
            raise Broken(
                Verdict.TIMEOUT,
                f"no answer: your code did nothing for {limits.idle_s:g} s; it waits (sleep, lock, input or a child).",
            )
        if now - self._started > BACKSTOP * self._cpu_s:
            raise Broken(Verdict.TIMEOUT, f"no answer after {now - self._started:.0f} s.", starved=True)
        self._wait_s = max(SAMPLE_S, 5 * (time.monotonic() - now))
        self._next = time.monotonic() + self._wait_s

    def _look_at_memory(self, pids: list[int], limits: Limits) -> None:
        exchange = self._exchange
        used = usage.memory_mb(pids)
        workers = exchange._job_pids()
        if workers and exchange._slot.level.nested:
            used += usage.scratch_mb(workers[0])
        if used > limits.memory_mb + exchange._slot.base_mb:
            raise Broken(Verdict.MEMORY, exchange._memory_text("while it " + self._verb))
