"""Checks of sequence_packing. Symbols: n documents, C tokens that a row holds, T tokens that a row has.

Few rows are asked for, not certain ones: the least number comes from trying everything, or from rows that were
full before they were cut into documents.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

IGNORED = -100
NAMES = ("ids", "labels", "positions", "cu_seqlens", "mask")
KINDS = (list, tuple, set, frozenset, np.ndarray)

CAPACITIES = st.integers(1, 12)
LENGTHS = st.lists(st.integers(0, 999), max_size=8)  # 1 + each modulo C: up to eight documents
DOCS = st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=5), max_size=5)


def as_rows(answer):
    """The rows as lists of integers, whatever sequences they came in."""
    expect.instance(answer, KINDS, "the rows")
    for row in answer:
        expect.instance(row, KINDS, "a row")
    return [[expect.integer(doc, "a document number") for doc in row] for row in answer]


def packed(learner, lengths, capacity):
    """The learner's rows, of which each document is in one and none is over C."""
    rows = as_rows(learner.pack(lengths, capacity))
    expect.equal(sorted(doc for row in rows for doc in row), list(range(len(lengths))), "documents of all rows")
    filled = [sum(lengths[doc] for doc in row) for row in rows]
    expect.at_most(filled, capacity, "tokens of a row")
    expect.at_least(filled, 1, "tokens of a row")
    return rows


def least_rows(lengths, capacity):
    """The least number of rows, over all orders in which documents can be laid into one row after another."""
    best = {0: (0, capacity)}  # set of documents, as bits -> rows, tokens in the last one: fewest, then least
    for done in range(1, 1 << len(lengths)):
        ways = []
        for doc, length in enumerate(lengths):
            if done >> doc & 1:
                rows, filled = best[done ^ 1 << doc]
                ways.append((rows, filled + length) if filled + length <= capacity else (rows + 1, length))
        best[done] = min(ways)
    return best[(1 << len(lengths)) - 1][0]


def enough(rows):
    """What first-fit decreasing never exceeds where so many rows would do: Dósa 2007."""
    return (11 * rows + 6) // 9


# --- pack


@pytest.mark.core
@pytest.mark.hint("a document is never cut, dropped or repeated, and the sum of a row's lengths is at most C")
@given(lengths=LENGTHS, capacity=CAPACITIES)
def test_every_document_has_one_row(learner, lengths, capacity):
    """each document is in one row, and no row has more than C tokens"""
    packed(learner, [1 + length % capacity for length in lengths], capacity)


@pytest.mark.core
@pytest.mark.hint("place the longest documents first: the short ones fill the gaps")
@given(lengths=LENGTHS, capacity=CAPACITIES)
@example(lengths=[3, 3, 2, 2, 2, 2, 4, 4], capacity=10)
def test_few_rows(learner, lengths, capacity):
    """up to eight documents need at most 11/9 R + 6/9 rows, R being the least number that trying everything finds"""
    lengths = [1 + length % capacity for length in lengths]
    least = least_rows(lengths, capacity)
    rows = packed(learner, lengths, capacity)
    expect.at_most(len(rows), enough(least), f"rows, where {least} would do")


def halves_thirds_sevenths(rows):
    """Three documents a row, a little over 1/7, 1/3 and 1/2 of it: 4203 of C = 4300 tokens; shortest first."""
    return [length for length in (630, 1450, 2160) for _ in range(rows)], 4300


@pytest.mark.core
@pytest.mark.hint("in the order of arrival, short documents fill rows that the long ones would have needed")
@pytest.mark.parametrize("order", ["shortest first", "longest first", "shuffled"])
@settings(max_examples=5)
@given(rows=st.integers(6, 60), shuffle=strategies.seeds())
def test_order_of_arrival_costs_nothing(learner, order, rows, shuffle):
    """documents of 1/2, 1/3 and 1/7 of a row share rows, in whatever order they come"""
    lengths, capacity = halves_thirds_sevenths(rows)
    if order == "longest first":
        lengths = lengths[::-1]
    if order == "shuffled":
        lengths = np.random.default_rng(shuffle).permutation(lengths).tolist()
    found = packed(learner, lengths, capacity)
    # A row holds no two halves, so that ``rows`` is the least number.
    expect.at_most(len(found), enough(rows), f"rows, where {rows} would do")


def cut_rows(seed, rows, capacity, pieces):
    """Full rows, each cut into so many documents at random places, in random order."""
    rng = np.random.default_rng(seed)
    lengths = []
    for _ in range(rows):
        cuts = np.sort(rng.choice(np.arange(1, capacity), pieces - 1, replace=False))
        lengths += np.diff(cuts, prepend=0, append=capacity).tolist()
    return rng.permutation(lengths).tolist()


@pytest.mark.core
@pytest.mark.hint("look at all rows that have been opened, not only at the last one")
@settings(max_examples=10)
@given(seed=strategies.seeds(), rows=st.integers(1, 60), pieces=st.integers(1, 6))
def test_rows_cut_into_pieces_are_put_together(learner, seed, rows, pieces):
    """the pieces of R full rows need at most 11/9 R + 6/9 rows"""
    lengths = cut_rows(seed, rows, 1000, pieces)
    found = packed(learner, lengths, 1000)
    # The tokens fill R rows without a gap, so fewer would not do.
    expect.at_most(len(found), enough(rows), f"rows, where {rows} would do")


@pytest.mark.edge
@pytest.mark.hint("a row may be full to the last token")
@given(capacity=st.integers(2, 50), rows=st.integers(2, 10), part=st.integers(1, 49))
def test_exact_fits(learner, capacity, rows, part):
    """two documents that fill a row exactly share it, and a document of C tokens has one to itself"""
    part = 1 + part % (capacity - 1)
    lengths = [part] * rows + [capacity] * rows + [capacity - part] * rows
    found = packed(learner, lengths, capacity)
    # They fill 2 · rows of them without a gap; pairs that do not meet make 3 · rows.
    expect.at_most(len(found), enough(2 * rows), f"rows, where {2 * rows} would do")


@pytest.mark.edge
@pytest.mark.hint("no documents need no rows; and what is given to the function stays as it is")
def test_nothing_to_pack(learner):
    """no documents make no rows; lengths stay as they are"""
    expect.equal(as_rows(learner.pack([], 5)), [], "the rows")
    expect.unchanged(learner.pack, [2, 9, 4, 4, 1], 10)


@pytest.mark.edge
@pytest.mark.hint("truncating is losing tokens without a word: raise ValueError")
@given(lengths=LENGTHS, capacity=CAPACITIES, place=st.integers(0, 8), more=st.integers(1, 3))
def test_impossible_lengths(learner, lengths, capacity, place, more):
    """a document that is too long, or of no tokens, is an error; so is a row for none"""
    lengths = [1 + length % capacity for length in lengths]
    place = place % (len(lengths) + 1)
    for wrong in (capacity + more, 1 - more):
        expect.raises(ValueError, learner.pack, [*lengths[:place], wrong, *lengths[place:]], capacity)
    expect.raises(ValueError, learner.pack, [], 1 - more)


# --- rows


def row_of(learner, docs, *names):
    """The learner's arrays by name; the named ones have the shapes that they must have."""
    got = expect.instance(learner.build_row(docs), dict, "the row")
    expect.equal(sorted(got), sorted(NAMES), "names in the row")
    total = sum(map(len, docs))
    shapes = {"cu_seqlens": (len(docs) + 1,), "mask": (total, total)}
    for name in names:
        shape = shapes.get(name, (total,))
        if 0 not in shape:  # an empty list has no inner shape
            expect.shape(got[name], shape, name)
    return got


@pytest.mark.core
@pytest.mark.hint("every document is laid out as if it were alone: labels end with it, positions begin with it")
@given(docs=DOCS)
@example(docs=[[5, 6, 7], [8, 9], [10, 11, 12, 13]])
def test_row_is_document_after_document(learner, docs):
    """ids, labels and positions are those of each document alone, one behind the other"""
    got = row_of(learner, docs, "ids", "labels", "positions")
    expect.equal(got["ids"], [token for doc in docs for token in doc], "ids")
    expect.equal(got["labels"], [label for doc in docs for label in [*doc[1:], IGNORED]], "labels")
    expect.equal(got["positions"], [place for doc in docs for place in range(len(doc))], "positions")


@pytest.mark.core
@pytest.mark.hint("cumulative lengths: 0 comes first, T comes last, one more than there are documents")
@given(docs=DOCS)
def test_boundaries_cut_the_row_into_its_documents(learner, docs):
    """ids between two neighbours of cu_seqlens are a document"""
    got = row_of(learner, docs, "ids", "cu_seqlens")
    edges = [expect.integer(edge, "an edge") for edge in expect.sequence(got["cu_seqlens"], "cu_seqlens")]
    expect.equal([edges[0], edges[-1]], [0, sum(map(len, docs))], "the first and the last of cu_seqlens")
    ids = expect.array(got["ids"], "ids").tolist()
    cut = [ids[start:end] for start, end in pairwise(edges)]
    expect.equal(cut, docs, "the row, cut at cu_seqlens")


@pytest.mark.core
@pytest.mark.hint("two conditions at once: the same document, and not after the position itself")
@given(docs=DOCS)
def test_mask_is_a_triangle_per_document(learner, docs):
    """a position attends to itself and to what stands before it in its document, and to nothing else"""
    total, start = sum(map(len, docs)), 0
    want = np.zeros((total, total), dtype=bool)
    for doc in docs:
        for place in range(len(doc)):
            want[start + place, start : start + place + 1] = True
        start += len(doc)
    expect.equal(row_of(learner, docs, "mask")["mask"], want, "mask")


def attention(ids, positions, mask, seed):
    """One head of masked attention in float64; each token and each position has a random vector."""
    rng = np.random.default_rng(seed)
    tokens, places, heads = rng.standard_normal((51, 4)), rng.standard_normal((25, 4)), rng.standard_normal((3, 4, 4))
    q, k, v = (tokens[ids] + places[positions]) @ heads
    scores = np.where(mask, q @ k.T / 2, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


@pytest.mark.core
@pytest.mark.hint("what reaches a document from outside: a key of another one, or a position that counts on?")
@settings(max_examples=20)
@given(
    docs=st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=5), min_size=1, max_size=5), seed=strategies.seeds()
)
def test_attention_does_not_notice_the_neighbours(learner, docs, seed):
    """attention over the packed row gives each document what it gets alone"""
    used = ("ids", "positions", "mask")
    row = row_of(learner, docs, *used)
    got = {name: expect.array(row[name], name) for name in used}
    expect.true(got["mask"].dtype == bool, "the mask holds booleans", got=got["mask"])
    expect.true(got["mask"].any(axis=1), "each position attends to something", got=got["mask"])
    for name, most in (("ids", 50), ("positions", 24)):
        expect.between(got[name], 0, most, name)
    inside = attention(got["ids"].astype(int), got["positions"].astype(int), got["mask"], seed)
    alone = [attention(doc, range(len(doc)), np.tri(len(doc), dtype=bool), seed) for doc in docs]
    # The same sums, with zeros among them: they differ by rounding only, at most T·2⁻⁵³ of values under 100.
    expect.close(inside, np.concatenate(alone), "attention over the row", rtol=0, atol=1e-11)


@pytest.mark.edge
@pytest.mark.hint("the last token of a document has no label, even where it is the only one")
@given(tokens=st.lists(st.integers(0, 50), max_size=6))
def test_documents_of_one_token(learner, tokens):
    """documents of one token predict nothing and see themselves only; no documents make an empty row"""
    got = row_of(learner, [[token] for token in tokens], *NAMES)
    n = len(tokens)
    for name, want in (("ids", tokens), ("labels", [IGNORED] * n), ("positions", [0] * n), ("mask", np.eye(n) > 0)):
        expect.equal(got[name], want, name)
    expect.equal(got["cu_seqlens"], list(range(n + 1)), "cu_seqlens")


@pytest.mark.edge
@pytest.mark.hint("a document without tokens would be a boundary between nothing and nothing: raise ValueError")
@given(docs=DOCS, place=st.integers(0, 5))
def test_empty_documents(learner, docs, place):
    """an empty document is an error; documents stay as they are"""
    place = place % (len(docs) + 1)
    expect.raises(ValueError, learner.build_row, [*docs[:place], [], *docs[place:]])
    expect.unchanged(learner.build_row, docs)


@pytest.mark.scale
@pytest.mark.hint("do not look at every row for every document: keep rows by the space that they have left")
def test_time_grows_with_documents(learner):
    """packing 24,000 documents takes no more than 27 times as long as packing 3,000"""
    first = [np.random.default_rng(5).integers(1, 2048, pairs) for pairs in (1_500, 12_000)]
    small, large = (np.concatenate([parts, 2048 - parts]).tolist() for parts in first)
    # n log n with caches makes 8 to 13, so that there is a factor of two in hand. A look at every row makes 64.
    expect.growth(learner.pack, (small, 2048), (large, 2048), at_most=27, what="3,000 and 24,000 documents")
