"""The answer log loses nothing: torn lines, two writers, a clock that runs backwards, a changed question."""

from __future__ import annotations

import multiprocessing
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from grader.errors import UsageError
from grader.quiz import log, schedule
from grader.quiz.log import AnswerLog, Entry
from grader.quiz.progress import replay
from tests.quiz.toy import BANK, make_bank

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)


def answer(id: str = "q2-what-a-mean-is", score: float = 1.0, at: datetime = START, **extra: object) -> Entry:
    return Entry(what=log.ANSWER, id=id, score=score, at=at.isoformat(), **extra)


@pytest.fixture
def answers(tmp_path) -> AnswerLog:
    """An empty log."""
    return AnswerLog(tmp_path / "state" / "quiz.jsonl")


def test_what_is_written_is_read(answers):
    """Entries come back as they were, in their order, apostrophes and other scripts included."""
    entries = [answer(response={"text": "it isn't 2 × 3\n"}), Entry(what=log.FLAG, id="é", at=log.now())]
    for entry in entries:
        answers.append(entry)
    assert answers.read() == entries


def test_a_torn_line_costs_itself_only(answers):
    """A line that was cut off is passed over, and the next entry stands on a line of its own."""
    answers.append(answer())
    whole = answers.path.read_bytes()
    for cut in range(1, len(whole)):
        answers.path.write_bytes(whole + whole[:cut])
        answers.append(answer(score=0.5))
        scores = [entry.score for entry in answers.read()]
        assert (scores[0], scores[-1]) == (1.0, 0.5)


def test_garbage_is_passed_over(answers):
    """Lines that are no entries, of another version or without a time zone do no harm."""
    answers.append(answer())
    line = answers.path.read_text()
    noise = ["[]", "{}", "null", "\x00\xff", line.replace('"v": 1', '"v": 2'), line.replace("+00:00", "")]
    answers.path.write_text("\n".join(noise) + "\n" + line, encoding="utf-8")
    assert len(answers.read()) == 1


def _write(path, name: str, count: int) -> None:
    for at in range(count):
        AnswerLog(path).append(Entry(what=log.ANSWER, id=f"{name}{at}", score=1.0, at=log.now()))


def test_two_runners_at_once(answers):
    """Several processes append at the same time, and every entry is there, whole."""
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(answers.path, name, 50)) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    ids = [entry.id for entry in answers.read()]
    assert sorted(ids) == sorted(f"{name}{at}" for name in "abc" for at in range(50))
    assert [id for id in ids if id[0] == "a"] == [f"a{at}" for at in range(50)]


def test_log_that_cannot_be_written(tmp_path):
    """A folder in place of the file is an error with a remedy."""
    with pytest.raises(UsageError, match="cannot be kept") as refused:
        AnswerLog(tmp_path).append(answer())
    assert "--log" in refused.value.remedy


def test_a_changed_question_makes_answers_stale(tmp_path):
    """Answers to an older revision do not count, and the question is new again."""
    bank, _ = make_bank(tmp_path, BANK.replace("id: q2-what-a-mean-is\n  rev: 1", "id: q2-what-a-mean-is\n  rev: 2"))
    progress = replay(bank, [answer(rev=1), answer("gone-question")])
    standing = progress.questions["q2-what-a-mean-is"]
    assert not standing.seen and standing.stale == 1
    assert progress.next_seed(bank.find("q2-what-a-mean-is"), 100) == 101


def test_flags_and_skips_are_replayed(tmp_path):
    """The last flag counts; an answer after a skip makes the skip forgotten."""
    bank, _ = make_bank(tmp_path)
    id = "q3-streams"
    entries = [Entry(what=what, id=id, at=log.now()) for what in (log.FLAG, log.UNFLAG, log.FLAG, log.SKIP)]
    standing = replay(bank, entries).questions[id]
    assert standing.flagged and standing.skipped
    standing = replay(bank, [*entries, answer(id, 0.5)]).questions[id]
    assert standing.flagged and not standing.skipped and standing.missed


@pytest.mark.parametrize("fsrs", [False, True])
def test_intervals_grow_up_to_three_weeks(fsrs):
    """Right answers come back later and later, after 21 days at most; a wrong one comes back at once."""
    if fsrs:
        pytest.importorskip("fsrs")
    reviews, dues = [(START, 1.0)], []
    for _ in range(8):
        dues.append(schedule.due(reviews, fsrs) - reviews[-1][0])
        reviews.append((schedule.due(reviews, fsrs), 1.0))
    assert dues[0] >= DAY and all(early <= late for early, late in pairwise(dues)) and dues[-1] == 21 * DAY
    wrong = schedule.due([*reviews, (reviews[-1][0] + DAY, 0.0)], fsrs)
    assert wrong - reviews[-1][0] - DAY == timedelta(minutes=10)


@pytest.mark.parametrize("fsrs", [False, True])
def test_a_clock_that_runs_backwards(fsrs):
    """Times that go back are taken as standing still, and nothing is lost or fails."""
    if fsrs:
        pytest.importorskip("fsrs")
    at = schedule.due([(START, 1.0), (START - 400 * DAY, 1.0)], fsrs)
    assert START < at <= START + 21 * DAY
