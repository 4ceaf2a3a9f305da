"""The shared strategies: what they promise of every example, and the small cases they shrink to."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from grader import strategies
from grader.boundary import wire

SMALLEST = {
    "seeds": (strategies.seeds(), 0),
    "words": (strategies.words(), "a"),
    "token_sets": (strategies.token_sets(), set()),
    "token_sets of two": (strategies.token_sets(min_size=2), {"a", "b"}),
    "token_lists": (strategies.token_lists(min_size=2), [0, 0]),
    "texts": (strategies.texts(), ""),
    "texts of three": (strategies.texts(min_words=3), "a a a"),
    "texts of any letters": (strategies.texts(min_words=2, vocabulary=None), "a a"),
    "documents": (strategies.documents(min_size=2), ["", ""]),
    "shapes": (strategies.shapes(), (1,)),
    "shapes with empty ones": (strategies.shapes(min_dims=2, min_side=0), (0, 0)),
    "float_arrays": (strategies.float_arrays((2,)), [0, 0]),
    "logits": (strategies.logits(2, 3), [[0, 0, 0], [0, 0, 0]]),
    "powers_of_two": (strategies.powers_of_two(), 1),
    "near_powers": (strategies.near_powers(low=3), 3),
    "model_configs": (
        strategies.model_configs(),
        {"hidden": 2, "heads": 1, "kv_heads": 1, "head_dim": 2, "layers": 1, "vocab": 2, "ffn": 1},
    ),
}


@pytest.mark.parametrize("name", SMALLEST)
def test_shrinks_to_the_simplest_case(name):
    """A check that always fails shows the smallest input there is."""
    strategy, smallest = SMALLEST[name]
    found = find(strategy, lambda value: True, settings=settings(database=None))
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == smallest


def test_a_word_of_a_text_shrinks():
    """A failing condition on a text is shown with as few and as simple words as it takes."""
    assert find(strategies.texts(), lambda text: "dog" in text, settings=settings(database=None)) == "dog"


@settings(max_examples=10)
@given(st.data())
@pytest.mark.parametrize("name", SMALLEST)
def test_examples_are_plain_data(name, data):
    """Every example crosses the boundary and comes back as it was, so that a case can be kept and sent."""
    value = data.draw(SMALLEST[name][0])
    np.testing.assert_equal(wire.decode(wire.encode(value)), value)


@given(
    drawn=st.sampled_from(["float16", "float32", "float64"]).flatmap(
        lambda dtype: st.tuples(
            st.just(dtype), strategies.float_arrays(strategies.shapes(0, 3, min_side=0), dtype, magnitude=0.3)
        )
    )
)
def test_float_arrays_keep_their_promise(drawn):
    """Dtype and magnitude are as asked, also where 0.3 is no float of that width; no number is nearly 0."""
    dtype, values = drawn
    assert values.dtype == dtype
    sizes = np.abs(values.astype(np.float64))
    assert (sizes <= 0.3).all() and ((sizes == 0) | (sizes > 1e-7)).all()


@given(values=strategies.float_arrays((9, 9), "float32", magnitude=5))
def test_large_float_arrays_come_from_a_seed(values):
    """Above 64 numbers the array has its shape and dtype too, and is not all alike."""
    assert values.shape == (9, 9) and values.dtype == np.float32
    assert np.abs(values).max() <= 5 and values.std() > 1


def test_float_arrays_have_ties_and_extremes():
    """Equal numbers and the ends of the range are among the examples: softmax and sorting go wrong there."""
    quick = settings(database=None, max_examples=1000)
    find(strategies.logits(1, 4), lambda x: 0 < len(set(x.ravel())) < 4 and x.any(), settings=quick)
    find(strategies.logits(1, 4), lambda x: np.ptp(x) > 50, settings=quick)


@given(rows=st.integers(1, 3), data=st.data())
def test_logits_take_numbers_and_strategies(rows, data):
    """Both sides are numbers or strategies."""
    assert data.draw(strategies.logits(rows, st.integers(2, 3))).shape in {(rows, 2), (rows, 3)}


@given(config=strategies.model_configs(max_heads=12, max_head_dim=16))
def test_model_configs_fit_together(config):
    """hidden is heads times head_dim, kv_heads divides heads, head_dim is even and within its bound."""
    assert config["hidden"] == config["heads"] * config["head_dim"]
    assert config["heads"] % config["kv_heads"] == 0
    assert config["head_dim"] % 2 == 0 and 2 <= config["head_dim"] <= 16
    assert config["heads"] <= 12 and config["vocab"] >= 2


def drawn_from(strategy):
    """All values that 300 examples have."""
    drawn = set()

    @settings(max_examples=300, database=None)
    @given(strategy)
    def collect(value):
        drawn.add(value)

    collect()
    return drawn


@pytest.mark.parametrize(("low", "high"), [(1, 1024), (3, 9), (8, 8), (5, 130)])
def test_powers_cover_their_range(low, high):
    """Powers of two in the range are all drawn, and near_powers adds their neighbours in the range."""
    powers = {2**i for i in range(12) if low <= 2**i <= high}
    near = {2**i + step for i in range(12) for step in (-1, 0, 1) if low <= 2**i + step <= high}
    assert drawn_from(strategies.powers_of_two(low, high)) == powers
    assert drawn_from(strategies.near_powers(low, high)) == near


def test_seeded_arrays_are_reproducible():
    """The same seed gives the same array, another seed another one, with the asked form and scale."""
    for draw in (strategies.uniform, strategies.normal):
        first, again, other = (
            draw(1, (50, 40), "float32"),
            draw(1, (50, 40), "float32"),
            draw(2, (50, 40), "float32"),
        )
        assert first.dtype == np.float32 and first.shape == (50, 40)
        assert (first == again).all() and (first != other).any()
    assert np.abs(strategies.uniform(0, (1000,), magnitude=3)).max() == pytest.approx(3, rel=0.01)
    assert strategies.normal(0, (10_000,), scale=3).std() == pytest.approx(3, rel=0.05)
    assert strategies.normal(0, ()).shape == ()


def test_corpus():
    """A corpus is reproducible, has the asked sizes, and its first words are the frequent ones."""
    docs = strategies.corpus(3, 200, vocabulary=50, min_words=5, max_words=9)
    assert docs == strategies.corpus(3, 200, vocabulary=50, min_words=5, max_words=9) and len(docs) == 200
    assert {len(text.split()) for text in docs} == {5, 6, 7, 8, 9}
    counts = Counter(word for text in docs for word in text.split())
    assert counts["w0"] > 2 * counts["w3"] > 2 * counts["w30"]
    assert strategies.corpus(3, 200) != strategies.corpus(4, 200)
    assert strategies.corpus(0, 0) == [] and strategies.corpus(0, 1, min_words=0, max_words=0) == [""]


@given(strategies.magnitudes(2e3, 5e24))
def test_magnitudes_stay_within_their_bounds(number):
    """a magnitude lies between its bounds and has at most two digits"""
    assert 2e3 <= number <= 5e24
    assert len(f"{number:e}".split("e")[0].rstrip("0").rstrip(".")) <= 3
