"""The reference of quality_heuristics against datatrove's filters, and the verdicts that were recorded from them."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "solutions" / "chapter3" / "quality_heuristics"
REFERENCE = import_file(FOLDER / "reference.py", "reference_of_quality_heuristics")
ITEM = "- the item and that thing have some words here"
TEN = "the and plain words that we have on each line"

RECORDED = [  # text -> datatrove 0.10.1's verdict by its Gopher filter, in our words
    (" ".join(["the dog and cat"] * 12 + ["end"]), "too_few_words"),
    (" ".join(["the dog and cat with"] * 10), "kept"),
    (" ".join(["a to be of it"] * 20), "short_words"),
    (" ".join(["the quick brown fox and #tag"] * 20), "hashes"),
    ("\n".join([ITEM] * 10), "bullet_lines"),
    ("\n".join([ITEM] * 9 + [ITEM[2:]]), "kept"),
    ("\n".join([TEN + "..."] * 4 + [TEN] * 6), "ellipsis_lines"),
    ("\n".join([TEN + "..."] * 3 + [TEN] * 7), "kept"),
    (" ".join(["the and 123 456 789 word"] * 20), "few_alphabetic"),
    (" ".join(["quick brown foxes jump the lazy dogs"] * 10), "few_stop_words"),
    (" ".join(["The And quick brown foxes jump lazy dogs"] * 10), "few_stop_words"),
]


@pytest.mark.parametrize(("text", "verdict"), RECORDED)
def test_recorded_verdicts(text, verdict):
    """Gopher's rules say what datatrove said of the same pages."""
    assert REFERENCE.gopher_quality(text) == (verdict == "kept", verdict)


GOPHER = {
    "gopher_short_doc": "too_few_words",
    "gopher_long_doc": "too_many_words",
    "gopher_below_avg_threshold": "short_words",
    "gopher_above_avg_threshold": "long_words",
    "gopher_too_many_hashes": "hashes",
    "gopher_too_many_ellipsis": "ellipses",
    "gopher_too_many_bullets": "bullet_lines",
    "gopher_too_many_end_ellipsis": "ellipsis_lines",
    "gopher_below_alpha_threshold": "few_alphabetic",
    "gopher_enough_stop_words": "few_stop_words",
}
REPETITION = {
    "empty": "empty",
    "dup_line_frac": "duplicate_lines",
    "dup_para_frac": "duplicate_paragraphs",
    "dup_line_char_frac": "duplicate_line_characters",
    "dup_para_char_frac": "duplicate_paragraph_characters",
    **{f"top_{n}_gram": f"top_{n}_gram" for n in (2, 3, 4)},
    **{f"duplicated_{n}_n_grams": f"duplicate_{n}_gram" for n in range(5, 11)},
}
FINEWEB = {
    "empty": "empty",
    "line_punct_ratio": "line_punctuation",
    "short_line_ratio": "short_lines",
    "char_dup_ratio": "duplicate_line_characters",
    "list_ratio": "list",
}


def filters_of(monkeypatch, name, words_too=True):
    """A module of datatrove's filters whose words are those of str.split."""
    module = pytest.importorskip(f"datatrove.pipeline.filters.{name}", reason="compares with datatrove's filters")
    if words_too:
        monkeypatch.setattr(module, "split_into_words", lambda text, language=None: text.split())
    return module


def judge(datatrove, text):
    """A verdict of datatrove's as (kept, its reason)."""
    from datatrove.data import Document

    verdict = datatrove.filter(Document(text=text, id="0"))
    return verdict if isinstance(verdict, tuple) else (verdict, "kept")


def made_pages(seed, count=150):
    """Pages of lines from a small pool, with blank lines between; no word is punctuation only."""
    draw = np.random.default_rng(seed)
    words = [
        "the",
        "and",
        "of",
        "1984",
        "#tag",
        "so...",
        "page",
        "reader",
        "antidisestablishmentarianism",
        "x1",
        "a",
        "we",
    ]
    for _ in range(count):
        lines, chances = [], draw.dirichlet(np.full(len(words), 0.3))
        for _ in range(draw.integers(1, 12)):
            line = " ".join(draw.choice(words, draw.integers(1, 16), p=chances))
            line = str(draw.choice(["", "", "-", "•"])) + line + str(draw.choice(["", ".", "!", "..."]))
            lines += [line] * int(draw.choice([1, 1, 1, 1, 2])) + [""] * int(draw.choice([0, 0, 1]))
        yield "\n".join(lines).strip()


def test_gopher_quality_of_datatrove(monkeypatch):
    """On made pages Gopher's rules say what datatrove says, where both take the same words."""
    filters = filters_of(monkeypatch, "gopher_quality_filter").GopherQualityFilter()
    seen = set()
    for page in made_pages(1, 2500):
        page = page.replace("\n\n", "\n")  # datatrove counts empty lines
        kept, reason = judge(filters, page)
        seen.add(reason)
        assert REFERENCE.gopher_quality(page) == (kept, GOPHER.get(reason, reason)), page
    assert len(seen) >= 9, seen


def test_gopher_repetition_of_datatrove(monkeypatch):
    """On made pages the repetition rules apply where datatrove's do.

    Of several rules datatrove names that on paragraphs first, and of equally frequent n-grams it takes the first one.
    """
    filters = filters_of(monkeypatch, "gopher_repetition_filter").GopherRepetitionFilter()
    seen = set()
    for page in made_pages(2, 600):
        kept, reason = judge(filters, page)
        ours = REFERENCE.gopher_repetition(page)
        if reason.startswith("top_") and ours != (False, reason):
            continue  # datatrove also counts an n-gram that occurs once
        seen.add(reason)
        assert ours[0] == kept or ours[1].startswith("top_"), page
        if not (reason.startswith("dup_") or ours[1].startswith("top_")):
            assert ours[1] == REPETITION.get(reason, reason), page
    assert len(seen) >= 7


def test_duplicate_ngrams_of_datatrove(monkeypatch):
    """Characters in duplicate n-grams are datatrove's, which joins words without spaces."""
    module = filters_of(monkeypatch, "gopher_repetition_filter")
    draw = np.random.default_rng(3)
    for _ in range(200):
        words = draw.choice(["aa", "b", "cccc", "dd"], draw.integers(0, 60), p=[0.7, 0.1, 0.1, 0.1]).tolist()
        # Words that joined differently make the same letters would be one n-gram for datatrove.
        words = [f"<{word}>" for word in words]
        for n in range(2, 11):
            assert REFERENCE._duplicate_characters(words, n) == module.find_all_duplicate(words, n)


def test_fineweb_of_datatrove(monkeypatch):
    """With the paper's threshold for duplicates, FineWeb's rules say what datatrove says away from the thresholds."""
    module = filters_of(monkeypatch, "fineweb_quality_filter")
    filters = module.FineWebQualityFilter(char_duplicates_ratio=0.1, stop_chars=tuple(REFERENCE.END_MARKS))
    seen = set()
    for page in made_pages(4, 600):
        lines = [line for line in page.split("\n") if line]
        if any(len(line) == 30 for line in lines) or any(
            sum(len(x) < 30 for x in lines) * 100 == 67 * len(lines) for _ in "x"
        ):
            continue
        kept, reason = judge(filters, page)
        seen.add(reason)
        assert REFERENCE.fineweb_filter(page) == (kept, FINEWEB.get(reason, reason)), page
    assert seen >= {"kept", "line_punct_ratio", "short_line_ratio", "char_dup_ratio"}


def test_c4_lines_of_datatrove(monkeypatch):
    """datatrove with the constants of C4's code keeps the same lines, and drops the same pages for brackets."""
    module = filters_of(monkeypatch, "c4_filters", words_too=False)
    from datatrove.data import Document

    monkeypatch.setattr(module, "split_into_sentences", lambda line, language=None: line.split(". "))
    filters = module.C4QualityFilter(min_words_per_line=5, min_num_sentences=-1)
    lines = [
        "This line has five words.",
        "This has four words.",
        'He said "this is a line"',
        "This line goes on and on...",
        "Please enable JavaScript to see this.",
        "Read our Privacy Policy before you go.",
        "We use cookies, and so do you.",
        f"A word of {'x' * 1000} is long.",
        f"A word of {'x' * 1001} is too long.",
        "This line has no end mark",
    ]
    draw = np.random.default_rng(5)
    for _ in range(50):
        page = "\n".join(lines[i] for i in draw.integers(0, len(lines), 6))
        document = Document(text=page, id="0")
        assert filters.filter(document)
        assert REFERENCE.c4_clean(page) == document.text
    for line in ("This is a line of {code}.", "Then LOREM Ipsum begins the text."):
        page = "\n".join([lines[0]] * 3 + [line])
        _, theirs = judge(filters, page)
        assert REFERENCE.c4_filter(page) == (False, theirs)
