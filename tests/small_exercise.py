"""Exercises of a few lines, written for one test each."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

from grader.model import Exercise, Submission

HEAD = """
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, example, given, note, settings, target
from hypothesis import strategies as st
from grader import expect
"""
DOUBLE = "def double(n):\n    return 2 * n\n"


def make_exercise(
    folder: Path, checks: str, reference: str | None = DOUBLE, stub: str = "", hidden: str = "", **fields: Any
) -> Exercise:
    """An exercise in ``folder``; without a reference it is as in a kit."""
    place, solution = folder / "exercises/chapter1/small", folder / "solutions/chapter1/small"
    place.mkdir(parents=True, exist_ok=True)
    stub = stub or "def double(n):\n    raise NotImplementedError\n"
    (place / "small.py").write_text(dedent(stub))
    (place / "checks.py").write_text(HEAD + dedent(checks))
    if reference is not None:
        solution.mkdir(parents=True, exist_ok=True)
        (solution / "reference.py").write_text(dedent(reference))
        if hidden:
            (solution / "hidden_checks.py").write_text(HEAD + dedent(hidden))
    facts: dict[str, Any] = {"level": "Beginner", "path": "core", "minutes": 1, "order": 1, "needs": ()}
    facts |= {"points": {"core": 6, "edge": 2, "scale": 2}} | fields
    return Exercise("chapter1/small", "Small", place, solution if reference is not None else None, **facts)


def submit(source: str, name: str = "small.py") -> Submission:
    """A learner's file."""
    return Submission(name, dedent(source).encode(), f"somewhere/{name}")


def submit_file(path: Path) -> Submission:
    """A file of the course as a learner's file."""
    return Submission(path.name, path.read_bytes(), str(path))
