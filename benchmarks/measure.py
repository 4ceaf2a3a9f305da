"""What the benchmarks share: sides that take turns, ratios of what they took, and a table."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXERCISE = "minhash_lsh"
Side = Callable[[], float]


def in_turn(rounds: int, sides: Mapping[str, Side]) -> dict[str, list[float]]:
    """Seconds of each side, per round.

    Every round takes each side once and begins with another one, so that whatever else the machine does
    meets all of them. A first round fills caches and is not counted.
    """
    names = list(sides)
    taken: dict[str, list[float]] = {name: [] for name in names}
    for done in range(rounds + 1):
        at = done % len(names)
        for name in names[at:] + names[:at]:
            seconds = sides[name]()
            if done:
                taken[name].append(seconds)
    return taken


def ratio(left: Sequence[float], right: Sequence[float]) -> float:
    """The median over the rounds of left over right: both sides of a round met the same machine."""
    return statistics.median(one / two for one, two in zip(left, right, strict=True))


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that ``percent`` of 100 values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def process_s(command: Sequence[str], cwd: Path = ROOT, **environment: str) -> float:
    """Wall seconds of a process from its start to its end; stops the benchmark where it fails."""
    start_s = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False)
    taken_s = time.perf_counter() - start_s
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return taken_s


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table, aligned for the terminal as well; below it, the machine that it holds for."""
    lines = [heads, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    cells = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    rule = ["-" * width for width in widths]
    for line in [cells[0], rule, *cells[1:]]:
        print(f"| {' | '.join(line)} |")
    print(machine())


def machine() -> str:
    """What the figures hold for; a load above the benchmark's own says that they hold for little."""
    cores = os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"Python {platform.python_version()}, {platform.system()}, {cores} cores{load}"


def milliseconds(values: Sequence[float]) -> str:
    """The median as text."""
    return f"{1000 * statistics.median(values):.1f} ms"
