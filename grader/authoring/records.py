"""What the author's gate found: plain records, and nothing that grades or prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from grader.errors import FAULT
from grader.misconceptions import Misconception
from grader.model import Verdict


class Kind(StrEnum):
    """The part that a file plays in the kill matrix."""

    STUB = "stub"
    REFERENCE = "reference"
    WHEAT = "wheat"
    CHAFF = "chaff"


@dataclass(frozen=True)
class Fault:
    """One cell of an exercise that is not as declared.

    Attributes:
        place: the file, variant or mutant, e.g. ``chaff seed_ignored`` or ``README.md``.
        declared: what should be.
        happened: what is.
        remedy: what to do about it.
        check: the check's function name, or "" where the fault concerns the whole file.
    """

    place: str
    declared: str
    happened: str
    remedy: str
    check: str = ""


@dataclass(frozen=True)
class Note:
    """Something that an author should know, and that may be as it is.

    Attributes:
        place: what it is about, e.g. ``reference`` or ``chaffs a, b``.
        text: what is to be said of it.
        minor: whether it is left out where several exercises are shown together.
    """

    place: str
    text: str
    minor: bool = False


@dataclass(frozen=True)
class Row:
    """One variant's row of the kill matrix.

    Attributes:
        name: the file's name without its ending.
        verdicts: verdict of each check, by the check's full name.
        says: a chaff's misconception, or what is different about a wheat.
    """

    kind: Kind
    name: str
    verdicts: Mapping[str, Verdict]
    says: str = ""


@dataclass(frozen=True)
class Survivor:
    """A mutant of the reference that no check noticed.

    Attributes:
        id: as `mutants` names it; ready for ``equivalent`` in exercise.yaml.
        line: line in reference.py.
        before: the text that was replaced.
        after: what stood there instead.
        text: the line as it read then.
        equivalent: whether exercise.yaml says, with a reason, that no check can notice.
    """

    id: str
    line: int
    before: str
    after: str
    text: str
    equivalent: bool = False


@dataclass(frozen=True)
class MutantScore:
    """How many mutants of a reference the checks kill; equivalent ones are not counted."""

    total: int
    killed: int
    survivors: tuple[Survivor, ...] = ()

    @property
    def counted(self) -> int:
        """Mutants that a check could kill."""
        return self.total - sum(survivor.equivalent for survivor in self.survivors)

    @property
    def rate(self) -> float:
        """Share of those that are killed, 0 to 1."""
        return self.killed / self.counted if self.counted else 1.0


@dataclass(frozen=True)
class ExerciseGate:
    """What the gate found out about one exercise.

    Attributes:
        tiers: number of check functions per tier, hidden ones included.
        rows: the kill matrix: stub, reference, wheats, chaffs.
        skipped: why this machine cannot prove anything about it, or "".
        misconceptions: what ``misconceptions.json`` should hold.
        notes: what is worth a look, and no fault.
        reference_s: wall seconds of all checks together for the reference, the case book being there; None where the
            reference does not pass.
    """

    exercise: str
    faults: tuple[Fault, ...]
    tiers: Mapping[str, int] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    skipped: str = ""
    mutants: MutantScore | None = None
    misconceptions: tuple[Misconception, ...] = ()
    notes: tuple[Note, ...] = ()
    reference_s: float | None = None
    duration_s: float = 0.0

    @property
    def verdict(self) -> str:
        """One word: ``ok``, ``faulty`` or ``skipped``."""
        return "faulty" if self.faults else "skipped" if self.skipped else "ok"

    def count(self, kind: Kind) -> int:
        """How many variants of a kind there are."""
        return sum(row.kind is kind for row in self.rows)

    def killed(self) -> int:
        """How many chaffs fail at least one check."""
        chaffs = [row for row in self.rows if row.kind is Kind.CHAFF]
        return sum(any(verdict.costs_points for verdict in row.verdicts.values()) for row in chaffs)


@dataclass(frozen=True)
class GateReport:
    """What the gate found out about several exercises."""

    exercises: tuple[ExerciseGate, ...]
    seed: str
    isolation: str
    duration_s: float = 0.0

    @property
    def faults(self) -> tuple[tuple[str, Fault], ...]:
        """Every fault with its exercise's id, exercise by exercise."""
        return tuple((found.exercise, fault) for found in self.exercises for fault in found.faults)

    @property
    def exit_code(self) -> int:
        """0 where everything is as declared, 3 where something is not."""
        return FAULT if self.faults else 0
