"""Classes made up for tests: files by path, written as a folder, a zip or a tar."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from grader.catalog import load_course

TOY = Path(__file__).resolve().parents[1] / "toy_course"
COURSE = load_course(TOY / "exercises")
EXERCISES = COURSE.exercises
RIGHT = {each.slug: each.reference.read_bytes() for each in EXERCISES}
MEAN, COUNT = RIGHT["running_mean"], RIGHT["word_count"]
WRONG = b"def running_mean(values):\n    return [values[0]] * len(values)\n"

Files = Mapping[str, bytes]


def as_folder(files: Files, folder: Path) -> Path:
    """The files under ``folder``."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def zipped(files: Files) -> bytes:
    """The files as a zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(files: Files, mode: str = "w:gz") -> bytes:
    """The files as a tar."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def notebook(*cells: str, tags: Mapping[int, list[str]] | None = None, **fields: object) -> bytes:
    """A notebook of version 4 with these code cells."""
    made = [
        {"cell_type": "code", "id": f"c{at}", "metadata": {"tags": (tags or {}).get(at, [])}, "outputs": [],
         "execution_count": None, "source": text.splitlines(keepends=True)}
        for at, text in enumerate(cells, start=1)
    ]  # fmt: skip
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made} | fields).encode()


PLAIN_YAML = """\
title: Plain Sums
level: Beginner
path: core
minutes: 5
order: 1
objectives: [1]
needs: []
points: {core: 8, edge: 2}
limits: {cpu_s: 1, memory_mb: 256}
"""
PLAIN_STUB = "".join(
    f"def {name}(values):\n    raise NotImplementedError\n\n\n" for name in ("total", "largest", "turned")
)
PLAIN_RIGHT = (
    "def total(values):\n    return sum(values)\n\n\n"
    "def largest(values):\n    return max(values)\n\n\n"
    "def turned(values):\n    return values[::-1]\n"
)
PLAIN_CASES = ((), (1, 2), (3, 1, 2), (-1, -2), (5,), (0, 0, 7), (9, 8, 7, 6), (2, 2), (1, -1), (100, 1))


def plain_checks(count: int = 10) -> str:
    """So many plain checks in turn of the three functions."""
    text = '"""Plain checks."""\n\nimport pytest\n\nfrom grader import expect\n'
    for at in range(count):
        name, wanted = [("total", sum), ("turned", lambda v: v[::-1]), ("largest", max)][at % 3]
        values = list(PLAIN_CASES[at] or (4,))
        text += (
            f'\n\n@pytest.mark.{"edge" if at == count - 1 else "core"}\n@pytest.mark.hint("look at the example")\n'
            f'def test_{name}_{at}(learner):\n    """{name} of {values}"""\n'
            f"    expect.equal(learner.{name}({values}), {wanted(values)!r})\n"
        )
    return text


def plain_course(folder: Path, **changed: str) -> Path:
    """A course of one exercise with three functions and plain checks, which say the same on every machine."""
    files = {
        "exercises/course.yaml": "title: Plain Course\norder: [chapter1]\nobjectives: {1: Add up.}\n",
        "exercises/chapter1/chapter.yaml": "title: Sums\nlevel: Beginner\nprerequisites: []\n",
        "exercises/chapter1/sums/exercise.yaml": PLAIN_YAML,
        "exercises/chapter1/sums/README.md": "# Plain Sums\n",
        "exercises/chapter1/sums/sums.py": PLAIN_STUB,
        "exercises/chapter1/sums/checks.py": plain_checks(),
        "solutions/chapter1/sums/reference.py": PLAIN_RIGHT,
    } | changed
    as_folder({name: text.encode() for name, text in files.items()}, folder)
    return folder
