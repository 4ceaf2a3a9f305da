"""Checks of exact_dedup. Symbols: n documents or tokens, k the length of a window in tokens.

Clusters are compared with reachability found by a walk, spans with all pairs of windows; texts of two letters repeat
themselves all the time, overlaps included.
"""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

# Growth as n**1.3 makes 6.1; squares make 16, and less where half of the work is linear. Pairs get a quarter more than
# 6.1 for caches and the clock, tokens more: a suffix array in plain Python came to 8 on a busy machine.
PAIRS_FOUR_TIMES = 7.6
TOKENS_FOUR_TIMES = 10


def as_labels(answer, n):
    """A learner's labels as a list of n integers."""
    expect.length(answer, n, "labels")
    return [expect.integer(label, "a label") for label in expect.sequence(answer, "the labels")]


def as_spans(answer):
    """A learner's spans as a list of pairs of integers."""
    spans = [expect.sequence(span, "a span") for span in expect.sequence(answer, "the spans")]
    for span in spans:
        expect.length(span, 2, "a span")
    return [tuple(expect.integer(end, "an end of a span") for end in span) for span in spans]


# --- clusters


def least_reachable(pairs, n):
    """For each document the least one that a walk along pairs leads to."""
    labels = []
    for start in range(n):
        seen, ahead = {start}, [start]
        while ahead:
            doc = ahead.pop()
            new = {other for pair in pairs if doc in pair for other in pair} - seen
            seen |= new
            ahead += new
        labels.append(min(seen))
    return labels


GRAPHS = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=9), st.just(n))
)


@pytest.mark.core
@pytest.mark.hint("duplicates of duplicates are in the cluster, however long the chain; its least document names it")
@given(graph=GRAPHS)
@example(graph=([(3, 1), (4, 3)], 6))
@example(graph=([(0, 3), (1, 2), (2, 3)], 4))
def test_clusters_are_what_pairs_connect(learner, graph):
    """a document's label is the least document that it is connected with"""
    pairs, n = graph
    expect.equal(as_labels(learner.duplicate_clusters(pairs, n), n), least_reachable(pairs, n), "labels")


@pytest.mark.core
@pytest.mark.hint("A and D are not alike, and still they are in one cluster: one document of the chain is kept")
@settings(max_examples=15)
@given(order=st.permutations(range(5)), turned=st.lists(st.booleans(), min_size=4, max_size=4))
def test_a_chain_is_one_cluster(learner, order, turned):
    """a chain of duplicates is one cluster, in whatever order its pairs come"""
    links = list(itertools.pairwise(order))
    pairs = [link[::-1] if turn else link for link, turn in zip(links, turned, strict=True)]
    expect.equal(as_labels(learner.duplicate_clusters(pairs, 7), 7), [0, 0, 0, 0, 0, 5, 6], "labels")


@pytest.mark.core
@pytest.mark.hint("the answer is a matter of which pairs there are: not of their order, direction or number")
@given(graph=GRAPHS, seed=strategies.seeds())
def test_order_of_pairs_means_nothing(learner, graph, seed):
    """pairs in another order, turned round and repeated give the same labels"""
    pairs, n = graph
    order = np.random.default_rng(seed).permutation(len(pairs)).tolist()
    again = [pairs[i][::-1] for i in order] + pairs[:2]
    first = as_labels(learner.duplicate_clusters(pairs, n), n)
    expect.equal(as_labels(learner.duplicate_clusters(again, n), n), first, f"labels for {again}")


@pytest.mark.core
@pytest.mark.hint("count the documents with labels[i] == i: each pair that joins two clusters makes one fewer")
@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=5), seed=strategies.seeds())
def test_one_document_of_each_cluster_is_kept(learner, sizes, seed):
    """planted clusters are found, and one document of each is kept"""
    # Documents are dealt to clusters at random; each is linked with one that its cluster has already.
    draw = np.random.default_rng(seed)
    clusters = [sorted(part.tolist()) for part in np.split(draw.permutation(sum(sizes)), np.cumsum(sizes)[:-1])]
    pairs = []
    for cluster in clusters:
        mixed = draw.permutation(cluster).tolist()
        pairs += [(mixed[draw.integers(place)], mixed[place]) for place in range(1, len(mixed))]
    labels = as_labels(learner.duplicate_clusters(pairs, sum(sizes)), sum(sizes))
    expect.equal(sum(label == doc for doc, label in enumerate(labels)), len(sizes), f"documents kept for {pairs}")
    for cluster in clusters:
        expect.equal([labels[doc] for doc in cluster], [cluster[0]] * len(cluster), f"labels of cluster {cluster}")


@pytest.mark.edge
@pytest.mark.hint("whoever is in no pair is alone; a document that is its own duplicate is, too")
@given(n=st.integers(0, 8), alone=st.integers(0, 7))
def test_nothing_to_cluster(learner, n, alone):
    """without pairs, or with pairs of a document and itself, everybody is alone"""
    expect.equal(as_labels(learner.duplicate_clusters([], n), n), list(range(n)), "labels")
    own = [(alone % n, alone % n)] if n else []
    expect.equal(as_labels(learner.duplicate_clusters(own, n), n), list(range(n)), f"labels for {own}")


@pytest.mark.edge
@pytest.mark.hint("documents are 0 to n - 1; a Python list has an element -1 as well, and your labels must not take it")
@settings(max_examples=20)
@given(n=st.integers(1, 8), beyond=st.integers(0, 3), good=st.integers(0, 7), turned=st.booleans())
def test_unknown_documents(learner, n, beyond, good, turned):
    """a pair that names no document is an error, and so is a negative number of documents"""
    for wrong in (n + beyond, -1 - beyond):
        pair = (wrong, good % n) if turned else (good % n, wrong)
        expect.raises(ValueError, learner.duplicate_clusters, [(0, n - 1), pair], n)
    expect.raises(ValueError, learner.duplicate_clusters, [(0, 0)], 0)
    expect.raises(ValueError, learner.duplicate_clusters, [], -1 - beyond)


# --- spans


def marked(tokens, k):
    """For each token whether one of its windows is found at another place: all windows against all."""
    windows = [tuple(tokens[i : i + k]) for i in range(len(tokens) - k + 1)]
    repeated = [i for i, window in enumerate(windows) if windows.count(window) > 1]
    return [any(i <= token < i + k for i in repeated) for token in range(len(tokens))]


def runs(marks):
    """Maximal runs of true as half-open pairs."""
    edges = [i for i, (left, right) in enumerate(zip([False, *marks], [*marks, False], strict=True)) if left != right]
    return list(zip(edges[::2], edges[1::2], strict=True))


TWO_LETTERS = st.lists(st.integers(0, 1), max_size=14)
TEXTS = st.one_of(TWO_LETTERS, st.lists(st.integers(0, 4), max_size=18))


def letters(text):
    """A text as tokens: a is 0."""
    return [ord(letter) - ord("a") for letter in text]


@pytest.mark.core
@pytest.mark.hint("mark every token of every window that occurs twice, the first copy as well; then read off the runs")
@given(tokens=TEXTS, k=st.integers(1, 6))
@example(tokens=letters("banana"), k=3)
@example(tokens=letters("abcdeaabcdebabcd"), k=4)
@example(tokens=letters("aaaaaa"), k=3)
@example(tokens=letters("abab"), k=2)
def test_spans_are_the_repeated_tokens(learner, tokens, k):
    """spans are the runs of tokens that a repeated window covers"""
    expect.equal(as_spans(learner.repeated_spans(tokens, k)), runs(marked(tokens, k)), "spans")


@pytest.mark.core
@pytest.mark.hint("a passage of exactly min_length tokens counts, one of a token less does not; end is exclusive")
@given(
    length=st.integers(1, 6),
    gaps=st.lists(st.integers(0, 4), min_size=2, max_size=4),
    more=st.integers(-1, 2),
)
@example(length=3, gaps=[2, 2, 2], more=0)
def test_planted_passages(learner, length, gaps, more):
    """a passage in a text that never repeats itself is found where it was put, if it is long enough"""
    passage, fresh, tokens, places = list(range(length)), 100, [], []
    for gap in gaps:
        # One new token at least stands before each copy.
        tokens += range(fresh, fresh + gap + 1)
        fresh += gap + 1
        places.append((len(tokens), len(tokens) + length))
        tokens += passage
    k = max(length - more, 1)
    want = places if k <= length else []
    expect.equal(as_spans(learner.repeated_spans(tokens, k)), want, "spans")


@pytest.mark.core
@pytest.mark.hint("only whether tokens are equal counts: not their size, not their sign, not their order")
@given(tokens=TEXTS, k=st.integers(1, 5), names=st.lists(st.integers(-(2**31), 2**31 - 1), min_size=5, unique=True))
@example(tokens=[0, 1, 2], k=1, names=[-1, 2**31 - 1, -(2**31), 0, 5])
def test_names_of_tokens_mean_nothing(learner, tokens, k, names):
    """other tokens with the same pattern have the same spans"""
    renamed = [names[token] for token in tokens]
    first = as_spans(learner.repeated_spans(tokens, k))
    expect.equal(as_spans(learner.repeated_spans(renamed, k)), first, f"spans of {renamed}")


@pytest.mark.core
@pytest.mark.hint("a text read backwards repeats the same passages, backwards")
@given(tokens=TEXTS, k=st.integers(1, 5))
def test_mirrored(learner, tokens, k):
    """the spans of the reversed text are the mirrored spans"""
    n = len(tokens)
    mirrored = [(n - end, n - start) for start, end in as_spans(learner.repeated_spans(tokens[::-1], k))]
    expect.equal(mirrored[::-1], as_spans(learner.repeated_spans(tokens, k)), "spans of the text, and mirrored")


@cache
def made_text(docs):
    """Documents of 10 to 14 tokens, every tenth the one before it but for its last token; each ends with its own."""
    corpus = strategies.corpus(docs, docs, vocabulary=5000, min_words=10, max_words=14, skew=0.5)
    tokens, last = [], []
    for doc, text in enumerate(corpus):
        words = [*last[:-1], 5000] if doc % 10 == 9 else [int(word[1:]) for word in text.split()]
        tokens += [*words, -1 - doc]
        last = words
    return tokens


@pytest.mark.core
@pytest.mark.hint("a separator that occurs once is in no repeated window, so no span can reach across it")
def test_documents_stay_apart(learner):
    """in a corpus with separators, spans lie within documents, and hold what was planted"""
    tokens = made_text(300)
    spans = as_spans(learner.repeated_spans(tokens, 8))
    marks = np.zeros(len(tokens), dtype=bool)
    for start, end in spans:
        expect.between([start, end], 0, len(tokens), "start and end")
        marks[start:end] = True
    ends = np.flatnonzero(np.array(tokens) < 0)
    expect.true(not marks[ends].any(), "no separator is in a span", got=spans)
    # A copy and its model are marked but for their last tokens; no other run of 8 occurs twice by chance here.
    firsts = np.concatenate([[0], ends[:-1] + 1])
    want = [(firsts[doc], ends[doc] - 1) for tenth in range(9, 300, 10) for doc in (tenth - 1, tenth)]
    expect.equal(spans, want, "spans")


@pytest.mark.edge
@pytest.mark.hint(
    "a window longer than the text, or a text of nothing, repeats nothing; min_length 1 is every word twice"
)
@given(tokens=TEXTS, more=st.integers(1, 3))
def test_short_texts(learner, tokens, more):
    """no window longer than the text is repeated; windows of one token are repeated tokens"""
    expect.equal(as_spans(learner.repeated_spans(tokens, len(tokens) + more)), [], "spans")
    expect.equal(as_spans(learner.repeated_spans(tokens, max(len(tokens), 1))), [], "spans of one whole window")
    twice = [tokens.count(token) > 1 for token in tokens]
    expect.equal(as_spans(learner.repeated_spans(tokens, 1)), runs(twice), "spans of single tokens")


@pytest.mark.edge
@pytest.mark.hint("a window has at least one token: raise ValueError, also for an empty text")
@settings(max_examples=10)
@given(tokens=TEXTS, wrong=st.integers(-3, 0))
def test_impossible_length(learner, tokens, wrong):
    """a length below 1 is an error"""
    expect.raises(ValueError, learner.repeated_spans, tokens, wrong)


@pytest.mark.edge
@pytest.mark.hint("work on copies")
@settings(max_examples=15)
@given(graph=GRAPHS, tokens=TEXTS)
def test_arguments_are_left_alone(learner, graph, tokens):
    """pairs and tokens are not changed"""
    expect.unchanged(learner.duplicate_clusters, *graph)
    expect.unchanged(learner.repeated_spans, tokens, 2)


# --- growth


@cache
def made_chains(n):
    """Chains: a quarter of n documents up, half of them down and closed to a ring, an eighth mixed; and a star."""
    part = n // 8
    up = [(doc, doc + 1) for doc in range(2 * part - 1)]
    down = [(doc - 1, doc) for doc in range(6 * part - 1, 2 * part, -1)] + [(6 * part - 1, 2 * part)]
    docs = np.random.default_rng(n).permutation(np.arange(6 * part, 7 * part)).tolist()
    mixed = [(docs[i], docs[i + 1]) for i in np.random.default_rng(n + 1).permutation(part - 1).tolist()]
    star = [(doc, 8 * part - 1) for doc in range(7 * part, 8 * part - 1)]
    return up + down + mixed + star, n


@pytest.mark.scale
@pytest.mark.hint("following long chains again and again is quadratic: shorten the way for whoever comes next")
def test_time_grows_with_pairs(learner):
    """four times the documents and pairs take no more than 7.6 times as long, in long chains too"""
    small, large = made_chains(4000), made_chains(16_000)
    want = np.repeat([0, 4000, 12_000, 14_000], [4000, 8000, 2000, 2000])
    expect.equal(as_labels(learner.duplicate_clusters(*large), 16_000), want, "labels of three chains and a star")
    expect.growth(
        learner.duplicate_clusters,
        small,
        large,
        at_most=PAIRS_FOUR_TIMES,
        what="4,000 and 16,000 documents in long chains",
    )


@pytest.mark.scale
@pytest.mark.hint("sort or count the windows instead of comparing all pairs of places")
def test_time_grows_with_tokens(learner):
    """four times the documents take no more than ten times as long to search"""
    expect.growth(
        learner.repeated_spans,
        (made_text(2000), 8),
        (made_text(8000), 8),
        at_most=TOKENS_FOUR_TIMES,
        what="2,000 and 8,000 documents",
    )


@cache
def made_refrain(n, period=101):
    """n tokens that repeat one passage."""
    passage = np.random.default_rng(n).integers(1000, 50_000, period).tolist()
    return (passage * (n // period + 1))[:n]


@pytest.mark.scale
@pytest.mark.hint(
    "windows are long: name or hash one from what you know of its parts or of its neighbour, in few steps"
)
def test_time_does_not_grow_with_windows(learner):
    """four times the tokens in windows four times as long take no more than ten times as long"""
    # Whatever looks at all tokens of all windows makes 16.
    expect.growth(
        learner.repeated_spans,
        (made_refrain(4000), 1000),
        (made_refrain(16_000), 4000),
        at_most=TOKENS_FOUR_TIMES,
        what="4,000 and 16,000 tokens in windows of a quarter",
    )


@pytest.mark.scale
@pytest.mark.hint("windows are long, and many: keep something shorter for each of them")
def test_memory_does_not_hold_all_windows(learner):
    """16,000 tokens in windows of 4,000 take at most 100 MiB"""
    # 8,000 of the windows differ: 244 MiB as tuples or rows of 64-bit numbers, 122 as bytes of 32-bit numbers.
    tokens = made_refrain(8000, period=8000) * 2
    expect.peak_memory(learner.repeated_spans, (tokens, 4000), 100, "16,000 tokens")
