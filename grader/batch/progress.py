"""How far a batch is, on stderr: a bar with rate and time left where somebody can see it, else a line now and then."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

LINE_EVERY_S: Final = 10.0


class _Rate(ProgressColumn):
    """Files per second, over the last half minute."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.1f}/s" if speed else "", "dim")


class Bar:
    """Shows one run.

    Args:
        count: files to grade.
        quiet: say nothing.
    """

    def __init__(self, count: int, quiet: bool = False) -> None:
        """Nothing is drawn yet."""
        self._console = Console(stderr=True, highlight=False, markup=False, quiet=quiet)
        self._shown = sys.stderr.isatty()
        columns = (
            TextColumn("grading"),
            BarColumn(24),
            MofNCompleteColumn(),
            _Rate(),
            TextColumn("left", style="dim"),
            TimeRemainingColumn(),
        )
        self._progress = Progress(
            *columns, console=self._console, transient=True, disable=quiet or not self._shown, speed_estimate_period=30
        )
        self._task = self._progress.add_task("", total=count)
        self._count, self._done = count, 0
        self._begun_s = self._said_s = time.monotonic()

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing behind."""
        self._progress.stop()

    def step(self) -> None:
        """One file more is graded."""
        self._done += 1
        self._progress.advance(self._task)
        now_s = time.monotonic()
        if not self._shown and now_s - self._said_s > LINE_EVERY_S:
            self._said_s = now_s
            rate = self._done / (now_s - self._begun_s)
            left_s = (self._count - self._done) / rate
            self._console.print(f"{self._done} of {self._count} graded, {rate:.1f}/s, {left_s:.0f} s left")
