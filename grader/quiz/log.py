"""The answer log: one JSON line for everything a learner did, appended and never changed.

Everything else (what is due, what was missed, where to go on) is derived by reading it again. A line is on disk
before the runner goes on; several runners may append at once; a last line that was torn is left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from grader.errors import UsageError

FILE = "quiz.jsonl"
VERSION = 1
ANSWER, FLAG, UNFLAG, SKIP, TERM = "answer", "flag", "unflag", "skip", "term"


@dataclass(frozen=True)
class Entry:
    """One thing that a learner did.

    Attributes:
        what: answer, flag, unflag, skip or term.
        id: of the question; for a term, the term itself.
        rev: the question's revision at that time.
        seed: of the variant.
        response: the answer, with the items' own ids.
        score: from 0 to 1; None where there is none.
        certainty: 1 to 3, or None.
        ms: milliseconds from showing to answering.
        at: when, in UTC, as ISO 8601.
        mode: practice or exam.
        learner: whose it is, where one log serves several; "" otherwise.
    """

    what: str
    id: str
    rev: int = 1
    seed: int = 0
    response: Mapping[str, Any] | None = None
    score: float | None = None
    certainty: int | None = None
    ms: int | None = None
    at: str = ""
    mode: str = "practice"
    learner: str = ""

    @property
    def time(self) -> datetime:
        """When it was."""
        return datetime.fromisoformat(self.at)


def now() -> str:
    """This moment in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def default_log() -> Path:
    """The learner's own log, in the state folder of the platform (XDG_STATE_HOME on Linux)."""
    from platformdirs import user_state_path

    return user_state_path("pretraining-grader") / FILE


class AnswerLog:
    """A log file; it is made with its folder when the first line is written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, entry: Entry) -> None:
        """Write one line, and come back when it is on disk.

        Raises:
            UsageError: the file cannot be written.
        """
        line = json.dumps({"v": VERSION, **asdict(entry)}, ensure_ascii=False).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file, _locked(file):
                if not _ends_a_line(file):
                    line = b"\n" + line  # what was torn stays alone on its line
                os.write(file.fileno(), line)
                os.fsync(file.fileno())
        except OSError as error:
            remedy = "Free some space, or name another file with --log."
            raise UsageError(f"{self.path}: the answer cannot be kept: {error.strerror}.", remedy) from None

    def read(self) -> list[Entry]:
        """All entries in the order in which they were written; lines that are none are passed over."""
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UsageError(
                f"{self.path}: cannot be read: {error.strerror}.", "Name another file with --log."
            ) from None
        return [entry for line in lines if (entry := _entry(line)) is not None]

    def read_from(self, offset: int) -> tuple[list[Entry], int]:
        """The entries from a byte on, up to the last line that is whole, and where to go on."""
        try:
            with self.path.open("rb") as file:
                file.seek(offset)
                data = file.read()
        except OSError:
            return [], offset
        whole = data[: data.rfind(b"\n") + 1]
        return [entry for line in whole.split(b"\n") if (entry := _entry(line)) is not None], offset + len(whole)


def _entry(line: bytes) -> Entry | None:
    try:
        data = json.loads(line)
        if data.pop("v") != VERSION:
            return None
        entry = Entry(**data)
        if entry.time.tzinfo is None:
            return None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return entry


def _ends_a_line(file: IO[bytes]) -> bool:
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return True
    file.seek(size - 1)
    return file.read(1) == b"\n"


@contextmanager
def _locked(file: IO[bytes]) -> Iterator[None]:
    """Alone with the file, where the platform has locks."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows, which is told to use WSL 2
        yield
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
