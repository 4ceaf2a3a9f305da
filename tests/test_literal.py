"""A literal evaluates to the value that it was written for."""

import base64
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.boundary import wire
from grader.session.literal import TOO_LARGE, WRITTEN_OUT, call_text, literal, summary

SCOPE = {"np": np, "base64": base64, "zlib": zlib}
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary()
KEYS = st.integers() | st.text() | st.binary()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.sets(KEYS, max_size=4)
        | st.frozensets(KEYS, max_size=4)
    ),
    max_leaves=12,
)
DTYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def with_plain_nans(value):
    """The payload of a NaN is not kept."""
    return np.where(np.isnan(value), np.full_like(value, np.nan), value) if value.dtype.kind in "fc" else value


def same(left, right):
    return wire.encode(left) == wire.encode(right)


def alike(left, right):
    if type(left) is not type(right):
        return False
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, dict):
        return alike(list(left.items()), list(right.items()))
    return left == right if isinstance(left, set | frozenset) else repr(left) == repr(right)


@given(value=VALUES)
def test_plain_values_come_back(value):
    """Type and value are kept, signs of zeros, infinities and nesting included."""
    assert alike(eval(literal(value), SCOPE), value)


@given(value=st.sampled_from(DTYPES).flatmap(lambda code: hnp.arrays(code, hnp.array_shapes(min_dims=0, min_side=0))))
def test_arrays_come_back(value):
    """dtype, shape and bits are kept, for empty and 0-dimensional arrays as well."""
    again = eval(literal(value), SCOPE)
    assert same(with_plain_nans(again), with_plain_nans(value))
    assert again.flags.writeable


@given(value=st.sampled_from(DTYPES).flatmap(lambda code: hnp.arrays(code, ())))
def test_numpy_scalars_come_back(value):
    """A numpy scalar stays one, with its dtype."""
    scalar = value[()]
    again = eval(literal(scalar), SCOPE)
    assert type(again) is type(scalar)
    assert same(with_plain_nans(np.asarray(again)), with_plain_nans(value))


def test_sets_read_the_same_every_time():
    """Members come in order."""
    assert literal({"b", "a", "c"}) == "{'a', 'b', 'c'}"
    assert literal(frozenset()) == "frozenset()"


def test_large_arrays_are_packed():
    """An array that takes too much text is compressed, and comes back."""
    value = np.random.default_rng(0).integers(0, 9, 5000).astype(np.int8)
    text = literal(value)
    assert "zlib" in text
    assert len(text) < WRITTEN_OUT < 3 * value.size
    assert same(eval(text, SCOPE), value)


def test_huge_arrays_are_described():
    """An array that nobody could paste is described, and marked as such."""
    text = literal(np.random.default_rng(0).standard_normal((300, 300)))
    assert TOO_LARGE in text
    assert len(text) < 200


def test_one_value_repeated_is_short():
    """An array of one value is written as such; 0.0 and -0.0 are two."""
    assert literal(np.ones((100, 100), np.float32)) == "np.full((100, 100), 1.0, dtype=np.float32)"
    assert "-0.0" in literal(np.array([0.0, -0.0] * 8))


@pytest.mark.parametrize(
    "name", ["float32", "float64", "float16", "bfloat16", "int64", "bool", "complex64", "float8_e5m2"]
)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 3), (3, 40)])
def test_tensors_come_back(name, shape):
    """dtype, shape and bits of a tensor are kept, low precisions included."""
    torch = pytest.importorskip("torch")
    generator = torch.Generator().manual_seed(0)
    value = (torch.randn(shape, generator=generator) * 3).to(getattr(torch, name))
    assert same(eval(literal(value), SCOPE | {"torch": torch}), value)


def test_special_numbers_of_tensors_come_back():
    """NaN, infinities and the negative zero."""
    torch = pytest.importorskip("torch")
    value = torch.tensor([torch.nan, torch.inf, -torch.inf, -0.0], dtype=torch.bfloat16)
    assert literal(value) == "torch.tensor([torch.nan, torch.inf, -torch.inf, -0.0], dtype=torch.bfloat16)"


def test_a_call_can_be_pasted():
    """A call is written with its positional and keyword arguments."""
    text = call_text("minhash_signature", ({"b", "a"},), {"num_perm": 4, "seed": 1})
    assert text == "minhash_signature({'a', 'b'}, num_perm=4, seed=1)"


def test_a_summary_is_short():
    """Whatever a value holds, its summary keeps to the width."""
    assert len(summary(list(range(10_000)), 60)) <= 60
