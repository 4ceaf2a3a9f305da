"""The unit of work: one file for one exercise, as plain data that goes to any process on any machine.

Its key says everything that its grade depends on. The same file handed in twice is one unit.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import msgspec

from grader import __version__
from grader.environment import PACKAGES, installed
from grader.misconceptions import misconceptions_file
from grader.model import CheckResult, Exercise, Report, Submission, Verdict
from grader.report.visible import visible

DIGEST_BYTES: Final = 16
ENGINE: Final = "session boundary expect strategies.py scoring.py misconceptions.py grading.py model.py".split()


class Unit(msgspec.Struct, frozen=True):
    """One file to be graded.

    Attributes:
        key: what its grade is kept under.
        exercise: its id.
        course: digest of the exercise, so that another machine can tell whether it has the same one.
        name: what the file is called in messages.
        source: its bytes.
    """

    key: str
    exercise: str
    course: str
    name: str
    source: bytes

    @property
    def submission(self) -> Submission:
        """The file as the session takes it."""
        return Submission(self.name, self.source, self.name)


@dataclass(frozen=True)
class Circumstances:
    """What a grade depends on beside the file: digests by name, so that a change can be told by its name."""

    exercise: str
    parts: Mapping[str, str]

    @cached_property
    def digest(self) -> str:
        """One name for all of it."""
        return short_digest(json.dumps([self.exercise, dict(self.parts)], sort_keys=True).encode())

    @property
    def course(self) -> str:
        """One name for what another machine must have as well: the exercise, the grader and the packages."""
        shared = {name: part for name, part in self.parts.items() if name not in ("isolation", "seed")}
        return short_digest(json.dumps([self.exercise, shared], sort_keys=True).encode())


def short_digest(*parts: bytes) -> str:
    """A name for bytes; no two sequences of parts have the same."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def circumstances(exercise: Exercise, secret: str, isolation: str) -> Circumstances:
    """What the grade of any file for ``exercise`` depends on, here and now."""
    facts = [exercise.title, dict(exercise.points), exercise.needs, msgspec.to_builtins(exercise.limits)]
    files = {
        "checks": exercise.checks,
        "hidden checks": exercise.hidden_checks,
        "reference": exercise.reference,
        "stub": exercise.stub,
        "given": exercise.given,
        "misconceptions": misconceptions_file(exercise),
    }
    parts = {name: file_digest(path) for name, path in files.items()}
    parts["exercise.yaml"] = short_digest(json.dumps(facts, sort_keys=True).encode())
    parts |= {"grader": engine_digest(), "environment": environment_digest(), "isolation": isolation}
    return Circumstances(exercise.id, parts | {"seed": seed_id(secret)})


def file_digest(path: Path | None) -> str:
    """A name for a file's bytes; "" where there is none."""
    return short_digest(path.read_bytes()) if path is not None and path.is_file() else ""


def seed_id(secret: str) -> str:
    """What reports say for a hand-in's seed; only who has the ledger can tell the seed from it."""
    return short_digest(b"seed", secret.encode())[:8]


@cache
def engine_digest() -> str:
    """Version and source of all that has a say in a verdict."""
    root = Path(__file__).resolve().parent.parent
    files = sorted(file for name in ENGINE for file in _python_files(root / name))
    return f"{__version__} {short_digest(*(part for file in files for part in _named(root, file)))}"


def _python_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def _named(root: Path, file: Path) -> tuple[bytes, bytes]:
    return file.relative_to(root).as_posix().encode(), file.read_bytes()


@cache
def environment_digest() -> str:
    """Versions that may change a result, in words; not the machine's name or its kernel."""
    found = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    return json.dumps(found | {name: installed(name) for name in PACKAGES}, sort_keys=True)


def unit_of(submission: Submission, around: Circumstances) -> Unit:
    """The unit that a file with source is."""
    source = submission.source or b""
    key = short_digest(around.digest.encode(), submission.name.encode(), source)
    return Unit(key, around.exercise, around.course, submission.name, source)


def encode_report(report: Report) -> bytes:
    """A report as bytes for a pipe or the ledger; a lone surrogate becomes its escape."""
    try:
        return msgspec.msgpack.encode(report)
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(_map_text(msgspec.to_builtins(report)))


def _map_text(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _map_text(item) for key, item in value.items()}
    return [_map_text(item) for item in value] if isinstance(value, list | tuple) else value


_reader = msgspec.msgpack.Decoder(Report)


def decode_report(data: bytes) -> Report:
    """The report that ``encode_report`` wrote."""
    return _reader.decode(data)


def problem_report(id: str, title: str, seed: str, isolation: str, message: str) -> Report:
    """A unit that nothing could grade: no points are lost by it."""
    return Report(id, title, Verdict.GRADER_PROBLEM, 0, 0, (), seed, isolation, message=visible(message))


def has_problem(report: Report) -> bool:
    """Whether the grader was at fault anywhere in it."""
    checks: tuple[CheckResult, ...] = report.checks
    return Verdict.GRADER_PROBLEM in (report.verdict, *(check.verdict for check in checks))
