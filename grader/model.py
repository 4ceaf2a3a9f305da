"""The nouns of the grader: frozen records without I/O.

Everything that one module hands to another is one of these. They hold plain data only, so that a report can
cross a process boundary, be written as JSON, or be compared in a test as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

TIERS = ("core", "edge", "scale")


class Place(StrEnum):
    """Where a call is made: in the job, in another interpreter, or with a CUDA device."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    GPU = "gpu"


class Verdict(StrEnum):
    """What can be said of one check or one exercise; the value is the word that a learner reads."""

    PASS = "pass"
    NOT_YET = "not yet"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASH = "crash"
    FLOOD = "flood"
    LAYOUT = "layout"
    SKIPPED = "skipped"
    GRADER_PROBLEM = "grader problem"

    @property
    def costs_points(self) -> bool:
        """Whether the points of a check with this verdict are lost."""
        return self not in (Verdict.PASS, Verdict.SKIPPED, Verdict.GRADER_PROBLEM)


@dataclass(frozen=True)
class Limits:
    """What one check of a learner's file may use.

    Attributes:
        cpu_s: CPU seconds of one call, summed over all processes and threads of the learner's file.
        memory_mb: memory of all processes together, in MiB, scratch files included.
        output_kb: stdout plus stderr of one check, in KiB.
        processes: processes and threads alive at once.
        idle_s: seconds of waiting after which a job of which no thread runs is told that nothing will come.
        budget_s: wall seconds after which a check stops shrinking its counterexample.
    """

    cpu_s: float = 10.0
    memory_mb: int = 1024
    output_kb: int = 256
    processes: int = 64
    idle_s: float = 3.0
    budget_s: float = 30.0

    def impatient(self) -> Limits:
        """For a file that has used up its time before: a fifth of it is twice what a reference may need."""
        return replace(self, cpu_s=max(1.0, self.cpu_s / 5), idle_s=min(1.0, self.idle_s))


@dataclass(frozen=True)
class Exercise:
    """One exercise: a folder that learners see and, where present, its hidden mirror.

    Attributes:
        id: chapter and slug, e.g. ``chapter3/minhash_lsh``; also the path on both sides of the visibility line.
        folder: the visible folder with statement, stub, checks and yaml.
        solution: the hidden folder with reference, wheats and chaffs, or None in a kit.
        points: points per tier.
        needs: what must be importable or present, of numpy, torch, triton, ranks, gpu.
        order: place within the chapter, smallest first.
        path: ``core`` for the ten-hour path, ``extra`` for everything else.
        equivalent: mutants of the reference that no check can kill, mutant id -> reason.
    """

    id: str
    title: str
    folder: Path
    solution: Path | None
    level: str
    path: str
    minutes: int
    order: int
    points: Mapping[str, int]
    needs: tuple[str, ...] = ("numpy",)
    limits: Limits = Limits()
    objectives: tuple[int, ...] = ()
    equivalent: Mapping[str, str] = field(default_factory=dict)

    @property
    def chapter(self) -> str:
        """The chapter's folder name, e.g. ``chapter3``."""
        return self.id.split("/")[0]

    @property
    def slug(self) -> str:
        """The exercise's folder name, e.g. ``minhash_lsh``."""
        return self.id.split("/")[1]

    @property
    def stub(self) -> Path:
        """The file with the signatures to fill in; a learner's file bears the same name."""
        return self.folder / f"{self.slug}.py"

    @property
    def checks(self) -> Path:
        """The pytest file with the visible checks."""
        return self.folder / "checks.py"

    @property
    def statement(self) -> Path:
        """The README with the statement."""
        return self.folder / "README.md"

    @property
    def given(self) -> Path | None:
        """The module that the statement hands over, importable by the learner's file as ``given``."""
        return _if_file(self.folder / "given.py")

    @property
    def picture(self) -> Path | None:
        """The module that draws what the learner's code computes."""
        return _if_file(self.folder / "picture.py")

    @property
    def reference(self) -> Path | None:
        """The reference solution, or None in a kit."""
        return _if_file(self.solution / "reference.py") if self.solution else None

    @property
    def hidden_checks(self) -> Path | None:
        """Checks that run at hand-in only."""
        return _if_file(self.solution / "hidden_checks.py") if self.solution else None

    @property
    def wheats(self) -> tuple[Path, ...]:
        """Other right solutions."""
        return tuple(sorted((self.solution / "wheats").glob("*.py"))) if self.solution else ()

    @property
    def chaffs(self) -> tuple[Path, ...]:
        """Known-wrong solutions, one misconception each."""
        return tuple(sorted((self.solution / "chaffs").glob("*.py"))) if self.solution else ()


def _if_file(path: Path) -> Path | None:
    return path if path.is_file() else None


@dataclass(frozen=True)
class Chapter:
    """A chapter: its page, its prerequisites and its exercises in order."""

    id: str
    title: str
    level: str
    folder: Path
    prerequisites: tuple[str, ...]
    exercises: tuple[Exercise, ...]


@dataclass(frozen=True)
class Course:
    """A folder tree of exercises, with the hidden mirror where there is one; chapters in suggested order.

    Attributes:
        show_hidden: whether learners are shown name and verdict of the checks that run at hand-in only.
    """

    title: str
    root: Path
    solutions: Path | None
    objectives: Mapping[int, str]
    chapters: tuple[Chapter, ...]
    show_hidden: bool = False

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """Every exercise, in the suggested order."""
        return tuple(exercise for chapter in self.chapters for exercise in chapter.exercises)


@dataclass(frozen=True)
class Submission:
    """One learner's file for one exercise.

    Attributes:
        name: the file name shown in tracebacks, e.g. ``minhash_lsh.py``.
        source: the bytes as found, or None where the file could not be read.
        path: where it was found, for messages.
        fault: why there is no source ("no file minhash_lsh.py in …: …"), worded for the learner with the remedy.
    """

    name: str
    source: bytes | None
    path: str = ""
    fault: str = ""


@dataclass(frozen=True)
class CheckResult:
    """What one check found out.

    Attributes:
        name: the function's name, e.g. ``test_equal_sets``; with its parameters where it has some.
        title: the first line of its docstring.
        called: the call that failed, as Python that can be pasted after importing the learner's file.
        returned: what that call returned or raised, shortened for reading.
        expected: what should have been.
        got: what was, in the check's terms.
        message: one or two sentences more, where there is something to say (limits, layout, state kept).
        traceback: the learner's own frames, trimmed.
        output: what the learner's code printed, bounded.
        hidden: whether it belongs to the hidden checks.
        calls: how many calls of the learner's functions it made.
    """

    name: str
    tier: str
    title: str
    verdict: Verdict
    called: str = ""
    returned: str = ""
    expected: str = ""
    got: str = ""
    hint: str = ""
    message: str = ""
    traceback: str = ""
    output: str = ""
    duration_s: float = 0.0
    hidden: bool = False
    calls: int = 0


@dataclass(frozen=True)
class Report:
    """What grading one exercise of one learner found out.

    Attributes:
        exercise: its id.
        verdict: pass, not yet, layout, skipped or grader problem, for the exercise as a whole.
        misconception: what a chaff that fails in the same way gets wrong, in the learner's words, or "".
        message: why there are no checks, where there are none.
        seed: what the inputs were drawn from.
        file: where the learner's file was found.
    """

    exercise: str
    title: str
    verdict: Verdict
    points: float
    max_points: float
    checks: tuple[CheckResult, ...]
    seed: str
    isolation: str
    misconception: str = ""
    message: str = ""
    file: str = ""
    duration_s: float = 0.0


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function that learners write.

    Attributes:
        kind: positional_only, positional_or_keyword, var_positional, keyword_only or var_keyword.
        has_default: whether it may be left out.
    """

    name: str
    kind: str
    has_default: bool = False


@dataclass(frozen=True)
class FunctionSignature:
    """What can be passed to one function of an exercise; annotations and default values do not count."""

    name: str
    parameters: tuple[Parameter, ...]
