"""The author's gate of the question bank: the toy bank passes, and with any single fault it is refused."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from grader.catalog.schema import read_schema
from grader.cli import cli
from grader.errors import ContentError
from grader.quiz import gate
from tests.quiz.toy import BANK, TERMS, make_course

# name: (old text, new text, what the message says, more pairs of old and new text)
FAULTS = {
    "not yaml": ("rev: 1\n  kind: numeric", "rev: [1\n  kind: numeric", "not YAML"),
    "two equal keys": ("  rev: 1\n  kind: single", "  rev: 1\n  rev: 1", "stands twice"),
    "an alias": (
        "- {id: canary_option_sum",
        "- &a {id: canary_option_sum",
        "is an alias",
        "extra: [a tensor]",
        "extra: [*a]",
    ),
    "unknown key": ("  exercise: chapter1/running_mean", "  exercize: chapter1/running_mean", "no such key"),
    "key of another kind": ("  exercise: chapter1/running_mean", "  expect: chapter1/running_mean", "no such key"),
    "missing key": ("  stem: What is the mean of some numbers?\n", "", "`stem` is missing"),
    "unknown kind": ("kind: trace", "kind: tracer", "is not one of"),
    "bad id": ("id: q2-what-a-mean-is", "id: q2", "does not match"),
    "duplicate id": ("id: q2-what-a-mean-is", "id: q1-mean-of-two", "is the number of"),
    "duplicate number": ("id: q2-what-a-mean-is", "id: q1-what-a-mean-is", "is the number of"),
    "text for a number": ("rtol: 0.01", "rtol: 1 %", "must be a number"),
    "a wrong option without a reason": (
        "correct: false, why: canary-why-sum It has to be divided by their count.",
        "correct: false",
        "`why` is missing",
    ),
    "too few options": (
        next(line for line in BANK.splitlines(keepends=True) if "canary_option_sum" in line),
        "",
        "empty or too short",
    ),
    "two right options": (
        "text: their sum, correct: false",
        "text: their sum, correct: true",
        "2 options of a single question",
    ),
    "nothing to tick": (
        "text: the median, correct: false",
        "text: the median, correct: true",
        "ticking all or none",
        "text: the values in order, correct: false",
        "text: the values in order, correct: true",
    ),
    "all of the above": ("text: their sum,", "text: all of the above,", "refers to the others"),
    "equal options": ("text: the total", "text: the average", "say the same"),
    "equal option ids": ("id: canary_option_sum", "id: canary_option_mean", "stands twice"),
    "a stem without a task": (
        "stem: What is the mean of some numbers?",
        "stem: The mean of numbers.",
        "neither a question",
    ),
    "unknown exercise": ("exercise: chapter1/running_mean", "exercise: chapter1/walking_mean", "there is no exercise"),
    "unknown objective": ("objective: 1\n  stem: What", "objective: 9\n  stem: What", "no objective 9"),
    "unknown reference": ("fn: chapter1/running_mean:running_mean\n", "fn: chapter1/walking:mean\n", "no reference"),
    "unknown function": ("fn: chapter1/running_mean:running_mean\n", "fn: chapter1/running_mean:mean\n", "no function"),
    "unknown argument": (
        "    args: {values: [$a, $b, 0.0]}\n",
        "    args: {numbers: [$a, $b, 0.0]}\n",
        "no argument `numbers`",
    ),
    "missing argument": ("    args: {values: [$a, $b, 0.0]}\n", "    args: {}\n", "needs an argument `values`"),
    "unknown parameter": (
        "    args: {values: [$a, $b, 0.0]}\n",
        "    args: {values: [$a, $c, 0.0]}\n",
        "no parameter `c`",
    ),
    "unknown chaff": ("chaff: divided_by_index", "chaff: divided_by_zero", "no chaff"),
    "unknown part": ("    part: 2\n", "    part: 7\n", "IndexError"),
    "not a number": ("    part: 2\n", "", "fails with"),
    "not finite": ("choice: [1.0e+9,", "choice: [1.0e+999,", "inf"),
    "unknown unit": ("    unit: B\n", "    unit: byte\n", "is not known"),
    "unit of another kind": ("    ask: GB\n", "    ask: FLOP\n", "measures"),
    "trap at the key": ("times: 3\n", "times: 1.015\n", "and the key is"),
    "two traps alike": (
        "times: 3\n    why: canary-trap-sum",
        "times: 3\n    why: a sum, not a mean\n  - times: 3.01\n    why: canary",
        "which mistake",
    ),
    "trap that says nothing": ("- times: 3\n", "- ", "neither `fn` nor `times`"),
    "too few variants": (", 5.0e+9, 7.0e+9]}", "]}", "there are 10 variants"),
    "unnamed parameter": ("A stream begins with $a, $b and 0.", "A stream begins with $a and 0.", "does not name it"),
    "unknown placeholder": (
        "A stream begins with $a, $b and 0.",
        "A stream $c begins with $a, $b and 0.",
        "is no parameter",
    ),
    "unknown value": ("The mean of $first", "The mean of $last", "neither a parameter nor a value"),
    "steps in a circle": (
        "{id: canary_block_read, text: read the text,",
        "{id: canary_block_read, text: read the text, after: [canary_block_count],",
        "round in a circle",
    ),
    "unknown step": (
        "after: [canary_block_read], why: canary-why-lower",
        "after: [start], why: canary-why-lower",
        "is no step",
    ),
    "a distractor with a place": (
        "distractor: true,",
        "distractor: true, after: [canary_block_read],",
        "has no place",
    ),
    "extra that fits": ("extra: [a tensor]", "extra: [a list]", "the right one for a pair"),
    "left twice": ("left: most_common", "left: count_words", "on the left twice"),
    "wrong expectation": ("    3 6\n", "    3 7\n", "the code prints"),
    "code that fails": ("total += value\n", "total += values\n", "does not run"),
    "option that nobody can reach": ("kind: single", "kind: trace", "missing|no such key"),
}


def faults_of(folder, bank=BANK, **parts):
    return gate.check(make_course(folder, bank, **parts)).faults


def test_toy_bank_passes(tmp_path):
    """A bank without a fault passes, and all its variants were computed."""
    course = make_course(tmp_path)
    assert not gate.check(course, write=True).faults
    report = gate.check(course)
    assert not report.faults
    assert (report.questions, report.variants, report.terms) == (7, 20, 2)


@pytest.mark.parametrize("name", FAULTS)
def test_single_fault_is_refused(tmp_path, name):
    """A bank with one fault is refused: the message names file and line, and there is a remedy."""
    old, new, says, *more = FAULTS[name]
    bank = BANK.replace(old, new, 1)
    for at in range(0, len(more), 2):
        bank = bank.replace(more[at], more[at + 1], 1)
    assert bank != BANK
    found = faults_of(tmp_path, bank)
    assert found, "the fault was not seen"
    assert re.search(says, found[0].message), found[0].message
    assert re.match(rf"{re.escape(str(tmp_path))}/question_bank/chapter1\.yaml:\d+:", found[0].message)
    assert found[0].remedy


def test_fault_names_its_line(tmp_path):
    """The line is that of the field which is wrong."""
    bank = BANK.replace("    part: 2\n", "    part: 7\n", 1)
    line = bank.splitlines().index("  answer:") + 1
    assert f"chapter1.yaml:{line + 2}:" in faults_of(tmp_path, bank)[0].message


def test_objective_asked_once_is_refused(tmp_path):
    """Every objective of the course is asked at least twice."""
    bank = BANK.replace("objective: 2", "objective: 1")
    assert any("is asked 0 times" in error.message for error in faults_of(tmp_path, bank))


def test_terms_are_checked(tmp_path):
    """A term may stand once only."""
    found = faults_of(tmp_path, terms=TERMS.replace("Stop word", "mean"))
    assert "stands in line 2, too" in found[0].message and "terms.yaml:5" in found[0].message


ROW = (
    "questions:\n- {number: q1, chapter: 1, topic: data, level: intro, kind: numeric, cognition: apply, tests: means}\n"
)


def test_blueprint_is_kept(tmp_path):
    """A question that differs from its row, a question without a row and a row without a question are refused."""
    rows = ROW.replace("intro", "core") + ROW.splitlines()[1].replace("q1,", "q9,") + "\n"
    told = "\n".join(error.message for error in faults_of(tmp_path, blueprint=rows))
    assert "is intro, but the blueprint wants core for q1" in told
    assert "the bank has no question q9" in told
    assert "the blueprint has no q2" in told


def test_blueprint_may_wait(tmp_path):
    """A row may wait for an exercise that is not there, and no longer than that."""
    row = ROW.splitlines()[1].replace("q1,", "q9,")
    rows = ROW + row.replace("tests:", "awaits: chapter2/later, tests:") + "\n"
    course = make_course(tmp_path, blueprint=rows)
    report = gate.check(course)
    assert report.waiting == {"q9": "chapter2/later"}
    assert not any("q9" in error.message for error in report.faults)
    path = tmp_path / "question_bank/blueprint.yaml"
    path.write_text(rows.replace("chapter2/later", "chapter1/word_count"))
    assert any("chapter1/word_count is there now" in error.message for error in gate.check(course).faults)


def many_singles(count: int, key: str, place: int) -> str:
    """A bank that holds ``count`` more single questions, each with this key in this place."""
    texts = []
    for at in range(count):
        options = [f"  - {{id: wrong{n}, text: a wrong one {n}, correct: false, why: it is wrong.}}" for n in range(2)]
        options.insert(place, f"  - {{id: right, text: {key}, correct: true, why: it is right.}}")
        head = BANK.split("- id: q2-")[1].split("  options:")[0].replace("what-a-mean-is", f"more{at}")
        body = "\n".join(options)
        texts.append(f"- id: q{50 + at}-{head}  options:\n{body}\n  explain: it is as it is and so on.\n")
    return BANK + "".join(texts)


def test_longest_key_is_refused(tmp_path):
    """A bank in which the key is mostly the longest option is refused."""
    bank = many_singles(8, "a right one that is said at much greater length", 1)
    assert any("the key is the longest option" in error.message for error in faults_of(tmp_path, bank))


def test_keys_in_one_place_are_refused(tmp_path):
    """A bank in which the key stands mostly in one place is refused."""
    told = [error.message for error in faults_of(tmp_path, many_singles(8, "right one", 2))]
    assert any("the key stands in place 3 in 8 of 9" in message for message in told)
    assert not any("longest" in message for message in told)


def test_command_proves_the_bank(tmp_path, monkeypatch):
    """`grade check question_bank` says that it holds; its JSON is as the schema says; a fault is exit code 3."""
    course = make_course(tmp_path)
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(cli, ["check", "question_bank"], prog_name="grade")
    assert run.exit_code == 3 and "answers.json: no such file" in run.output and "--write" in run.output
    run = CliRunner().invoke(cli, ["check", "question_bank", "--write"], prog_name="grade")
    assert run.exit_code == 0 and "the question bank holds" in run.output
    (course.root.parent / "question_bank/chapter1.yaml").write_text(BANK.replace("times: 3", "times: 1"))
    run = CliRunner().invoke(cli, ["check", "question_bank", "--json"], prog_name="grade")
    document = json.loads(run.output)
    Draft202012Validator(read_schema("check_bank")).validate(document)
    assert run.exit_code == 3 and not document["ok"] and len(document["faults"]) == 1


def test_table_of_answers_is_held_against_the_references(tmp_path):
    """A number that somebody changed in the table is a fault; last digits, in which machines differ, are none."""
    course = make_course(tmp_path)
    gate.check(course, write=True)
    path = tmp_path / "question_bank/answers.json"
    document = json.loads(path.read_text())
    row = next(iter(document["questions"]["q1-mean-of-two"]["variants"].values()))
    for factor, faults in ((1 + 1e-12, 0), (1.001, 1)):
        row["key"] *= factor
        path.write_text(json.dumps(document))
        assert len(gate.check(course).faults) == faults
    path.write_text("{}")
    with pytest.raises(ContentError, match="not a table of answers"):
        gate.check(course)
