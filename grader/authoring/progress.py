"""How far the gate is, on stderr: a line that changes where somebody can see it, else a line per exercise."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from grader.authoring.records import ExerciseGate


class Bar:
    """A `Watcher` for people.

    Args:
        count: how many exercises there are.
        quiet: say nothing.
    """

    def __init__(self, count: int, quiet: bool = False) -> None:
        """Nothing is drawn yet."""
        self._console = Console(stderr=True, highlight=False, markup=False, quiet=quiet)
        columns = (
            MofNCompleteColumn(),
            BarColumn(16),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
        )
        self._shown = sys.stderr.isatty()
        self._progress = Progress(*columns, console=self._console, transient=True, disable=quiet or not self._shown)
        self._task = self._progress.add_task("", total=count)

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing behind."""
        self._progress.stop()

    def step(self, exercise: str, text: str) -> None:
        """An exercise is on its way."""
        self._progress.update(self._task, description=f"{exercise} {text}")

    def done(self, found: ExerciseGate) -> None:
        """An exercise is through."""
        self._progress.advance(self._task)
        if not self._shown:
            self._console.print(f"{found.exercise}: {found.verdict} ({found.duration_s:.1f} s)")
