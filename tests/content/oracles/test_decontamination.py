"""The reference of decontamination against the janitor of LM Evaluation Harness, and the figures of the statement."""

import string
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "solutions" / "chapter3" / "decontamination"
REFERENCE = import_file(FOLDER / "reference.py", "reference_of_decontamination")
THIRTEEN = "one two three four five six seven eight nine ten eleven twelve thirteen"
LONGEST = len("w99word,")  # a piece that the janitor cuts in two


def numbered(words):
    """So many words, all different."""
    return " ".join(f"w{i}word" for i in range(words))


def document(before, after, item=THIRTEEN):
    """The item in capitals, with commas, between numbered words."""
    return f"{numbered(before)} {item.upper().replace(' ', ', ')}. {numbered(after)}"


@pytest.fixture
def janitor(monkeypatch):
    """The janitor with GPT-3's settings, in Python."""
    module = pytest.importorskip("lm_eval.decontamination.janitor", reason="compares with the janitor's slices")
    monkeypatch.setattr(module, "JANITOR_CPP", False)
    return module.Janitor()


FIGURES = [(100, 100, [589, 591]), (20, 100, [591]), (10, 10, []), (100, 0, [589])]


@pytest.mark.parametrize(("before", "after", "sizes"), FIGURES)
def test_figures_of_the_statement(before, after, sizes):
    """The slices are as long as the statement says; twelve of thirteen words are no hit."""
    assert [len(each) for each in REFERENCE.decontaminate(document(before, after), [THIRTEEN])] == sizes
    twelve = document(before, after, THIRTEEN.rsplit(" ", 1)[0])
    assert REFERENCE.decontaminate(twelve, [THIRTEEN]) == [twelve.strip()]


@pytest.mark.parametrize(("before", "after", "sizes"), FIGURES)
def test_slices_of_the_janitor(janitor, before, after, sizes):
    """The janitor's slices are ours, but for the part of a word at which it cuts."""
    janitor.register_contaminant(THIRTEEN)
    theirs = janitor.clean(document(before, after))
    assert len(theirs) == len(sizes)
    assert all(abs(len(each) - size) <= LONGEST for each, size in zip(theirs, sizes, strict=True))


@pytest.mark.parametrize("seed", range(10))
def test_hits_of_the_janitor(janitor, seed):
    """On random texts of few words the janitor finds the same n-grams; its ends are inclusive."""
    module = pytest.importorskip("lm_eval.decontamination.janitor", reason="compares with the janitor's hits")
    draw = np.random.default_rng(seed)
    dressed = [word + mark for word in ("a", "B", "cc", "D'd") for mark in ("", ",", "!", ")")]
    doc, *items = (" ".join(draw.choice(dressed, size)) for size in (200, 30, 30, 3))
    for n in (1, 2, 3, 4):
        janitor.dirt_ngrams = set()
        for item in items:
            janitor.dirt_ngrams.update(module.word_ngrams(janitor.normalize_string(item), n))
        found = [
            (start, end + 1)
            for ngram, (start, end) in module.word_ngrams_indices(doc, n)
            if janitor.normalize_string(ngram) in janitor.dirt_ngrams
        ]
        assert found
        assert REFERENCE.ngram_hits(doc, items, n) == found


@pytest.mark.parametrize("seed", range(10))
def test_cuts_of_the_janitor(janitor, seed):
    """With hits far apart, the janitor's slices begin and end within a word of ours."""
    draw = np.random.default_rng(100 + seed)
    words = [f"{letter}{i}" for i, letter in enumerate(draw.choice(list(string.ascii_lowercase), 900))]
    for place in (700, 400, 150):
        words[place:place] = THIRTEEN.split()
    doc = " ".join(words)
    janitor.register_contaminant(THIRTEEN)
    ours, theirs = REFERENCE.decontaminate(doc, [THIRTEEN]), janitor.clean(doc)
    assert len(ours) == len(theirs) == 4
    for mine, other in zip(ours, theirs, strict=True):
        start, end = doc.find(mine), doc.find(mine) + len(mine)
        begin = doc.find(other)
        assert abs(start - begin) <= LONGEST and abs(end - begin - len(other)) <= LONGEST
