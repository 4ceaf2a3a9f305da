"""Checks of bpe_tokenizer. Merges are pairs of ids; 256 + i is what merge i makes.

Which of several equally frequent pairs is merged is free, so training is replayed: the learner's merges are
applied one by one by the plainest code there is, and each must be a most frequent pair when its turn comes.
"""

from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect

LETTERS = st.sampled_from(b"abc")
WORDS = st.one_of(st.lists(LETTERS, max_size=9).map(bytes), st.binary(max_size=4))
CORPORA = st.dictionaries(WORDS, st.integers(1, 6), max_size=6)
A, B, C, D = b"abcd"
TOY = {b"low_": 5, b"lower_": 2, b"newest_": 6, b"widest_": 3}  # Sennrich et al. 2016, algorithm 1; _ ends a word


def replace(ids, pair, new):
    """The pair replaced from left to right, without overlap."""
    out, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def count_pairs(words):
    """How often each pair of neighbours occurs in words given as (ids, count)."""
    counts = Counter()
    for ids, times in words:
        for pair in pairwise(ids):
            counts[pair] += times
    return counts


def as_merges(answer):
    """A learner's merges as a list of pairs of integers."""
    pairs = [expect.sequence(pair, "a merge") for pair in expect.sequence(answer, "the merges")]
    for pair in pairs:
        expect.length(pair, 2, "a merge")
    return [tuple(expect.integer(token, "an id in a merge") for token in pair) for pair in pairs]


def as_ids(answer):
    """A learner's ids as a list of integers."""
    return [expect.integer(token, "an id") for token in expect.sequence(answer, "the ids")]


def replay(merges, word_counts, num_merges):
    """Ask that each merge is a most frequent pair; answer the words as they end, and the counts of the merges."""
    words, merged = [(list(word), times) for word, times in word_counts.items()], []
    for rank, pair in enumerate(merges):
        counts = count_pairs(words)
        most = max(counts.values(), default=0)
        named = f"merge {rank} is {pair}, which occurs"
        expect.at_least(
            counts[pair], max(most, 1), f"{named} {counts[pair]} times; the most frequent pair, {most} times"
        )
        words = [(replace(ids, pair, 256 + rank), times) for ids, times in words]
        merged.append(most)
    expect.at_most(len(merges), num_merges, "number of merges")
    left = len(merges) < num_merges and sum(count_pairs(words).values())
    expect.true(not left, "merges are learned as long as there are pairs", got=f"{len(merges)} merges, pairs are left")
    return [ids for ids, _ in words], merged


# --- training


@pytest.mark.core
@pytest.mark.hint("a word that occurs n times counts n times; the pair with the largest sum is merged")
@given(
    word_counts=st.dictionaries(WORDS.filter(lambda word: len(word) > 1), st.integers(1, 50), min_size=1, max_size=5)
)
@example(word_counts={b"ab": 3, b"cbc": 1, b"bcb": 1})
def test_first_merge(learner, word_counts):
    """the first merge is a most frequent pair of bytes"""
    replay(as_merges(learner.train_bpe(word_counts, 1)), word_counts, 1)


@pytest.mark.core
@pytest.mark.hint("print all pair counts before each merge: which of them did the merge before change?")
@given(word_counts=CORPORA, num_merges=st.integers(0, 10))
@example(word_counts={b"aaab": 2, b"ab": 1}, num_merges=2)
@example(word_counts={b"aaaaa": 1, b"ba": 3}, num_merges=3)
@example(word_counts={b"ab": 3, b"ba": 2, b"bcbc": 1}, num_merges=5)
def test_each_merge_is_a_most_frequent_pair(learner, word_counts, num_merges):
    """each merge is a most frequent pair of the corpus as the merges before have left it"""
    replay(as_merges(learner.train_bpe(word_counts, num_merges)), word_counts, num_merges)


@pytest.mark.core
@pytest.mark.hint("follow the statement's table: es 9 times, then est 9 times, because newest and widest are 6 and 3")
def test_toy_corpus(learner):
    """the corpus of Sennrich et al.: counts 9 9 9 7 7 6 6 6 5 3, and 15 merges in all"""
    _, merged = replay(as_merges(learner.train_bpe(TOY, 10)), TOY, 10)
    expect.equal(merged, [9, 9, 9, 7, 7, 6, 6, 6, 5, 3], "how often each of ten merges occurred")
    whole, merged = replay(as_merges(learner.train_bpe(TOY, 100)), TOY, 100)
    expect.equal(len(merged), 15, "merges until every word is one token")
    expect.equal([len(ids) for ids in whole], [1, 1, 1, 1], "tokens of each word")


@pytest.mark.edge
@pytest.mark.hint("where no word has two tokens left there is nothing to merge: return what there is")
@settings(max_examples=20)
@given(
    words=st.dictionaries(st.binary(max_size=1), st.integers(1, 9), max_size=4),
    num_merges=st.integers(0, 5),
    last=st.integers(1, 9),
)
def test_nothing_left_to_merge(learner, words, num_merges, last):
    """single bytes, empty words and empty corpora have no merges; a pair that occurs once is one"""
    expect.equal(len(as_merges(learner.train_bpe(words, num_merges))), 0, "merges")
    got = as_merges(learner.train_bpe({**words, b"xy": last}, num_merges + 1))
    expect.equal(got, [(120, 121)], "merges of a corpus with one pair")
    expect.equal(len(as_merges(learner.train_bpe({b"xyz": last}, 0))), 0, "merges, none being asked for")


# --- encoding


def make_merges(picks):
    """A well-formed list of merges over a, b, c: each pick names two of the tokens that there are."""
    tokens, merges = [A, B, C], []
    for left, right in picks:
        pair = (tokens[left % len(tokens)], tokens[right % len(tokens)])
        if pair not in merges:
            merges.append(pair)
            tokens.append(255 + len(merges))
    return merges


MERGES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=10).map(make_merges)
DATA = st.lists(LETTERS, max_size=16).map(bytes)
SAME_SPELLING = [(A, B), (B, C), (256, C), (A, 257), (258, A), (A, 259)]  # 258 and 259 are both abc


def by_rank(data, merges):
    """One occurrence at a time: the first in rank, the leftmost of these."""
    ids = list(data)
    while True:
        found = [(merges.index(pair), place) for place, pair in enumerate(pairwise(ids)) if pair in merges]
        if not found:
            return ids
        rank, place = min(found)
        ids[place : place + 2] = [256 + rank]


@pytest.mark.core
@pytest.mark.hint("of all neighbours that are in the list, which pair comes first in it? Merge it, then look again")
@given(data=DATA, merges=MERGES)
@example(data=b"abcabaabc", merges=SAME_SPELLING)
@example(data=b"aaaaa", merges=[(A, A), (256, A), (256, 256)])
def test_encoding_follows_ranks(learner, data, merges):
    """encoding applies the pair of lowest rank, then looks again"""
    expect.equal(as_ids(learner.encode(data, merges)), by_rank(data, merges), "ids")


RANKED = {  # data, merges -> ids; what tiktoken's encoder does with the same ranks
    "abc with bc first": (b"abc", [(B, C), (A, B), (A, 256)], [258]),
    "abcbc with bc first": (b"abcbc", [(B, C), (A, B), (A, 256)], [258, 256]),
    "abcd, where abc would be longer": (b"abcd", [(A, B), (B, C), (C, D), (256, C), (257, D)], [256, 258]),
    "aaaaa": (b"aaaaa", [(A, A)], [256, 256, 97]),
}


@pytest.mark.core
@pytest.mark.hint("the rank decides, not the length of the token; c joins d first if that merge was learned earlier")
@pytest.mark.parametrize("name", RANKED)
def test_rank_not_length(learner, name):
    """the earlier merge wins over the longer token"""
    data, merges, want = RANKED[name]
    expect.equal(as_ids(learner.encode(data, merges)), want, f"ids of {data}")


@pytest.mark.core
@pytest.mark.hint("a word of the corpus must be cut as training left it: both apply a merge in the same way")
@given(word_counts=CORPORA, num_merges=st.integers(1, 8))
@example(word_counts=TOY, num_merges=10)
def test_encoding_agrees_with_training(learner, word_counts, num_merges):
    """a word of the corpus is encoded as training has left it"""
    merges = as_merges(learner.train_bpe(word_counts, num_merges))
    words, _ = replay(merges, word_counts, num_merges)
    for word, ids in zip(word_counts, words, strict=True):
        expect.equal(as_ids(learner.encode(word, merges)), ids, f"ids of {word}")


# --- decoding


def spell(token, merges):
    """The bytes of one token."""
    return bytes([token]) if token < 256 else b"".join(spell(part, merges) for part in merges[token - 256])


@pytest.mark.core
@pytest.mark.hint("tokens are bytes, and bytes need not be letters: join them, and leave UTF-8 out of it")
@given(data=st.one_of(DATA, st.binary(max_size=12)), merges=MERGES)
@example(data=bytes(range(256)), merges=[(A, B)])
@example(data=b"aaaaa", merges=[(A, A)])
@example(data=b"abcabc", merges=SAME_SPELLING)
def test_round_trip(learner, data, merges):
    """decoding what was encoded gives the bytes back, whatever they are"""
    ids = as_ids(learner.encode(data, merges))
    expect.equal(learner.decode(ids, merges), data, "bytes")


@pytest.mark.core
@pytest.mark.hint("a token may be made of tokens that are made of tokens; spell each in order of rank")
@given(picks=st.lists(st.integers(0, 300), max_size=8), merges=MERGES)
@example(picks=[258, 259, 260, 261, 128], merges=SAME_SPELLING)
def test_decoding_spells_tokens(learner, picks, merges):
    """each token is spelled as its merge says, also where no encoder would put it"""
    ids = [pick % (256 + len(merges)) for pick in picks]
    expect.equal(learner.decode(ids, merges), b"".join(spell(token, merges) for token in ids), "bytes")


@pytest.mark.edge
@pytest.mark.hint("ids go from 0 to 255 plus the number of merges; a Python list also has an element -1")
@pytest.mark.parametrize("side", ["above", "below"])
@settings(max_examples=15)
@given(merges=MERGES, beyond=st.integers(0, 300))
def test_unknown_ids(learner, side, merges, beyond):
    """an id that names no token is an error"""
    wrong = 256 + len(merges) + beyond if side == "above" else -1 - beyond
    expect.raises(ValueError, learner.decode, [97, wrong], merges)


@pytest.mark.edge
@pytest.mark.hint("nothing can be learned backwards: raise ValueError")
@settings(max_examples=10)
@given(num_merges=st.integers(-10, -1))
def test_negative_number_of_merges(learner, num_merges):
    """a negative number of merges is an error"""
    expect.raises(ValueError, learner.train_bpe, {b"ab": 1}, num_merges)


@pytest.mark.edge
@pytest.mark.hint("work on copies: the counts and the merges belong to the caller")
@settings(max_examples=15)
@given(word_counts=CORPORA, merges=MERGES)
def test_arguments_are_left_alone(learner, word_counts, merges):
    """training, encoding and decoding change none of their arguments"""
    expect.unchanged(learner.train_bpe, word_counts, 3)
    expect.unchanged(learner.encode, b"abcab", merges)
    expect.unchanged(learner.decode, [97, 98], merges)


# --- growth


@cache
def made_words(count):
    """So many different words from 120 syllables, with counts; about seven letters each."""
    generator = np.random.default_rng(count)
    syllables = [generator.integers(97, 123, size).astype(np.uint8).tobytes() for size in generator.integers(1, 4, 120)]
    words = {}
    while len(words) < count:
        parts = generator.integers(0, len(syllables), generator.integers(2, 6))
        words[b"".join(syllables[part] for part in parts)] = int(generator.integers(1, 50))
    return words


@cache
def frequent_merges():
    """Thirty merges that are common in such words: ten pairs of each length in turn, most frequent first."""
    words, merges = [(list(word), times) for word, times in made_words(1000).items()], []
    while len(merges) < 30:
        # Ten at a time: this need not be BPE's choice.
        for pair, _ in count_pairs(words).most_common(10):
            words = [(replace(ids, pair, 256 + len(merges)), times) for ids, times in words]
            merges.append(pair)
    return merges


@pytest.mark.scale
@pytest.mark.hint("word_counts is there so that no word is worked through more than once: multiply, do not repeat")
@settings(max_examples=10)
@given(word_counts=CORPORA, times=st.sampled_from([10**9, 10**11]))
@example(word_counts={b"ab": 1}, times=10**9)
def test_counts_are_no_work(learner, word_counts, times):
    """a corpus of billions of words is as quick as a small one with the same different words"""
    many = {word: count * times for word, count in word_counts.items()}
    replay(as_merges(learner.train_bpe(many, 3)), many, 3)


@pytest.mark.scale
@pytest.mark.hint("a merge changes few words: which ones? Keep the counts, and correct them where something changed")
def test_work_per_merge(learner):
    """with 1,000 different words, learning 200 merges takes no more than 45 times as long as learning one merge"""
    # Kept counts make 11 to 20, a recount in numpy some 20; counting all words anew in Python makes 90 and more.
    words = made_words(1000)
    expect.growth(learner.train_bpe, (words, 1), (words, 200), at_most=45, what="200 merges, against one")


@pytest.mark.scale
@pytest.mark.hint(
    "one search for the best pair per occurrence is n searches of length n: merge all places of a pair at once"
)
def test_time_grows_with_data(learner):
    """with 30 merges, 4,000 bytes take no more than 8 times as long to encode as 1,000 bytes"""
    # All 30 merges occur in either text, so that passes are 30 in both: 4 times. A search per occurrence makes 16.
    text, merges = b"".join(made_words(1000)), frequent_merges()
    expect.growth(learner.encode, (text[:1000], merges), (text[:4000], merges), at_most=8, what="1,000 and 4,000 bytes")
