"""What the author's gate found out, for a terminal and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.text import Text

from grader.authoring.records import ExerciseGate, Fault, GateReport, Kind, MutantScore, Row
from grader.misconceptions import Misconception
from grader.model import TIERS
from grader.report.rows import prose, wrapped
from grader.report.visible import visible

SCHEMA = "check/1"
STYLES = {"ok": "green", "faulty": "red", "skipped": "cyan"}
HEADINGS = ("checks", "wheats", "chaffs", "mutants", "time")
WIDTHS = (7, 6, 6, 7, 7)
REST = 50  # columns of a line beside the exercise's name: these, their gaps, and "99 faults"
MANY = 40  # faults shown in full; the rest are counted, and --json has them all


def render(report: GateReport, width: int = 80) -> Text:
    """A table with one row for each exercise, and below it each fault: cell, declared, happened, remedy."""
    wide = min(max([len(found.exercise) for found in report.exercises] + [len("exercise")]), width - REST)
    rows = [_heading(wide), *(_line(found, wide) for found in report.exercises), Text()]
    for found in report.exercises:
        if found.skipped:
            rows += [Text(found.exercise, "bold"), *prose("skipped", found.skipped, width), Text()]
    for exercise, fault in report.faults[:MANY]:
        rows += [*_fault(exercise, fault, width), Text()]
    if len(report.faults) > MANY:
        rows += [Text(f"… and {len(report.faults) - MANY} faults more; --json has them all"), Text()]
    return Text("\n").join([*rows, *_ending(report, width)])


def _heading(wide: int) -> Text:
    cells = [f"{word:>{size}}" for word, size in zip(HEADINGS, WIDTHS, strict=True)]
    return Text(f"{'exercise':<{wide}}  {' '.join(cells)}  gate", "dim")


def _line(found: ExerciseGate, wide: int) -> Text:
    chaffs = found.count(Kind.CHAFF)
    cells = (
        "+".join(str(found.tiers.get(tier, 0)) for tier in TIERS) if found.tiers else "-",
        str(found.count(Kind.WHEAT)) if found.rows else "-",
        f"{found.killed()}/{chaffs}" if found.rows else "-",
        f"{found.mutants.killed}/{found.mutants.counted}" if found.mutants else "-",
        f"{found.duration_s:.1f} s",
    )
    text = " ".join(f"{cell:>{size}}" for cell, size in zip(cells, WIDTHS, strict=True))
    verdict = _count(len(found.faults)) if found.faults else found.verdict
    name = found.exercise if len(found.exercise) <= wide else f"{found.exercise[: wide - 1]}…"
    return Text(f"{name:<{wide}}  {text}  ").append(verdict, STYLES[found.verdict])


def _count(faults: int) -> str:
    return f"{faults} fault{'s' if faults != 1 else ''}"


def _fault(exercise: str, fault: Fault, width: int) -> list[Text]:
    """``chapter3/minhash_lsh · chaff seed_ignored · test_seed_matters``, and three lines."""
    cell = " · ".join(visible(part) for part in (exercise, fault.place, fault.check) if part)
    rows = [Text(line, "bold") for line in wrapped(cell, width)]
    for word, text in ("declared", fault.declared), ("happened", fault.happened), ("remedy", fault.remedy):
        rows += prose(word, text, width) if text else []
    return rows


def _ending(report: GateReport, width: int) -> list[Text]:
    scores = [found.mutants for found in report.exercises if found.mutants]
    parts = [f"{len(report.exercises)} exercise{'s' if len(report.exercises) != 1 else ''}"]
    skipped = sum(found.verdict == "skipped" for found in report.exercises)
    parts += [f"{skipped} skipped"] if skipped else []
    parts += [_mutants(scores)] if scores else []
    parts += [f"{report.duration_s:.1f} s", f"seed {report.seed}", f"isolation {report.isolation}"]
    faults = len(report.faults)
    ending = Text(_count(faults) if faults else "everything is as declared", "red" if faults else "green")
    return [ending, *(Text(line) for line in wrapped(" · ".join(parts), width))]


def _mutants(scores: Sequence[MutantScore]) -> str:
    killed, counted = sum(score.killed for score in scores), sum(score.counted for score in scores)
    equivalent = sum(score.total for score in scores) - counted
    rate = 100 * killed / counted if counted else 100.0
    # Rounded down: 100 % is said of all of them only.
    return f"{killed} of {counted} mutants killed ({int(rate * 10) / 10:g} %), {equivalent} equivalent"


def to_document(report: GateReport, environment: Mapping[str, str | None]) -> dict[str, Any]:
    """What ``grade check --json`` prints, as ``grader/schemas/check.json`` describes it."""
    return {
        "schema": SCHEMA,
        "ok": not report.faults,
        "seed": report.seed,
        "isolation": report.isolation,
        "environment": dict(environment),
        "duration_s": round(report.duration_s, 6),
        "exercises": [_exercise(found) for found in report.exercises],
    }


def _exercise(found: ExerciseGate) -> dict[str, Any]:
    return {
        "id": found.exercise,
        "verdict": found.verdict,
        "reason": found.skipped,
        "checks": {tier: found.tiers.get(tier, 0) for tier in TIERS},
        "wheats": found.count(Kind.WHEAT),
        "chaffs": found.count(Kind.CHAFF),
        "killed": found.killed(),
        "duration_s": round(found.duration_s, 6),
        "matrix": [_row(row) for row in found.rows],
        "misconceptions": [_known(known) for known in found.misconceptions],
        "mutants": _score(found.mutants) if found.mutants else None,
        "faults": [asdict(fault) for fault in found.faults],
    }


def _row(row: Row) -> dict[str, Any]:
    verdicts = {name: str(verdict) for name, verdict in row.verdicts.items()}
    return {"kind": str(row.kind), "name": row.name, "says": row.says, "verdicts": verdicts}


def _known(known: Misconception) -> dict[str, Any]:
    return {"fails": list(known.fails), "says": list(known.says)}


def _score(score: MutantScore) -> dict[str, Any]:
    return {
        "total": score.total,
        "killed": score.killed,
        "equivalent": score.total - score.counted,
        "rate": round(score.rate, 6),
        "survivors": [asdict(survivor) for survivor in score.survivors],
    }
