"""A made class, every verdict as planted; and a class that is killed again and again, and loses nothing."""

from __future__ import annotations

import csv
import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from grader.batch.ledger import open_ledger
from grader.boundary import isolation
from grader.model import Verdict
from tests.batch.made import PLAIN_RIGHT, TOY, as_folder, plain_course
from tests.batch.made_class import make

REPO = Path(__file__).resolve().parents[2]
SIZES = [pytest.param(46, id="small"), pytest.param(1000, id="whole", marks=pytest.mark.nightly)]
KILLS = [pytest.param(40, 4, id="small"), pytest.param(1000, 30, id="whole", marks=pytest.mark.nightly)]


def command(path, out, course, *words):
    return [sys.executable, "-m", "grader", "batch", str(path), "--out", str(out), "--course", str(course), *words]


def run(path, out, course, *words, code=0):
    done = subprocess.run(command(path, out, course, *words), cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def grades(out):
    """student -> (result, points)"""
    with (out / "grades.csv").open() as file:
        return {line["student"]: (line["result"], line["points"]) for line in csv.DictReader(file)}


@pytest.mark.parametrize("size", SIZES)
def test_every_verdict_is_as_planted(tmp_path, size):
    """Right files pass, wrong ones fail by the checks that they name, hostile ones harm nobody, in every layout."""
    if isolation.works(isolation.NESTED):
        pytest.skip(f"strict: {isolation.works(isolation.NESTED)}")
    paths, expected = make(tmp_path, size, few=size < 1000)
    wrong, seen = [], set()
    for layout, path in paths.items():
        out = tmp_path / f"out-{layout}"
        run(path, out, TOY, "--only", "running_mean")
        found = grades(out)
        seen |= set(found)
        wrong += [
            f"{layout}: {expected[student].name} is {result}, not {expected[student].words}"
            for student, (result, _) in found.items()
            if result not in expected[student].words
        ]
        wrong += killed_by_others(out, expected)
    assert not wrong, "\n".join(wrong)
    assert seen == set(expected)
    assert not list(tmp_path.rglob("pwned"))


def killed_by_others(out, expected):
    """Known-wrong files that passed a check which they say they fail."""
    wrong = []
    with open_ledger(out) as ledger:
        latest = {student: key for (student, _), key in ledger._latest_handins()}
        reports = ledger.reports(latest.values())
    for student, key in latest.items():
        passed = {check.name for check in reports[key].checks if check.verdict is Verdict.PASS}
        wrong += [f"{expected[student].name} passes {name}" for name in expected[student].fails if name in passed]
    return wrong


def digest(out):
    """Everything that a reader may open; the ledger holds times, and is left out."""
    total = hashlib.sha256()
    for path in sorted(out.rglob("*")):
        if path.is_file() and not path.name.startswith("ledger."):
            total.update(str(path.relative_to(out)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def rows(out):
    try:
        base = sqlite3.connect(f"file:{out / 'ledger.sqlite'}?mode=ro", uri=True)
        try:
            return base.execute("SELECT count(*), count(DISTINCT key) FROM grades").fetchone()
        finally:
            base.close()
    except sqlite3.OperationalError:
        return (0, 0)


@pytest.mark.parametrize(("size", "kills"), KILLS)
def test_kills_lose_nothing(tmp_path, size, kills):
    """Killed at random moments, the batch goes on where it was; its reports are those of a run in peace."""
    course = plain_course(tmp_path / "course")
    sources = (PLAIN_RIGHT, PLAIN_RIGHT.replace("max", "min"), PLAIN_RIGHT.replace("sum(", "len("))
    files = {f"s{at:04}/sums.py": f"{sources[at % 3]}# {at}\n".encode() for at in range(size)}
    path = as_folder(files, tmp_path / "class")
    words = ("--seed", "kills", "--isolation", "process", "--jobs", "2", "--format", "all")
    random = Random(size)
    out = tmp_path / "out"
    for kill in range(kills):
        before = rows(out)[0]
        process = subprocess.Popen(
            command(path, out, course, *words), cwd=REPO, stdout=subprocess.DEVNULL, start_new_session=True
        )
        enough = before + random.randint(0, max(1, size // kills)) if kill % 4 else 0
        wait_s = time.monotonic() + (120 if enough else random.uniform(0, 2))
        while process.poll() is None and time.monotonic() < wait_s and (not enough or rows(out)[0] < enough):
            time.sleep(0.005)
        time.sleep(random.uniform(0, 0.05))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        after, distinct = rows(out)
        assert after >= before and after == distinct, "a grade was lost, or made twice"
    run(path, out, course, *words)
    run(path, tmp_path / "peace", course, *words)
    assert rows(out) == (size, size)
    assert digest(out) == digest(tmp_path / "peace")
