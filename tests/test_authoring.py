"""The author's gate: a right exercise passes, and everything that is not as declared is named by its cell."""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from grader import authoring
from grader.authoring import gate, matrix, mixups
from grader.authoring.content_rule import leaks
from grader.authoring.lint import lint
from grader.authoring.pool import Nobody
from grader.authoring.records import ExerciseGate, Fault, GateReport, Kind, Note
from grader.authoring.variants import Variant, function_name, read_variants
from grader.boundary.sandbox import Slot
from grader.catalog import load_course
from grader.catalog.schema import read_schema
from grader.errors import ContentError, UsageError
from grader.misconceptions import FILE, Misconception, misconceptions, read_misconceptions
from grader.model import CheckResult, Course, Exercise, Report, Verdict

TOY = Path(__file__).parent / "toy_course"
HINTS = "\n## Example\n\n2, 4, 9\n\n<details><summary>Hint 1</summary>\n\nadd\n\n</details>\n"


def copy_toy(folder: Path) -> Course:
    """A toy course that may be written to, with statements that are complete."""
    shutil.copytree(TOY, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", FILE))
    for path in folder.glob("exercises/*/*/README.md"):
        path.write_text(path.read_text(encoding="utf-8") + HINTS, encoding="utf-8")
    return load_course(folder / "exercises", validate=True)


def named(course: Course, slug: str) -> Exercise:
    """An exercise by its slug."""
    return next(exercise for exercise in course.exercises if exercise.slug == slug)


@pytest.fixture(scope="module")
def slot() -> Iterator[Slot]:
    """One warm slot for all."""
    with Slot("numpy", "process") as warm:
        yield warm


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A toy course that only reading tests share."""
    return copy_toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture
def toy(tmp_path: Path) -> Exercise:
    """running_mean in a course of its own, to be spoiled."""
    return named(copy_toy(tmp_path), "running_mean")


@pytest.fixture(scope="module")
def report(course: Course) -> GateReport:
    """The toy course through the whole gate."""
    plan = authoring.Plan(mutants=True, isolation="process", write=True)
    told: list[str] = []

    class Told(Nobody):
        """Remembers what it is told."""

        def step(self, exercise: str, text: str) -> None:
            """A step of one exercise."""
            told.append(f"{exercise} {text}")

    report = authoring.check(course.exercises, plan, jobs=2, watcher=Told())
    assert any("running_mean variants 2/" in text for text in told)
    assert any("word_count" in text and " mutants, test_" in text for text in told)
    return report


# --- a right exercise


def test_the_toy_course_passes(report: GateReport) -> None:
    """an exercise that is as declared has no fault, and exit code 0"""
    assert report.faults == ()
    assert report.exit_code == 0
    assert [found.verdict for found in report.exercises] == ["ok", "ok"]


def test_every_mutant_of_the_toy_course_dies(report: GateReport) -> None:
    """the kill rate of the toy course is 100 % of the mutants that are not equivalent"""
    for found in report.exercises:
        assert found.mutants is not None and found.mutants.total > 5
        assert found.mutants.killed == found.mutants.counted


def test_the_matrix_has_a_row_for_each_file(report: GateReport) -> None:
    """stub, reference, wheats and chaffs are all graded, under every check"""
    found = report.exercises[0]
    assert (found.count(Kind.STUB), found.count(Kind.REFERENCE)) == (1, 1)
    assert found.count(Kind.WHEAT) >= 2 and found.killed() == found.count(Kind.CHAFF) >= 5
    assert len({tuple(row.verdicts) for row in found.rows}) == 1
    assert set(found.rows[0].verdicts.values()) == {Verdict.NOT_YET}
    assert set(found.rows[1].verdicts.values()) == {Verdict.PASS}


def test_json_is_as_its_schema_says(report: GateReport) -> None:
    """the JSON report is valid, for a good exercise and for faults, and survives JSON"""
    faulty = ExerciseGate("chapter1/x", (Fault("stub", "a", "b", "c"),), notes=(Note("reference", "slow"),))
    for each in report, GateReport((faulty, replace(faulty, faults=(), skipped="no torch")), "0", "strict"):
        document = authoring.to_document(each, {"python": "3", "torch": None})
        jsonschema.Draft202012Validator(read_schema("check")).validate(document)
        assert json.loads(json.dumps(document)) == document
        assert document["ok"] == (not each.faults)


def test_the_schema_is_one() -> None:
    """check.json is a JSON Schema"""
    jsonschema.Draft202012Validator.check_schema(read_schema("check"))


def test_the_table_fits(report: GateReport) -> None:
    """the terminal report has one row for each exercise, and no line of more than 80 columns"""
    text = authoring.render(report, 80).plain
    assert "everything is as declared" in text and "(100 %)" in text
    for found in report.exercises:
        assert any(line.startswith(found.exercise) and line.endswith("ok") for line in text.splitlines())
    assert max(map(len, text.splitlines())) <= 80


def test_a_fault_names_its_cell() -> None:
    """a fault is shown with exercise, variant, check, what was declared, what happened and the remedy"""
    fault = Fault("chaff seed_ignored", "fails", "passes " * 30, "Sharpen it.", "test_seed\x1b[2J")
    text = authoring.render(GateReport((ExerciseGate("chapter1/" + "long_" * 7, (fault,)),), "0", "strict")).plain
    for word in (
        "chaff seed_ignored",
        "test_seed",
        "declared",
        "fails",
        "happened",
        "remedy",
        "Sharpen it.",
        "1 fault",
    ):
        assert word in text
    assert max(map(len, text.splitlines())) <= 80 and "\x1b" not in text


def test_a_rate_is_never_rounded_up() -> None:
    """one survivor among many mutants is not called 100 %"""
    score = authoring.records.MutantScore(10_000, 9_999)
    found = ExerciseGate("chapter1/x", (), mutants=score)
    assert "(99.9 %)" in authoring.render(GateReport((found,), "0", "strict")).plain


def test_the_reference_is_timed(report: GateReport, course: Course, good: list[tuple[Variant, Report]]) -> None:
    """the table has the seconds of the reference; more than six of them are noted, and no fault"""
    for found in report.exercises:
        assert found.reference_s is not None and 0 < found.reference_s < found.duration_s
        assert not any(note.place == "reference" for note in found.notes)
    assert "ref s" in authoring.render(report).plain
    assert [note.place for note in matrix.find_notes(good, 6.1)] == ["reference"]
    slow = ExerciseGate("chapter1/x", (), notes=matrix.find_notes(good, 61), reference_s=61)
    text = authoring.render(GateReport((slow, slow), "0", "strict")).plain
    assert "everything is as declared" in text and "61.0 s" in text and " 61.0 " in text


def test_twins_are_noted_where_one_exercise_is_checked(good: list[tuple[Variant, Report]]) -> None:
    """chaffs that fail the same checks are named with --json, and on a terminal for a single exercise"""
    twin = (variant(Kind.CHAFF, "twin"), good[3][1])
    broken = (variant(Kind.CHAFF, "broken"), replace(good[3][1], verdict=Verdict.LAYOUT))
    notes = matrix.find_notes([*good, twin, broken], 0.1)
    assert notes == (Note("chaffs a, twin", "fail the same checks: test_0", minor=True),)
    found = ExerciseGate("chapter1/x", (), notes=notes)
    one, two = (GateReport((found,) * count, "0", "strict") for count in (1, 2))
    assert "chaffs a, twin: fail the same" in authoring.render(one).plain and one.exit_code == 0
    assert "twin" not in authoring.render(two).plain
    assert authoring.to_document(two, {})["exercises"][0]["notes"][0]["place"] == "chaffs a, twin"


# --- a spoiled exercise


def test_every_spoiled_cell_is_named(toy: Exercise, slot: Slot) -> None:
    """each way of not being as declared has its fault, all of them in one run"""
    assert toy.solution is not None
    for path in toy.chaffs:
        if path.stem not in ("mean_of_all", "first_left_out"):
            path.unlink()
    toy.stub.write_text(toy.stub.read_text().replace("raise NotImplementedError", "return []"))
    wheat = toy.solution / "wheats" / "off_by_one.py"
    wheat.write_text('"""Starts a line too late."""\n\ndef running_mean(values):\n    return [0.0] * len(values)\n')
    right = toy.solution / "chaffs" / "right.py"
    right.write_text(
        toy.reference.read_text().replace('"""Ref', '"""Thinks it is wrong\nKilled by: test_last_is_teh_mean\n\nRef')
    )
    late = toy.solution / "chaffs" / "mean_of_all.py"
    late.write_text(late.read_text().replace("Killed by: ", "Killed by: test_no_values_are_refused, "))
    other = toy.solution / "wheats" / "other_name.py"
    other.write_text('"""Calls them numbers."""\n\ndef running_mean(numbers):\n    return numbers\n')
    toy.checks.write_text(
        toy.checks.read_text() + "\n\n@pytest.mark.edge\ndef test_idle(learner):\n"
        '    """asks for nothing much"""\n    assert learner.running_mean([1.0]) is not None\n'
    )
    found = gate.examine(toy, read_variants(toy), gate.Plan(), slot)
    cells = {(fault.place, fault.check): fault for fault in found.faults}
    assert ("stub", "test_idle") in cells
    assert cells["wheat off_by_one", "test_last_is_the_mean"].declared == "pass"
    assert "called running_mean" in cells["wheat off_by_one", "test_last_is_the_mean"].happened
    assert cells["chaff right", "test_last_is_teh_mean"].remedy == "Did you mean test_last_is_the_mean?"
    assert "killed by test_first_value_is_kept" in cells["chaff mean_of_all", "test_no_values_are_refused"].happened
    assert cells["checks.py", "test_idle"].happened == "kills none"
    assert found.verdict == "faulty"
    # What follows from another fault is not told as one of its own: a signature, misconceptions of such chaffs.
    assert [fault.declared for fault in found.faults if fault.place == "wheat other_name"] == ["running_mean(values)"]
    assert not any(fault.place == FILE for fault in found.faults)


@pytest.mark.parametrize(
    ("source", "happened"),
    [
        ("import nowhere_to_be_found\n", "No module named 'nowhere_to_be_found' ({file}:1)"),
        ("\n\ndef test_x(learner:\n    pass\n", "'(' was never closed ({file}:3)"),
        ("import json\n\njson.loads('{')\n", "({file}:3)"),
    ],
)
@pytest.mark.parametrize("file", ["checks.py", "hidden_checks.py"])
def test_checks_that_cannot_run_are_one_fault(toy: Exercise, slot: Slot, file: str, source: str, happened: str) -> None:
    """a checks file with an error is one fault with file and line, whatever the number of variants"""
    path = toy.checks if file == "checks.py" else toy.hidden_checks
    assert path is not None
    path.write_text(source)
    found = gate.examine(toy, read_variants(toy), gate.Plan(mutants=True), slot)
    assert [(fault.place, fault.declared) for fault in found.faults] == [(file, "can be run")]
    assert found.faults[0].happened.endswith(happened.format(file=file))
    assert found.mutants is None and found.verdict == "faulty"


def test_a_reference_that_does_not_pass_ends_it(toy: Exercise, slot: Slot) -> None:
    """its failing checks are told once each, those of the grader with the line of checks.py; nothing else is graded"""
    assert toy.reference is not None
    toy.reference.write_text(toy.reference.read_text().replace("means = []", "means = [0.0]"))
    broken = "    math.fsum(expect)\n"
    toy.checks.write_text(
        toy.checks.read_text()
        + '\n\n@pytest.mark.edge\n@pytest.mark.hint("h")\ndef test_broken(learner):\n    """title"""\n'
        + broken
    )
    told: list[str] = []
    found = gate.examine(toy, read_variants(toy), gate.Plan(mutants=True), slot, told.append)
    faults = {fault.check: fault for fault in found.faults}
    assert len(faults) == len(found.faults) and {fault.place for fault in found.faults} == {"reference"}
    assert {"test_broken", "test_one_mean_per_value", "test_first_value_is_kept"} <= set(faults)
    line = toy.checks.read_text().splitlines().index(broken.rstrip()) + 1
    assert faults["test_broken"].happened.endswith(f"(checks.py:{line})")
    assert len(told) == 1 and found.reference_s is None and found.mutants is None
    (toy.folder / FILE).write_text("[]")
    assert not mixups.write_misconceptions(toy, found)


def test_stale_misconceptions_are_told_last(toy: Exercise, slot: Slot) -> None:
    """a file that must be made anew is a fault where it is the only one, and the seed is the learners'"""
    assert toy.hidden_checks is not None
    toy.hidden_checks.unlink()
    next(path for path in toy.chaffs if path.stem == "done_in_place").unlink()
    [fault] = gate.examine(toy, read_variants(toy), gate.Plan(), slot).faults
    assert (fault.place, fault.happened) == (FILE, "missing")
    assert gate.examine(toy, read_variants(toy), gate.Plan(seed="7"), slot).faults == ()


def test_a_picture_is_drawn_with_every_right_file(toy: Exercise, slot: Slot) -> None:
    """picture.py must cope with the reference and with each wheat; after the reference none is tried"""
    assert toy.picture is not None
    graded = [(each, right(toy, each)) for each in read_variants(toy)]
    assert list(gate._pictures(toy, graded, slot, str)) == []
    toy.picture.write_text("def draw(learner, axes):\n    learner.running_mean([1.0]).append(0)\n")
    [fault] = gate._pictures(toy, graded, slot, str)
    assert (fault.place, fault.happened[:24]) == ("picture.py", "with wheat vectorised: /")
    assert "picture.py:2: AttributeError" in fault.happened and "grade show" in fault.remedy
    toy.picture.write_text("def draw(learner, axes):\n    learner.running_mean([])\n")
    [fault] = gate._pictures(toy, graded, slot, str)
    assert fault.happened.startswith("with reference: running_mean([]): raised ValueError")


def right(exercise: Exercise, each: Variant) -> Report:
    """The report of a file that passes."""
    return row(exercise, each, P, P, P, P, P)[1]


def test_a_process_that_dies_is_a_fault_of_its_exercise(tmp_path: Path) -> None:
    """an exercise that ends its examiner is named; the others are examined all the same"""
    course = copy_toy(tmp_path)
    deadly, broken = course.exercises
    deadly.checks.write_text("import os\nos._exit(7)\n")
    broken.checks.write_text("import nowhere_to_be_found\n")
    plan = authoring.Plan(isolation="process", write=True)
    report = authoring.check(course.exercises, plan, jobs=1)
    assert [found.exercise for found in report.exercises] == [deadly.id, broken.id]
    assert [fault.place for fault in report.exercises[0].faults] == ["gate"]
    assert "nowhere_to_be_found" in report.exercises[1].faults[0].happened
    assert report.exit_code == 3
    assert not (broken.folder / FILE).exists()


# --- the kill matrix, without grading


def result(name: str, verdict: Verdict, tier: str = "core", hidden: bool = False) -> CheckResult:
    """One check's result."""
    return CheckResult(name, tier, name, verdict, hidden=hidden)


def variant(kind: Kind, name: str = "x", killed_by: tuple[str, ...] = ()) -> Variant:
    """A variant that nobody reads."""
    return Variant(kind, Path(f"{name}.py"), b"", f"{name} it is", killed_by)


def row(exercise: Exercise, each: Variant, *verdicts: Verdict, message: str = "") -> tuple[Variant, Report]:
    """A variant and its report: checks test_0 … in tiers core, core, core, edge, scale."""
    tiers = ("core", "core", "core", "edge", "scale")
    checks = tuple(result(f"test_{at}", verdict, tiers[at]) for at, verdict in enumerate(verdicts))
    verdict = next((verdict for verdict in verdicts if verdict is not Verdict.PASS), Verdict.PASS)
    return each, Report(exercise.id, "", verdict, 0, 1, checks, "0", "process", message=message)


P, N = Verdict.PASS, Verdict.NOT_YET


@pytest.fixture(scope="module")
def good(course: Course) -> list[tuple[Variant, Report]]:
    """A matrix without a fault."""
    exercise = named(course, "running_mean")
    return [
        row(exercise, variant(Kind.STUB), N, N, N, N, N),
        row(exercise, variant(Kind.REFERENCE), P, P, P, P, P),
        row(exercise, variant(Kind.WHEAT), P, P, P, P, P),
        row(exercise, variant(Kind.CHAFF, "a", ("test_0",)), N, P, P, P, P),
        row(exercise, variant(Kind.CHAFF, "b", ("test_1", "test_2")), P, N, N, P, P),
        row(exercise, variant(Kind.CHAFF, "c", ("test_3", "test_4")), P, P, N, Verdict.CRASH, Verdict.TIMEOUT),
    ]


def test_a_good_matrix_has_no_fault(course: Course, good: list[tuple[Variant, Report]]) -> None:
    """a timeout or a crash kills a chaff as a wrong answer does"""
    assert matrix.judge(named(course, "running_mean"), good) == ()


@pytest.mark.parametrize(
    ("at", "kind", "verdicts", "cell"),
    [
        (0, Kind.STUB, (N, P, N, N, N), ("stub", "test_1", "not yet", "pass")),
        (0, Kind.STUB, (N, Verdict.CRASH, N, N, N), ("stub", "test_1", "not yet", "crash")),
        (1, Kind.REFERENCE, (P, N, P, P, P), ("reference", "test_1", "pass", "not yet")),
        (2, Kind.WHEAT, (P, P, P, P, Verdict.TIMEOUT), ("wheat x", "test_4", "pass", "timeout")),
        (
            2,
            Kind.WHEAT,
            (P, Verdict.GRADER_PROBLEM, P, P, P),
            ("wheat x", "test_1", "a verdict", "grader problem"),
        ),
        (2, Kind.WHEAT, (Verdict.LAYOUT,) * 5, ("wheat x", "", "can be loaded", "layout: no function")),
        (3, Kind.CHAFF, (P, N, P, P, P), ("chaff x", "test_0", "fails", "passes; killed by test_1")),
        (3, Kind.CHAFF, (P, P, P, P, P), ("chaff x", "test_0", "fails", "passes; no check kills it")),
        (3, Kind.CHAFF, (Verdict.LAYOUT,) * 5, ("chaff x", "", "can be loaded", "layout: no function")),
    ],
)
def test_a_bad_cell_is_named(
    course: Course,
    good: list[tuple[Variant, Report]],
    at: int,
    kind: Kind,
    verdicts: tuple[Verdict, ...],
    cell: tuple[str, str, str, str],
) -> None:
    """whatever one variant does wrong under one check is reported there"""
    exercise = named(course, "running_mean")
    message = "no function" if Verdict.LAYOUT in verdicts else ""
    bad = row(exercise, variant(kind, killed_by=("test_0",)), *verdicts, message=message)
    faults = matrix.judge(exercise, [*good[:at], bad, *good[at + 1 :]])
    assert cell in {(fault.place, fault.check, fault.declared, fault.happened) for fault in faults}


def test_skipped_checks_prove_and_break_nothing(course: Course, good: list[tuple[Variant, Report]]) -> None:
    """a check that this machine skips is neither a failure nor an idle check"""
    exercise = named(course, "running_mean")
    skipped = [
        (
            each,
            replace(report, checks=(*report.checks[:4], replace(report.checks[4], verdict=Verdict.SKIPPED))),
        )
        for each, report in good
    ]
    assert matrix.judge(exercise, skipped) == ()


def test_too_few_checks_and_points_without_checks(course: Course, good: list[tuple[Variant, Report]]) -> None:
    """three core checks and an edge check are the least; points and tiers must agree"""
    exercise = replace(named(course, "running_mean"), points={"core": 1, "scale": 1})
    fewer = [(each, replace(report, checks=report.checks[1:4])) for each, report in good]
    declared = {fault.declared for fault in matrix.judge(exercise, fewer)}
    assert {
        "at least 3 core checks",
        "a scale check for its points",
        "points for its edge checks",
    } <= declared


def test_parameters_do_not_count() -> None:
    """`Killed by:` names functions: any of its parametrized cases kills"""
    assert function_name("test_x[3-4]") == "test_x"


@pytest.mark.parametrize(
    ("expected", "got", "told"),
    [("1", "2", "expected 1, got 2"), ("", "raised E", "got raised E"), ("1", "", "expected 1"), ("", "", "")],
)
def test_a_side_that_is_empty_is_not_told(expected: str, got: str, told: str) -> None:
    """where nothing is said of what was expected, only what came is told"""
    check = replace(result("test_x", N), expected=expected, got=got)
    assert matrix._story(check) == " · ".join(filter(None, ("not yet", told)))


# --- misconceptions


def test_misconceptions_come_from_the_matrix(course: Course, good: list[tuple[Variant, Report]]) -> None:
    """what fails as the stub does, only under hidden checks, or cannot be loaded tells nothing"""
    exercise = named(course, "running_mean")
    stub_like = row(exercise, variant(Kind.CHAFF, "all"), N, N, N, N, N)
    broken = row(exercise, variant(Kind.CHAFF, "broken"), *(Verdict.LAYOUT,) * 4)
    hidden = (variant(Kind.CHAFF, "h"), replace(good[1][1], checks=(result("test_h", N, hidden=True),)))
    twin = row(exercise, variant(Kind.CHAFF, "twin"), N, P, P, P, P)
    assert matrix.find_misconceptions([*good, stub_like, broken, hidden, twin]) == (
        Misconception(("test_0",), ("a it is", "twin it is")),
        Misconception(("test_1", "test_2"), ("b it is",)),
        Misconception(("test_2", "test_3", "test_4"), ("c it is",)),
    )


def test_written_misconceptions_are_read(course: Course, report: GateReport) -> None:
    """--write makes the file that a learner's report looks into, and a second run changes nothing"""
    for exercise, found in zip(course.exercises, report.exercises, strict=True):
        assert read_misconceptions(exercise) == found.misconceptions != ()
        assert not mixups.write_misconceptions(exercise, found)
        assert all(isinstance(key, frozenset) for key in misconceptions(exercise))


def test_two_readings_are_both_told_and_three_are_not(toy: Exercise) -> None:
    """an ambiguous failure is told as either … or …; with three readings nothing is told"""
    known = (Misconception(("test_a",), ("x", "y")), Misconception(("test_b",), ("x", "y", "z")))
    found = ExerciseGate(toy.id, (), rows=(matrix.make_row(*row(toy, variant(Kind.CHAFF), N)),), misconceptions=known)
    assert mixups.write_misconceptions(toy, found)
    assert misconceptions(toy) == {frozenset({"test_a"}): "either x, or y"}


@pytest.mark.parametrize(
    ("says", "joined"),
    [
        (("All of it.",), "All of it."),
        (("The last. It is.", "A sum, as in Adam."), "either the last. It is, or a sum, as in Adam"),
        (("GPUs count.", "Adam counts."), "either GPUs count, or Adam counts"),
        (("I divide.", "True is 1."), "either I divide, or True is 1"),
        (("ZeRO-2 shards.", "N is all."), "either ZeRO-2 shards, or N is all"),
        (("k is left out", "Adam's moments."), "either k is left out, or Adam's moments"),
    ],
)
def test_two_readings_are_one_sentence(toy: Exercise, says: tuple[str, ...], joined: str) -> None:
    """of joined sentences each loses its full stop and its capital, unless that belongs to a name"""
    toy.statement.write_text("The moments of Adam are two, says The Paper. A GPU has the sum.\n")
    entry = {"fails": ["test_a"], "says": list(says)}
    (toy.folder / FILE).write_text(json.dumps([entry]))
    assert misconceptions(toy) == {frozenset({"test_a"}): joined}


def test_a_broken_file_is_told(toy: Exercise) -> None:
    """a misconceptions file that is none is a content error with the command that mends it"""
    (toy.folder / FILE).write_text('[{"fails": 3}]')
    with pytest.raises(ContentError) as caught:
        misconceptions(toy)
    assert "--write" in caught.value.remedy


def test_stale_misconceptions_are_a_fault(toy: Exercise, good: list[tuple[Variant, Report]]) -> None:
    """the file must say what the chaffs show; a measured check may come and go"""
    known = matrix.find_misconceptions(good)
    found = ExerciseGate(toy.id, (), rows=(matrix.make_row(*good[3]),), misconceptions=known)
    assert mixups.stale(toy, good, known)[0].happened == "missing"
    mixups.write_misconceptions(toy, found)
    assert mixups.stale(toy, good, known) == ()
    steadier = replace(known[2], fails=known[2].fails[:-1])  # without test_4, a scale check
    mixups.write_misconceptions(toy, replace(found, misconceptions=(*known[:2], steadier)))
    assert mixups.stale(toy, good, known) == ()
    mixups.write_misconceptions(toy, replace(found, misconceptions=known[1:]))
    assert mixups.stale(toy, good, known)[0].happened == "not what the chaffs show now"
    renamed = replace(known[0], fails=(*known[0].fails, "test_that_is_gone"))
    mixups.write_misconceptions(toy, replace(found, misconceptions=(renamed, *known[1:])))
    assert mixups.stale(toy, good, known)[0].happened == "not what the chaffs show now"
    names = {check.name for _, report in good for check in report.checks if check.tier != "scale"}
    strangers = tuple(sorted(names - set(known[0].fails)))
    assert len(strangers) > len(known[0].fails)
    for extra, stale in ((strangers[:1], False), (strangers, True)):
        other = replace(known[0], fails=tuple(sorted({*known[0].fails, *extra})))
        mixups.write_misconceptions(toy, replace(found, misconceptions=(other, *known[1:])))
        assert bool(mixups.stale(toy, good, known)) is stale


def test_what_was_skipped_makes_no_file_stale(toy: Exercise, good: list[tuple[Variant, Report]]) -> None:
    """where some checks cannot be run, a file made where they could is as good as before"""
    known = matrix.find_misconceptions(good)
    mixups.write_misconceptions(toy, ExerciseGate(toy.id, (), rows=(matrix.make_row(*good[3]),), misconceptions=known))
    for name in {name for each in known for name in each.fails}:
        poorer = [
            (
                variant,
                replace(
                    report, checks=tuple(skipped(check) if check.name == name else check for check in report.checks)
                ),
            )
            for variant, report in good
        ]
        assert mixups.stale(toy, poorer, matrix.find_misconceptions(poorer)) == ()


def skipped(check: CheckResult) -> CheckResult:
    """The same check where it cannot be run."""
    return replace(check, verdict=Verdict.SKIPPED)


# --- lint


def places(exercise: Exercise) -> dict[str, Fault]:
    """The faults that lint finds, by place."""
    return {fault.place: fault for fault in lint(exercise, read_variants(exercise))}


def test_a_complete_exercise_has_no_lint(course: Course) -> None:
    """the toy course has nothing to complain about"""
    assert [lint(exercise, read_variants(exercise)) for exercise in course.exercises] == [(), ()]


def test_missing_files(toy: Exercise) -> None:
    """what is not there is named, with the least that there must be"""
    assert toy.solution is not None
    toy.statement.unlink()
    toy.checks.unlink()
    (toy.solution / "reference.py").unlink()
    for path in (*toy.wheats, *toy.chaffs[2:]):
        path.unlink()
    found = places(toy)
    assert set(found) == {"README.md", "checks.py", "reference.py", "wheats", "chaffs"}
    assert (found["wheats"].happened, found["chaffs"].happened) == ("0", "2")


def test_a_kit_cannot_be_checked(toy: Exercise) -> None:
    """without solutions there is nothing to prove"""
    assert set(places(replace(toy, solution=None))) == {"solutions"}


def test_the_statement_has_hints_and_an_example(toy: Exercise) -> None:
    """README.md needs a heading that names an example, and folded hints"""
    toy.statement.write_text("# Running Mean\n\nFor example, add.\n")
    assert [fault.declared for fault in lint(toy, read_variants(toy))] == [
        "a worked example",
        "hints, folded",
    ]


def test_docstrings_declare(toy: Exercise) -> None:
    """wheats say what differs, chaffs the misconception and its killers, the stub the contract"""
    assert toy.solution is not None
    toy.stub.write_text("def running_mean(values):\n    raise NotImplementedError\n")
    (toy.solution / "wheats" / "w.py").write_text("def running_mean(values):\n    return 1\n")
    (toy.solution / "chaffs" / "c.py").write_text('"""Adds\n"""\ndef running_mean(values):\n    return 2\n')
    (toy.solution / "chaffs" / "d.py").write_text('"""Killed by: test_x"""\ndef running_mean(values):\n    return 3\n')
    (toy.solution / "chaffs" / "e.py").write_text('"""Adds"""\ndef running_mean(values)\n')
    assert set(places(toy)) == {"stub", "wheat w", "chaff c", "chaff d", "chaff e"}


def test_killers_are_read(toy: Exercise) -> None:
    """several checks may be named, with commas, over several lines"""
    assert toy.solution is not None
    path = toy.solution / "chaffs" / "c.py"
    path.write_text('"""Adds\n\nKilled by: `test_a`, test_b,\n    test_c.\n\nMore.\n"""\n')
    [each] = [each for each in read_variants(toy) if each.path == path]
    assert (each.says, each.killed_by) == ("Adds", ("test_a", "test_b", "test_c"))


@pytest.mark.parametrize("parameters", ["value", "values, start", "values=()", "values, /", "*, values", "*values"])
def test_signatures_agree(toy: Exercise, parameters: str) -> None:
    """every variant can be called as the stub says: names, kinds, order and presence of defaults"""
    assert toy.solution is not None
    source = f'"""Different."""\n\ndef running_mean({parameters}):\n    return 1\n'
    (toy.solution / "wheats" / "w.py").write_text(source)
    assert places(toy)["wheat w"].declared == "running_mean(values)"


def test_a_copy_proves_nothing(toy: Exercise) -> None:
    """a wheat that is the reference in other words is told"""
    assert toy.reference is not None and toy.solution is not None
    copy = toy.reference.read_text().replace("Reference", "Different").replace("total = 0.0", "total = 0.0  # !")
    (toy.solution / "wheats" / "w.py").write_text(copy)
    assert places(toy)["wheat w"].happened == "the same code as reference"


def test_what_is_to_do_is_found(toy: Exercise) -> None:
    """a TODO anywhere in the exercise's text is a fault, with its line"""
    toy.checks.write_text(toy.checks.read_text() + "\n# TODO: more\n# TODO: and more\n")
    assert "# TODO: more (and 1 more)" in places(toy)["checks.py"].happened


@pytest.mark.parametrize(
    ("body", "function"),
    [
        ("learner.g(reference.f(x)); learner.f(x)", "f"),
        ("y = reference.f(x); learner.f(x); learner.g(y)", "f"),
        ("y = [reference.f(x)]; z = y[0] + 1; learner.f.observe(x); expect.raises(E, learner.g, z)", "f"),
        ("for y in reference.f(x): learner.g.observe(a=y)\n    expect.unchanged(learner.f, x)", "f"),
        ("expect.close(learner.f(x), reference.f(x))", ""),
        ("y = learner.f(x); learner.g(y); expect.close(y, reference.f(x))", ""),
        ("y = reference.f(x); expect.close(learner.g(y), x)", ""),
    ],
)
def test_answers_are_not_given_away(body: str, function: str) -> None:
    """a check that passes the reference's answer to the learner and asks for it as well is found"""
    found = leaks(ast.parse(f"def test_it(learner, reference, x):\n    {body}\n"))
    assert [leak.function for leak in found] == ([function] if function else [])


def test_a_leak_is_a_fault(toy: Exercise) -> None:
    """the fault names check and line"""
    check = "    learner.running_mean(reference.running_mean([1.0]))\n"
    toy.checks.write_text(toy.checks.read_text() + f"\n\n{CHECK}{check}")
    fault = places(toy)["checks.py"]
    assert fault.check == "test_new" and "line" in fault.happened


CHECK = '@pytest.mark.hint("help")\ndef test_new(learner, reference):\n    """title"""\n'


@pytest.mark.parametrize(
    ("check", "declared"),
    [
        (CHECK, []),
        (CHECK.replace('    """title"""', "    pass"), ["has a title"]),
        (CHECK.replace("title", "  "), ["has a title"]),
        (CHECK.replace('@pytest.mark.hint("help")', "@pytest.mark.core"), ["has a hint"]),
        (CHECK.replace('"help"', '" "'), ["has a hint"]),
        (CHECK.replace('"help"', "HELP"), []),
        (
            CHECK.replace(".hint(", '.parametrize("x", [pytest.param(1, marks=pytest.mark.hint(').replace(
                'p")', 'p"))])'
            ),
            [],
        ),
        ("def test_new(learner):\n    pass\n", ["has a title", "has a hint"]),
        ("def helper(learner):\n    pass\n", []),
    ],
)
@pytest.mark.parametrize("hidden", [False, True])
def test_a_check_has_a_title_and_a_hint(toy: Exercise, check: str, declared: list[str], hidden: bool) -> None:
    """a learner reads what must hold, and what helps; both are asked for in every file of checks"""
    path = toy.hidden_checks if hidden else toy.checks
    assert path is not None
    path.write_text(f"{path.read_text()}\n\n{check}")
    faults = lint(toy, read_variants(toy))
    assert [fault.declared for fault in faults] == declared
    assert {(fault.place, fault.check) for fault in faults} <= {(path.name, "test_new")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("See /home/me/notes.md.", True),
        ("open('/tmp/x')", True),
        ("`/root`", True),
        ("/Users/me", True),
        ("C:\\temp", True),
        ("https://example.org/home/root and docs/tmp/x", False),
        ("a/root, x /homely", False),
        ("ABC: all of it", False),
    ],
)
def test_absolute_paths_are_told(toy: Exercise, text: str, told: bool) -> None:
    """a path of the author's machine in statement, stub or checks is a fault, with its line"""
    assert toy.hidden_checks is not None
    for path in (toy.statement, toy.stub, toy.checks, toy.hidden_checks):
        before = path.read_text()
        path.write_text(f"{before}\n# {text}\n")
        faults = lint(toy, read_variants(toy))
        assert [(fault.place, fault.declared) for fault in faults] == [(path.name, "no absolute path")] * told
        assert all(f"line {before.count(chr(10)) + 2}: # {text}" in fault.happened for fault in faults)
        path.write_text(before)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise NotImplementedError", False),
        ("raise NotImplementedError()", False),
        ("pass", True),
        ("return values", True),
        ("values = list(values)\n    raise NotImplementedError", True),
        ("raise ValueError", True),
    ],
)
def test_a_stub_does_nothing(toy: Exercise, body: str, told: bool) -> None:
    """below its docstring a stub's function raises NotImplementedError, and that is all"""
    toy.stub.write_text(toy.stub.read_text().replace("raise NotImplementedError", body))
    happened = [(fault.place, fault.declared) for fault in lint(toy, read_variants(toy))]
    assert happened == [("stub", "raise NotImplementedError")] * told


# --- grade new


def test_a_scaffold_says_what_is_missing(tmp_path: Path, slot: Slot) -> None:
    """a new exercise runs as it stands, and the gate names the files to be written, and nothing else"""
    made = authoring.scaffold(copy_toy(tmp_path), "chapter1/new_one")
    assert len(made.steps) == 5 and all(path.is_file() for path in made.files)
    exercise = load_course(tmp_path / "exercises", what=["new_one"], validate=True).exercises[0]
    assert (exercise.order, exercise.title) == (3, "New One")
    found = gate.examine(exercise, read_variants(exercise), gate.Plan(mutants=True), slot)
    unwritten = {fault.place for fault in found.faults if fault.declared == "finished"}
    assert unwritten >= {
        "new_one.py",
        "README.md",
        "exercise.yaml",
        "checks.py",
        "reference.py",
        "wheats/loop.py",
    }
    others = {fault.declared for fault in found.faults if fault.declared != "finished"}
    assert {"at least 3 core checks", "at least 1 edge check"} <= others
    assert not [declared for declared in others if not declared.startswith(("at least", "killed by"))]


def test_a_scaffold_reads_well(tmp_path: Path) -> None:
    """grade new prints the files and five steps, each with what to type"""
    text = str(authoring.scaffold(copy_toy(tmp_path), "chapter1/new_one"))
    for word in "new_one.py", "chaffs", "  5. ", "grade check chapter1/new_one", "chapter1/new_one --write":
        assert word in text
    for word in "chapter1/new_one/picture.py", "grade show chapter1/new_one":
        assert word in text
    assert not (tmp_path / "exercises/chapter1/new_one/picture.py").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("new_one", "no exercise's name"),
        ("chapter1/New", "module's name"),
        ("chapter1/class", "module's name"),
        ("chapter1/../x", "no exercise's name"),
        ("chapter1/..", "module's name"),
        ("chapter1/random", "a module already"),
        ("chapter1/torch", "a module already"),
        ("chapter1/running_mean", "there already"),
        ("chapter11/new_one", "no chapter `chapter11`"),
    ],
)
def test_bad_names_are_refused(tmp_path: Path, name: str, words: str) -> None:
    """a name that is none, or taken, is refused with a remedy, and nothing is written"""
    course = copy_toy(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError) as caught:
        authoring.scaffold(course, name)
    assert words in caught.value.message and caught.value.remedy
    assert sorted(tmp_path.rglob("*")) == before
