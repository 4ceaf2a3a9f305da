"""What the author's gate found out, for a terminal and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.text import Text

from grader.authoring.records import ExerciseGate, Fault, GateReport, Kind, MutantScore, Row
from grader.misconceptions import Misconception
from grader.model import TIERS
from grader.report.rows import prose, wrapped

SCHEMA = "check/1"
STYLES = {"ok": "green", "faulty": "red", "skipped": "cyan"}
WIDTHS = {"checks": 7, "wheats": 6, "chaffs": 6, "mutants": 7, "ref s": 5, "time": 7}
FAULTS = len("99 faults")
MANY = 40  # faults shown in full; the rest are counted, and --json has them all


def render(report: GateReport, width: int = 80) -> Text:
    """A table with one row for each exercise, and below it each fault: cell, declared, happened, remedy."""
    columns = [word for word in WIDTHS if word != "mutants" or any(found.mutants for found in report.exercises)]
    rest = sum(WIDTHS[word] + 1 for word in columns) + FAULTS + 3
    wide = min(max([len(found.exercise) for found in report.exercises] + [len("exercise")]), width - rest)
    rows = [_heading(wide, columns), *(_line(found, wide, columns) for found in report.exercises), Text()]
    rows += _notes(report, width)
    for found in report.exercises:
        if found.skipped:
            rows += [Text(found.exercise, "bold"), *prose("skipped", found.skipped, width), Text()]
    for kind, faults in groupby(report.faults[:MANY], key=_kind):
        rows += [*_faults(kind[0], [fault for _, fault in faults], width), Text()]
    if len(report.faults) > MANY:
        rows += [Text(f"… and {len(report.faults) - MANY} faults more; --json has them all"), Text()]
    return Text("\n").join([*rows, *_ending(report, width)])


def _heading(wide: int, columns: Sequence[str]) -> Text:
    cells = [f"{word:>{WIDTHS[word]}}" for word in columns]
    return Text(f"{'exercise':<{wide}}  {' '.join(cells)}  gate", "dim")


def _line(found: ExerciseGate, wide: int, columns: Sequence[str]) -> Text:
    chaffs = found.count(Kind.CHAFF)
    cells = {
        "checks": "+".join(str(found.tiers.get(tier, 0)) for tier in TIERS) if found.tiers else "-",
        "wheats": str(found.count(Kind.WHEAT)) if found.rows else "-",
        "chaffs": f"{found.killed()}/{chaffs}" if found.rows else "-",
        "mutants": f"{found.mutants.killed}/{found.mutants.counted}" if found.mutants else "-",
        "ref s": f"{found.reference_s:.1f}" if found.reference_s is not None else "-",
        "time": f"{found.duration_s:.1f} s",
    }
    text = " ".join(f"{cells[word]:>{WIDTHS[word]}}" for word in columns)
    verdict = _count(len(found.faults)) if found.faults else found.verdict
    name = found.exercise if len(found.exercise) <= wide else f"{found.exercise[: wide - 1]}…"
    return Text(f"{name:<{wide}}  {text}  ").append(verdict, STYLES[found.verdict])


def _notes(report: GateReport, width: int) -> list[Text]:
    """What is no fault; where there are several exercises, only what cannot wait."""
    alone = len(report.exercises) == 1
    rows = []
    for found in report.exercises:
        for note in found.notes:
            place = note.place if alone else f"{found.exercise} · {note.place}"
            rows += prose("note", f"{place}: {note.text}", width) if alone or not note.minor else []
    return [*rows, Text()] if rows else []


def _count(faults: int) -> str:
    return f"{faults} fault{'s' if faults != 1 else ''}"


def _kind(found: tuple[str, Fault]) -> tuple[str, str, str]:
    exercise, fault = found
    return exercise, fault.declared, fault.remedy


def _faults(exercise: str, faults: Sequence[Fault], width: int) -> list[Text]:
    """Faults of one kind: ``chapter3/minhash_lsh · chaff seed_ignored · test_seed_matters``, and three lines.

    Where there are several, what was declared and the remedy are said once.
    """
    declared = prose("declared", faults[0].declared, width)
    remedy = prose("remedy", faults[0].remedy, width) if faults[0].remedy else []
    if len(faults) == 1:
        heading = _bold(f"{exercise} · {_cell(faults[0])}", width)
        return [*heading, *declared, *prose("happened", faults[0].happened, width), *remedy]
    rows = [*_bold(f"{exercise} · {len(faults)} of a kind", width), *declared]
    for fault in faults:
        rows += [*prose("cell", _cell(fault), width), *prose("happened", fault.happened, width)]
    return rows + remedy


def _cell(fault: Fault) -> str:
    return " · ".join(part for part in (fault.place, fault.check) if part)


def _bold(text: str, width: int) -> list[Text]:
    return [Text(line, "bold") for line in wrapped(text, width)]


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
        "reference_s": round(found.reference_s, 6) if found.reference_s is not None else None,
        "duration_s": round(found.duration_s, 6),
        "matrix": [_row(row) for row in found.rows],
        "misconceptions": [_known(known) for known in found.misconceptions],
        "mutants": _score(found.mutants) if found.mutants else None,
        "notes": [{"place": note.place, "text": note.text} for note in found.notes],
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
