"""Grading above the boundary: which verdict, which words, which call, and nothing that files share."""

import gc
import logging
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grader.boundary.outcome import Stopped
from grader.catalog import load_course
from grader.errors import SandboxError, UsageError
from grader.misconceptions import misconceptions
from grader.model import Limits, Submission, Verdict
from grader.session import grade
from grader.session.literal import summary
from tests.fake_slot import FakeSlot
from tests.small_exercise import DOUBLE, make_exercise, submit, submit_file

ROOT = Path(__file__).parent.parent
TOY = ROOT / "tests/toy_course"
EXERCISES = {exercise.id: exercise for exercise in load_course(TOY / "exercises", TOY / "solutions").exercises}

DRAWN = """
@pytest.mark.core
@given(n=st.integers(0, 10**6))
def test_doubled(learner, reference, n):
    '''twice as much

    Not part of the title.
    '''
    expect.equal(learner.double(n), reference.double(n))
"""
PLAIN = """
@pytest.mark.edge
@pytest.mark.hint("nothing is nothing twice over")
def test_zero(learner):
    '''zero stays zero'''
    expect.equal(learner.double(0), 0)
"""


@pytest.fixture
def one(tmp_path):
    """Grades one file of one little exercise; answers its report and its first check."""

    def grade_one(source, checks=DRAWN, slot=None, reference=DOUBLE, **options):
        exercise = make_exercise(tmp_path, checks, reference, hidden=options.pop("hidden_checks", ""))
        exercise = replace(exercise, limits=options.pop("limits", Limits()))
        submission = source if isinstance(source, Submission) else submit(source)
        [report] = grade(exercise, [submission], slot=slot or FakeSlot(), seed="5", **options)
        return report, report.checks[0] if report.checks else None

    return grade_one


def test_a_right_file_passes(one):
    """All points, and nothing but titles to read."""
    report, check = one(DOUBLE, DRAWN + PLAIN)
    assert (report.verdict, report.points, report.max_points) == (Verdict.PASS, 8, 8)
    assert (check.name, check.tier, check.title) == ("test_doubled", "core", "twice as much")
    assert (check.called, check.got, check.hint, check.message) == ("", "", "", "")
    assert check.calls == 40
    assert report.seed == "5" and report.isolation == "process" and report.file == "somewhere/small.py"


def test_a_wrong_file_sees_its_smallest_mistake(one):
    """The counterexample is shrunk, and the hint belongs to the check."""
    report, check = one("def double(n):\n    return n + n // 9\n", DRAWN + PLAIN)
    assert (report.verdict, report.points) == (Verdict.NOT_YET, 2)
    assert (check.called, check.returned, check.expected, check.got) == ("double(1)", "1", "2", "1")
    report, _ = one("def double(n):\n    return 1\n", PLAIN)
    assert report.checks[0].hint == "nothing is nothing twice over"


@pytest.mark.parametrize("id", EXERCISES)
def test_the_called_line_gives_what_is_shown(id):
    """Pasting `called` after the learner's file gives `returned`, for every failing check of every chaff."""
    exercise = EXERCISES[id]
    seen = 0
    for report, path in zip(
        grade(exercise, map(submit_file, exercise.chaffs), slot=FakeSlot(), seed="1", keyword="not time"),
        exercise.chaffs,
        strict=True,
    ):
        for check in report.checks:
            if check.verdict is Verdict.NOT_YET and "keeps state" not in check.message:
                assert run_line(exercise, path, check.called) == check.returned
                seen += 1
    assert seen > 5


def run_line(exercise, path, line):
    from grader.catalog.course_code import import_file

    module = import_file(path, "pasted", exercise.given)
    try:
        return summary(eval(line, vars(module)))
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"


def test_the_call_shown_is_the_one_that_was_judged(one):
    """Of several calls, the one whose answer did not fit is shown, with arrays as they were when passed."""
    checks = """
    @pytest.mark.core
    def test_it(learner):
        '''law'''
        x = np.array([1.0, 2.0], np.float32)
        first = learner.double(x)
        x[0] = 7
        learner.double(x)
        expect.equal(first, [0.0, 0.0])
    """
    _, check = one(DOUBLE, checks)
    assert check.called == "double(np.array([1.0, 2.0], dtype=np.float32))"
    assert check.returned == "[2, 4]"


def test_their_exception_comes_with_their_traceback(one):
    """An exception of the learner's code is told with its line."""
    _, check = one("def double(n):\n    return n / 0\n")
    assert check.verdict is Verdict.NOT_YET
    assert check.called == "double(0)"
    assert check.returned == "raises ZeroDivisionError: division by zero"
    assert "division by zero" in check.got
    assert "line 2" in check.traceback


def test_a_stub_is_not_written_yet(one):
    """A stub says so at once, without a traceback and without shrinking."""
    slot = FakeSlot()
    _, check = one("def double(n):\n    raise NotImplementedError\n", slot=slot)
    assert (check.verdict, check.message, check.traceback) == (Verdict.NOT_YET, "not written yet", "")
    assert slot.calls <= 2


@pytest.mark.parametrize(
    "error", ["MemoryError()", 'RuntimeError("[enforce fail] DefaultCPUAllocator: can\'t allocate memory")']
)
def test_running_out_of_memory_is_memory(one, error):
    """Python's own error and torch's both count as the memory limit."""
    _, check = one(f"def double(n):\n    raise {error}\n")
    assert check.verdict is Verdict.MEMORY


@pytest.mark.parametrize("verdict", [Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASH, Verdict.FLOOD])
@pytest.mark.parametrize("book", [False, True])
def test_a_limit_stops_its_check_at_once(one, verdict, book):
    """One call meets the limit, none comes after it, and the other checks run."""
    asked = []

    def stops(name, args):
        asked.append(args)
        return Stopped(verdict, "no answer in 2 s") if args[0] > 1000 else None

    report, check = one(DOUBLE, DRAWN + PLAIN, FakeSlot(stops), book=book)
    assert (check.verdict, check.message) == (verdict, "no answer in 2 s")
    assert sum(args[0] > 1000 for args in asked) == 1
    assert check.called == f"double({max(args[0] for args in asked)})"
    assert report.verdict is Verdict.NOT_YET
    assert report.checks[1].verdict is Verdict.PASS


def test_a_limit_met_while_shrinking_leaves_the_wrong_answer(one):
    """What came first counts: a wrong answer stays one when a smaller input takes too long."""
    met = []

    def stops(name, args):
        met.append(100 < args[0] < 1000)
        return Stopped(Verdict.TIMEOUT, "no answer") if met[-1] else None

    _, check = one("def double(n):\n    return 2 * n if n < 1000 else 0\n", slot=FakeSlot(stops))
    assert any(met)
    assert (check.verdict, check.returned) == (Verdict.NOT_YET, "0")


def test_layout_is_said_once(one):
    """A file that does not load is not run again for each check."""
    slot = FakeSlot()
    report, check = one("def double(n:\n", DRAWN + PLAIN, slot)
    assert report.verdict is check.verdict is Verdict.LAYOUT
    assert slot.started == 1
    assert "small.py cannot be loaded" in report.message
    assert (report.points, report.max_points) == (0, 8)
    assert [each.verdict for each in report.checks] == [Verdict.LAYOUT] * 2


def test_a_missing_file_needs_no_child(one):
    """Where there is no source, the report says why, and nothing is started."""
    slot = FakeSlot()
    report, _ = one(Submission("small.py", None, "somewhere", "there is no small.py here"), DRAWN, slot)
    assert (report.verdict, report.message) == (Verdict.LAYOUT, "there is no small.py here")
    assert slot.started == 0


def test_each_check_gets_a_fresh_child(one):
    """What a file remembers of one check is gone in the next."""
    remembers = "seen = []\ndef double(n):\n    seen.append(n)\n    return len(seen) - 1\n"
    report, _ = one(remembers, PLAIN + PLAIN.replace("test_zero", "test_zero_again"))
    assert report.verdict is Verdict.PASS


def test_state_between_calls_is_told(one):
    """Where the shown answer does not come again in a fresh process, the learner is told so."""
    total = "total = 0\ndef double(n):\n    global total\n    total += 2 * n\n    return total\n"
    _, check = one(total)
    assert check.verdict is Verdict.NOT_YET
    assert "keeps state between calls" in check.message


def test_flaky_answers_are_told(one):
    """A function that answers differently each time is not yet right, whatever Hypothesis calls it."""
    flaky = """
    import random
    rng = random.Random(1)
    def double(n):
        return 2 * n if rng.random() < 0.7 else -1
    """
    _, check = one(flaky)
    assert check.verdict is Verdict.NOT_YET
    assert "keeps state between calls" in check.message
    assert check.called


@pytest.mark.parametrize("answer", ["None", "'text'", "[]", "object()"])
@pytest.mark.parametrize("given", ["@given(n=st.integers(1, 9))", "@pytest.mark.parametrize('n', [1])"])
@pytest.mark.parametrize("book", [True, False])
def test_a_strange_answer_is_the_learners(one, answer, given, book):
    """An error in the check that the reference does not cause comes from the learner's answer."""
    checks = f"""
    @pytest.mark.core
    {given}
    def test_it(learner, n):
        assert learner.double(n) / 2 == n
    """
    _, check = one(f"def double(n):\n    return {answer}\n", checks, book=book)
    assert check.verdict is Verdict.NOT_YET
    assert "could not use what your function returned (TypeError" in check.message
    assert check.called == "double(1)"


@pytest.mark.parametrize(
    "body",
    [
        "learner.double(n) + undefined_name",
        "learner.no_such_function(n)",
        "reference.double(None)",
        "assume(False)",
        "raise RuntimeError('in the check')",
        "raise SystemExit",
    ],
)
@pytest.mark.parametrize("given", ["@given(n=st.integers(1, 9))", "@pytest.mark.parametrize('n', [1])"])
def test_an_error_of_the_check_is_a_grader_problem(one, caplog, body, given):
    """What goes wrong for the reference as well costs nothing; its traceback is logged and not shown."""
    checks = f"@pytest.mark.core\n{given}\ndef test_it(learner, reference, n):\n    {body}\n"
    with caplog.at_level(logging.ERROR, "grader"):
        report, check = one(DOUBLE, checks + PLAIN)
    assert check.verdict is report.verdict is Verdict.GRADER_PROBLEM
    assert (report.points, report.max_points) == (2, 2)
    assert check.traceback == "" and "\n" not in check.message and "Traceback" not in check.message
    assert caplog.records


@pytest.mark.parametrize("draws", ["st.integers().filter(lambda n: False)", "st.integers(3, 1)", "'no strategy'"])
def test_impossible_draws_are_a_grader_problem(one, draws):
    """A strategy that cannot be drawn from is a fault of the content."""
    checks = f"@pytest.mark.core\n@given(n={draws})\ndef test_it(learner, n):\n    learner.double(n)\n"
    _, check = one(DOUBLE, checks)
    assert check.verdict is Verdict.GRADER_PROBLEM


def test_a_broken_slot_is_a_grader_problem(one):
    """Where the trusted side of the boundary fails, no points are lost."""

    def stops(name, args):
        raise SandboxError("the slot does not answer")

    report, check = one(DOUBLE, slot=FakeSlot(stops))
    assert check.verdict is Verdict.GRADER_PROBLEM
    assert report.max_points == 0


def test_the_users_interrupt_stops_everything(one):
    """Ctrl-C is not a verdict."""

    def stops(name, args):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one(DOUBLE, slot=FakeSlot(stops))


def test_skips_do_not_count(one):
    """A check may skip itself with a reason; gpu checks are skipped where no GPU is."""
    checks = """
    @pytest.mark.core
    def test_skips(learner):
        pytest.skip("not on Sundays")

    @pytest.mark.gpu
    @pytest.mark.scale
    def test_fast(learner):
        learner.double(1)
    """
    report, check = one("def double(n):\n    return 0\n", checks)
    assert (check.verdict, check.message) == (Verdict.SKIPPED, "not on Sundays")
    assert {report.verdict, *(each.verdict for each in report.checks)} == {Verdict.SKIPPED}


def test_what_cannot_run_here_is_skipped_with_a_remedy(one, tmp_path, monkeypatch):
    """An exercise whose needs are missing is skipped as a whole."""
    monkeypatch.setattr("grader.session.needs.find_spec", lambda name: None)
    exercise = make_exercise(tmp_path, DRAWN, needs=("torch",))
    [report] = grade(exercise, [submit(DOUBLE)], slot=FakeSlot(), seed="1")
    assert report.verdict is Verdict.SKIPPED
    assert "torch is not installed" in report.message and "pip install" in report.message


def test_fixtures_and_expensive_inputs(one):
    """Module-scoped fixtures are made anew for each file, and may ask the learner."""
    checks = """
    @pytest.fixture(scope="module")
    def doubled(learner):
        return [learner.double(n) for n in range(3)]

    @pytest.mark.core
    def test_first(doubled):
        expect.equal(doubled, [0, 2, 4])

    @pytest.mark.edge
    def test_second(doubled):
        expect.equal(doubled[2], 4)
    """
    assert one(DOUBLE, checks)[0].verdict is Verdict.PASS
    _, check = one("def double(n):\n    return n / 0\n", checks)
    assert check.verdict is Verdict.NOT_YET and check.called == "double(0)"


def test_hidden_checks_tell_nothing_of_their_inputs(one):
    """Called, got, output and exceptions would publish what a hidden check asks."""
    leaky = "def double(n):\n    print(n)\n    raise ValueError(repr(n))\n"
    hidden = DRAWN.replace("test_doubled", "test_hidden").replace("0, 10**6", "777, 777")
    report, _ = one(leaky, PLAIN, hidden_checks=hidden, hidden=True)
    check = report.checks[1]
    assert (check.name, check.hidden, check.verdict) == ("test_hidden", True, Verdict.NOT_YET)
    assert "777" not in repr(check)
    assert "777" not in report.message
    assert len(one(DOUBLE, PLAIN, hidden_checks=hidden)[0].checks) == 1, "only at hand-in"


def test_what_they_print_is_shown_with_the_failure(one):
    """Output of the learner's code stands under the failing check; what the check prints goes nowhere."""
    checks = PLAIN.replace("    expect", "    print('from the check')\n    expect")
    _, check = one("def double(n):\n    print('debug', n)\n    return 1\n", checks)
    assert check.output == "debug 0\n"


def test_the_keyword_selects(one):
    """-k selects as pytest's does; what matches nothing, or is no expression, is told with a remedy."""
    report, _ = one(DOUBLE, DRAWN + PLAIN, keyword="zero")
    assert [each.name for each in report.checks] == ["test_zero"]
    with pytest.raises(UsageError, match="matches no check") as error:
        one(DOUBLE, DRAWN, keyword="nothing")
    assert "test_doubled" in error.value.remedy
    with pytest.raises(UsageError, match="-k"):
        one(DOUBLE, DRAWN, keyword="and and")


@pytest.mark.parametrize(
    "checks",
    [
        "def test_it(:\n",
        "import no_such_module\n",
        "",
        "def test_untiered(learner):\n    pass\n",
        "@pytest.mark.odd\n" + DRAWN,
    ],
)
def test_broken_checks_are_a_grader_problem(one, checks):
    """Check files that cannot be collected cost nobody anything."""
    report, check = one(DOUBLE, checks)
    assert report.verdict is Verdict.GRADER_PROBLEM
    assert check is None and report.message and report.max_points == 0


def test_the_misconception_is_named():
    """A file that fails as a known mix-up fails is told which one it looks like."""
    exercise = EXERCISES["chapter1/running_mean"]
    chaff = next(path for path in exercise.chaffs if path.stem == "mean_of_all")
    options = {"slot": FakeSlot(), "seed": "1", "keyword": "not time"}
    [report] = grade(exercise, [submit_file(chaff)], **options)
    failing = frozenset(check.name for check in report.checks if check.verdict.costs_points)
    known = {failing: "the same mean for all"}
    [report] = grade(exercise, [submit_file(chaff)], signatures=known, **options)
    assert report.misconception == "the same mean for all"
    [report] = grade(exercise, [submit_file(exercise.reference)], signatures=known, **options)
    assert report.misconception == ""
    assert isinstance(misconceptions(exercise), dict)


def test_the_time_of_a_file_has_an_end(one):
    """Ten budgets for all checks of a file; what is left then is a timeout."""
    limits = Limits(budget_s=0.0)
    report, check = one(DOUBLE, DRAWN + PLAIN, limits=limits)
    assert {each.verdict for each in report.checks} == {Verdict.TIMEOUT}
    assert "all checks together" in check.message


def test_the_budget_of_a_check_ends_shrinking(one, monkeypatch):
    """After the budget the smallest counterexample so far is shown."""
    monkeypatch.setattr("grader.session.examiner.FILE_BUDGETS", 10**9)
    slot = FakeSlot()
    _, check = one("def double(n):\n    return -1\n", slot=slot, limits=Limits(budget_s=1e-6))
    assert (check.verdict, check.returned) == (Verdict.NOT_YET, "-1")
    assert slot.calls <= 3


def test_a_hundred_files_leave_nothing_behind(tmp_path):
    """Memory stays flat, and each file is judged by its own answers."""
    exercise = make_exercise(tmp_path, DRAWN + PLAIN)
    right, wrong = submit(DOUBLE), submit("def double(n):\n    return 3 * n\n")
    slot, sizes, verdicts = FakeSlot(), [], []

    def on_report(report):
        verdicts.append(report.verdict)
        if len(verdicts) in (40, 100):
            gc.collect()
            sizes.append(len(gc.get_objects()))

    grade(exercise, (right if n % 2 else wrong for n in range(100)), slot=slot, seed="1", on_report=on_report)
    assert verdicts == [Verdict.NOT_YET, Verdict.PASS] * 50
    assert slot.open == 0
    assert sizes[1] - sizes[0] < 60 * 20, "a report and its results are ten objects or so"


def test_files_are_graded_as_they_come(tmp_path):
    """Each report is there before the next file is asked for."""
    exercise, told = make_exercise(tmp_path, PLAIN), []

    def feed():
        for number in range(3):
            assert len(told) == number
            yield submit(DOUBLE)

    assert len(grade(exercise, feed(), slot=FakeSlot(), seed="1", on_report=told.append)) == len(told) == 3


def test_the_process_is_left_as_it_was(one):
    """Hypothesis' profile, the environment and the modules are as before."""
    import hypothesis
    from hypothesis.internal.conjecture import providers

    os.environ["PYTEST_ADDOPTS"] = "--no-such-option"
    before = (
        hypothesis.settings.get_current_profile_name(),
        providers._get_local_constants,
        set(sys.modules),
        sys.path[:],
        sys.dont_write_bytecode,
    )
    try:
        one(DOUBLE)
        assert os.environ["PYTEST_ADDOPTS"] == "--no-such-option"
    finally:
        del os.environ["PYTEST_ADDOPTS"]
    after = (hypothesis.settings.get_current_profile_name(), providers._get_local_constants)
    assert after == before[:2]
    assert not {name for name in set(sys.modules) - before[2] if name.endswith("checks")}
    assert sys.path == before[3] and sys.dont_write_bytecode == before[4]


DRAWS = """
import sys
from pathlib import Path
from grader.session.casebook import write
from grader.catalog import load_course
from grader.session import draw_book, grade
assert not {"torch", "numpy", "hypothesis", "pytest"} & set(sys.modules), "loaded before it is needed"
from tests.fake_slot import FakeSlot
from tests.small_exercise import submit_file
toy = Path(sys.argv[1]) / "tests/toy_course"
[exercise, _] = load_course(toy / "exercises", toy / "solutions").exercises
write(draw_book(exercise, slot=FakeSlot(), seed="11"), Path(sys.argv[2]))
[report] = grade(exercise, [submit_file(exercise.chaffs[0])], slot=FakeSlot(), seed="11", keyword="not time")
print([(check.name, str(check.verdict), check.called) for check in report.checks])
assert "torch" not in sys.modules, "numpy exercises never import torch"
"""
HOSTILE = {
    "pytest.ini": "[pytest]\naddopts = --no-such-option\npython_functions = nothing_*\n",
    "conftest.py": "raise RuntimeError('a conftest was read')\n",
    "checks.py": "raise RuntimeError('a checks.py was read')\n",
    "local_constants.py": "NUMBERS = [" + ", ".join(str(n * 7919) for n in range(200)) + "]\n",
}


def test_surroundings_do_not_steer(tmp_path):
    """The folder, CI=1, pytest's variables, other modules: same seed, same draws and verdicts, no traces."""
    results = []
    for number, hostile in enumerate([False, True]):
        folder, book = tmp_path / f"folder{number}", tmp_path / f"book{number}"
        folder.mkdir()
        env = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
        env |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        script = DRAWS
        if hostile:
            for name, text in HOSTILE.items():
                (folder / name).write_text(text)
            env |= {"CI": "1", "PYTEST_ADDOPTS": "--no-such-option", "PYTEST_PLUGINS": "no_such_plugin"}
            env["PYTHONPATH"] += os.pathsep + str(folder)
            script += "\n"
            script = script.replace("toy = ", "import local_constants\ntoy = ")
        before = sorted(path.name for path in folder.iterdir())
        done = subprocess.run(
            [sys.executable, "-c", script, str(ROOT), str(book)],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        left = sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")
        assert left == before
        results.append((done.stdout, book.read_bytes()))
    assert results[0] == results[1]
    assert "test_" in results[0][0]
