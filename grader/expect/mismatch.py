"""The two exceptions of a check: what the learner's code answered is wrong, and the learner's code raised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

LIMIT: Final = 200  # characters of one text: two lines of a terminal
NO_RETURN: Final = "your function returned None: did you forget return?"


def clip(text: str, limit: int = LIMIT) -> str:
    """Make a text one printable line, shortened in its middle."""
    # A learner's text is cut before anything looks at each character of it.
    if len(text) > 4 * limit:
        text = f"{text[: 2 * limit]}...{text[-2 * limit :]}"
    text = "".join(char if char.isprintable() else " " for char in text)
    if len(text) <= limit:
        return text
    tail = (limit - 3) // 3
    return f"{text[: limit - 3 - tail]}...{text[len(text) - tail :]}"


class Mismatch(AssertionError):
    """What a learner's code answered is not what must hold.

    Attributes:
        expected: what should have been, short.
        got: what was, short.
        detail: what else helps (which value, where, how many, which tolerance), or "".
        value: the object that was judged, as the check passed it, so that a caller can tell which call
            returned it.
    """

    def __init__(self, expected: str, got: str, detail: str = "", *, value: Any = None) -> None:
        """Keep the texts, each as one short line."""
        self.expected = clip(expected)
        self.got = clip(got)
        self.detail = clip(detail)
        self.value = value
        super().__init__(self.expected, self.got, self.detail)

    def __str__(self) -> str:
        """Everything in one sentence."""
        detail = f" ({self.detail})" if self.detail else ""
        return f"expected {self.expected}; got {self.got}{detail}"


class LearnerError(Exception):
    """The learner's code raised.

    Attributes:
        type: the name of the exception's class.
        types: the names of that class and its bases, nearest first.
        message: the exception's own text.
        traceback: the learner's frames only.
        line: the line of the learner's file, where known.
    """

    def __init__(
        self, type: str, types: Sequence[str], message: str, traceback: str = "", line: int | None = None
    ) -> None:
        """Keep what the sandbox told about the exception."""
        self.type = type
        self.types = tuple(types)
        self.message = message
        self.traceback = traceback
        self.line = line
        super().__init__(type, self.types, message, traceback, line)

    def __str__(self) -> str:
        """The last line of a traceback, shortened."""
        return clip(f"{self.type}: {self.message}" if self.message else self.type)


@dataclass(frozen=True)
class Difference:
    """Why two values are not alike: a Mismatch before the check's own words are added."""

    expected: str
    got: str
    detail: str = ""

    def within(self, place: str) -> Difference:
        """Say first what or where it is about."""
        return Difference(self.expected, self.got, ": ".join(filter(None, (place, self.detail))))


def fail(found: Difference, what: str, value: Any) -> NoReturn:
    """Raise a Mismatch for a difference, the check's own words first."""
    found = found.within(what)
    raise Mismatch(found.expected, found.got, found.detail, value=value)
