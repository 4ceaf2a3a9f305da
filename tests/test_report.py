"""The renderers: what stands on the screen and in the JSON for reports made by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO

import pytest
from jsonschema import Draft202012Validator
from rich.console import Console

from grader.catalog.schema import read_schema
from grader.cli import screen
from grader.environment import environment
from grader.model import CheckResult, Report, Verdict
from grader.report import Notes, exit_code, render, to_document, visible

WRONG = CheckResult(
    name="test_equal_sets",
    tier="core",
    title="equal sets give equal signatures",
    verdict=Verdict.NOT_YET,
    called='minhash_signature({"a", "b"}, num_perm=4, seed=1)',
    expected="shape (4,)",
    got="shape (5,)",
    hint="one value per permutation",
)
RIGHT = CheckResult("test_length", "core", "one value per permutation", Verdict.PASS)


def report(*checks: CheckResult, verdict: Verdict = Verdict.NOT_YET, **fields: object) -> Report:
    known = Report("chapter3/minhash_lsh", "MinHash LSH", verdict, 6, 10, checks, "0", "strict")
    return replace(known, **fields)


def lines(*reports: Report, **notes: object) -> list[str]:
    return render(reports, Notes(**notes)).plain.split("\n")


def test_failing_check_reads_as_in_the_design():
    """a failing check shows call, expected beside got, hint and the command that runs it again"""
    shown = lines(report(RIGHT, WRONG))
    at = shown.index("not yet  core · equal sets give equal signatures")
    assert shown[at + 1 : at + 5] == [
        '  called    minhash_signature({"a", "b"}, num_perm=4, seed=1)',
        "  expected  shape (4,)        got  shape (5,)",
        "  hint      one value per permutation",
        "  again     grade minhash_lsh -k equal_sets",
    ]


def test_header_says_id_title_verdict_and_points():
    """one line says what was graded and how it went"""
    assert lines(report(RIGHT))[0] == "chapter3/minhash_lsh · MinHash LSH · not yet · 6 of 10 points"


def test_passing_checks_take_one_line_each():
    """a passing check of a single exercise is one line with its title, cases of one check together"""
    cases = [replace(RIGHT, name=f"test_length[{case}]") for case in (1, 2, 3)]
    shown = lines(report(*cases, replace(RIGHT, name="test_other", title="another"), verdict=Verdict.PASS))
    assert "pass     core · one value per permutation (3 cases)" in shown
    assert "pass     core · another" in shown


def test_several_exercises_are_summed_up():
    """with several exercises passing checks are counted, and a table and a sum stand at the end"""
    other = replace(report(RIGHT, verdict=Verdict.PASS), exercise="chapter3/dedup", points=10)
    shown = lines(report(RIGHT, WRONG), other)
    assert "pass     1 check" in shown
    assert "pass     core · one value per permutation" not in shown
    assert "chapter3/minhash_lsh  not yet   6 of 10 points" in shown
    assert "chapter3/dedup        pass     10 of 10 points" in shown
    assert "16 of 20 points" in shown


def test_every_verdict_has_one_of_five_words():
    """a learner reads pass, not yet, stopped, skipped or grader problem, and the reason under it"""
    words = set()
    for verdict in Verdict:
        shown = lines(report(replace(RIGHT, verdict=verdict, title="t")))
        words |= {line.split("  ")[0] for line in shown if line.endswith("core · t")}
        if verdict in (Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASH, Verdict.FLOOD):
            assert any(line.startswith("  why       ") for line in shown), verdict
    assert words == {"pass", "not yet", "stopped", "skipped", "grader problem"}


def test_prose_fits_into_80_columns():
    """everything for reading is wrapped, with its later lines under the first one"""
    long = "several words that go on " * 12
    check = replace(WRONG, title=long, expected=long, got=long, hint=long, message=long, returned="x " * 90)
    shown = lines(report(check, misconception=long, message=long), keyword=long, remedy=long)
    assert max(len(line) for line in shown) <= 80
    at = next(at for at, line in enumerate(shown) if line.startswith("  hint"))
    assert shown[at + 1].startswith(" " * 12 + "several") or shown[at + 1].startswith(" " * 12)


def test_called_line_stays_pasteable():
    """the call is printed whole on one line, however long; only what nobody pastes is cut, and says so"""
    called = f"f([{', '.join(map(str, range(150)))}])"
    assert f"  called    {called}" in lines(report(replace(WRONG, called=called)))
    cut = lines(report(replace(WRONG, called=f"f({'1' * 5000})")))
    assert any(line.endswith("… 5,003 characters; --json has the whole call") for line in cut)


def test_returned_is_shown_only_where_it_adds_something():
    """the returned value is left out where expected and got say it already"""
    shown = "\n".join(lines(report(replace(WRONG, returned="[1, 2]"))))
    assert "  returned  [1, 2]" in shown
    told = replace(WRONG, returned="raises ValueError: no", got="raised ValueError: no")
    assert "returned" not in "\n".join(lines(report(told)))


def test_own_frames_and_output_stand_under_the_check():
    """the learner's frames and prints are quoted line by line, from both ends where there are many"""
    check = replace(WRONG, traceback="  line 3, in f\n    return 1 / 0", output="".join(f"{n}\n" for n in range(90)))
    shown = lines(report(check))
    assert "  where     | line 3, in f" in shown
    assert "            |   return 1 / 0" in shown
    assert "  printed   | 0" in shown
    assert "            | … 70 lines more; --json has them all" in shown
    assert "            | 89" in shown


def test_an_empty_side_is_not_shown():
    """where a check says nothing of what was expected, only what came is shown"""
    shown = lines(report(replace(WRONG, expected="", got="raised ValueError: no")))
    assert "  got       raised ValueError: no" in shown
    assert not any("expected" in line for line in shown)


def test_same_cause_is_told_once():
    """of checks that fail by the same line of the file one is told whole, the others by their titles"""
    broken = replace(WRONG, got="raised NameError: x", traceback="line 3, in f", expected="")
    shown = lines(report(broken, replace(broken, name="test_b", title="b", called="f(2)")))
    assert sum("line 3, in f" in line for line in shown) == 1
    assert "not yet  core · b" in shown
    assert "  more      grade minhash_lsh -k b" in shown


def test_first_few_failures_are_told_whole():
    """three failing checks are told whole, the rest by title, with the command that tells them whole"""
    many = [replace(WRONG, name=f"test_{n}", title=f"law {n}", got=f"{n}") for n in range(9)]
    shown = lines(report(*many))
    assert sum(line.startswith("  called") for line in shown) == 3
    assert all(f"not yet  core · law {n}" in shown for n in range(9))
    assert "  more      grade minhash_lsh -k 3" in shown


def test_stub_is_a_list_of_things_to_do():
    """a stub shows the titles of its checks and one reason, not a failure for each"""
    stub = [replace(WRONG, name=f"test_{n}", message="not written yet", title=f"law {n}") for n in range(9)]
    shown = lines(report(*stub, file="minhash_lsh.py"))
    assert [f"not yet  core · law {n}" for n in range(9)] == shown[2:11]
    assert shown[11] == "  why       not written yet: 9 checks met NotImplementedError"
    assert "  next      mend minhash_lsh.py" in shown


def test_unreadable_file_is_told_once():
    """a layout fault stands there once with its remedy, not under every check"""
    check = replace(WRONG, verdict=Verdict.LAYOUT, message="minhash_lsh.py, line 3 is not valid Python.", got="")
    shown = lines(report(check, replace(check, name="test_b"), verdict=Verdict.LAYOUT))
    assert sum("not valid Python" in line for line in shown) == 1
    assert "  so        2 checks could not begin" in shown


def test_misconception_is_named_as_a_guess():
    """what a known-wrong file gets wrong is offered, not asserted"""
    shown = lines(report(WRONG, misconception="bands and rows swapped"))
    assert "  perhaps   a known mix-up: bands and rows swapped" in shown


def test_hidden_checks_show_no_output_and_no_traceback():
    """nothing that the learner's code says under a hidden check is repeated anywhere"""
    check = replace(WRONG, hidden=True, output="INPUT", traceback="INPUT")
    assert not any("INPUT" in line for line in lines(report(check)))
    assert "INPUT" not in json.dumps(to_document([report(check)], {}, "strict", "0"))
    assert not any(line.startswith("  again") for line in lines(report(check)))


def test_isolation_is_mentioned_only_where_it_is_not_the_best():
    """a run without walls says so, with the way to get them"""
    assert not any("isolation" in line for line in lines(report(RIGHT)))
    shown = lines(report(RIGHT), isolation="process", remedy="apt-get install bubblewrap for strict")
    assert "graded at isolation process: apt-get install bubblewrap for strict" in shown


def test_next_step_repeats_how_it_was_run():
    """the last lines say what to do next, and commands repeat the options that they need"""
    shown = lines(report(WRONG, file="my/minhash_lsh.py"), options="--using my")
    assert "  again     grade minhash_lsh -k equal_sets --using my" in shown
    assert shown[-2:] == ["  next      mend my/minhash_lsh.py", "  then      grade minhash_lsh --using my"]
    assert lines(report(RIGHT, verdict=Verdict.PASS), following="dedup")[-1] == "  next      grade dedup"


def test_grader_problem_is_nobodys_fault():
    """a grader problem says that it costs nothing and where the log is"""
    check = replace(RIGHT, verdict=Verdict.GRADER_PROBLEM, message="KeyError: 3")
    shown = lines(report(check, verdict=Verdict.GRADER_PROBLEM, max_points=0), log="/logs/grade.log")
    assert shown[-2:] == [
        "  next      tell whoever runs the course: a grader problem costs no points",
        "  then      send them /logs/grade.log",
    ]


HOSTILE = "\x1b[2J\x1b]0;title\x07 [bold red]markup[/] :smile: \u202egnp.exe \u200b\x00\x9b31m\r\udc80 line\u2028two"


def test_hostile_text_is_made_visible():
    """escape sequences, controls, reading direction, lone surrogates are shown as escapes, markup as it is"""
    fields = ("called", "returned", "expected", "got", "hint", "message", "traceback", "output", "title")
    check = replace(WRONG, **dict.fromkeys(fields, HOSTILE))
    hostile = report(check, title=HOSTILE, message=HOSTILE, misconception=HOSTILE, file=HOSTILE, seed=HOSTILE)
    text = render([hostile, hostile], Notes(keyword=HOSTILE, seed=HOSTILE, log=HOSTILE)).plain
    assert all(char == "\n" or char.isprintable() for char in text)
    assert "[bold red]markup[/] :smile:" in text
    assert "\\u202e" in text


def test_hostile_text_reaches_no_terminal(capsys):
    """what a console finally writes for a hostile report holds no byte that a terminal obeys"""
    hostile = render([report(replace(WRONG, output=HOSTILE, got=HOSTILE))], Notes())
    screen.print_text(hostile)
    written = capsys.readouterr().out
    assert "\x1b" not in written and "\r" not in written and "\x07" not in written
    assert written.encode("ascii", "backslashreplace")


@pytest.mark.parametrize("char", ["é", "漢", "·", "🙂", "a"])
def test_readable_text_stays(char):
    """letters of any script, signs and pictures are not escaped"""
    assert visible(char) == char


def test_escapes_mean_the_same_in_a_literal():
    """a character of a call that is made visible still means the same when the call is pasted"""
    text = "a\u202eb\x1bc\u200dd"
    assert eval(visible(f"'{text}'")) == text


def test_tabs_and_line_ends_keep_their_shape():
    """text of many lines keeps its lines; tabs become spaces"""
    assert visible("a\tb\r\nc", lines=True) == "a    b\nc"
    assert visible("a\tb\n") == "a\\tb\\n"


@pytest.mark.parametrize("wanted", ["", "1"])
def test_no_color_is_obeyed(monkeypatch, capsys, wanted):
    """with NO_COLOR set to anything not empty, no escape sequence is written even to a terminal"""
    monkeypatch.setenv("NO_COLOR", wanted)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    screen.print_text(render([report(RIGHT, WRONG)], Notes()))
    assert ("\x1b[" in capsys.readouterr().out) is (wanted == "")


def test_colour_adds_nothing_but_colour():
    """with colour the letters are the same as without"""
    text = render([report(RIGHT, WRONG), report(RIGHT, verdict=Verdict.PASS)], Notes())
    console = Console(file=StringIO(), force_terminal=True, color_system="truecolor", highlight=False)
    console.print(text, soft_wrap=True)
    coloured = console.file.getvalue()
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text.plain + "\n"


def test_document_is_as_its_schema_says():
    """the JSON of any report is valid, and its text survives every JSON reader"""
    every = [replace(WRONG, verdict=verdict, output=HOSTILE) for verdict in Verdict]
    reports = [report(*every, points=6.123456789), report(verdict=Verdict.SKIPPED, points=0, max_points=0)]
    document = to_document(reports, environment(), "strict", "0")
    schema = read_schema("report")
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    assert json.loads(json.dumps(document).encode("utf-8")) == document
    assert document["points"] == 6.123457
    assert "\\udc80" in document["exercises"][0]["checks"][0]["output"]


def test_document_has_the_keys_that_were_promised():
    """the keys that scripts rely on are there under their names"""
    document = to_document([report(WRONG)], environment(), "process", "7")
    top = {"schema", "points", "max_points", "isolation", "seed", "environment", "exercises"}
    assert set(document) == top
    assert {"id", "verdict", "points", "max_points", "checks"} <= set(document["exercises"][0])
    check = {"name", "tier", "title", "verdict", "called", "expected", "got", "hint", "duration_s"}
    assert check <= set(document["exercises"][0]["checks"][0])
    assert {"grader", "python", "platform", "numpy", "torch", "triton", "hypothesis"} <= set(document["environment"])


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        (["pass"], 0),
        (["pass", "skipped"], 0),
        (["skipped"], 1),
        (["pass", "not yet"], 1),
        (["timeout"], 1),
        (["layout", "pass"], 1),
        (["not yet", "grader problem"], 3),
        ([], 1),
    ],
)
def test_exit_code(verdicts, code):
    """0 when all that could be graded passes, 1 when something does not or nothing was, 3 for the grader"""
    assert exit_code([report(verdict=Verdict(verdict)) for verdict in verdicts]) == code


def test_exit_code_sees_single_checks():
    """a grader problem in one check of a failing exercise is not swallowed"""
    check = replace(RIGHT, verdict=Verdict.GRADER_PROBLEM)
    assert exit_code([report(check, WRONG)]) == 3
