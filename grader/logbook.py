"""Where the grader writes down what went wrong inside it: nothing for a learner to read on the screen."""

from __future__ import annotations

import os
import tempfile
import time
from functools import cache
from pathlib import Path

FILE = "grade.log"
MAX_BYTES = 2**20


@cache
def log_path() -> Path:
    """The log: in the user's own log folder, or among temporary files where that cannot be written."""
    from platformdirs import user_log_path

    for folder in (user_log_path("pretraining-grader"), Path(tempfile.gettempdir())):
        log = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with log.open("a"):
                return log
        except OSError:
            continue
    return Path(os.devnull)


def write_log(text: str) -> Path:
    """Append an entry to the log, which starts anew when it is full; answers where it is."""
    log = log_path()
    full = log.is_file() and log.stat().st_size > MAX_BYTES
    with log.open("w" if full else "a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text.rstrip()}\n\n")
    return log


def attach() -> None:
    """Send what the grader's modules log there, and not to stderr, where it would disturb a report."""
    import logging

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            write_log(self.format(record))

    logger = logging.getLogger("grader")
    logger.propagate = False
    logger.handlers = [Handler()]
