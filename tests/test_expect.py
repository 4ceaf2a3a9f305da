"""What expect says of values: which are alike, how a difference reads, that nothing else comes out."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader import expect
from grader.boundary.wire import Opaque
from grader.expect import Mismatch


def mismatch(function, *args, **kwargs):
    """The Mismatch that a call raises."""
    with pytest.raises(Mismatch) as caught:
        function(*args, **kwargs)
    return caught.value


@pytest.mark.parametrize(
    ("got", "want"),
    [
        ([1, 2], (1, 2)),
        ([1, 2], np.array([1, 2])),
        (np.array([1.0, 2.0]), [1, 2]),
        (torch.tensor([1, 2]), [1, 2]),
        ([torch.tensor(1.0), np.float32(2)], [1, 2]),
        ([np.array([1, 2]), torch.tensor([3, 4])], [[1, 2], [3, 4]]),
        (np.float32(3), 3),
        (np.array(3), 3),
        (torch.tensor(3), 3.0),
        (np.bool_(True), True),
        ([np.bool_(True), False], np.array([True, False])),
        (torch.tensor([1.5, -2], dtype=torch.bfloat16), [1.5, -2]),
        (torch.tensor([1.5, -2]).to(torch.float8_e5m2), [1.5, -2]),
        ([], np.zeros((0, 3))),
        ([[], []], np.zeros((2, 0, 3))),
        ({"a": [1, 2], "b": "x"}, {"b": "x", "a": np.array([1, 2])}),
        (("x", [1, (2, 3)]), ["x", (1, [2, 3])]),
        (frozenset({1}), {1}),
        ([float("nan"), 1], [float("nan"), 1]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array("a"), "a"),
        (10**30, 10**30),
        ([10**30, -1], [10**30, -1]),
        (2**63, np.uint64(2**63)),
        (None, None),
    ],
    ids=repr,
)
def test_alike(got, want):
    """Other ways to write the same value pass, whichever of the two the learner chose."""
    expect.equal(got, want)
    expect.close(got, want, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (True, 1),
        (1, True),
        ([True, False], [1, 0]),
        (np.array([1, 0]), [True, False]),
        ([True, 2], [1, 2]),
        (3, [3]),
        ([3], 3),
        ("3", 3),
        (3, "3"),
        (b"a", "a"),
        ([1, 2], {1, 2}),
        ([[1, 2, 3]], [1, 2, 3]),
        (np.zeros((0, 3)), np.zeros((0, 4))),
        ([], [[]]),
        (2**53 + 1, float(2**53)),
        ([2**53 + 1, 0.5], [2**53, 0.5]),
        (10**30, 10**30 + 1),
        (float("inf"), 10**400),
        ({"a": 1}, {"a": 1, "b": None}),
        (float("nan"), 0.0),
        (None, 0),
        (0, None),
    ],
    ids=repr,
)
def test_not_alike(got, want):
    """A boolean or a string is no number, one number is no list, integers count to the last digit."""
    assert mismatch(expect.equal, got, want).value is got


def test_nan_can_be_told_apart():
    """With nan_equal=False NaN differs even from NaN."""
    mismatch(expect.equal, [1, np.nan], [1, np.nan], nan_equal=False)
    mismatch(expect.close, [1, np.nan], [1, np.nan], rtol=1, atol=1, nan_equal=False)


@pytest.mark.parametrize(
    ("got", "want", "text"),
    [
        (6, 7, "expected 7; got 6 (it)"),
        (None, 7, "expected 7; got None (it: your function returned None: did you forget return?)"),
        (
            Opaque("Sig"),
            7,
            "expected 7; got a Sig object, which is not a plain value (it: got a Sig object, ",
        ),
        ("7", 7, "expected 7; got '7' (it: got a string)"),
        ([1, 2, 3], [1, 5, 3], "expected [1, 5, 3]; got [1, 2, 3] (it: at [1]: 2, not 5; 1 of 3 differ)"),
        ([1, 2], [1, 2, 3], "expected shape (3,); got shape (2,) (it: [1, 2])"),
        ([5], 5, "expected 5; got [5] (it: expected one number, got shape (1,))"),
        (0.1 + 0.2, 0.3, "expected 0.29999999999999999; got 0.30000000000000004 (it)"),
        (
            {"a": 1, "c": 2},
            {"a": 1, "b": 2},
            "expected keys ['a', 'b']; got keys ['a', 'c'] (it: missing ['b'], extra",
        ),
        (
            {"a": {"b": [1, 2]}},
            {"a": {"b": [1, 3]}},
            "expected [1, 3]; got [1, 2] (it: at ['a']['b']: at [1]: 2",
        ),
        ({1, 2}, {2, 3}, "expected {2, 3}; got {1, 2} (it: missing [3], extra [1])"),
        ([1, None], [1, 2], "expected 2; got None (it: at [1]: got None)"),
        (["a", "b"], ["a", "c"], "expected 'c'; got 'b' (it: at [1])"),
        (True, 1, "expected 1; got True (it: expected a number)"),
    ],
    ids=repr,
)
def test_wording_of_equal(got, want, text):
    """A difference reads as expected, got, and where; None asks for the forgotten return."""
    assert str(mismatch(expect.equal, got, want, "it")).startswith(text)


def test_large_arrays_are_summarised():
    """Of a large array a learner sees the first difference, the shape and how many differ."""
    want = np.arange(600.0).reshape(20, 30)
    got = want.copy()
    got[3, 4:] += 1
    found = mismatch(expect.equal, got, want)
    assert (found.expected, found.got) == ("94 at [3, 4]", "95 at [3, 4]")
    assert found.detail == "shape (20, 30); 26 of 600 differ, this is the first"


def test_close_shows_the_worst():
    """close shows the element that is furthest beyond its tolerance, its error and the tolerance."""
    want = np.linspace(1, 2, 50)
    got = want.copy()
    got[[7, 31]] += (0.01, 0.02)
    found = mismatch(expect.close, got, want, "the loss", rtol=0, atol=1e-3)
    assert found.got.endswith("at [31]")
    assert found.detail == "the loss: shape (50,); off by 0.02, allowed 0.001; 2 of 50 differ, this is the worst"
    got[3] = np.nan
    assert mismatch(expect.close, got, want, rtol=0, atol=1e-3).got == "nan at [3]"


@given(
    want=hnp.arrays(np.float64, 5, elements=st.floats(-1e6, 1e6)),
    error=hnp.arrays(np.float64, 5, elements=st.floats(-1, 1)),
    rtol=st.floats(0, 1e-3),
    atol=hnp.arrays(np.float64, 5, elements=st.floats(0, 1)),
)
def test_close_is_its_formula(want, error, rtol, atol):
    """close passes exactly where every |got - want| is within atol + rtol |want|, both may be arrays."""
    got = want + error
    right = bool((np.abs(got - want) <= atol + rtol * np.abs(want)).all())
    if right:
        expect.close(got, want, rtol=rtol, atol=atol)
    else:
        mismatch(expect.close, got, want, rtol=rtol, atol=atol)


def test_close_treats_infinity_as_a_value():
    """An infinity is close to itself only, whatever the tolerance; overflow of the difference is no pass."""
    expect.close([np.inf, 1], [np.inf, 1], rtol=0, atol=0)
    for got in (1e300, -np.inf, np.nan):
        mismatch(expect.close, got, np.inf, rtol=1e-3, atol=1e300)
    mismatch(expect.close, 1.0, np.inf, rtol=1, atol=1)
    mismatch(expect.close, 1e308, -1e308, rtol=1e-3, atol=1)


def test_tolerances_are_explicit():
    """close without tolerances, or with a negative or NaN one, is the author's mistake and no verdict."""
    with pytest.raises(TypeError, match="rtol"):
        expect.close(1, 1)
    for tolerance in (-1, float("nan")):
        with pytest.raises(ValueError, match="negative or NaN"):
            expect.close(1, 1, rtol=tolerance, atol=0)


def test_a_want_that_is_no_plain_value_is_the_authors_mistake():
    """A check that wants what expect cannot compare gets a TypeError: a fault of the content."""
    with pytest.raises(TypeError, match="a check wants a range"):
        expect.equal([1, 2], range(2))


def test_readers_answer_plain_values():
    """array, number, integer, sequence and instance hand the answer over in one known form."""
    assert expect.array(torch.ones(2, dtype=torch.bfloat16)).dtype == np.float32
    assert expect.array([[1, 2]], shape=(None, 2)).tolist() == [[1, 2]]
    assert expect.number(torch.tensor(1.5)) == 1.5 and type(expect.number(np.float32(2))) is float
    assert expect.integer(np.int8(3)) == 3 and type(expect.integer(torch.tensor(3))) is int
    assert expect.integer(10**30) == 10**30
    assert expect.sequence(("a", 1)) == ["a", 1]
    assert expect.instance({"a": 1}, dict) == {"a": 1}


def test_readers_refuse_what_looks_alike():
    """An integer is not 3.0, a number is not True and not a list of one, and numbers are not their text."""
    for got in (3.0, True, [3], "3", np.array([3])):
        mismatch(expect.integer, got)
    for got in (True, [3.0], 1j, "3", np.bool_(True)):
        mismatch(expect.number, got)


def test_shape():
    """shape compares every axis, None stands for any size, and () asks for one number."""
    expect.shape(np.zeros((2, 3)), (2, None))
    expect.shape([[1, 2]], [1, 2])
    expect.shape([], (0, 3))
    expect.shape(3, ())
    assert str(mismatch(expect.shape, [1] * 5, (4,))).startswith("expected shape (4,); got shape (5,)")
    assert mismatch(expect.shape, 3, (None, 2)).expected == "shape (any, 2)"
    mismatch(expect.shape, np.zeros((0, 3)), (0, 4))


def test_dtype():
    """dtype takes names, numpy and torch dtypes, or several; Python numbers count as 64 bits wide."""
    for got, want in [
        (np.ones(1, "f4"), "float32"),
        (torch.ones(1), np.float32),
        (np.ones(1, "f4"), torch.float32),
    ]:
        expect.dtype(got, want)
    for got, want in [(1.0, "float64"), (1, np.int64), (True, bool), (np.float16(1), ("float32", "float16"))]:
        expect.dtype(got, want)
    assert str(mismatch(expect.dtype, np.ones(1), "float32")) == "expected dtype float32; got dtype float64"
    assert mismatch(expect.dtype, [1.0], "float32").got == "[1]"


def test_finite_goes_inside():
    """finite looks into dicts and lists and says where."""
    expect.finite({"a": [1.0, [2, 3]], "b": np.ones(3)})
    assert mismatch(expect.finite, {"a": [[1.0, np.inf], [2.0]]}).got == "inf at ['a'][0][1]"


def test_bounds():
    """at_most, at_least and between include their ends, go through arrays, and show the worst element."""
    expect.at_most([1, 2], 2)
    expect.at_least(np.array([1, 2]), [1, 2])
    expect.between(torch.tensor(0.5), 0, 0.5)
    assert str(mismatch(expect.at_most, 3, 2, "time")) == "expected at most 2; got 3 (time)"
    found = mismatch(expect.between, [1, 9, 12], 0, 8)
    assert str(found) == "expected 0 to 8; got 12 (worst at [2]; 2 of 3 are outside)"
    for question in (expect.at_most, expect.at_least):
        mismatch(question, np.nan, 1)
    assert mismatch(expect.at_most, 1 + 1e-9, 1).got == "1.000000001"


def test_true():
    """true judges all of an array, and shows the sentence and, where given, the value."""
    expect.true(np.array([True, True]), "all")
    expect.true(np.bool_(True), "numpy's too")
    assert str(mismatch(expect.true, np.array([True, False]), "all")) == "expected all; got it does not hold"
    found = mismatch(expect.true, False, "it is even", got=3, expected="an even number")
    assert (str(found), found.value) == ("expected an even number; got 3 (it is even)", 3)


def test_same_items():
    """same_items ignores the order, counts repeats, and says what is missing and what is too many."""
    expect.same_items([(1, 2), [3, "a"]], [[3, "a"], [1, 2]])
    expect.same_items(np.array([[1, 2], [3, 4]]), [(3, 4), (1, 2)])
    expect.same_items([float("nan"), {"a": [1]}], ({"a": (1,)}, float("nan")))
    assert mismatch(expect.same_items, [1, 1, 3], [1, 2, 3]).detail == "missing [2], extra [1]"
    mismatch(expect.same_items, [True], [1])
    mismatch(expect.same_items, None, [1])


def test_different():
    """different fails on two equal answers, and on no answer."""
    expect.different([1, 2], [1, 3])
    expect.different(1, "a")
    assert mismatch(expect.different, [1, 2], np.array([1, 2]), "two seeds").detail == "two seeds"
    mismatch(expect.different, None, 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 3, "0.333333"),
        (1e-12, "1e-12"),
        ([1 / 3, 2], "[0.333333, 2]"),
        ((1,), "(1,)"),
        (set(), "set()"),
        ({"b", "a"}, "{'a', 'b'}"),
        ({1: [2, "x"]}, "{1: [2, 'x']}"),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, ... 20 in all]"),
        (np.eye(2), "[[1, 0], [0, 1]]"),
        (np.zeros((20, 3), "f4"), "float32 array of shape (20, 3)"),
        (np.zeros((0, 3)), "float64 array of shape (0, 3)"),
        (torch.zeros(20, dtype=torch.bfloat16), "bfloat16 tensor of shape (20,)"),
        (10**5000, "10**5000 or so"),
        (1 - 2j, "(1-2j)"),
        (np.bool_(True), "True"),
    ],
    ids=expect.show,
)
def test_show(value, text):
    """Values are written short: six digits, large ones by their size."""
    assert expect.show(value) == text


def test_show_is_short_and_quick_for_anything():
    """Nesting and length do not make it long, or take long."""
    nest = [0]
    for _ in range(30):
        nest = [nest] * 10
    assert expect.show(nest).endswith("10 in all]") and len(expect.show(nest)) <= 200


def test_torch_is_never_imported():
    """A course without torch pays nothing for it: expect and strategies never import it."""
    code = "import sys; from grader import expect, strategies; expect.equal(1, 1); print('torch' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
