"""`grade batch` as a command: verdicts, resuming, what is graded again, Ctrl-C, and who is to blame."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from grader import logbook
from grader.batch import crew as crews
from grader.batch.crew import LocalCrew
from grader.batch.station import Setup, Station
from grader.batch.unit import circumstances, decode_report, unit_of
from grader.catalog import load_course
from grader.catalog.schema import read_schema
from grader.cli import cli
from grader.cli.instructor import again_words
from grader.model import Submission, Verdict
from tests.batch.made import PLAIN_RIGHT, as_folder, plain_course

REPO = Path(__file__).resolve().parents[2]
RIGHT = PLAIN_RIGHT.encode()
WRONG = PLAIN_RIGHT.replace("max", "min").encode()


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A small course, and a log of this test's own."""
    monkeypatch.setattr(logbook, "log_path", lambda: tmp_path / "grade.log")
    return plain_course(tmp_path / "course")


def batch(path, out, course, *words, code=0):
    """Run the command here; answers what it printed."""
    options = ["--out", str(out), "--course", str(course), "--isolation", "process", "--jobs", "1"]
    result = CliRunner().invoke(cli, ["batch", str(path), *options, *words], prog_name="grade")
    assert result.exit_code == code, result.output
    return result.output


def document(*args, code=0):
    """What --json prints, which its schema describes."""
    found = json.loads(batch(*args, "--json", code=code))
    Draft202012Validator(read_schema("batch")).validate(found)
    return found


def words(out):
    """What the table says: student -> result."""
    with (out / "grades.csv").open() as file:
        return {line["student"]: (line["result"], line["points"]) for line in csv.DictReader(file)}


def some_class(folder, count=4, **more):
    files = {f"s{at}/sums.py": (WRONG if at % 2 else RIGHT) + b"# %d\n" % at for at in range(count)}
    return as_folder(files | more, folder)


def test_a_class_is_graded_once(tmp_path, course):
    """Everyone gets their grade; a second run grades nothing and says the same; equal files are one unit."""
    path = some_class(tmp_path / "class", **{"t/sums.py": RIGHT, "u/sums.py": RIGHT, "v/notes.txt": b""})
    first = document(path, tmp_path / "out", course)
    assert (first["graded"], first["known"]) == (5, 0)
    assert words(tmp_path / "out") == {
        "s0": ("pass", "10"), "s1": ("not yet", "7.3333"), "s2": ("pass", "10"), "s3": ("not yet", "7.3333"),
        "t": ("pass", "10"), "u": ("pass", "10"), "v": ("missing", "0"),
    }  # fmt: skip
    before = (tmp_path / "out/grades.csv").read_bytes()
    again = document(path, tmp_path / "out", course)
    assert (again["graded"], again["known"]) == (0, 5)
    assert (tmp_path / "out/grades.csv").read_bytes() == before


def test_what_is_graded_again(tmp_path, course):
    """A changed file is graded; --regrade grades what --only and --since leave; a changed course grades all."""
    path, out = some_class(tmp_path / "class"), tmp_path / "out"
    batch(path, out, course)
    (path / "s1/sums.py").write_bytes(RIGHT + b"# mended\n")
    assert document(path, out, course, "--diff")["changes"] == [
        {
            "student": "s1", "exercise": "chapter1/sums", "before": pytest.approx(22 / 3), "after": 10, "of": 10,
            "words": ["not yet", "pass"], "why": ["the student's file"],
            "checks": [f"test_largest_{at}: not yet → pass" for at in (2, 5, 8)],
        }
    ]  # fmt: skip
    assert document(path, out, course)["graded"] == 0
    assert document(path, out, course, "--regrade", "--only", "s2", "--only", "s3")["graded"] == 2
    os.utime(path / "s0/sums.py", (1, 1))
    assert document(path, out, course, "--regrade", "--since", "2020-01-01")["graded"] == 3


def test_a_changed_check_says_whose_grade_it_changes(tmp_path, course):
    """--diff names students, points and the part of the course that is to blame."""
    path, out = some_class(tmp_path / "class", 2), tmp_path / "out"
    batch(path, out, course)
    checks = course / "exercises/chapter1/sums/checks.py"
    text = checks.read_text()
    assert "learner.total([4]), 4" in text
    checks.write_text(text.replace("learner.total([4]), 4", "learner.total([4]), 5"))
    made = document(path, out, course, "--diff")
    assert [(c["student"], c["why"], c["checks"]) for c in made["changes"]] == [
        (name, ["checks"], ["test_total_0: pass → not yet"]) for name in ("s0", "s1")
    ]
    assert "because" in batch(path, out, course, "--diff")


def test_usage(tmp_path, course):
    """A public seed, a name that is nobody's, a time that is none, an empty class: one line and exit code 2."""
    path, out = some_class(tmp_path / "class"), tmp_path / "out"
    for more, text in (
        (["--seed", "0"], "every learner's"),
        (["--only", "s11"], "Did you mean s1?"),
        (["--since", "yesterday"], "no time"),
        (["--cluster", "nonsense"], "cluster"),
    ):
        assert text in batch(path, out, course, *more, code=2)
    assert "no file for any exercise" in batch(as_folder({"a/b.txt": b""}, tmp_path / "empty"), out, course, code=2)


def test_problems_of_the_grader_cost_nothing_and_say_how_to_see_them_again(tmp_path, course):
    """A check that cannot run is listed apart, with exit code 3 and a command; its points go to the others."""
    checks = course / "exercises/chapter1/sums/checks.py"
    checks.write_text(checks.read_text().replace("    expect.equal(learner.total([4]), 4)", "    raise KeyError(1)"))
    path, out = some_class(tmp_path / "class", 2), tmp_path / "out"
    made = document(path, out, course, code=3)
    assert words(out)["s0"] == ("grader problem", "10") and words(out)["s1"][0] == "not yet"
    assert [problem["student"] for problem in made["problems"]] == ["s0", "s1"]
    assert re.search(r"grade batch .*--only s0 --only sums --regrade", made["problems"][0]["again"])
    text = batch(path, out, course, code=3)
    assert "grader problems: 2; they cost no points" in text and "KeyError" in text
    checks.write_text(checks.read_text().replace("    raise KeyError(1)", "    expect.equal(learner.total([4]), 4)"))
    batch(path, out, course)
    assert words(out)["s0"] == ("pass", "10")


def test_the_course_must_be_whole(tmp_path, course):
    """A check file that cannot be imported is everybody's grader problem and nobody's zero."""
    (course / "exercises/chapter1/sums/checks.py").write_text("import nothing_of_that_name\n")
    batch(some_class(tmp_path / "class", 2), tmp_path / "out", course, code=3)
    assert words(tmp_path / "out") == {"s0": ("grader problem", ""), "s1": ("grader problem", "")}


def start(path, out, course, *words):
    """The command as a process in a group of its own, as a terminal would start it."""
    command = [sys.executable, "-m", "grader", "batch", str(path), "--out", str(out), "--course", str(course)]
    return subprocess.Popen(
        [*command, "--isolation", "process", "--jobs", "2", *words],
        cwd=REPO, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def graded(out):
    """How many grades a ledger has by now."""
    try:
        base = sqlite3.connect(f"file:{out / 'ledger.sqlite'}?mode=ro", uri=True)
        try:
            return base.execute("SELECT count(*) FROM grades").fetchone()[0]
        finally:
            base.close()
    except sqlite3.OperationalError:
        return 0


def wait_until(condition, timeout_s=60.0):
    end_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end_s, "it did not happen"
        time.sleep(0.01)


def test_ctrl_c_stops_cleanly(tmp_path, course):
    """The whole group is interrupted: no traceback, nothing left running, every finished grade is kept."""
    path, out = some_class(tmp_path / "class", 200), tmp_path / "out"
    process = start(path, out, course)
    wait_until(lambda: graded(out) >= 3)
    children = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)
    printed, said = process.communicate(timeout=30)
    assert process.returncode == 130 and printed == ""
    found = re.fullmatch(r"stopped: (\d+) of 200 graded and kept; the same command goes on from here", said.strip())
    assert found, said
    assert graded(out) == int(found[1]) < 200
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive


def test_a_killed_master_leaves_nobody_behind(tmp_path, course):
    """After kill -9 of the command its stations and their slots end by themselves."""
    path, out = some_class(tmp_path / "class", 200), tmp_path / "out"
    process = start(path, out, course)
    wait_until(lambda: graded(out) >= 2)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


def setup_of(course):
    loaded = load_course(course / "exercises")
    [exercise] = loaded.exercises
    setup = Setup(str(loaded.root), str(loaded.solutions), (exercise.id,), "s3cret", "process")
    return exercise, setup, circumstances(exercise, "s3cret", "process")


def test_a_station_that_dies_is_replaced(tmp_path, course):
    """Killed stations cost no unit: each is graded once, by another."""
    _, setup, around = setup_of(course)
    units = [unit_of(Submission("sums.py", RIGHT + b"# %d" % at), around) for at in range(12)]
    with LocalCrew(setup, 2, {}) as crew:
        found = []
        for done in crew.grade(units):
            found.append(done)
            if len(found) in (2, 6):
                os.kill(crew.pids[0], signal.SIGKILL)
    assert sorted(done.unit.key for done in found) == sorted(unit.key for unit in units)
    assert {decode_report(done.report).verdict for done in found} == {Verdict.PASS}


def test_a_unit_that_kills_three_stations_is_the_graders_problem(tmp_path, course, monkeypatch):
    """It is given up after three deaths, with the reason; the others are graded."""
    checks = course / "exercises/chapter1/sums/checks.py"
    text = checks.read_text().replace("import pytest\n", "import os\nimport pytest\n", 1)
    deadly = "    if learner.total([4]) == 13:\n        os._exit(7)\n    expect.equal(learner.total([4]), 4)"
    checks.write_text(text.replace("    expect.equal(learner.total([4]), 4)", deadly))
    _, setup, around = setup_of(course)
    bad = RIGHT.replace(b"sum(values)", b"13 if values == [4] else sum(values)")
    units = [unit_of(Submission("sums.py", source), around) for source in (RIGHT, bad, RIGHT + b"#")]
    with LocalCrew(setup, 2, {}) as crew:
        found = {done.unit.source: done for done in crew.grade(units)}
    assert found[bad].report is None and found[bad].fault == "3 processes died of it: its process ended (exit code 7)"
    assert decode_report(found[RIGHT].report).verdict is Verdict.PASS


def test_a_station_that_hangs_is_replaced(tmp_path, course, monkeypatch):
    """A check of the course that never ends is the grader's problem, after three tries."""
    monkeypatch.setattr(crews, "SLACK_S", 1.0)
    monkeypatch.setattr(crews, "POLL_S", 0.1)
    monkeypatch.setattr(crews, "DEATHS", 1)
    checks = course / "exercises/chapter1/sums/checks.py"
    checks.write_text(checks.read_text().replace("    expect.equal(learner.total([4]), 4)", "    while True: pass"))
    _, setup, around = setup_of(course)
    with LocalCrew(setup, 1, {"chapter1/sums": 0.1}) as crew:
        [done] = crew.grade([unit_of(Submission("sums.py", RIGHT), around)])
    assert done.report is None and "did not answer" in done.fault


def test_a_station_refuses_what_it_does_not_have(tmp_path, course):
    """A unit of another version of the course is nobody's zero."""
    _, setup, around = setup_of(course)
    unit = unit_of(Submission("sums.py", RIGHT), around)
    checks = course / "exercises/chapter1/sums/checks.py"
    checks.write_text(checks.read_text() + "\n# newer\n")
    with Station(setup) as station:
        report = station.grade(unit)
    assert report.verdict is Verdict.GRADER_PROBLEM and "another version" in report.message


def test_a_machine_without_the_course_is_nobodys_zero(tmp_path, course, monkeypatch):
    """Where the course is not at its path, GRADE_COURSE names it; where there is none, every unit says so."""
    _, setup, around = setup_of(course)
    unit = unit_of(Submission("sums.py", RIGHT), around)
    moved = course.rename(tmp_path / "elsewhere")
    with LocalCrew(setup, 1, {}) as crew:
        [done] = crew.grade([unit])
    assert decode_report(done.report).verdict is Verdict.GRADER_PROBLEM
    monkeypatch.setenv("GRADE_COURSE", str(moved))
    monkeypatch.chdir(tmp_path)
    with Station(setup) as station:
        assert station.grade(unit).verdict is Verdict.PASS


def test_an_order_in_one_line_again():
    """The command that reproduces a problem repeats paths and options, and not what chose or told things."""
    argv = "grade batch A --out B --only x --since=1 --format csv --json --deadline d --diff --regrade --jobs 3".split()
    assert again_words(argv) == ("A", "--out", "B", "--deadline", "d", "--jobs", "3")


def test_inputs_of_a_hand_in_are_its_own(tmp_path, course):
    """A file that knows every input of the book by heart fails on inputs that are drawn for it alone."""
    checks = course / "exercises/chapter1/sums/checks.py"
    checks.write_text(
        '"""Drawn."""\n\nimport pytest\nfrom hypothesis import given, strategies as st\nfrom grader import expect\n\n\n'
        "@pytest.mark.core\n@pytest.mark.hint('add')\n@given(values=st.lists(st.integers(0, 10**6), max_size=5))\n"
        'def test_total(learner, values):\n    """the sum"""\n    expect.equal(learner.total(values), sum(values))\n'
    )
    _, setup, around = setup_of(course)
    with Station(setup) as station:
        assert station.grade(unit_of(Submission("sums.py", RIGHT), around)).verdict is Verdict.PASS
        [book] = station._books.values()
        from grader.session import casebook

        [entry] = book.entries.values()
        table = {tuple(casebook.thaw(case)["values"]): sum(casebook.thaw(case)["values"]) for case in entry.cases}
        cheat = PLAIN_RIGHT.replace("sum(values)", f"{table!r}.get(tuple(values), 0)")
        unit = unit_of(Submission("sums.py", cheat.encode()), around)
        first, second = station.grade(unit), station.grade(unit)
    assert first.verdict is Verdict.NOT_YET and first.checks[0].called.startswith("total([")
    assert first.checks[0].called == second.checks[0].called
