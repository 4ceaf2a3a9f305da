"""The course as a list: what there is, in the suggested order."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from grader.model import Chapter, Course, Exercise
from grader.report.document import number
from grader.report.visible import clip

SCHEMA = "list/1"
IMPLIED = {"torch": {"numpy"}, "ranks": {"numpy", "torch"}, "triton": {"numpy", "torch"}, "gpu": {"triton"}}


def list_document(course: Course) -> dict[str, Any]:
    """What ``grade list --json`` prints, as ``grader/schemas/list.json`` describes it."""
    return {
        "schema": SCHEMA,
        "title": course.title,
        "chapters": [
            {
                "id": chapter.id,
                "title": chapter.title,
                "level": chapter.level,
                "prerequisites": list(chapter.prerequisites),
                "exercises": [_entry(exercise) for exercise in chapter.exercises],
            }
            for chapter in course.chapters
        ],
    }


def _entry(exercise: Exercise) -> dict[str, Any]:
    return {
        "id": exercise.id,
        "title": exercise.title,
        "level": exercise.level,
        "path": exercise.path,
        "minutes": exercise.minutes,
        "points": number(_points(exercise)),
        "needs": list(exercise.needs),
        "objectives": list(exercise.objectives),
    }


def render_list(course: Course, width: int = 80) -> Text:
    """The course for a terminal: a heading for each chapter, a line for each exercise, and the sums."""
    rows = [Text(course.title, "bold"), Text()]
    wide = max((len(exercise.slug) for exercise in course.exercises), default=0)
    for chapter in course.chapters:
        if chapter.exercises:
            rows += [*_chapter(chapter, wide, width), Text()]
    minutes = {path: _minutes(course, path) for path in ("core", "extra")}
    points = number(sum(_points(exercise) for exercise in course.exercises))
    rows.append(Text(f"core {_hours(minutes['core'])} · extra {_hours(minutes['extra'])} · {points} points"))
    rows.append(Text("grade one with `grade NAME`, a chapter with `grade chapter1`", "dim"))
    return Text("\n").join(rows)


def _chapter(chapter: Chapter, wide: int, width: int) -> list[Text]:
    rows = [Text().append(chapter.id, "bold").append(f" · {chapter.title} · {chapter.level}")]
    for exercise in chapter.exercises:
        line = Text(f"  {exercise.slug:<{wide}}  ")
        line.append(f"{exercise.path:<5}", "green" if exercise.path == "core" else "dim")
        line.append(f"  {exercise.minutes:>3} min  {number(_points(exercise)):>3} points  ")
        needs = _special_needs(exercise)
        line.append(needs + "  " if needs else "", "cyan")
        room = width - line.cell_len
        rows.append(line.append(clip(exercise.title, room) if room >= len("a title …") else "", "dim"))
        rows[-1].rstrip()
    return rows


def _special_needs(exercise: Exercise) -> str:
    """What an exercise needs beyond numpy, without what goes without saying then."""
    implied = {"numpy"}.union(*(IMPLIED.get(need, set()) for need in exercise.needs))
    return "+".join(need for need in exercise.needs if need not in implied)


def _points(exercise: Exercise) -> float:
    return sum(exercise.points.values())


def _minutes(course: Course, path: str) -> int:
    return sum(exercise.minutes for exercise in course.exercises if exercise.path == path)


def _hours(minutes: int) -> str:
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"
