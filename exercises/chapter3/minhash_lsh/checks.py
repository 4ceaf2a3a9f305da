"""Checks of minhash_lsh. Symbols: k words per shingle, b bands of r rows, J a Jaccard similarity.

No family of hash functions is asked for: signatures are only compared with other signatures of the same
learner. Where chance decides, the band is so wide that a right solution falls out of it once in 10**9
times. Items are random words, so that no hash function meets a pattern that it happens to be weak at.
"""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

COINCIDENCE = 1e-6  # more often than two items share a hash value: the contract's hashes spread over 2**31
KINDS = (list, tuple, set, frozenset, np.ndarray)
WORDS = ("all", "data", "is", "made", "of", "tokens")


def made_words(seed, count):
    """Random words of eight letters from a seed."""
    letters = np.random.default_rng(seed).integers(ord("a"), ord("z") + 1, (count, 8), dtype=np.uint8)
    return [row.tobytes().decode() for row in letters]


def word_runs(text, k):
    """The set of runs of k words in a text; all its words as one run where there are fewer."""
    words = text.lower().split()
    starts = range(max(len(words) - k + 1, min(len(words), 1)))
    return {" ".join(words[start : start + k]) for start in starts}


def as_set(answer):
    """A set from a set, or from a list without repeats."""
    expect.instance(answer, KINDS, "the shingles")
    expect.true(len(set(answer)) == len(answer), "each shingle is there once", got=answer)
    return set(answer)


def as_groups(answer):
    """Groups as a set of sorted tuples, whatever sequences they came in."""
    expect.instance(answer, KINDS, "the groups")
    for group in answer:
        expect.instance(group, KINDS, "a group")
    groups = [sorted(expect.integer(doc, "a position in docs") for doc in group) for group in answer]
    members = [doc for group in groups for doc in group]
    expect.true(len(set(members)) == len(members), "no document is there twice", got=groups)
    return {tuple(group) for group in groups}


def sign(learner, items, num_perm, seed):
    """The learner's signature as an array of shape (num_perm,)."""
    signature = learner.minhash_signature(items, num_perm=num_perm, seed=seed)
    return expect.array(signature, "the signature", shape=(num_perm,))


# --- shingles


@pytest.mark.core
@pytest.mark.hint("slide a window of k words over the text, one word at a time, and collect what you see in a set")
@given(text=strategies.texts(max_words=12, vocabulary=WORDS), k=st.integers(1, 6))
def test_shingles_are_runs_of_words(learner, text, k):
    """shingles are all runs of k words, each once"""
    expect.equal(as_set(learner.shingles(text, k)), word_runs(text, k))


@pytest.mark.core
@pytest.mark.hint("what does str.split do without a separator, and when do letters become lower case?")
@given(
    words=st.lists(strategies.words(alphabet="aAbBéÉ.,-"), min_size=1, max_size=8),
    gaps=st.lists(st.sampled_from([" ", "  ", "\n", "\t", " \r\n "]), min_size=9, max_size=9),
    k=st.integers(1, 3),
)
def test_case_and_white_space_mean_nothing(learner, words, gaps, k):
    """case and the kind of white space mean nothing, punctuation does"""
    text = gaps[0] + "".join(word + gap for word, gap in zip(words, gaps[1:], strict=False))
    expect.equal(as_set(learner.shingles(text, k)), word_runs(" ".join(words), k))


@pytest.mark.edge
@pytest.mark.hint("two copies of a short note are duplicates too: what must a text of fewer than k words give?")
@given(text=strategies.texts(max_words=3, vocabulary=WORDS), more=st.integers(1, 4))
def test_short_texts(learner, text, more):
    """a text of fewer than k words is one shingle, a text of none has none"""
    words = text.split()
    expect.equal(as_set(learner.shingles(text, len(words) + more)), {text} if words else set())


# --- signatures


@pytest.mark.core
@pytest.mark.hint("one value per hash function, however many items the set has")
@given(items=strategies.token_sets(min_size=1), num_perm=st.integers(1, 64), seed=strategies.seeds())
def test_one_value_per_hash_function(learner, items, num_perm, seed):
    """a signature has num_perm values"""
    sign(learner, items, num_perm, seed)


@pytest.mark.core
@pytest.mark.hint("a signature stands for a set: nothing comes first in it, and nothing comes twice")
@given(
    items=st.lists(strategies.words(), min_size=1, max_size=12),
    shuffle=strategies.seeds(),
    seed=strategies.seeds(),
)
def test_order_and_repeats_mean_nothing(learner, items, shuffle, seed):
    """order and repeats do not change a signature"""
    order = np.random.default_rng(shuffle).permutation(np.repeat(np.arange(len(items)), 2))
    twice = [items[i] for i in order]
    expect.equal(sign(learner, twice, 16, seed), sign(learner, set(items), 16, seed), "the same set as a list")


@pytest.mark.core
@pytest.mark.hint("the hash functions must follow from seed: all of them, and from nothing else")
@given(items=strategies.token_sets(min_size=1), seed=strategies.seeds(), step=st.integers(1, 1000))
def test_seed_decides(learner, items, seed, step):
    """one seed gives one signature, another seed gives another"""
    first, other = sign(learner, items, 64, seed), sign(learner, items, 64, (seed + step) % 2**31)
    expect.equal(sign(learner, items, 64, seed), first, "the same call again")
    # Independent functions agree only by coincidence: half of 64 is out of chance's reach.
    expect.at_most(np.count_nonzero(first == other), 32, "values that two seeds have in common, of 64")


@pytest.mark.core
@pytest.mark.hint("which item of the union can have the least value, if not the least of one part or of the other?")
@given(one=strategies.token_sets(min_size=1), two=strategies.token_sets(min_size=1), seed=strategies.seeds())
def test_union_takes_from_its_parts(learner, one, two, seed):
    """each value of a union's signature is that of one of its parts, at the same place"""
    both, left, right = (sign(learner, items, 32, seed) for items in (one | two, one, two))
    expect.true((both == left) | (both == right), "each value is that of one of the parts", got=both)


@pytest.mark.core
@pytest.mark.hint("the share of equal values estimates J only if every hash function orders the items anew")
@settings(max_examples=20)
@given(
    shared=st.integers(0, 20),
    own=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    words=strategies.seeds(),
    seed=strategies.seeds(),
)
def test_agreement_estimates_jaccard(learner, shared, own, words, seed):
    """the share of equal values is an unbiased estimate of the Jaccard similarity"""
    items = made_words(words, shared + sum(own))
    one, two = set(items[: shared + own[0]]), set(items[:shared] + items[shared + own[0] :])
    similarity = jaccard(one, two)
    agree = np.count_nonzero(sign(learner, one, 512, seed) == sign(learner, two, 512, seed))
    what = f"equal values of two sets with J = {similarity:.3f}"
    expect.binomial_within(agree, 512, max(similarity, COINCIDENCE), what)


@pytest.mark.core
@pytest.mark.hint("your functions favour some items; adding or xor-ing a number to one hash shuffles too little")
@settings(max_examples=10)
@given(size=st.integers(3, 6), words=strategies.seeds(), seed=strategies.seeds())
def test_every_item_has_its_turn(learner, size, words, seed):
    """each item of a set has the least value equally often"""
    items = made_words(words, size)
    whole = sign(learner, set(items), 2048, seed)
    wins = [np.count_nonzero(whole == sign(learner, {item}, 2048, seed)) for item in items]
    expect.at_least(sum(wins), 2048, "values that come from an item of the set")
    expect.same_distribution(wins, [1 / size] * size, "how often each item has the least value")


@pytest.mark.core
@pytest.mark.hint("Python's hash() is salted anew in every process, and takes some strings for one: digest utf-8 bytes")
@given(word=strategies.words(min_size=2, max_size=8), seed=strategies.seeds())
def test_strings_are_told_apart(learner, word, seed):
    """different strings get different values, in any script"""
    # CPython's hash() sees a string as it lies in memory, where "ab" and "\u6261" are the same two bytes.
    even = word[: len(word) // 2 * 2]
    twin = even.encode("ascii").decode("utf-16-le")
    strings = sorted({word, even, twin, word[::-1], word + word[0]})
    signatures = [sign(learner, {string}, 16, seed) for string in strings]
    for i, first in enumerate(signatures):
        for j in range(i):
            equal = np.count_nonzero(first == signatures[j])
            expect.at_most(equal, 1, f"values that {strings[j]!r} and {strings[i]!r} have in common, of 16")


@pytest.mark.core
@pytest.mark.hint("something besides the arguments decides: numbers drawn at import, the salt of hash(), a clock, ...")
def test_processes_agree(learner):
    """two processes give one signature"""
    items = set(made_words(3, 20))
    there = learner.minhash_signature.elsewhere(items, 64, 7)
    expect.equal(there, sign(learner, items, 64, 7), "the same call in another process")


@pytest.mark.edge
@pytest.mark.hint("an empty set has no least value, and a signature of no values says nothing")
@given(wrong=st.integers(-2, 0), seed=strategies.seeds())
def test_nothing_to_sign(learner, wrong, seed):
    """an empty set and an empty signature are errors"""
    expect.raises(ValueError, learner.minhash_signature, set(), 8, seed)
    expect.raises(ValueError, learner.minhash_signature, {"a"}, wrong, seed)


# --- bands


@pytest.mark.core
@pytest.mark.hint("a band agrees when all of its rows do; one band that agrees is enough; bands are independent")
@given(
    numerators=st.lists(st.integers(0, 64), min_size=1, max_size=4),
    bands=st.integers(1, 40),
    rows=st.integers(1, 40),
)
@example(numerators=[48], bands=14, rows=8)
def test_s_curve(learner, numerators, bands, rows):
    """the S-curve is the probability that at least one whole band agrees"""
    exact = [[float(1 - (1 - Fraction(n, 64) ** rows) ** bands)] for n in numerators]
    s = np.array(numerators)[:, None] / 64
    # The contract's 1e-9 is far above what rounding does to the formula, about (b + r) * 2**-53.
    expect.close(learner.collision_probability(s, bands, rows), exact, rtol=0, atol=1e-9)
    expect.close(learner.collision_probability(float(s[0, 0]), bands, rows), exact[0][0], rtol=0, atol=1e-9)


def split_costs(threshold, num_perm, weights):
    """The exact cost of every (bands, rows) with bands * rows <= num_perm.

    The S-curve is a polynomial of degree b * r; Gauss-Legendre integrates it exactly on more than b * r / 2
    nodes.
    """
    nodes, shares = np.polynomial.legendre.leggauss(num_perm // 2 + 1)
    low = threshold * (nodes + 1) / 2
    high = 1 - (1 - threshold) * (nodes + 1) / 2
    pairs = [(b, r) for b in range(1, num_perm + 1) for r in range(1, num_perm // b + 1)]
    b, r = (np.array(column, dtype=float)[:, None] for column in zip(*pairs, strict=True))
    false_positive = threshold / 2 * (1 - (1 - low**r) ** b) @ shares
    false_negative = (1 - threshold) / 2 * (1 - high**r) ** b @ shares
    costs = weights[0] * false_positive + weights[1] * false_negative
    return dict(zip(pairs, costs.tolist(), strict=True))


def expect_best_split(answer, threshold, num_perm, weights):
    """Ask that the exact cost of (bands, rows) is the least, up to what the contract allows."""
    expect.shape(answer, (2,), "(bands, rows)")
    bands, rows = (expect.integer(each, "bands and rows") for each in answer)
    expect.at_least([bands, rows], 1, "bands and rows")
    expect.at_most(bands * rows, num_perm, "bands * rows")
    costs = split_costs(threshold, num_perm, weights)
    best = min(costs, key=costs.__getitem__)
    allowed = costs[best] + 1e-3 * sum(weights)
    expect.at_most(costs[bands, rows], allowed, f"cost of {(bands, rows)}, where {best} is best")


THRESHOLDS = st.sampled_from([percent / 100 for percent in range(5, 100, 5)])


@pytest.mark.core
@pytest.mark.hint("try every b and r with b * r <= num_perm, and add the two areas that the S-curve gets wrong")
@settings(max_examples=15)
@given(threshold=THRESHOLDS, num_perm=st.integers(1, 96))
@example(threshold=0.8, num_perm=128)
def test_no_split_is_better(learner, threshold, num_perm):
    """no other bands and rows come nearer to a step at the threshold"""
    answer = learner.choose_bands(threshold, num_perm)
    expect_best_split(answer, threshold, num_perm, (0.5, 0.5))


@pytest.mark.core
@pytest.mark.hint("on which side of the threshold are false positives, and which of the two weights is their price?")
@settings(max_examples=15)
@given(
    threshold=THRESHOLDS,
    num_perm=st.integers(1, 96),
    weights=st.sampled_from([(0.1, 0.9), (0.9, 0.1), (1.0, 3.0), (2.0, 0.5), (1.0, 0.0), (0.0, 1.0)]),
)
@example(threshold=0.75, num_perm=112, weights=(0.1, 0.9))
def test_weights_are_prices(learner, threshold, num_perm, weights):
    """where one kind of error is dearer, no other bands and rows cost less"""
    answer = learner.choose_bands(threshold, num_perm, weights)
    expect_best_split(answer, threshold, num_perm, weights)


@pytest.mark.edge
@pytest.mark.hint("a threshold lies strictly between 0 and 1; what is counted is at least 1, whatever the documents")
@given(wrong=st.integers(-2, 0))
def test_impossible_arguments(learner, wrong):
    """impossible arguments are errors"""
    expect.raises(ValueError, learner.shingles, "a b c", wrong)
    expect.raises(ValueError, learner.choose_bands, float(wrong), 16)
    expect.raises(ValueError, learner.choose_bands, 1.0 - wrong, 16)
    expect.raises(ValueError, learner.choose_bands, 0.5, wrong)
    expect.raises(ValueError, learner.near_duplicate_groups, ["a b c"], k=wrong)
    for docs in (["a b c"], [" "]):
        expect.raises(ValueError, learner.near_duplicate_groups, docs, bands=wrong)
        expect.raises(ValueError, learner.near_duplicate_groups, docs, rows=wrong)
        expect.raises(ValueError, learner.near_duplicate_groups, docs, bands=wrong, rows=wrong)


# --- groups


def jaccard(one, two):
    """Shared over all."""
    return len(one & two) / len(one | two)


def components(docs, k, threshold):
    """The groups by comparing every document with every other."""
    sets = [word_runs(doc, k) for doc in docs]
    groups = []
    for doc, items in enumerate(sets):
        like = [g for g in groups if any(items and jaccard(items, sets[other]) >= threshold for other in g)]
        groups = [g for g in groups if g not in like] + [sum(like, [doc])]
    return {tuple(sorted(group)) for group in groups if len(group) > 1}


@pytest.mark.core
@pytest.mark.hint("hold every pair that meets in a bucket against the threshold; then join what any chain links")
@given(
    docs=strategies.documents(max_size=7, max_words=8, vocabulary=WORDS),
    k=st.integers(1, 2),
    threshold=st.sampled_from([0.5, 0.55, 0.75, 0.85, 1.0]),
    seed=strategies.seeds(),
)
@example(docs=["a b c d", "b c d e", "c d e f"], k=1, threshold=0.55, seed=1)
def test_groups_are_components(learner, docs, k, threshold, seed):
    """groups are the connected components of the duplicate pairs"""
    # With 64 bands of one row, a pair with J >= 0.5 is missed with a probability of at most 2**-64.
    groups = learner.near_duplicate_groups(docs, k=k, bands=64, rows=1, threshold=threshold, seed=seed)
    expect.equal(as_groups(groups), components(docs, k, threshold))


LEVELS = {0.25: (10, 15), 0.5: (20, 10), 0.75: (30, 5)}  # J -> words shared by a pair, words of each alone
PAIRS = 250


@cache
def planted_pairs():
    """PAIRS pairs of documents per level, partners side by side; different pairs have no word in common."""
    docs = []
    for shared, own in LEVELS.values():
        words = np.array(made_words(shared, PAIRS * (shared + 2 * own))).reshape(PAIRS, -1)
        for row in words.tolist():
            docs += [" ".join(row[: shared + own]), " ".join(row[:shared] + row[shared + own :])]
    return docs


@pytest.mark.core
@pytest.mark.hint("6 bands of 3 rows: cut the 18 values into 6 pieces; a pair must agree in all 3 values of one piece")
def test_bands_follow_the_s_curve(learner):
    """planted pairs are found as often as the S-curve says"""
    bands, rows = 6, 3
    groups = learner.near_duplicate_groups(planted_pairs(), 1, bands, rows, threshold=0.2, seed=11)
    found = {group[0] for group in as_groups(groups) if len(group) == 2 and group[1] == group[0] + 1}
    for level, similarity in enumerate(LEVELS):
        count = sum(first % 2 == 0 and first // (2 * PAIRS) == level for first in found)
        probability = 1 - (1 - similarity**rows) ** bands
        expect.binomial_within(count, PAIRS, probability, f"pairs with J = {similarity} that were found")


@pytest.mark.edge
@pytest.mark.hint("a document without words has no shingles to share; and a group is never one document")
@given(
    copies=st.integers(0, 4),
    blanks=st.integers(0, 3),
    text=strategies.texts(min_words=1, max_words=4),
    split=st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
def test_blank_and_lonely_documents(learner, copies, blanks, text, split):
    """copies are one group; blank and single documents are in none"""
    docs = [" \n"] * blanks + [text] * copies + [""] * blanks
    want = {tuple(range(blanks, blanks + copies))} if copies > 1 else set()
    expect.equal(as_groups(learner.near_duplicate_groups(docs, 2, *split)), want)


@pytest.mark.edge
@pytest.mark.hint("leave the defaults of the stub as they are")
def test_defaults(learner):
    """left to itself, the function takes the settings of the stub"""
    # 40 shingles each, of which 30 or 35 are shared: J = 0.6 or 0.78, so that each setting decides on some pairs.
    docs = []
    for pair in range(120):
        words, changed = made_words(pair, 54), 10 if pair % 2 else 5
        docs += [" ".join(words[:44]), " ".join(words[: 44 - changed] + words[44 : 44 + changed])]
    explicit = learner.near_duplicate_groups(docs, k=5, bands=14, rows=8, threshold=0.75, seed=0)
    expect.equal(as_groups(learner.near_duplicate_groups(docs)), as_groups(explicit))


@pytest.mark.edge
@pytest.mark.hint("at least the threshold: what about a similarity that equals it?")
@given(seed=strategies.seeds())
def test_threshold_is_inclusive(learner, seed):
    """a pair exactly at the threshold is a duplicate, one just below is not"""
    docs = ["one two three four", "two three four"]  # J = 3/4 at k = 1, exact in binary
    for threshold, want in ((0.75, {(0, 1)}), (0.76, set())):
        groups = learner.near_duplicate_groups(docs, k=1, bands=64, rows=1, threshold=threshold, seed=seed)
        expect.equal(as_groups(groups), want, f"threshold {threshold}, similarity 0.75")


@cache
def made_corpus(size):
    """Texts of which every tenth is the one before it with another last word."""
    docs = strategies.corpus(size, size, vocabulary=5000, min_words=10, max_words=14, skew=0.5)
    for doc in range(9, size, 10):
        docs[doc] = docs[doc - 1].rsplit(" ", 1)[0] + " changed"
    return docs


@pytest.mark.scale
@pytest.mark.hint(
    "look only at documents that share a bucket: all pairs of 4 times the documents are 16 times the work"
)
def test_time_grows_with_documents(learner):
    """four times the documents take about four times as long"""
    # Growth as n**1.3 makes 6.1; a quarter more for caches and the clock. All pairs would make 16.
    expect.growth(
        learner.near_duplicate_groups,
        (made_corpus(2000),),
        (made_corpus(8000),),
        at_most=1.25 * 4**1.3,
        kwargs={"k": 3, "bands": 6, "rows": 4, "threshold": 0.5},
        what="2,000 and 8,000 documents",
    )
