"""Every format against its published rules, with hostile names and texts in it; lateness; who may see what."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from grader.batch import summary
from grader.batch.analysis import items, mix_ups
from grader.batch.deadline import Policy, read_policy
from grader.batch.difference import Change
from grader.batch.gradebook import counts, gradebook, problems
from grader.batch.records import Code, Entry, Intake, Remark, Student
from grader.batch.reports import RENDERERS, canvas, replace_file, write_reports
from grader.batch.reports.spelling import csv_text, file_name, guarded, plain
from grader.errors import ContentError, UsageError
from grader.model import CheckResult, Report, Submission, Verdict
from tests.batch.made import COURSE, EXERCISES

EXERCISE = replace(EXERCISES[0], points={"core": 6, "edge": 2, "scale": 2})
NASTY = "<script>alert(1)</script>\"'&\x1b[31m\u202e\ud800]]>"
DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)


def check(name, verdict=Verdict.PASS, tier="core", hidden=False, **texts):
    return CheckResult(f"test_{name}", tier, f"{name} holds", verdict, hidden=hidden, **texts)


def report(*checks, verdict=Verdict.NOT_YET, points=5.0, most=10.0, **more):
    return Report(EXERCISE.id, "Running Mean", verdict, points, most, checks, "id", "strict", **more)


RIGHT = report(
    check("a"), check("b"), check("c", tier="edge"), check("h", hidden=True), verdict=Verdict.PASS, points=8, most=8
)
HALF = report(
    check("a"),
    check("b", Verdict.NOT_YET, called="f(1)", expected="2", got=NASTY, hint="think", output=NASTY),
    check("c", Verdict.TIMEOUT, "edge", message="no answer"),
    check("h", Verdict.NOT_YET, hidden=True),
    points=2, most=8, misconception="counts twice",
)  # fmt: skip
PROBLEM = report(
    check("a", Verdict.GRADER_PROBLEM, message="KeyError: 1"), verdict=Verdict.GRADER_PROBLEM, points=0, most=0
)
SKIPPED = report(verdict=Verdict.SKIPPED, points=0, most=0, message="needs torch")
LAYOUT = report(
    *(check(n, Verdict.LAYOUT, message="cannot be loaded") for n in "abc"), verdict=Verdict.LAYOUT, points=0
)


def made(reports, policy=None, show_hidden=False, names=None, **entry):
    """A gradebook of one exercise: student key -> report, None for missing, a text for a refusal."""
    students, entries = [], []
    for key, one in reports.items():
        student = Student(key, (names or {}).get(key, ""), {"ID": f"7{len(students)}"})
        students.append(student)
        fault = one if isinstance(one, str) else ""
        source = None if fault or one is None else b"x"
        submission = Submission("running_mean.py", source, f"{key}/running_mean.py", fault or "nothing was handed in")
        remarks = (Remark(Code.REFUSED, fault),) if fault else ()
        entries.append(Entry(student, EXERCISE.id, submission, remarks, missing=one is None, **entry))
    intake = Intake("made up", tuple(students), tuple(entries))
    course = replace(COURSE, show_hidden=show_hidden)
    return gradebook(course, [EXERCISE], intake, lambda e: reports[e.student.key], policy, "5eed", "strict")


CLASS = {
    "ada": RIGHT,
    "bo": HALF,
    "cy": PROBLEM,
    "di": None,
    "ed": "a zip bomb",
    "fy": LAYOUT,
    "=cmd|' /C calc'!A0": HALF,
    NASTY: RIGHT,
}


@pytest.fixture
def book():
    """A class with everything in it that can go wrong."""
    return made(CLASS, names={"ada": "=SUM(A1)", "bo": NASTY})


def test_what_the_gradebook_says(book):
    """Words and points: lost shares of the grader's are made up for, a problem has no points, missing is zero."""
    found = {row.student.key: (row.cells[0].word, row.cells[0].points, row.total) for row in book.rows}
    assert found["ada"] == ("pass", 10, 10) and found["bo"] == ("stopped", 2.5, 2.5)
    assert found["cy"] == ("grader problem", None, None)
    assert found["di"] == ("missing", 0, 0) and found["ed"] == ("refused", 0, 0) and found["fy"] == ("not yet", 0, 0)
    assert [cell.entry.student.key for cell in problems(book)] == ["cy"]
    assert counts(book)[EXERCISE.id]["pass"] == 2
    assert made({"ada": SKIPPED}).rows[0].cells[0].word == "skipped"


def test_gradescope_follows_its_specification(book):
    """Numbers, allowed values, a score at the top, hidden checks hidden, nothing of their text."""
    files = RENDERERS["gradescope"](book)
    assert len(files) == len(CLASS) and all(name.endswith("/results.json") for name in files)
    for text in files.values():
        results = json.loads(text)
        assert isinstance(results["score"], int | float)
        assert results["visibility"] in ("hidden", "after_due_date", "after_published", "visible")
        assert results["output_format"] in ("text", "html", "simple_format", "md", "ansi")
        assert results["tests"]
        for test in results["tests"]:
            assert set(test) <= set(
                "score max_score status name name_format number output output_format tags visibility extra_data".split()
            )
            assert 0 <= test["score"] <= test["max_score"] or test["max_score"] == 0 == test["score"]
            assert test["status"] in ("passed", "failed") and test["visibility"] in ("visible", "hidden")
    bo = json.loads(files["gradescope/bo/results.json"])
    assert bo["score"] == 2.5
    assert sum(test["max_score"] for test in bo["tests"]) == pytest.approx(10)
    assert sum(test["score"] for test in bo["tests"]) == pytest.approx(2.5, abs=0.001)
    assert [test["visibility"] for test in bo["tests"] if "h holds" in test["name"]] == ["hidden"]
    assert "counts twice" in bo["tests"][0]["output"]
    ed = json.loads(files["gradescope/ed/results.json"])
    assert (ed["score"], ed["tests"][0]["max_score"], ed["tests"][0]["output"]) == (0, 10, "a zip bomb")
    cy = json.loads(files["gradescope/cy/results.json"])
    assert "costs no points" in cy["output"] and sum(test["max_score"] for test in cy["tests"]) == 0


def test_gradescope_says_what_is_not_graded_yet():
    """Partial results come first: what is there, and how much is to come."""
    book = made({"ada": RIGHT})
    [row] = book.rows
    waiting = replace(row.cells[0], word="not graded", points=None, report=None)
    book = replace(book, rows=(replace(row, cells=(row.cells[0], waiting)),))
    results = json.loads(RENDERERS["gradescope"](book)["gradescope/ada/results.json"])
    assert "1 of 2 exercises are graded so far" in results["output"] and results["score"] == 10


@pytest.mark.parametrize("show_hidden", [False, True])
def test_students_see_hidden_checks_when_the_course_says_so(show_hidden):
    """Without leave neither name nor verdict of a check at hand-in; with it both, and never more."""
    hidden = check("secret", Verdict.NOT_YET, hidden=True, hint="hush")
    one = replace(HALF, checks=(*HALF.checks[:3], hidden))
    book = made({"bo": one}, show_hidden=show_hidden)
    seen = RENDERERS["html"](book)["html/bo.html"] + RENDERERS["classroom"](book)["classroom/bo.json"]
    assert ("secret holds" in seen) is show_hidden
    assert "hush" not in seen
    assert ("1 check that runs at hand-in only" in seen) is not show_hidden
    gradescope = json.loads(RENDERERS["gradescope"](book)["gradescope/bo/results.json"])
    [test] = [test for test in gradescope["tests"] if "secret" in test["name"]]
    assert test["visibility"] == ("visible" if show_hidden else "hidden")
    assert "secret holds" in RENDERERS["html"](book)["html/index.html"]


def read(text):
    return list(csv.reader(io.StringIO(text)))


def test_canvas_csv(book):
    """Header, the points row, ids as they are, plain decimals, no formula, no total that is not settled."""
    head, possible, *rows = read(RENDERERS["canvas"](book)["canvas.csv"])
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Toy Course"]
    assert possible == ["    Points Possible", "", "", "", "", "10"]
    assert [row[1] for row in rows] == [f"7{at}" for at in range(len(CLASS))]
    assert rows[0][0] == "'=SUM(A1)" and rows[6][0].startswith("'=cmd")
    assert [row[5] for row in rows] == ["10", "2.5", "", "0", "0", "0", "2.5", "10"]
    assert not any(cell[:1] in "=+-@\t\r" for row in rows for cell in row if cell)


def test_canvas_keeps_a_roster_as_it_is(tmp_path, book):
    """Canvas' own export gives order, ids and sections; who did not hand in stays empty, strangers are named."""
    (tmp_path / "roster.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Old (1),Final Score\n"
        "    Points Possible,,,,,5,(read only)\n"
        '"Lovelace, Ada",0070,00123,ada,"A, B",3,9\n'
        '"Nobody, N",99,=1+1,nn,A,,\n'
        '"Bee, Bo",71,,,A,4,\n'
    )
    roster = canvas.read_roster(tmp_path / "roster.csv")
    rows = read(canvas.render(book, roster, "Homework 1 (12)"))
    assert rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Homework 1 (12)"]
    assert rows[2:] == [
        ["Lovelace, Ada", "0070", "00123", "ada", "A, B", "10"],
        ["Nobody, N", "99", "=1+1", "nn", "A", ""],
        ["Bee, Bo", "71", "", "", "A", "2.5"],
    ]
    assert set(canvas.strangers(book, roster)) == set(CLASS) - {"ada", "bo"}
    (tmp_path / "wrong.csv").write_text("Name,Grade\n")
    with pytest.raises(UsageError, match="no Canvas gradebook"):
        canvas.read_roster(tmp_path / "wrong.csv")


def test_classroom_json_is_what_its_reporter_adds_up(book):
    """Base64 of JSON with numeric scores, a max_score above 0, and at least one test, whatever happened."""
    files = RENDERERS["classroom"](book)
    for name, text in files.items():
        if name.endswith(".base64"):
            decoded = json.loads(base64.b64decode(text, validate=False))
            assert decoded == json.loads(files[name.replace(".base64", ".json")])
            assert decoded["max_score"] == 10 and decoded["tests"]
            assert all(type(test["score"]) in (int, float) for test in decoded["tests"])
            assert {test["status"] for test in decoded["tests"]} <= {"pass", "fail", "error"}
    bo = json.loads(files["classroom/bo.json"])
    assert sum(test["score"] for test in bo["tests"]) == pytest.approx(2.5, abs=0.001)
    assert bo["status"] == "fail" and json.loads(files["classroom/cy.json"])["status"] == "error"


def test_junit_is_xunit2(book):
    """Well-formed, with the elements, attributes and counts that xunit2's schema asks for."""
    text = RENDERERS["junit"](book)["junit.xml"]
    root = ET.fromstring(text.encode())
    assert root.tag == "testsuites" and len(root) == len(CLASS)
    for suite in root:
        assert suite.tag == "testsuite" and {"name", "tests", "failures", "errors"} <= set(suite.attrib)
        assert set(suite.attrib) <= {"name", "tests", "failures", "errors", "skipped"}
        kinds = [child.tag for case in suite for child in case]
        assert int(suite.get("tests")) == len(suite) > 0
        assert int(suite.get("failures")) == kinds.count("failure")
        assert int(suite.get("errors")) == kinds.count("error")
        for case in suite:
            assert case.tag == "testcase" and set(case.attrib) == {"name", "classname"}
            for child in case:
                assert child.tag in ("failure", "error", "skipped") and set(child.attrib) == {"message", "type"}
    assert int(root.get("failures")) == sum(int(suite.get("failures")) for suite in root)


class Tags(HTMLParser):
    """Notes tags and attributes of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_runs_and_loads_nothing(book):
    """Whatever learners write, pages are well-formed, self-contained, and hold no script, event or address."""
    pages = RENDERERS["html"](book)
    assert len(pages) == len(CLASS) + 1
    for text in pages.values():
        tags = Tags()
        tags.feed(text)
        assert not tags.open
        assert not {"script", "img", "iframe", "link", "object", "form"} & set(tags.tags)
        assert not [name for name, _ in tags.attributes if name.startswith("on") or name == "src"]
        assert all(re.fullmatch(r"[\w.-]+\.html", value) for name, value in tags.attributes if name == "href")
        assert "\x1b" not in text and "\u202e" not in text and "<script>" not in text
        assert "default-src 'none'" in text
    assert all(f'href="{name.partition("/")[2]}"' in pages["html/index.html"] for name in pages if "index" not in name)
    assert "counts twice" in pages["html/bo.html"] and "f(1)" in pages["html/bo.html"]
    assert "costs no points" in pages["html/cy.html"] and "a zip bomb" in pages["html/ed.html"]


def test_a_large_class_is_shown_by_exercise(monkeypatch):
    """Where a map of checks would be too large for a browser, the map shows exercises."""
    monkeypatch.setattr("grader.batch.reports.html.MOST_CELLS", 3)
    page = RENDERERS["html"](made({"ada": RIGHT, "bo": HALF}))["html/index.html"]
    assert "shown by exercise" in page and ">25<" in page and ">100<" in page


def test_csv_has_a_line_for_everything(book):
    """One line per student and exercise, with guarded cells, and the remarks beside it."""
    files = RENDERERS["csv"](book)
    rows = read(files["grades.csv"])
    assert len(rows) == 1 + len(CLASS)
    assert rows[2][2:8] == [EXERCISE.id, "stopped", "2.5", "0", "2.5", "10"]
    assert not any(cell[:1] in "=+-@\t\r|%" for row in rows for cell in row if cell)
    assert read(files["remarks.csv"])[1] == ["refused", "ed", EXERCISE.id, "a zip bomb"]


def test_writing_is_all_or_nothing(tmp_path, book):
    """Files are replaced as a whole, and the same ones are left alone."""
    paths = write_reports(book, tuple(RENDERERS), tmp_path)
    assert all(path.exists() for path in paths)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    write_reports(book, tuple(RENDERERS), tmp_path)
    assert times == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert not [path for path in times if path.name.endswith(".part")]
    replace_file(tmp_path / "a/b.txt", "x\ud800")
    assert (tmp_path / "a/b.txt").read_text() == "x\\ud800"


@pytest.mark.parametrize(
    ("hours", "days", "percent"),
    [(-1, 0, 0), (0.2, 0, 0), (0.5, 1, 10), (24.2, 1, 10), (24.5, 2, 20), (24 * 30, 30, 50)],
)
def test_lateness(hours, days, percent):
    """Grace, days begun, percent per day, and never more than the cap; points in reports only."""
    from datetime import timedelta

    policy = Policy(DUE, timedelta(minutes=15), 10, 50)
    book = made({"ada": RIGHT}, policy, submitted_at=DUE + timedelta(hours=hours))
    [cell] = book.cells
    assert (cell.late.days, cell.late.percent) == (days, percent)
    assert cell.points == 10 and cell.final == pytest.approx(10 - percent / 10)
    if days:
        assert Code.LATE in {remark.code for remark in cell.entry.remarks}
        gradescope = json.loads(RENDERERS["gradescope"](book)["gradescope/ada/results.json"])
        assert gradescope["score"] == pytest.approx(10 - percent / 10) and "for lateness" in gradescope["output"]
        classroom = json.loads(RENDERERS["classroom"](book)["classroom/ada.json"])
        assert sum(test["score"] for test in classroom["tests"]) == pytest.approx(10 - percent / 10)


def test_extensions_and_times_from_the_deadline_file(tmp_path):
    """A student is found by key, name or id; a name that is nobody's is said; a mark alone takes nothing off."""
    (tmp_path / "deadline.yaml").write_text(
        "due: 2026-03-01T12:00:00Z\npercent_per_day: 10\n"
        'extensions: {ada: "2026-03-03T12:00:00+00:00", boo: "2026-03-09T12:00:00Z"}\n'
        'submitted: {ada: "2026-03-02T12:00:00Z", "71": "2026-03-02T12:00:00Z"}\n'
    )
    policy = read_policy(tmp_path / "deadline.yaml")
    book = made({"ada": RIGHT, "bo": RIGHT, "cy": RIGHT}, policy, late_mark=True)
    assert [cell.late.percent for cell in book.cells] == [0, 10, 0]
    assert [cell.late.unknown for cell in book.cells] == [False, False, True]
    assert [remark.text for remark in book.remarks] == [
        "the deadline file names boo, who handed in nothing; did you mean bo?"
    ]


@pytest.mark.parametrize(
    "text",
    ["due: soon and later", "due: 2026-03-01T12:00:00", "percent_per_day: 5", "due: 2026-03-01T12:00:00Z\ncap: 5"],
)
def test_a_wrong_deadline_file_is_said(tmp_path, text):
    """A time without a zone, no time, a key that is not known: file, line and remedy."""
    (tmp_path / "deadline.yaml").write_text(text + "\n")
    with pytest.raises(ContentError, match=r"deadline\.yaml:\d"):
        read_policy(tmp_path / "deadline.yaml")


def test_item_analysis():
    """Pass rate; discrimination is negative, and suspect, for a check that strong students fail."""

    def one(**passes):
        return report(*(check(name, Verdict.PASS if yes else Verdict.NOT_YET) for name, yes in passes.items()))

    strong = one(easy=1, good=1, odd=0, never=0, more=1)
    weak = one(easy=0, good=0, odd=1, never=0, more=0)
    middle = one(easy=1, good=0, odd=1, never=0, more=1)
    reports = {f"s{at}": [strong, weak, middle][at % 3] for at in range(12)}
    found = {item.name: item for item in items(made(reports))}
    assert found["test_good"].judged == 12 and found["test_good"].rate == pytest.approx(1 / 3)
    assert found["test_easy"].discrimination > 0 and not found["test_easy"].suspect
    assert found["test_odd"].discrimination < 0 and "do better elsewhere" in found["test_odd"].suspect
    assert found["test_never"].suspect == "nobody passes it" and found["test_never"].discrimination is None
    assert all(item.discrimination is None for item in items(made({"a": strong, "b": weak})))
    assert mix_ups(made({"a": HALF, "b": HALF, "c": RIGHT})) == [(EXERCISE.id, "counts twice", 2)]


def test_spelling():
    """Plain decimals, cells that no spreadsheet runs, file names that no two students share."""
    assert [plain(x) for x in (0, 10.0, 1 / 3, 1e-7, 1e9, 2.5, None)] == [
        "0",
        "10",
        "0.3333",
        "0",
        "1000000000",
        "2.5",
        "",
    ]
    assert [guarded(x) for x in ("=1", "+1", "-1", "@a", "\t=1", "ok", "")] == [
        "'=1", "'+1", "'-1", "'@a", "'\\t=1", "ok", ""
    ]  # fmt: skip
    assert csv_text([["a,b", 'c"d']]) == '"a,b","c""d"\n'
    names = ["ada", "Ada", "../../etc/passwd", "CON", "con", "a/b", "a_b", "", "index", "Zoë", "李雷", "x" * 300]
    made_names = [file_name(name) for name in names]
    assert len({name.lower() for name in made_names}) == len(names)
    assert all(re.fullmatch(r"[\w][\w.-]{0,80}", name, re.ASCII) for name in made_names)
    assert made_names[0] == "ada"


def test_the_end_of_a_run_fits_a_terminal(book):
    """At 80 columns nothing runs over but a command to be copied, whatever learners and courses call things."""
    change = Change(
        "bo", EXERCISE.id, 2.0, 2.5, 10.0, ("not yet", "stopped"), ("checks", "reference"), ("test_a: pass → crash",)
    )
    told = summary.Told(3, 4, 2.0, [Path("out/grades.csv")], ("class", "--out", "out"), [change] * 30, 80)
    long = replace(EXERCISE, id=f"chapter1/{'long_' * 9}name")
    wide = replace(book, exercises=(long,), rows=tuple(
        replace(row, cells=tuple(replace(cell, exercise=long) for cell in row.cells)) for row in book.rows
    ))  # fmt: skip
    for one in (book, wide):
        lines = summary.render(one, told).plain.split("\n")
        assert [line for line in lines if len(line) > 80 and "grade batch" not in line] == []
        text = "\n".join(lines)
        assert "grader problems: 1; they cost no points" in text and "30 grades changed" in text
        assert "grade batch class --out out --only cy --only" in text and "\x1b" not in text
