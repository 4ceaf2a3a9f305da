"""The reference of exact_dedup against other algorithms, the published tool's worked cases, and a chain of texts."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "solutions" / "chapter3" / "exact_dedup"
REFERENCE = import_file(FOLDER / "reference.py", "reference_of_exact_dedup")


def chain():
    """Four texts of 60 words, each the one before it without its first four words and with four new ones."""
    return [[f"w{word}" for word in range(start, start + 60)] for start in range(0, 16, 4)]


def jaccard(one, other):
    """Shared over all words."""
    return len(set(one) & set(other)) / len(set(one) | set(other))


def test_chain_of_texts():
    """At a threshold of 0.8 the chain A, B, C, D is one cluster, whose ends are 0.667 alike."""
    texts = chain()
    likes = {(i, j): jaccard(texts[i], texts[j]) for j in range(4) for i in range(j)}
    rounded = [round(likes[pair], 4) for pair in ((0, 1), (0, 2), (0, 3))]
    assert rounded == [0.875, 0.7647, 0.6667]
    pairs = [pair for pair, like in likes.items() if like >= 0.8]
    assert pairs == [(0, 1), (1, 2), (2, 3)]
    assert REFERENCE.duplicate_clusters(pairs, 4) == [0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(10))
def test_components_of_scipy(seed):
    """Random graphs have the components that scipy finds."""
    csgraph = pytest.importorskip("scipy.sparse.csgraph", reason="finds connected components")
    sparse = pytest.importorskip("scipy.sparse", reason="holds the graph")
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 500))
    pairs = draw.integers(0, n, (int(n * draw.uniform(0, 0.9)), 2))
    graph = sparse.coo_matrix((np.ones(len(pairs)), pairs.T), shape=(n, n))
    _, numbers = csgraph.connected_components(graph, directed=False)
    least = {number: doc for doc, number in reversed(list(enumerate(numbers.tolist())))}
    ours = REFERENCE.duplicate_clusters([tuple(pair) for pair in pairs.tolist()], n)
    assert ours == [least[number] for number in numbers.tolist()]


CASES = [
    ("abcdeXabcdeYabcd", 3, [(0, 5), (6, 11), (12, 16)]),
    ("abcdeXabcdeYabcd", 4, [(0, 5), (6, 11), (12, 16)]),
    ("abcdeXabcdeYabcd", 5, [(0, 5), (6, 11)]),
    ("aaaaaa", 3, [(0, 6)]),
    ("banana", 3, [(1, 6)]),
    ("abab", 2, [(0, 4)]),
    ("eabcdfgh.efabcdgh", 4, [(1, 5), (11, 15)]),
    ("efgh.efgh", 4, [(0, 4), (5, 9)]),
]


@pytest.mark.parametrize(("text", "k", "spans"), CASES)
def test_worked_cases(text, k, spans):
    """The statement's texts, the tool's example of what one pass leaves behind among them."""
    assert REFERENCE.repeated_spans([ord(letter) for letter in text], k) == spans


@pytest.mark.parametrize("seed", range(6))
def test_spans_by_searching_the_text(seed):
    """On longer texts the marked letters are those of windows that str.find finds at another place."""
    draw = np.random.default_rng(seed)
    pieces = ["".join(draw.choice(list("ab"), draw.integers(5, 60))) for _ in range(8)]
    text = "".join(pieces[i] for i in draw.integers(0, 8, 12))
    for k in (1, 7, 16, 31, 64):
        marks = [False] * (len(text) + 1)
        for i in range(len(text) - k + 1):
            window = text[i : i + k]
            if text.find(window) != i or text.find(window, i + 1) >= 0:
                marks[i : i + k] = [True] * k
        want, start = [], None
        for i, mark in enumerate(marks):
            if mark and start is None:
                start = i
            if not mark and start is not None:
                want.append((start, i))
                start = None
        assert REFERENCE.repeated_spans([ord(letter) for letter in text], k) == want


def test_most_documents_and_pairs():
    """The contract's largest case, one chain of 100,000 documents, is one cluster."""
    order = np.random.default_rng(3).permutation(100_000).tolist()
    pairs = list(itertools.pairwise(order)) + list(zip(order[1:], order, strict=False))
    assert set(REFERENCE.duplicate_clusters(pairs, 100_000)) == {0}
