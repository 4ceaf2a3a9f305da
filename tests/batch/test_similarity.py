"""Near-duplicates are found through renamed variables and moved comments; what everybody shares is nobody's."""

from __future__ import annotations

import json
import time

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from grader.batch.records import Entry, Intake, Student
from grader.batch.similarity import candidates, compare, signature
from grader.batch.tokens import shingles, tokens
from grader.catalog.schema import read_schema
from grader.cli import cli
from grader.model import Submission
from tests.batch.made import EXERCISES, TOY, as_folder

MEAN = next(each for each in EXERCISES if each.slug == "running_mean")
ONE = """
import math

def running_mean(values):
    # the sum so far
    if not values:
        raise ValueError("nothing")
    total, means = 0.0, []
    for count, value in enumerate(values, start=1):
        total = math.fsum([total, value])
        if count % 2 == 0 and total > 1e300:
            total = float(total)
        means.append(total / count)
    return list(means)
"""
RENAMED = '''
import math
def running_mean(xs):
    """My own work."""
    if not xs: raise ValueError('is empty')   # of course
    acc, out = 0.0, []

    for i, x in enumerate(xs, start=1):
        acc = math.fsum([acc, x])
        if i % 2 == 0 and acc > 1e300:
            acc = float(acc)
        out.append(acc / i)
    return list(out)
'''
OTHER = """
import numpy as np

def running_mean(values):
    array = np.asarray(values, dtype=float)
    if array.size == 0:
        raise ValueError
    steps = np.arange(1, array.size + 1)
    sums = np.add.accumulate(array)
    result = np.divide(sums, steps)
    return [float(each) for each in result.tolist() if each == each or True]
"""


def intake(sources):
    students = tuple(Student(name) for name in sources)
    entries = tuple(
        Entry(student, MEAN.id, Submission("running_mean.py", source.encode()))
        for student, source in zip(students, sources.values(), strict=True)
    )
    return Intake("", students, entries)


def matches(sources, threshold=0.6):
    [found] = compare(intake(sources), [MEAN], threshold)
    return [(match.left, match.right, match.similarity) for match in found.matches]


def test_names_comments_and_layout_do_not_count():
    """The same solution with other names, comments, texts and line breaks is the same stream of tokens."""
    assert tokens(ONE.encode()) == tokens(RENAMED.encode())
    assert matches({"ada": ONE, "bo": OTHER, "cy": RENAMED}) == [(("ada", "cy"), (), 1.0)]


def test_a_change_lowers_similarity():
    """A mended copy is found with a number below 1; another solution is not found."""
    changed = RENAMED.replace("return list(out)", "return [float(o) for o in out]")
    [(left, right, similarity)] = matches({"ada": ONE, "bo": OTHER, "cy": changed})
    assert (left, right) == (("ada",), ("cy",)) and 0.6 < similarity < 1
    assert not matches({"ada": ONE, "cy": changed}, threshold=similarity + 0.01)


def test_what_the_stub_gave_is_nobodys():
    """Stubs, and stubs with a line more, have too little of their own to be compared."""
    stub = MEAN.stub.read_text()
    [found] = compare(intake({"ada": stub, "bo": stub, "cy": stub + "\nx = 1\n"}), [MEAN])
    assert found.matches == () and (found.compared, found.short) == (0, 3)


def test_what_a_class_shares_is_nobodys():
    """What more than half of all different files have is the exercise's own; a rare twin still stands out."""
    usual = {f"s{at}": ONE + f"\nEXTRA = {{{', '.join(f'{at}{i}: {i}' for i in range(20))}}}\n" for at in range(12)}
    twin = OTHER + "\nZ = 1\n"
    found = matches(usual | {"x": OTHER, "y": twin})
    assert [(left, right) for left, right, _ in found] == [(("x",), ("y",))]


@pytest.mark.parametrize(
    "source",
    [b"", b"\0" * 1000, b"\xff\xfe", b'"' * 100_001, b"'''" * 20_001, b"(" * 10**5, b"\\" * 10**5, b'"\\' * 50_000,
     b"x" * 10**6, b"# " + b"a" * 10**6, "\N{SNOWMAN}é = 1".encode(), b"1." * 10**5],
)  # fmt: skip
def test_any_bytes_are_tokens_in_no_time(source):
    """Broken, hostile and huge files take one pass, and end."""
    start_s = time.process_time()
    assert len(tokens(source)) <= 50_000
    assert time.process_time() - start_s < 5


def test_tokens_keep_what_tells_solutions_apart():
    """Attributes, operators, numbers and built-ins stay; a text is one token, a docstring none."""
    found = tokens(b'"""Doc."""\nx = np.sort(y) ** 2 if len(z) != 3 else f"a{b}"  # why\n\'alone\'\n')
    assert found == [
        "n",
        "=",
        "n",
        ".",
        "sort",
        "(",
        "n",
        ")",
        "**",
        "2",
        "if",
        "len",
        "(",
        "n",
        ")",
        "!=",
        "3",
        "else",
        "s",
    ]
    assert shingles(["a", "b"], 3) == {"a b"} and shingles([], 3) == set()


def test_hashes_estimate_similarity():
    """The share of equal hash values is near the Jaccard similarity, and alike sets meet in a band."""
    left, right = {f"x{at}" for at in range(900)}, {f"x{at}" for at in range(100, 1000)}
    agree = (signature(left) == signature(right)).mean()
    assert abs(agree - 0.8) < 0.2  # 128 values: a standard deviation of 0.035
    assert candidates([left, right, {f"y{at}" for at in range(900)}]) == {(0, 1)}


def test_the_command(tmp_path):
    """It reads any layout, prints candidates and says what they are not; --json is as its schema has it."""
    path = as_folder({"ada/running_mean.py": ONE.encode(), "bo/running_mean.py": RENAMED.encode()}, tmp_path)
    result = CliRunner().invoke(cli, ["similar", str(path), "--course", str(TOY)], prog_name="grade")
    assert result.exit_code == 0, result.output
    assert "100%  ada, bo" in result.output and "no verdict" in result.output
    assert all(len(line) <= 100 for line in result.output.splitlines())
    result = CliRunner().invoke(cli, ["similar", str(path), "--course", str(TOY), "--json"], prog_name="grade")
    Draft202012Validator(read_schema("similar")).validate(json.loads(result.output))
