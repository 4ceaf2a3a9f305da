"""`grade quiz` in plain mode, scripted, and on a terminal."""

from __future__ import annotations

import json
import os
import sys
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from grader.catalog.schema import read_schema
from grader.cli import cli
from grader.quiz.asking import Asked
from grader.quiz.log import AnswerLog
from grader.quiz.reading import name_of
from tests.quiz.toy import BANK, make_bank, make_course

REPO = Path(__file__).parent.parent.parent


@pytest.fixture
def toy(tmp_path, monkeypatch) -> Path:
    """The toy course as the working folder; logs go where --log says."""
    make_course(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def quiz(*words: str, typed: str = "", log: str = "log.jsonl"):
    """Run ``grade quiz`` with these lines typed."""
    return CliRunner().invoke(cli, ["quiz", *words, "--log", log], input=typed, prog_name="grade")


def entries(log: str = "log.jsonl"):
    return AnswerLog(Path(log)).read()


def right_lines(folder: Path, seed: int) -> dict[str, str]:
    """For each toy question the lines that answer it rightly under this seed."""
    bank, keys = make_bank(folder)
    return {question.number: right_line(Asked(question, seed, keys)) for question in bank.questions}


def right_line(asked: Asked) -> str:
    """What to type."""
    question = asked.question
    names = {id: name for name, id in asked.ids(name_of(question.kind)).items()}
    lefts = {text: name for name, text in asked.lefts(name_of(question.kind)).items()}
    if question.kind in ("single", "multi"):
        return " ".join(names[option.id] for option in question.options if option.correct)
    if question.kind == "order":
        return " ".join(names[block.id] for block in question.blocks if not block.distractor)
    if question.kind == "match":
        return " ".join(lefts[pair.left] + names[pair.right] for pair in question.pairs)
    if question.kind == "numeric":
        return f"{asked.solved.key / 1e9!r} GB"
    return f"{question.expect.strip()}\n" if question.kind == "trace" else "They are everywhere.\n\ny\ny"


def test_a_whole_round(toy, tmp_path_factory):
    """All seven kinds, answered rightly: full points, the short answer apart, and every answer in the log."""
    lines = right_lines(tmp_path_factory.mktemp("again"), 4)
    run = quiz("--plain", "--seed", "4", typed="\n".join(lines[f"q{number}"] for number in range(1, 8)) + "\n")
    assert run.exit_code == 0, run.output
    assert "6 of 6 points" in run.output and "1 short answer, counted apart" in run.output
    assert [entry.score for entry in entries()] == [1.0] * 7
    assert run.output.count("question 7 of 7") == 1


def test_feedback_shows_everything(toy):
    """After an answer every option stands there with its reason, the rule and the exercise to practise with."""
    run = quiz("q2", "--plain", "--seed", "1", typed="1\n")
    assert run.output.count("canary-why") == 3 and "canary-explain-2" in run.output
    assert "full points for exactly the right choice" in run.output
    run = quiz("q1", "--plain", "--seed", "1", typed="0\n")
    assert "read as   0 GB" in run.output and "practise  grade chapter1/running_mean" in run.output


def test_a_known_mistake_is_named(toy, tmp_path_factory):
    """A number that a trap leads to is called by its mistake."""
    bank, keys = make_bank(tmp_path_factory.mktemp("again"))
    key = Asked(bank.questions[0], 2, keys).solved.key
    run = quiz("q1", "--plain", "--seed", "2", typed=f"{3 * key!r} B\n")
    assert "mistake   canary-trap-sum" in run.output


def test_commands(toy):
    """h hints, ? explains, f flags, s skips, q saves and quits; --flagged finds what was flagged."""
    run = quiz("q1", "q2", "--plain", typed="h\n?\nf\ns\nq\n")
    assert "CANARY-FREE hint" in run.output and "1b 2a" in run.output
    assert "Flagged." in run.output and "Skipped." in run.output and "goes on from here" in run.output
    assert [entry.what for entry in entries()] == ["flag", "skip"]
    assert "q1-mean-of-two" in quiz("--flagged", "--plain").output


def test_unclear_answers_are_asked_again(toy):
    """What cannot be read costs nothing: the reason, and the same question again."""
    typed = "7\nx\n1 2\n\n2\n"
    run = quiz("q2", "--plain", typed=typed)
    for says in ("there is no 7", "there is no x", "only one can be chosen", "there is no answer yet"):
        assert says in run.output
    assert len(entries()) == 1


def test_resume_is_the_default(toy):
    """Whoever stops goes on with what is not answered yet; with nothing left, the next time is said."""
    first = quiz("--plain", typed="0\n1\nq\n")
    assert "question 1 of 7" in first.output
    second = quiz("--plain", typed="q\n")
    assert "question 1 of 5" in second.output and "q3-streams" in second.output


def test_missed_and_seeds(toy):
    """--missed asks what was not right, in another variant than the time before."""
    quiz("q1", "--plain", typed="0\n")
    run = quiz("--missed", "--plain", typed="0\n")
    assert "q1-mean-of-two" in run.output and "question 1 of 1" in run.output
    first, second = (entry.seed for entry in entries())
    assert second == first + 1


def test_exam_keeps_feedback_to_the_end(toy):
    """An exam says nothing until it is over, is drawn from its seed, and counts what was not answered."""
    run = quiz("--exam", "3", "--seed", "7", "--plain", typed="s\n1\nq\n")
    before, after = run.output.split("Saved.", 1)
    assert "canary" not in before and "Scoring" in before
    assert [(entry.what, entry.mode) for entry in entries()] == [("skip", "practice"), ("answer", "exam")]
    again = quiz("--exam", "3", "--seed", "7", "--plain", log="other.jsonl", typed="q\n")
    assert before.split("question 1 of 3")[1][:60] == again.output.split("question 1 of 3")[1][:60]
    assert "points" in after
    assert quiz("--exam", "99", "--plain").exit_code == 2


def test_certainty(toy):
    """Being sure and right is worth 3, being sure and wrong costs 6."""
    run = quiz("q1", "--plain", "--certainty", typed="0\n4\n3\n")
    assert "1 is a guess" in run.output and "certainty 3: -6" in run.output and "-6 points of certainty" in run.output
    assert entries()[0].certainty == 3


def test_unknown_words_get_suggestions(toy):
    """A mistyped topic is an error that names what was meant."""
    run = quiz("scalling", "--plain")
    assert run.exit_code == 2 and "Did you mean scaling?" in run.output


def test_scripts_get_json(toy):
    """--json prints questions without their keys, marks answers from stdin, and is as its schema says."""
    schema = Draft202012Validator(read_schema("quiz"))
    questions = json.loads(quiz("--json", "--seed", "3").output)
    schema.validate(questions)
    assert len(questions["questions"]) == 7 and questions["results"] == []
    assert "canary" not in json.dumps(questions["questions"])
    answers = [{"id": "q2", "answer": "1"}, {"id": "q1-mean-of-two", "answer": 0}, {"id": "q3", "answer": "9"}]
    document = json.loads(quiz("--json", "--seed", "3", typed=json.dumps(answers)).output)
    schema.validate(document)
    assert [sorted(result)[:2] for result in document["results"]][2] == ["error", "id"]
    assert len(document["results"][0]["reasons"]) == 3
    assert len(entries()) == 2
    for bad in ("{}", "nonsense", '[{"id": "q99", "answer": "1"}]'):
        assert quiz("--json", typed=bad).exit_code == 2


def test_stats(toy):
    """The table counts what was seen, and its JSON is as its schema says."""
    quiz("q1", "q2", "--plain", "--certainty", typed="0\n3\n1\n1\n")
    document = json.loads(quiz("stats", "--json").output)
    Draft202012Validator(read_schema("quiz_stats")).validate(document)
    assert document["all"][0]["seen"] == 2 and document["certainty"]["3"] == {"right": 0, "of": 1}
    assert "2/7" in quiz("stats").output


def test_terms(toy):
    """Cards turn, and one that was known is not shown again at once."""
    run = quiz("terms", typed="\ny\n\nn\n")
    assert "1 of 2 known." in run.output and "sum of some numbers" in run.output
    assert [entry.score for entry in entries()] == [1.0, 0.0]
    assert "No card is due" in quiz("terms").output
    Draft202012Validator(read_schema("quiz_terms")).validate(json.loads(quiz("terms", "--json").output))


def test_chapter9_is_the_quiz(toy):
    """`grade chapter9` asks the same questions."""
    run = CliRunner().invoke(cli, ["chapter9", "q2", "--plain", "--log", "log.jsonl"], input="q\n", prog_name="grade")
    assert run.exit_code == 0 and "q2-what-a-mean-is" in run.output


def test_an_apostrophe_breaks_nothing(toy):
    """Text with an apostrophe comes through as it is."""
    assert "isn't it" in quiz("q2", "--plain", typed="q\n").output


def test_a_broken_bank_is_an_error(toy):
    """A fault in the bank is named with file and line, and nothing is asked."""
    (toy / "question_bank/chapter1.yaml").write_text(BANK.replace("kind: trace", "kind: tracer"))
    run = quiz("--plain")
    assert run.exit_code == 3 and "chapter1.yaml:" in run.output and "Did you mean `trace`?" in run.output


# On a real terminal.

DOWN, RIGHT, ENTER = "\x1b[B", "\x1b[C", "\r"


@pytest.fixture
def terminal(toy):
    """Start ``grade quiz`` in a pseudo-terminal."""
    pexpect = pytest.importorskip("pexpect")
    started = []

    def start(*words: str, **env: str):
        child = pexpect.spawn(
            sys.executable,
            ["-m", "grader", "quiz", *words, "--log", "log.jsonl"],
            cwd=toy,
            env=os.environ | {"PYTHONPATH": str(REPO), "TERM": "xterm", "COLUMNS": "80", "LINES": "40"} | env,
            dimensions=(40, 80),
            encoding="utf-8",
            timeout=30,
        )
        started.append(child)
        return child

    yield start
    for child in started:
        child.close(force=True)


def test_keys_choose(terminal):
    """Arrows move, Enter submits only when something is chosen, digits choose, and Enter goes on."""
    child = terminal("q2", "--seed", "1")
    child.expect("enter submits")
    child.send(ENTER)
    child.expect("no answer yet")
    child.send(DOWN + " ")
    child.expect(r"> \(x\) 2\.")
    child.send("h")
    child.expect("There is no hint")
    child.send("3")
    child.expect(r"> \(x\) 3\.")
    child.send(ENTER)
    child.expect("canary-explain-2")
    child.send(ENTER)
    child.expect("of 1 point")
    child.wait()
    assert len(entries()) == 1


def test_keys_reach_every_choice(terminal):
    """Ticks, an order with a step left out, and pairs can all be made with the keyboard alone."""
    child = terminal("q3", "q4", "q5", "--seed", "1")
    child.expect("space or 1-9 tick")
    child.send("1j " + ENTER)
    child.expect("enter goes on")
    child.send(ENTER)
    child.expect("shift a step")
    child.send(ENTER)
    child.expect("nothing was moved")
    child.send("]j [" + ENTER)
    child.expect("enter goes on")
    child.send(ENTER)
    child.expect("a letter chooses")
    child.send("a" + DOWN + RIGHT + RIGHT + ENTER)
    child.expect("enter goes on")
    child.send(ENTER)
    child.expect("points")
    child.wait()
    responses = [entry.response for entry in entries()]
    assert len(responses[0]["choices"]) >= 2 and len(responses[1]["order"]) == 4 and len(responses[2]["pairs"]) == 2


def test_quitting_leaves_the_terminal_as_it_was(terminal):
    """q, and Ctrl-C too, save, leave the screen and show the cursor again; the answers before are kept."""
    for key in ("q", "\x03"):
        child = terminal("q2", "--seed", "1", NO_COLOR="1")
        child.logfile_read = StringIO()
        child.expect("enter submits")
        child.send(key)
        child.expect("Saved")
        child.wait()
        screen = child.logfile_read.getvalue()
        assert screen.rindex("\x1b[?25h") > screen.rindex("\x1b[?25l")


def test_screen_has_no_colour_when_asked(terminal):
    """NO_COLOR leaves no colour on the screen; signs and words say everything."""
    child = terminal("q2", "--seed", "1", NO_COLOR="1")
    child.expect("enter submits")
    assert "\x1b[3" not in child.before.replace("\x1b[?", "")
    child.send("q")
    child.wait()
