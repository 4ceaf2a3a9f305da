"""Everything that can go wrong around a grading, with its exit code and its remedy.

A learner's mistake is never one of these: it is a verdict. These are mistakes in a command, in a course, or in the
grader itself. Each message names what is wrong and, after it, what to do.
"""

from __future__ import annotations

USAGE = 2
FAULT = 3


class GraderError(Exception):
    """Base of all errors that end a command.

    Args:
        message: what is wrong, in one sentence that names the file or the word.
        remedy: what to do about it, in one sentence.
    """

    exit_code = FAULT

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class UsageError(GraderError):
    """The command names something that is not there, or asks for what cannot be combined."""

    exit_code = USAGE


class ContentError(GraderError):
    """A course file is not as its schema or its author's guide wants it."""


class IsolationError(GraderError):
    """The isolation that was asked for cannot be had on this machine."""

    exit_code = USAGE


class SandboxError(GraderError):
    """The trusted side of the boundary failed: never the learner's fault."""
