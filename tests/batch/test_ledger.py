"""The ledger: append-only, one writer, keyed by all that a grade depends on, and whole after any kill."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest

from grader.batch import unit as units
from grader.batch.ledger import FILE, open_ledger
from grader.batch.unit import circumstances, decode_report, encode_report, unit_of
from grader.catalog import load_course
from grader.errors import UsageError
from grader.model import CheckResult, Report, Submission, Verdict
from tests.batch.made import EXERCISES, plain_course

EXERCISE = EXERCISES[0]
AROUND = circumstances(EXERCISE, "s3cret", "strict")
UNIT = unit_of(Submission("running_mean.py", b"x = 1"), AROUND)


def report(points=5.0, verdict=Verdict.NOT_YET, text=""):
    check = CheckResult("test_a", "core", "title", verdict, output=text)
    return Report(EXERCISE.id, "Running Mean", verdict, points, 10, (check,), "id", "strict")


def write(ledger, made, unit=UNIT, around=AROUND):
    ledger.write(unit, "source", encode_report(made), around)


def test_what_is_written_is_read_again(tmp_path):
    """A report comes back as it was, after the ledger was closed and opened, lone surrogates as escapes."""
    with open_ledger(tmp_path) as ledger:
        write(ledger, report(text="x\udcff \N{SNOWMAN}"))
        assert ledger.done([UNIT.key, "other"]) == {UNIT.key}
    with open_ledger(tmp_path) as ledger:
        assert ledger.reports([UNIT.key]) == {UNIT.key: report(text="x\\udcff \N{SNOWMAN}")}
        assert ledger.reports(["other"]) == {}
        assert ledger.parts(AROUND.digest) == dict(AROUND.parts)
    assert decode_report(encode_report(report())) == report()


def test_the_newest_counts_and_the_older_stays(tmp_path):
    """A second grade is a second row."""
    with open_ledger(tmp_path) as ledger:
        write(ledger, report(5))
        write(ledger, report(7))
        assert ledger.reports([UNIT.key])[UNIT.key].points == 7
        assert ledger.grade(UNIT.key, skip=1).report.points == 5


def test_a_grader_problem_is_not_done(tmp_path):
    """What the grader was at fault for is graded again by the next run; a later good grade settles it."""
    with open_ledger(tmp_path) as ledger:
        write(ledger, report(verdict=Verdict.GRADER_PROBLEM))
        assert ledger.done([UNIT.key]) == set()
        write(ledger, report())
        assert ledger.done([UNIT.key]) == {UNIT.key}


@pytest.mark.parametrize("table", ["grades", "handins", "runs", "facts", "circumstances"])
def test_nothing_can_be_changed(tmp_path, table):
    """The file itself refuses updates and deletions, whoever asks."""
    with open_ledger(tmp_path) as ledger:
        ledger.secret()
        ledger.begin("")
        ledger.hand_in([("ada", EXERCISE.id, UNIT.key)])
        write(ledger, report())
    base = sqlite3.connect(tmp_path / FILE)
    [column] = base.execute(f"SELECT name FROM pragma_table_info('{table}') LIMIT 1").fetchone()
    for action in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            base.execute(action)
    base.close()


def test_one_writer_at_a_time(tmp_path):
    """A second run is told that another one is writing; a killed one leaves no lock behind."""
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom grader.batch.ledger import open_ledger\n"
        "with open_ledger(Path(sys.argv[1])):\n    print('open', flush=True)\n    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout.readline() == "open\n"
        with pytest.raises(UsageError, match="another `grade batch`"), open_ledger(tmp_path):
            pass
        process.kill()
    with open_ledger(tmp_path) as ledger:
        assert ledger.done([]) == set()


def test_the_secret_stays(tmp_path):
    """A seed is made up once, kept, and cannot be exchanged later."""
    with open_ledger(tmp_path / "a") as ledger:
        secret = ledger.secret()
        assert len(secret) == 32 and ledger.secret() == secret
    with open_ledger(tmp_path / "a") as ledger:
        assert ledger.secret() == secret
        with pytest.raises(UsageError, match="another seed"):
            ledger.secret("mine")
    with open_ledger(tmp_path / "b") as ledger:
        assert ledger.secret("mine") == "mine"


def test_what_is_no_ledger_is_said(tmp_path):
    """A file of something else is not touched."""
    (tmp_path / FILE).write_bytes(b"something else" * 100)
    with pytest.raises(UsageError, match="is no ledger"), open_ledger(tmp_path):
        pass


def test_the_grade_before(tmp_path):
    """For a student the grade before the newest one is found: of an older file, or of the same under other checks."""
    newer = unit_of(Submission("running_mean.py", b"x = 2"), AROUND)
    with open_ledger(tmp_path) as ledger:
        ledger.hand_in([("ada", EXERCISE.id, UNIT.key)])
        write(ledger, report(3))
        assert ledger.before("ada", EXERCISE.id, UNIT.key) is None
        ledger.hand_in([("ada", EXERCISE.id, newer.key), ("bo", EXERCISE.id, newer.key)])
        write(ledger, report(4), newer)
        assert ledger.before("ada", EXERCISE.id, newer.key).report.points == 3
        assert ledger.before("bo", EXERCISE.id, newer.key) is None
        write(ledger, report(5), newer)
        assert ledger.before("bo", EXERCISE.id, newer.key).report.points == 4


def test_a_key_says_all_that_a_grade_depends_on(tmp_path, monkeypatch):
    """Another byte in the file, checks, hidden checks, reference, points or limits is another key; a README is not."""
    root = plain_course(tmp_path)

    def key(source=b"x", secret="s", level="strict"):
        [exercise] = load_course(root / "exercises").exercises
        return unit_of(Submission("sums.py", source), circumstances(exercise, secret, level)).key

    seen = {key(), key(source=b"y"), key(secret="t"), key(level="process")}
    assert len(seen) == 4
    (root / "exercises/chapter1/sums/README.md").write_text("# Other words\n")
    (root / "exercises/chapter1/chapter.yaml").write_text("title: Other\nlevel: Beginner\nprerequisites: []\n")
    assert key() in seen
    for name in ("checks.py", "sums.py", "exercise.yaml"):
        with (root / "exercises/chapter1/sums" / name).open("a") as file:
            file.write("\nequivalent: {}\nminutes: 6\n" if name == "never" else "\n# changed\n")
        if name != "exercise.yaml":  # a comment changes no grade
            assert key() not in seen
        seen.add(key())
    yaml = root / "exercises/chapter1/sums/exercise.yaml"
    yaml.write_text(yaml.read_text().replace("edge: 2", "edge: 3"))
    assert key() not in seen
    seen.add(key())
    (root / "solutions/chapter1/sums/hidden_checks.py").write_text("# none yet\n")
    assert key() not in seen
    seen.add(key())
    monkeypatch.setattr(units, "engine_digest", lambda: "0.2.0 other")
    assert key() not in seen


def test_another_machine_needs_the_same_course_not_the_same_isolation():
    """What a cluster's worker compares leaves out the seed and the level."""
    assert circumstances(EXERCISE, "a", "strict").course == circumstances(EXERCISE, "b", "process").course
    other = replace(EXERCISE, points={"core": 1})
    assert circumstances(other, "a", "strict").course != circumstances(EXERCISE, "a", "strict").course
