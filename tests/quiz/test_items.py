"""Item analysis: on a made class with known shares the figures are those."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from grader.catalog.schema import read_schema
from grader.cli import cli
from grader.quiz import items, log
from grader.quiz.log import AnswerLog, Entry
from tests.quiz.toy import make_bank, make_course


def made_class(folder: Path, learners: int = 20) -> None:
    """Half of the learners know everything but q5, the other half nothing; q6 is the other way round."""
    for number in range(learners):
        good = number % 2 == 0
        answers = AnswerLog(folder / f"learner{number}.jsonl")
        scores = {id: good for id in ("q1-mean-of-two", "q2-what-a-mean-is", "q3-streams", "q4-pipeline")}
        for id, score in {**scores, "q5-pairs": True, "q6-loop": not good}.items():
            response = {"choice": "canary_option_mean" if good else "canary_option_sum"} if id[:2] == "q2" else None
            answers.append(Entry(what=log.ANSWER, id=id, score=float(score), response=response, at=log.now()))
        answers.append(Entry(what=log.ANSWER, id="q1-mean-of-two", score=1.0, at=log.now()))  # later ones do not count


def test_figures_are_those_of_the_class(tmp_path):
    """Difficulty, discrimination and shares are what the class was made to have, and the right ones are flagged."""
    made_class(tmp_path / "logs")
    bank, _ = make_bank(tmp_path / "course")
    found = {item.id[:2]: item for item in items.analyse(bank, items.read_class(tmp_path / "logs"))}
    assert (found["q1"].n, found["q1"].p) == (20, 0.5)
    assert found["q1"].r == pytest.approx(1.0) and found["q6"].r == pytest.approx(-1.0)
    assert found["q2"].shares["canary_option_sum"] == 0.5
    assert any("hardly chosen: canary_option_middle" in flag for flag in found["q2"].flags)
    assert found["q5"].p == 1 and any("outside" in flag for flag in found["q5"].flags) and found["q5"].r is None
    assert any("under" in flag for flag in found["q6"].flags)
    assert found["q7"].n == 0 and found["q7"].flags == ()


def test_a_small_class_gets_no_flags(tmp_path):
    """Under ten answers nothing is flagged."""
    made_class(tmp_path / "logs", learners=9)
    bank, _ = make_bank(tmp_path / "course")
    assert not any(item.flags for item in items.analyse(bank, items.read_class(tmp_path / "logs")))


def test_command(tmp_path, monkeypatch):
    """`grade quiz stats --class` prints a table, or JSON as its schema says; an empty folder is an error."""
    made_class(tmp_path / "logs")
    make_course(tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    run = CliRunner().invoke(cli, ["quiz", "stats", "--class", str(tmp_path / "logs"), "--json"], prog_name="grade")
    document = json.loads(run.output)
    Draft202012Validator(read_schema("quiz_class")).validate(document)
    assert document["learners"] == 20
    run = CliRunner().invoke(cli, ["quiz", "stats", "--class", str(tmp_path / "logs")], prog_name="grade")
    assert "20 learners" in run.output and "hardly chosen" in run.output
    (tmp_path / "empty").mkdir()
    run = CliRunner().invoke(cli, ["quiz", "stats", "--class", str(tmp_path / "empty")], prog_name="grade")
    assert run.exit_code == 2 and "holds no answer logs" in run.output
