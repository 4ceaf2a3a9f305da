"""The case book: replaying says what drawing says, only faster, and goes on without the reference."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.errors import ContentError
from grader.model import Verdict
from grader.session import casebook, draw_book, grade
from tests.fake_slot import FakeSlot
from tests.small_exercise import DOUBLE, make_exercise, submit, submit_file

TOY = Path(__file__).parent / "toy_course"
EXERCISES = {exercise.id: exercise for exercise in load_course(TOY / "exercises", TOY / "solutions").exercises}
KEPT = """
@pytest.mark.core
@given(n=st.integers(0, 100))
def test_doubled(learner, n):
    '''twice as much'''
    expect.equal(learner.double(n), 2 * n)
"""
WRONG = "def double(n):\n    return 2 * n if n < 7 else 0\n"


def verdicts(report):
    return {check.name: check.verdict for check in report.checks}


def book_of(exercise, checks_seed="7"):
    """What the book knows after the reference was graded with it."""
    book = casebook.new(exercise, checks_seed)
    [report] = grade(exercise, [submit(DOUBLE)], slot=FakeSlot(), seed=checks_seed, book=book)
    assert report.verdict is Verdict.PASS, report
    return book


def entry_of(exercise):
    [entry] = book_of(exercise).entries.values()
    return entry


@pytest.mark.parametrize("id", EXERCISES)
def test_replaying_says_what_drawing_says(id):
    """Over all right and wrong variants, each check's verdict is the same with a case book and without."""
    exercise = EXERCISES[id]
    files = [exercise.reference, exercise.stub, *exercise.wheats, *exercise.chaffs]
    drawn, replayed = (
        grade(
            exercise,
            [submit_file(file) for file in files],
            slot=FakeSlot(),
            seed="1",
            book=book,
            hidden=True,
            keyword="not time_grows",
        )
        for book in (False, True)
    )
    assert [verdicts(report) for report in drawn] == [verdicts(report) for report in replayed]
    assert {report.verdict for report in drawn[:1] + drawn[2 : 2 + len(exercise.wheats)]} == {Verdict.PASS}


def test_several_files_share_a_book():
    """With several files, inputs are drawn once: the second file's calls are the cases, and no more."""
    exercise = EXERCISES["chapter1/running_mean"]
    file, slot, counts = submit_file(exercise.reference), FakeSlot(), []
    grade(
        exercise,
        [file] * 3,
        slot=slot,
        seed="1",
        keyword="first_value",
        on_report=lambda report: counts.append(slot.calls),
    )
    assert counts[2] - counts[1] == counts[1] - counts[0] == 40
    assert counts[0] == 80, "the first file is graded after the reference has been through"


def test_a_written_book_reads_back(tmp_path):
    """A book keeps what it knows on disk, and nothing of the solution's source."""
    exercise = EXERCISES["chapter1/running_mean"]
    book = draw_book(exercise, slot=FakeSlot(), seed="3")
    casebook.write(book, tmp_path / "book")
    assert casebook.read(tmp_path / "book") == book
    assert b"def " not in (tmp_path / "book").read_bytes()


@pytest.mark.parametrize("id", EXERCISES)
def test_a_kit_grades_without_solutions(id, tmp_path):
    """From the book alone, all variants get the verdicts that they get with the reference at hand."""
    exercise = EXERCISES[id]
    casebook.write(draw_book(exercise, slot=FakeSlot(), seed="3"), tmp_path / "book")
    kit, book = replace(exercise, solution=None), casebook.read(tmp_path / "book")
    files = [submit_file(file) for file in [exercise.reference, *exercise.wheats, *exercise.chaffs]]
    common = {"slot": FakeSlot(), "seed": "3", "keyword": "not time_grows"}
    whole = grade(exercise, files, **common)
    alone = grade(kit, files, book=book, **common)
    assert [verdicts(report) for report in alone] == [verdicts(report) for report in whole]
    failing = [check for report in alone for check in report.checks if check.verdict is Verdict.NOT_YET]
    assert failing and all(check.called for check in failing)


def test_a_book_of_other_checks_is_refused(tmp_path):
    """A book holds for one exercise, one version of its checks and one seed."""
    exercise = make_exercise(tmp_path, KEPT)
    book = book_of(exercise)
    with pytest.raises(ContentError, match="does not fit"):
        grade(exercise, [submit(DOUBLE)], slot=FakeSlot(), seed="8", book=book)
    exercise.checks.write_text(exercise.checks.read_text() + "\n")
    with pytest.raises(ContentError, match="does not fit"):
        grade(exercise, [submit(DOUBLE)], slot=FakeSlot(), seed="7", book=book)


def test_no_book_is_no_book(tmp_path):
    """A file that is none, or one of another version, is refused with a remedy."""
    with pytest.raises(ContentError, match="not a case book"):
        casebook.read(tmp_path / "missing")
    (tmp_path / "junk").write_bytes(b"junk")
    with pytest.raises(ContentError, match="not a case book"):
        casebook.read(tmp_path / "junk")
    casebook.write(casebook.Book("a/b", "1", "", schema=99), tmp_path / "later")
    with pytest.raises(ContentError, match="version 99"):
        casebook.read(tmp_path / "later")


@pytest.mark.parametrize(
    ("decorators", "arguments", "body"),
    [
        ("@given(n=st.integers())\n@example(n=5)", "n", "learner.double(n)"),
        ("@given(st.integers(), st.text())", "n, text", "learner.double(n)"),
        (
            "@pytest.mark.parametrize('by', [1, 2])\n@given(n=st.integers())",
            "by, n",
            "learner.double(n + by)",
        ),
        ("@given(ns=st.lists(st.integers(), min_size=1))", "ns", "ns.sort(); learner.double(ns.pop())"),
        ("@given(n=st.integers())", "n", "note('x'); event('x'); target(n % 9); learner.double(n)"),
        ("@given(n=st.integers())\n@settings(max_examples=5)", "n", "learner.double(n)"),
    ],
)
def test_what_can_be_replayed(tmp_path, decorators, arguments, body):
    """Examples, positional arguments, parameters, mutated draws, notes and targets: all are replayed."""
    check = f"@pytest.mark.core\n{decorators}\ndef test_it(learner, {arguments}):\n    {body}\n"
    exercise = make_exercise(tmp_path, check)
    book = book_of(exercise)
    assert all(entry.replayed for entry in book.entries.values()), book
    assert {len(entry.cases) for entry in book.entries.values()} <= {5, 40, 41}
    [again] = grade(exercise, [submit(DOUBLE)], slot=FakeSlot(), seed="7", book=book)
    assert again.verdict is Verdict.PASS, again


@pytest.mark.parametrize(
    ("draws", "body", "reason"),
    [
        ("n=st.data()", "learner.double(n.draw(st.integers()))", "plain data"),
        ("n=st.builds(object)", "learner.double(1)", "plain data"),
        ("n=st.integers(1, 99).map(lambda k: bytes([k]) * 200_000)", "learner.double(1)", "1 MiB"),
        ("n=st.integers(0, 200)", "assume(n % 5 == 0); learner.double(n)", "assume"),
    ],
)
def test_what_draws_for_each_file(tmp_path, draws, body, reason):
    """Interactive draws, objects, many bytes, many dropped cases: such a check runs under Hypothesis."""
    check = (
        f"@pytest.mark.core\n@given({draws})\n"
        "@settings(suppress_health_check=[HealthCheck.filter_too_much])\n"
        f"def test_it(learner, n):\n    {body}\n"
    )
    entry = entry_of(make_exercise(tmp_path, check))
    assert not entry.replayed and not entry.cases
    assert reason in entry.reason


def test_what_cannot_be_kept_makes_no_kit(tmp_path):
    """A check that draws for each file and asks the reference is named when a kit's book is drawn."""
    check = """
    @pytest.mark.core
    @given(data=st.data())
    def test_it(learner, reference, data):
        n = data.draw(st.integers())
        expect.equal(learner.double(n), reference.double(n))
    """
    exercise = make_exercise(tmp_path, check)
    with pytest.raises(ContentError, match="test_it"):
        draw_book(exercise, slot=FakeSlot(), seed="1")


def test_assumptions_on_answers_bring_hypothesis_back(tmp_path):
    """Where a file's own answers make assume() drop most cases, its inputs are drawn anew."""
    check = """
    @pytest.mark.core
    @given(n=st.integers(0, 1000))
    @settings(suppress_health_check=[HealthCheck.filter_too_much])
    def test_it(learner, n):
        assume(learner.double(n) >= 0)
        expect.true(n < 900 or learner.double(n) == 2 * n, "doubled")
    """
    picky = "def double(n):\n    return -1 if n < 700 else 0\n"
    exercise = make_exercise(tmp_path, check)
    for book in (True, False):
        [report] = grade(exercise, [submit(picky)], slot=FakeSlot(), seed="7", book=book)
        assert verdicts(report) == {"test_it": Verdict.NOT_YET}


def test_replayed_failures_are_shrunk(tmp_path):
    """A case of the book that fails is made as small as Hypothesis makes it."""
    exercise = make_exercise(tmp_path, KEPT)
    [report] = grade(exercise, [submit(WRONG)], slot=FakeSlot(), seed="7", book=True)
    [check] = report.checks
    assert (check.called, check.returned, check.expected) == ("double(7)", "0", "14")


def test_only_two_checks_of_a_file_are_shrunk(tmp_path):
    """The others show their smallest case of the book, and every file gets its two."""
    many = "".join(KEPT.replace("test_doubled", f"test_{i}").replace("100)", f"{10**9})") for i in range(4))
    exercise = make_exercise(tmp_path, many)
    for report in grade(exercise, [submit(WRONG)] * 2, slot=FakeSlot(), seed="7", book=True):
        shown = [int(re.findall(r"\d+", check.called)[0]) for check in report.checks]
        assert shown[:2] == [7, 7]
        assert all(number >= 7 for number in shown[2:]) and max(shown[2:]) > 7
        assert all(check.verdict is Verdict.NOT_YET for check in report.checks)


def test_a_case_that_fails_only_in_the_replay_is_shown(tmp_path):
    """State kept between calls may hide from Hypothesis: the replayed case is reported as it is."""
    counting = """
    import sys
    def double(n):
        sys.counted = getattr(sys, "counted", 0) + 1
        return 0 if sys.counted == 45 else 2 * n
    """
    exercise = make_exercise(tmp_path, KEPT)
    [report] = grade(exercise, [submit(counting)], slot=FakeSlot(), seed="7", book=book_of(exercise))
    assert report.verdict is Verdict.PASS
    [report] = grade(exercise, [submit(counting)], slot=FakeSlot(), seed="7", book=book_of(exercise))
    [check] = report.checks
    assert check.verdict is Verdict.NOT_YET and check.called
    assert "keeps state between calls" in check.message


def test_the_reference_is_asked_once(tmp_path):
    """Answers of the reference are kept in the book, for drawn checks and for plain ones."""
    checks = """
    @pytest.mark.core
    @given(n=st.integers())
    def test_drawn(learner, reference, n):
        expect.equal(learner.double(n), reference.double(n))

    @pytest.mark.core
    def test_plain(learner, reference):
        expect.equal(learner.double(3), reference.double(3))
    """
    noisy = "calls = []\ndef double(n):\n    calls.append(n)\n    open(r'{}', 'a').write('x')\n    return 2 * n\n"
    log = tmp_path / "log"
    exercise = make_exercise(tmp_path, checks, noisy.format(log))
    sizes = []
    grade(
        exercise,
        [submit(DOUBLE)] * 3,
        slot=FakeSlot(),
        seed="7",
        on_report=lambda report: sizes.append(log.stat().st_size),
    )
    assert sizes[0] > 40
    assert sizes[1] == sizes[0] == sizes[2]
