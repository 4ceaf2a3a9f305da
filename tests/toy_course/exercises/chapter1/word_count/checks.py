"""Checks of word_count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import expect

WORDS = st.lists(st.sampled_from(["cat", "Hat", "dog", "owl", "the", "And"]), max_size=12)
COUNTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 3), max_size=8)


@pytest.mark.core
@pytest.mark.hint("text.split() without an argument splits at any white space")
@given(words=WORDS)
def test_white_space_does_not_matter(learner, words):
    """one blank or several, or a line's end: the counts are the same"""
    expect.equal(learner.count_words("  \n".join(words)), learner.count_words(" ".join(words)))


@pytest.mark.core
@pytest.mark.hint("make every letter small first")
@given(words=WORDS)
def test_case_does_not_matter(learner, words):
    """capital letters and small ones count as the same word"""
    text = " ".join(words)
    expect.equal(learner.count_words(text.upper()), learner.count_words(text.lower()))


@pytest.mark.core
@pytest.mark.hint("a word that comes again adds one to its count")
@given(words=WORDS)
def test_counts_agree_with_the_reference(learner, reference, words):
    """each word has its count"""
    text = " ".join(words)
    expect.equal(learner.count_words(text), reference.count_words(text))


@pytest.mark.core
@pytest.mark.hint("from given import STOP_WORDS")
@pytest.mark.parametrize("text", ["the", "The cat", "a hat of the cat"])
def test_stop_words_are_left_out(learner, text):
    """words of given.STOP_WORDS are not counted"""
    counts = learner.count_words(text)
    expect.true(not {"a", "of", "the"} & set(counts), "no stop word is counted", got=sorted(counts))


@pytest.mark.core
@pytest.mark.hint("sort by count downwards, then by word upwards")
@given(counts=COUNTS, k=st.integers(0, 10))
def test_most_common_come_first(learner, counts, k):
    """highest counts first, equal counts in alphabetical order, k of them"""
    order = sorted(counts, key=lambda word: (-counts[word], word))
    expect.equal(learner.most_common(counts, k), [(word, counts[word]) for word in order[:k]])


@pytest.mark.edge
@pytest.mark.hint("split() finds no words in an empty text; split(' ') finds one")
def test_empty_text_has_no_words(learner):
    """an empty text has no words"""
    expect.equal(learner.count_words(""), {})


@pytest.mark.edge
@pytest.mark.hint("a slice with a negative end leaves out the last ones: say no instead")
@given(counts=COUNTS, k=st.integers(-5, -1))
def test_negative_k_is_refused(learner, counts, k):
    """k below 0 raises ValueError"""
    expect.raises(ValueError, learner.most_common, counts, k)


@pytest.mark.scale
@pytest.mark.hint("go through the words once")
def test_time_grows_with_the_text(learner):
    """four times the words take about four times as long"""
    small, large = (" ".join(f"word{index}" for index in range(count)) for count in (500, 2000))
    expect.growth(learner.count_words, (small,), (large,), at_most=9, what="CPU time")
