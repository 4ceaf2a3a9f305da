"""Strange answers: whatever a learner returns, expect passes or raises Mismatch and nothing else."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader import expect
from grader.boundary.wire import Opaque
from grader.expect import Mismatch

ZOO = {
    "None": None,
    "object": Opaque("Signature"),
    "string": "12",
    "empty string": "",
    "bytes": b"12",
    "true": True,
    "numpy true": np.bool_(True),
    "zero": 0,
    "huge": 10**5000,
    "negative huge": -(10**5000),
    "nan": float("nan"),
    "infinite": float("inf"),
    "complex": 1 + 2j,
    "complex nan": complex("nan"),
    "empty": [],
    "ragged": [[1, 2], [3]],
    "deep ragged": [1, [2, [3, [4, [5, [6, [7]]]]]]],
    "mixed": [1, "a", None],
    "booleans and numbers": [True, 2],
    "with None": [1.0, None],
    "with objects": [Opaque("A"), Opaque("B")],
    "huge in list": [10**400, 1.5],
    "dict": {"a": [1, None], 2: {"b": Opaque("C")}},
    "set": {1, "a", (2, 3)},
    "long string": "x" * 10_000,
    "control": "\x1b[31m\ud800\n",
    "strings": np.array(["a", "b"]),
    "one string": np.array("a"),
    "bytes array": np.array([b"a"]),
    "nan array": np.full((2, 3), np.nan),
    "inf array": np.array([np.inf, -np.inf, 1e308]),
    "complex array": np.ones(3, complex),
    "bool array": np.ones(3, bool),
    "uint64": np.array([2**64 - 1], np.uint64),
    "int8": np.array([-128], np.int8),
    "half": np.array([65504], np.float16),
    "empty array": np.zeros((0, 3)),
    "objects": np.array([None, 1], dtype=object),
    "tensor": torch.ones(3, requires_grad=True),
    "0-d tensor": torch.tensor(3),
    "bf16": torch.ones(2, 2, dtype=torch.bfloat16),
    "fp8": torch.ones(2).to(torch.float8_e4m3fn),
    "sparse": torch.eye(2).to_sparse(),
    "conjugate": torch.ones(2, dtype=torch.complex64).conj(),
    "tensors": [torch.ones(2), np.ones(2), [1, 1]],
}

WANTED = [
    None,
    3,
    2.5,
    True,
    "text",
    b"text",
    1j,
    10**400,
    [],
    [1, 2],
    [1.5, 2.5, 3.5],
    [True, False],
    ["a", "b"],
    [[1], [2, 3]],
    (1, "a", [2.0]),
    {"a": [1, 2]},
    {1, 2},
    np.ones((2, 3)),
    np.ones(3, np.float32),
    np.zeros((0, 3)),
    torch.ones(2),
]

QUESTIONS = {
    "array": expect.array,
    "number": expect.number,
    "integer": expect.integer,
    "sequence": expect.sequence,
    "instance": lambda got: expect.instance(got, dict),
    "length": lambda got: expect.length(got, 3),
    "shape": lambda got: expect.shape(got, (None, 3)),
    "no shape": lambda got: expect.shape(got, ()),
    "dtype": lambda got: expect.dtype(got, ("float32", torch.float16, np.int8)),
    "finite": expect.finite,
    "true": lambda got: expect.true(got, "it is true"),
    "true of": lambda got: expect.true(False, "it is true", got=got, expected=[got]),
    "at most": lambda got: expect.at_most(got, 10),
    "at least": lambda got: expect.at_least(got, 10),
    "between": lambda got: expect.between(got, 5, 6),
    "same items": lambda got: expect.same_items(got, [1, "a", {2: [3]}]),
    "binomial": lambda got: expect.binomial_within(got, 100, 0.5),
    "mean": lambda got: expect.mean_within(got, 0.5, (0, 1)),
    "counts": lambda got: expect.same_distribution(got, [0.2, 0.3, 0.5]),
    "dict of counts": lambda got: expect.same_distribution(got, {"a": 0.2, "b": 0.8}),
}


def outcome(function, *args, **kwargs):
    """Call, and ask a Mismatch for short printable texts; anything but a pass or a Mismatch gets through."""
    try:
        function(*args, **kwargs)
    except Mismatch as found:
        for text in (found.expected, found.got, found.detail):
            assert len(text) <= 200 and text.isprintable()
        assert found.expected and found.got
        return found
    return None


@pytest.mark.parametrize("kind", ZOO)
def test_strange_answers_are_mismatches(kind):
    """A question passes or is a Mismatch that carries the value: no other exception, no warning."""
    for question in QUESTIONS.values():
        found = outcome(question, ZOO[kind])
        assert found is None or found.value is ZOO[kind]


@pytest.mark.parametrize("kind", ZOO)
def test_strange_answers_never_equal_a_plain_one(kind):
    """Compared with anything a check wants, a strange answer is a Mismatch that carries the value."""
    for want in WANTED:
        for compare in (expect.equal, lambda got, want: expect.close(got, want, rtol=1e-3, atol=1e-3)):
            found = outcome(compare, ZOO[kind], want)
            assert found is None or found.value is ZOO[kind]


@pytest.mark.parametrize("kind", ZOO)
def test_strange_answers_can_be_compared_with_each_other(kind):
    """A determinism check compares two answers: it may fail, and raises nothing else."""
    for other in ZOO.values():
        outcome(expect.equal, ZOO[kind], other)
        outcome(expect.close, ZOO[kind], other, rtol=0, atol=0)
        outcome(expect.different, ZOO[kind], other)
        outcome(expect.same_items, ZOO[kind], other)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
) | hnp.arrays(st.sampled_from(["bool", "int8", "uint64", "float16", "float64", "complex64", "U3"]), hnp.array_shapes())


@given(value=plain, other=plain)
def test_any_two_plain_values_compare(value, other):
    """equal and close judge any two plain values, and a value always equals itself and a copy."""
    outcome(expect.equal, value, other)
    outcome(expect.close, value, other, rtol=1e-6, atol=0)
    outcome(expect.same_items, value, other)
    expect.equal(value, value)
    expect.close(value, value, rtol=0, atol=0)


@pytest.mark.parametrize("answer", [0, -1.5, float("nan"), float("inf"), None, "3", [1.0], True, 1j])
def test_positive_refuses_what_a_logarithm_cannot_take(answer):
    """zero, negatives, nan, inf and what is no number are a Mismatch; a number above 0 is read"""
    with pytest.raises(expect.Mismatch):
        expect.positive(answer, "N")
    assert expect.positive(2.5) == 2.5
