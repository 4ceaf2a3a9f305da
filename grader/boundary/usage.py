"""What a job uses, read from outside: CPU clocks, memory and states of its process tree, bytes on its loopback.

Trusted side, Linux. The kernel's own counters are read, never what the job says of itself.
Sources: clock_getcpuclockid(3) (the clock id of a process is ``~pid << 3 | 2``), proc(5) (children, smaps_rollup,
status, clear_refs), Documentation/filesystems/proc.rst.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

MAX_PROCESSES = 4096  # more than any limit on processes allows: ends a walk over a tree that forks meanwhile


def children(pid: int) -> list[int]:
    """The direct children of ``pid``, over all its threads."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(word) for word in file.read().split()]
    except (OSError, ValueError):
        return found
    return found


def tree(roots: list[int], without: frozenset[int] = frozenset()) -> list[int]:
    """``roots`` and all their descendants, leaving out the subtrees of ``without``' own processes only."""
    todo, seen = list(roots), list[int]()
    while todo and len(seen) < MAX_PROCESSES:
        pid = todo.pop()
        todo += children(pid)
        if pid not in without:
            seen.append(pid)
    return seen


def cpu_clock(pid: int) -> float | None:
    """CPU seconds of one process, all its threads together, those that ended included; None where it is gone."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return None


def _field(path: str, name: str) -> int:
    """A ``Name:  123 kB`` field in KiB; 0 where the process is gone."""
    try:
        with open(path) as file:
            for line in file:
                if line.startswith(name):
                    return int(line.split()[1])
    except (OSError, ValueError):
        return 0
    return 0


def memory_mb(pids: list[int]) -> float:
    """Proportional memory of the processes together, in MiB: shared pages count once among those that share them."""
    return sum(_field(f"/proc/{pid}/smaps_rollup", "Pss:") for pid in pids) / 1024


def scratch_mb(pid: int) -> float:
    """What lies in the job's own /tmp and /dev/shm, in MiB."""
    total = 0.0
    for folder in ("tmp", "dev/shm"):
        try:
            stat = os.statvfs(f"/proc/{pid}/root/{folder}")
        except OSError:
            continue
        total += (stat.f_blocks - stat.f_bfree) * stat.f_frsize / 2**20
    return total


def reset_peak(pid: int) -> float | None:
    """Start a new measurement of peak memory; returns the memory in use now in MiB, None where it cannot be had."""
    try:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    except OSError:
        return None
    return _field(f"/proc/{pid}/status", "VmRSS:") / 1024


def peak_mb(pid: int) -> float:
    """Peak resident memory since ``reset_peak``, in MiB."""
    return _field(f"/proc/{pid}/status", "VmHWM:") / 1024


def all_asleep(pids: list[int]) -> bool:
    """Whether no thread of any of the processes runs or waits for a processor."""
    for pid in pids:
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/stat") as file:
                    if file.read().rsplit(")", 1)[1].split()[0] in "RD":
                        return False
        except (OSError, IndexError):
            continue
    return True


def thread_names(pid: int) -> list[str]:
    """The names of the threads of ``pid``, printable characters only: a worker shows its operation in hand there."""
    names = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            text = Path(f"/proc/{pid}/task/{task}/comm").read_text(errors="replace").strip()
            names.append("".join(c for c in text if c.isprintable()))
    except OSError:
        return names
    return names


def loopback_bytes(pid: int) -> int | None:
    """Bytes received on the loopback of the network namespace of ``pid``; None where it cannot be read."""
    try:
        for line in Path(f"/proc/{pid}/net/dev").read_text().splitlines():
            name, _, counters = line.partition(":")
            if name.strip() == "lo":
                return int(counters.split()[0])
    except (OSError, ValueError):
        return None
    return None


class Meter:
    """CPU seconds of a job's tree: the largest value seen per process, so that what has ended still counts."""

    def __init__(self) -> None:
        self._seen: dict[int, float] = {}

    def read(self, pids: list[int]) -> float:
        """CPU seconds so far, over every process that was ever seen; ``pids`` are those there now."""
        for pid in pids:
            seconds = cpu_clock(pid)
            if seconds is not None:
                self._seen[pid] = max(seconds, self._seen.get(pid, 0.0))
        return sum(self._seen.values())


def data_mb(pid: int) -> float:
    """What RLIMIT_DATA counts for ``pid``, in MiB."""
    return _field(f"/proc/{pid}/status", "VmData:") / 1024
