"""Mutants: what is changed, what is left alone, how they are named, and how a score is made of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from grader.authoring import mutation
from grader.authoring.mutants import Mutant, mutate
from grader.authoring.relevance import asked, notices, reached
from grader.catalog import load_course
from grader.model import CheckResult, Exercise, Report, Submission, Verdict

TOY = Path(__file__).parent / "toy_course" / "exercises"


def ids(source: str) -> list[str]:
    """The ids of all mutants of a source."""
    return [mutant.id for mutant in mutate(source.encode())]


def changes(source: str) -> set[tuple[str, str]]:
    """Before and after of all mutants of a source."""
    return {(mutant.before, mutant.after) for mutant in mutate(source.encode())}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a, b): return a < b", {("a < b", "a <= b"), ("a < b", "a >= b")}),
        ("def f(a, b): return a == b", {("a == b", "a != b")}),
        ("def f(a, b): return a in b", {("a in b", "a not in b")}),
        ("def f(a, b): return a + b", {("a + b", "a - b")}),
        ("def f(a, b): return a // b", {("a // b", "a / b"), ("a // b", "a * b")}),
        ("def f(a, b): a += b", {("a += b", "a -= b")}),
        ("def f(a, b): return a and b", {("a and b", "a or b")}),
        ("def f(a): return -a", {("-a", "a")}),
        ("def f(a): return not a", {("not a", "a")}),
        ("def f(): return 3", {("3", "4"), ("3", "2")}),
        ("def f(): return 0.5", {("0.5", "1.0"), ("0.5", "0.0")}),
        ("def f(): return True", {("True", "False")}),
        ("def f(a):\n  if a: return a", {("a", "True"), ("a", "False")}),
        ("def f(a):\n  while a: g()", {("a", "False")}),
        ("def f(a): return [x for x in a if x]", {("x", "True")}),
        ("def f(a):\n  for x in a: break", {("break", "continue")}),
        ("def f(a): return max(a)", {("max", "min")}),
        ("def f(a): return a.argmax()", {("a.argmax", "a.argmin")}),
        ("def f(a): return range(a)", {("a", "a - 1")}),
        ("def f(a, b): return range(a, b)", {("a", "a + 1"), ("b", "b - 1")}),
        ("def f(a, b): return a[b:]", {("b", "b + 1")}),
        ("def f(a, b, c): return a[:, b:c]", {("b", "b + 1"), ("c", "c - 1")}),
    ],
)
def test_operators(source: str, expected: set[tuple[str, str]]) -> None:
    """every operator makes the faults that it is for, and no others"""
    assert changes(source) == expected


def test_what_is_no_solution_is_left_alone() -> None:
    """docstrings, annotations, decorators, messages, text with holes, asserts and imports are not mutated"""
    source = '''
"""1 + 2"""
from __future__ import annotations
import a.b
@cache(maxsize=3)
def f(x: Annotated[int, 3 < 4] ) -> Literal[1]:
    """1 < 2"""
    y: Annotated[int, 5] = x
    assert x < 3, "1"
    raise ValueError("x %d" % (x + 1))
def g(x):
    return f"{x + 1}", zip(x, x, strict=True)
if __name__ == "__main__":
    print(1 + 1)
'''
    assert ids(source) == []


def test_equal_bytecode_counts_once() -> None:
    """a change that compiles to the same code, or to that of another mutant, is no mutant"""
    assert ids("def f(a):\n  while True: a()") == ["f:L2:while->False"]
    assert ids("def f(a, b): return a if a is None else b")[:2] == ["f:L1:if->True", "f:L1:if->False"]
    sources = [
        mutant.source for mutant in mutate((TOY.parent / "solutions/chapter1/word_count/reference.py").read_bytes())
    ]
    assert len(sources) == len(set(sources)) > 10


def test_ids_name_the_line_within_the_function() -> None:
    """an id says function, line within it and change, counts repeats, and survives edits elsewhere"""
    source = "def f(n):\n    return n + 1 + 1\n"
    expected = ["f:L2:Add->Sub", "f:L2:Add->Sub#2", "f:L2:1->2", "f:L2:1->0", "f:L2:1->2#2", "f:L2:1->0#2"]
    assert sorted(ids(source)) == sorted(expected)
    moved = "import numpy as np\n\n\nSIZE = None\n\n\n" + source
    assert ids(moved) == ids(source)


def test_ids_of_what_is_no_function() -> None:
    """methods and inner functions are named in full, a module's constant by its name"""
    source = "SIZE = 64\nclass A:\n  def f(self):\n    def g(a):\n      return a < 0.0\n    return g\n"
    assert ids(source)[0] == "SIZE:L1:64->65"
    assert "A.f.g:L2:Lt->LtE" in ids(source)


def test_ids_are_unique_and_stable() -> None:
    """two runs name the same mutants the same, and no name is given twice"""
    for path in TOY.parent.glob("solutions/*/*/reference.py"):
        names = [mutant.id for mutant in mutate(path.read_bytes())]
        assert names == [mutant.id for mutant in mutate(path.read_bytes())]
        assert len(names) == len(set(names)) > 5


def test_the_rest_of_the_source_stays() -> None:
    """only the place of the change differs: comments, blank lines and other lines keep their place"""
    source = "def f(a, é='ü'):  # ä\n\n    return (a +  # one\n            é)  # two\n"
    [mutant] = mutate(source.encode())
    assert (mutant.id, mutant.line) == ("f:L3:Add->Sub", 3)
    before, after = source.splitlines(), mutant.source.decode().splitlines()
    assert after[:2] == before[:2]
    assert after[2] == "    return ((a - é))  # two"


def test_a_change_binds_as_it_reads() -> None:
    """operators that bind less tightly do not regroup what stands around them"""
    [mutant] = [each for each in mutate(b"def f(a, b): return a / b ** 2") if each.id == "f:L1:Pow->Mult"]
    returned = ast.parse(mutant.source).body[0].body[0].value  # type: ignore[attr-defined]
    assert ast.unparse(returned) == "a / (b * 2)"


def test_a_byte_order_mark_is_no_obstacle() -> None:
    """a BOM before the source does not move the columns"""
    assert ids("\ufeffx = 1") == ["x:L1:1->2", "x:L1:1->0"]


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    """running_mean of the toy course."""
    return load_course(TOY, what=["running_mean"]).exercises[0]


def report(exercise: Exercise, verdict: Verdict, duration_s: float = 0.0) -> Report:
    """A report with one check."""
    check = CheckResult("test_it", "core", "it", verdict, duration_s=duration_s)
    return Report(exercise.id, "", verdict, 0, 1, (check,), "0", "process")


class Grade:
    """Lets chosen mutants live; kills all others, each with another verdict."""

    def __init__(self, *alive: str) -> None:
        self.alive, self.exercise = alive, None

    def __call__(self, exercise: Exercise, submissions: Sequence[Submission], keyword: str) -> list[Report]:
        """One report each."""
        assert keyword == "test_it"
        self.exercise = exercise
        deaths = [
            Verdict.NOT_YET,
            Verdict.TIMEOUT,
            Verdict.MEMORY,
            Verdict.CRASH,
            Verdict.FLOOD,
            Verdict.LAYOUT,
        ]
        verdicts = [deaths[at % len(deaths)] for at in range(len(submissions))]
        return [
            report(exercise, Verdict.PASS if submission.path in self.alive else verdict)
            for submission, verdict in zip(submissions, verdicts, strict=True)
        ]


SOURCE = b"def f(n):\n    return n < 3\n"


def test_every_way_to_fail_kills(exercise: Exercise) -> None:
    """a mutant is killed by any verdict that costs points"""
    score, faults = mutation.score(exercise, SOURCE, report(exercise, Verdict.PASS), Grade())
    assert (score.total, score.killed, score.rate, faults) == (4, 4, 1.0, ())


def test_a_survivor_is_a_fault(exercise: Exercise) -> None:
    """a survivor that is not declared equivalent is named with its line and its change"""
    passed = report(exercise, Verdict.PASS)
    score, [fault] = mutation.score(exercise, SOURCE, passed, Grade("f:L2:Lt->LtE"))
    assert (score.killed, score.counted, score.rate) == (3, 4, 0.75)
    assert fault.place == "mutant f:L2:Lt->LtE"
    assert fault.happened == "line 2 of reference.py may as well read `return (n <= 3)`"


def test_an_equivalent_survivor_does_not_count(exercise: Exercise) -> None:
    """a survivor that exercise.yaml declares equivalent lowers no rate"""
    declared = replace(exercise, equivalent={"f:L2:Lt->LtE": "n is never 3 here"})
    passed = report(exercise, Verdict.PASS)
    score, faults = mutation.score(declared, SOURCE, passed, Grade("f:L2:Lt->LtE"))
    assert (score.killed, score.counted, score.rate, faults) == (3, 3, 1.0, ())
    assert score.survivors[0].equivalent


def test_a_stale_declaration_is_a_fault(exercise: Exercise) -> None:
    """declaring a mutant equivalent that is killed, or that does not exist, is told"""
    declared = replace(exercise, equivalent={"f:L2:Lt->LtE": "no input", "f:L9:Lt->LtE": "no input"})
    _, faults = mutation.score(declared, SOURCE, report(exercise, Verdict.PASS), Grade())
    happened = {fault.place: fault.happened for fault in faults}
    assert happened == {
        "mutant f:L2:Lt->LtE": "a check kills it",
        "mutant f:L9:Lt->LtE": "there is no such mutant",
    }


def test_the_cheapest_check_comes_first(exercise: Exercise) -> None:
    """checks are run one by one in order of their cost, and what is dead is not graded again"""
    checks = [
        CheckResult(name, "core", "", Verdict.PASS, duration_s=duration_s)
        for name, duration_s in (
            ("test_it_all", 3.0),
            ("test_it[1]", 1.0),
            ("test_it[2]", 1.0),
            ("test_b", 0.1),
        )
    ]
    asked: list[tuple[str, int]] = []

    def grade(exercise: Exercise, submissions: Sequence[Submission], keyword: str) -> list[Report]:
        asked.append((keyword, len(submissions)))
        return [report(exercise, Verdict.PASS if at else Verdict.NOT_YET) for at in range(len(submissions))]

    score, _ = mutation.score(exercise, SOURCE, replace(report(exercise, Verdict.PASS), checks=tuple(checks)), grade)
    assert asked == [("test_b", 4), ("test_it and not test_it_all", 3), ("test_it_all", 2)]
    assert (score.total, score.killed) == (4, 3)


def test_the_likely_checks_come_first(exercise: Exercise) -> None:
    """a mutant first meets the checks that run its part of the reference, then the others"""
    source = "SIZE = None\ndef _g(a): return -a\ndef f(a): return _g(a) + SIZE\ndef h(a): return 1.0\n"
    checks = "def test_f(learner):\n  learner.f.observe(1)\ndef test_h(learner):\n  expect.raises(E, learner.h)\n"
    reach, asks = reached(ast.parse(source)), asked([ast.parse(checks)])
    owners = ("SIZE", "_g", "f", "h")
    assert [notices(owner, "test_f", asks, reach) for owner in owners] == [True, True, True, False]
    assert [notices(owner, "test_h", asks, reach) for owner in owners] == [False, False, False, True]
    assert not notices("f", "test_unheard_of", asks, reach)
    handed_on = "def run(learner): return learner.f(1)\n@mark\ndef test_f(learner):\n  assert run(learner)\n"
    assert asked([ast.parse(handed_on)])["test_f"] == {"f"}


def test_a_grader_problem_kills_nothing(exercise: Exercise) -> None:
    """a check that stumbles over a mutant is a fault of its own, and the mutant lives on"""

    def grade(exercise: Exercise, submissions: Sequence[Submission], keyword: str) -> list[Report]:
        return [report(exercise, Verdict.GRADER_PROBLEM) for _ in submissions]

    score, faults = mutation.score(exercise, b"def f(a): return -a\n", report(exercise, Verdict.PASS), grade)
    assert score.killed == 0
    assert [fault.declared for fault in faults] == ["a verdict", "killed by a check"]


def test_endless_loops_are_cheap(exercise: Exercise) -> None:
    """a mutant gets ten times what the reference took, never more than the exercise's own limit"""
    for slowest_s, cpu_s in ((0.0, 1.0), (0.15, 1.5), (9.0, exercise.limits.cpu_s)):
        grade = Grade()
        mutation.score(exercise, SOURCE, report(exercise, Verdict.PASS, slowest_s), grade)
        assert grade.exercise.limits.cpu_s == pytest.approx(cpu_s)


def test_a_reference_without_mutants_scores_full(exercise: Exercise) -> None:
    """nothing to kill is not zero percent"""
    score, faults = mutation.score(exercise, b"def f(a): return a\n", report(exercise, Verdict.PASS), Grade())
    assert (score.total, score.rate, faults) == (0, 1.0, ())


def test_mutants_are_records() -> None:
    """a mutant can be compared and hashed: it is a key of the results"""
    assert isinstance(mutate(SOURCE)[0], Mutant) and len(set(mutate(SOURCE))) == 4
