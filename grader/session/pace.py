"""How long a check may go on, and the two exceptions that end it at once.

Both derive from BaseException: Hypothesis would take an ordinary exception for one more counterexample, and
shrink it at the full cost of a timeout per step.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from grader.model import Verdict


class Stopped(BaseException):
    """The check ends with this verdict, whatever else it would have asked."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.message = message


class Enough(BaseException):
    """The counterexample at hand is small enough for the time that it took."""


@dataclass
class Pace:
    """The clock of one check.

    Attributes:
        file_by_s: when the whole file must be done, on ``time.perf_counter``.
        file_s: what the file had in all, for the message.
        shrink_by_s: when the search for a smaller counterexample ends.
        shrink_calls: calls left for that search.
        shrinking: whether a counterexample is at hand.
        hurried: whether ``shrink_by_s`` holds even before that, because the case book has one.
    """

    file_by_s: float = math.inf
    file_s: float = math.inf
    shrink_by_s: float = math.inf
    shrink_calls: float = math.inf
    shrinking: bool = False
    hurried: bool = False

    def step(self) -> None:
        """Ask for one more call.

        Raises:
            Enough: no more calls for a smaller counterexample.
            Stopped: the file has used up its time.
        """
        now_s = time.perf_counter()
        if self.shrinking:
            self.shrink_calls -= 1
        if (self.shrinking or self.hurried) and (now_s > self.shrink_by_s or self.shrink_calls < 0):
            raise Enough
        if now_s > self.file_by_s:
            text = f"all checks together may take {self.file_s:g} s for one file, and this one needs more"
            raise Stopped(Verdict.TIMEOUT, text)
