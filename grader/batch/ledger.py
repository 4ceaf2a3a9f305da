"""What was graded, in one SQLite file: append-only, keyed by content, written by one process.

A grade is never changed. A new one for the same key is a new row, and the newest counts. Deadlines, rosters and
formats are no part of it: they are applied when reports are made.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

from grader.batch.unit import Circumstances, Unit, decode_report, encode_report, has_problem
from grader.errors import UsageError
from grader.model import Report

FILE: Final = "ledger.sqlite"
LOCK: Final = "ledger.lock"
VERSION: Final = 1
CHUNK: Final = 500  # keys in one question: SQLite takes 32,766 parameters, older builds 999
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS circumstances (digest TEXT PRIMARY KEY, exercise TEXT NOT NULL, parts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, command TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS grades (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, exercise TEXT NOT NULL, source TEXT NOT NULL,
    circumstances TEXT NOT NULL, run INTEGER NOT NULL, graded_at TEXT NOT NULL, problem INTEGER NOT NULL,
    report BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS grades_by_key ON grades (key, id);
CREATE TABLE IF NOT EXISTS handins (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL, student TEXT NOT NULL, exercise TEXT NOT NULL, key TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS handins_by_student ON handins (student, exercise, id);
"""
TABLES: Final = ("facts", "circumstances", "runs", "grades", "handins")
FOREVER: Final = """
CREATE TRIGGER IF NOT EXISTS {table}_no_{action} BEFORE {action} ON {table}
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""


@dataclass(frozen=True)
class Grade:
    """One row: a report, and under which circumstances it came about."""

    key: str
    report: Report
    circumstances: str
    source: str


@contextmanager
def open_ledger(folder: Path) -> Iterator[Ledger]:
    """The ledger in a folder, made there if there is none; nobody else writes it meanwhile.

    Raises:
        UsageError: another run writes it, or the file is of another version or none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+") as lock:
        _lock(lock, folder)
        ledger = Ledger(folder / FILE)
        try:
            yield ledger
        finally:
            ledger.close()


def _lock(file: IO[str], folder: Path) -> None:
    if os.name != "posix":
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        remedy = "Wait until it is done, or give another --out."
        raise UsageError(f"another `grade batch` is writing into {folder}.", remedy) from None


class Ledger:
    """The one writer; see ``open_ledger``."""

    def __init__(self, path: Path) -> None:
        """Open or make the file."""
        try:
            self._base = sqlite3.connect(path, isolation_level=None)
            # Every row is its own transaction: a killed process loses none that was written, and WAL makes it cheap.
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.executescript(SCHEMA)
            for table in TABLES:
                for action in ("UPDATE", "DELETE"):
                    self._base.executescript(FOREVER.format(table=table, action=action))
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{path} is no ledger: {error}.", "Give another --out, or move the file away.") from None
        found = self._fact("version", str(VERSION))
        if found != str(VERSION):
            raise UsageError(f"{path} is a ledger of version {found}.", "Update the grader, or give another --out.")
        self._run = 0
        self._known: set[str] = set()

    def close(self) -> None:
        """Write what WAL holds into the file itself, and close it."""
        with suppress(sqlite3.Error):
            self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._base.close()

    def _fact(self, name: str, default: str) -> str:
        self._base.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (name, default))
        [value] = self._base.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(value)

    def secret(self, wanted: str = "") -> str:
        """What inputs are drawn from: made up for a new ledger, and the same ever after.

        Raises:
            UsageError: another one is wanted than the one that it has.
        """
        found = self._fact("secret", wanted or secrets.token_hex(16))
        if wanted and found != wanted:
            raise UsageError("this ledger was begun with another seed.", "Leave --seed out, or give another --out.")
        return found

    def begin(self, command: str) -> None:
        """Note that a run begins."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._run = (
            self._base.execute("INSERT INTO runs (started_at, command) VALUES (?, ?)", (now, command)).lastrowid or 0
        )

    def hand_in(self, handins: Iterable[tuple[str, str, str]]) -> None:
        """Note which unit each student's file for an exercise is, where that has changed."""
        before = dict(self._latest_handins())
        rows = [
            (self._run, student, exercise, key)
            for student, exercise, key in handins
            if before.get((student, exercise)) != key
        ]
        with self._transaction():
            self._base.executemany("INSERT INTO handins (run, student, exercise, key) VALUES (?, ?, ?, ?)", rows)

    def _latest_handins(self) -> Iterator[tuple[tuple[str, str], str]]:
        query = "SELECT student, exercise, key FROM handins ORDER BY id"
        for student, exercise, key in self._base.execute(query):
            yield (student, exercise), key

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._base.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def write(self, unit: Unit, source: str, report: bytes, around: Circumstances) -> None:
        """Append a grade; when this returns, no kill of the process can lose it."""
        if around.digest not in self._known:
            parts = json.dumps(dict(around.parts), sort_keys=True)
            row = (around.digest, around.exercise, parts)
            self._base.execute("INSERT OR IGNORE INTO circumstances VALUES (?, ?, ?)", row)
            self._known.add(around.digest)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        problem = has_problem(decode_report(report))
        self._base.execute(
            "INSERT INTO grades (key, exercise, source, circumstances, run, graded_at, problem, report) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (unit.key, unit.exercise, source, around.digest, self._run, now, problem, zlib.compress(report)),
        )

    def done(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that have a grade which is not the grader's own fault."""
        rows = self._rows("SELECT key, problem FROM grades WHERE key IN ({}) ORDER BY id", list(keys))
        return {key for key, problem in dict(rows).items() if not problem}

    def reports(self, keys: Iterable[str]) -> dict[str, Report]:
        """The newest report of each key that has one."""
        query = "SELECT key, report FROM grades WHERE id IN (SELECT max(id) FROM grades WHERE key IN ({}) GROUP BY key)"
        return {key: decode_report(zlib.decompress(report)) for key, report in self._rows(query, list(keys))}

    def _rows(self, query: str, keys: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        for at in range(0, len(keys), CHUNK):
            some = keys[at : at + CHUNK]
            yield from self._base.execute(query.format(",".join("?" * len(some))), some)

    def before(self, student: str, exercise: str, key: str) -> Grade | None:
        """The grade that a student had for an exercise before the newest one under ``key``."""
        query = "SELECT key FROM handins WHERE student = ? AND exercise = ? AND key != ? ORDER BY id DESC"
        for (older,) in self._base.execute(query, (student, exercise, key)):
            grade = self.grade(older)
            if grade is not None:
                return grade
        return self.grade(key, skip=1)

    def grade(self, key: str, skip: int = 0) -> Grade | None:
        """The newest grade under a key, or the one that is ``skip`` rows older."""
        query = "SELECT report, circumstances, source FROM grades WHERE key = ? ORDER BY id DESC LIMIT 1 OFFSET ?"
        row = self._base.execute(query, (key, skip)).fetchone()
        return Grade(key, decode_report(zlib.decompress(row[0])), row[1], row[2]) if row else None

    def parts(self, digest: str) -> dict[str, str]:
        """What circumstances were made of."""
        row = self._base.execute("SELECT parts FROM circumstances WHERE digest = ?", (digest,)).fetchone()
        return dict(json.loads(row[0])) if row else {}


__all__ = ["FILE", "Grade", "Ledger", "encode_report", "open_ledger"]
