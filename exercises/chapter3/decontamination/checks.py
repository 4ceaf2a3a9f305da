"""Checks of decontamination. Hits are compared with a search for each window of words in each item, cuts with marks on
every single character.
"""

import re
import string
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

FOUR_TIMES = 1.25 * 4**1.3  # growth as n**1.3 and a quarter more for caches and the clock; squares make 16


def as_hits(answer):
    """A learner's hits as a list of pairs of integers."""
    hits = [expect.sequence(hit, "a hit") for hit in expect.sequence(answer, "the hits")]
    for hit in hits:
        expect.length(hit, 2, "a hit")
    return [tuple(expect.integer(end, "an end of a hit") for end in hit) for hit in hits]


def as_slices(answer):
    """A learner's slices as a list of strings."""
    return [expect.instance(each, str, "a slice") for each in expect.sequence(answer, "the slices")]


def pieces_of(text):
    """Start, end and word of each piece; the word is "" where there is nothing but punctuation."""
    found = []
    for match in re.finditer(r"\S+", text):
        word = "".join(letter for letter in match.group().lower() if letter not in string.punctuation)
        found.append((*match.span(), word))
    return found


def searched(doc, benchmark, n):
    """The hits, by looking for each run of n words in each item."""
    pieces = [piece for piece in pieces_of(doc) if piece[2]]
    items = [" " + " ".join(word for _, _, word in pieces_of(item) if word) + " " for item in benchmark]
    hits = []
    for i in range(len(pieces) - n + 1):
        run = pieces[i : i + n]
        if any(f" {' '.join(word for _, _, word in run)} " in item for item in items):
            hits.append((run[0][0], run[-1][1]))
    return hits


def all_slices(doc, hits, window):
    """The slices, long or short, by marking every character that is in a window."""
    marks = [any(start - window <= i < end + window for start, end in hits) for i in range(len(doc))]
    slices, apart = [], True
    for start, end, _ in pieces_of(doc):
        stays = not all(marks[start:end])
        if stays and apart:
            slices.append((start, end))
        elif stays:
            slices[-1] = (slices[-1][0], end)
        apart = not stays
    return [doc[start:end] for start, end in slices]


WORDS = ("a", "b", "A", "b,", '"a"', "B!", "-", "c")
GAPS = st.sampled_from([" ", " ", "  ", "\n", "\t"])
TEXTS = st.lists(st.tuples(st.sampled_from(WORDS), GAPS), max_size=16).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)
BENCHMARKS = st.lists(TEXTS, max_size=3)


# --- hits


@pytest.mark.core
@pytest.mark.hint("compare words, but answer places in the document as it stands; slide on by one word after a hit")
@given(doc=TEXTS, benchmark=BENCHMARKS, n=st.integers(1, 4))
@example(doc="I say: a b, or - A b", benchmark=["A - B!", "or a b"], n=2)
@example(doc=" a b a b a", benchmark=["a b a"], n=3)
def test_hits_are_shared_ngrams(learner, doc, benchmark, n):
    """hits are the places of all n-grams that an item has as well"""
    expect.equal(as_hits(learner.ngram_hits(doc, benchmark, n)), searched(doc, benchmark, n), "hits")


@pytest.mark.core
@pytest.mark.hint("case and punctuation mean nothing, in the document and in the benchmark; where white space is, does")
@given(
    words=st.lists(st.sampled_from(["we", "don't", "see", "it"]), min_size=1, max_size=10),
    item=st.lists(st.sampled_from(["we", "don't", "see", "it"]), max_size=8),
    dress=st.lists(st.sampled_from(["{}", "{},", "({})", '"{}!"', "{} -", "... {}", "_{}_"]), min_size=10, max_size=10),
    upper=st.lists(st.booleans(), min_size=10, max_size=10),
    n=st.integers(1, 3),
)
def test_case_and_punctuation_mean_nothing(learner, words, item, dress, upper, n):
    """in other case and with other punctuation the same words are hit"""
    dressed = [d.format(w.upper() if up else w.replace("'", "")) for w, d, up in zip(words, dress, upper, strict=False)]
    plain, fancy, target = " ".join(words), "\n".join(dressed), " ".join(item)

    def first_words(doc, hits):
        starts = [start for start, _, word in pieces_of(doc) if word]
        return [starts.index(start) if start in starts else f"no word at {start}" for start, _ in hits]

    bare = first_words(plain, as_hits(learner.ngram_hits(plain, [target], n)))
    got = first_words(fancy, as_hits(learner.ngram_hits(fancy, [target.title()], n)))
    expect.equal(got, bare, f"words at which n-grams of {fancy!r} begin that are hit")


@pytest.mark.core
@pytest.mark.hint("n words in a row must agree; a hit ends with the last character of the last of them")
@given(
    n=st.integers(2, 13),
    extra=st.integers(-1, 3),
    before=st.integers(0, 3),
    after=st.integers(0, 3),
    at=st.integers(0, 9),
)
@example(n=13, extra=-1, before=3, after=3, at=0)
@example(n=13, extra=0, before=3, after=3, at=0)
def test_planted_passages(learner, n, extra, before, after, at):
    """a shared passage of n words is one hit, each further word makes one more, and n - 1 words make none"""
    passage = [f"p{i}" for i in range(n + extra)]
    start = sum(len(f"w{i}") + 1 for i in range(before))
    doc = " ".join([*(f"w{i}" for i in range(before)), *passage, *(f"v{i}" for i in range(after))])
    item = " ".join([*(f"x{i}" for i in range(at)), *passage, "y"])
    want = []
    for i in range(extra + 1):
        begin = start + len(" ".join(passage[:i])) + (i > 0)
        want.append((begin, begin + len(" ".join(passage[i : i + n]))))
    expect.equal(as_hits(learner.ngram_hits(doc, ["nothing here", item], n)), want, "hits")


@pytest.mark.core
@pytest.mark.hint("an item ends where it ends: an n-gram does not begin in one and end in the next")
@given(cut=st.integers(1, 7), n=st.integers(2, 8))
def test_items_stay_apart(learner, cut, n):
    """n-grams do not reach from one item into the next"""
    words = [f"p{i}" for i in range(8)]
    doc, benchmark = " ".join(words), [" ".join(words[:cut]), " ".join(words[cut:])]
    expect.equal(as_hits(learner.ngram_hits(doc, benchmark, n)), searched(doc, benchmark, n), "hits")


# --- cuts


@pytest.mark.core
@pytest.mark.hint("mark the characters that are in windows; a piece goes when all of its characters are marked")
@given(doc=TEXTS, benchmark=BENCHMARKS, n=st.integers(1, 3), window=st.integers(0, 6))
@example(doc="aa b cccccc b aa", benchmark=["b"], n=1, window=4)
@example(doc="aa b ccccccccc b aa", benchmark=["b"], n=1, window=4)
@example(doc="b aaaaaaaaaa b cccccc b", benchmark=["b"], n=1, window=4)
@example(doc="aaa b ccc", benchmark=["b"], n=1, window=4)
@example(doc="aaa b ccc", benchmark=["b"], n=1, window=3)
def test_what_lies_in_windows_is_cut(learner, doc, benchmark, n, window):
    """exactly the pieces of text go that lie in windows, and the rest stays in runs"""
    hits = searched(doc, benchmark, n)
    whole = [doc.strip()] if doc.strip() else []
    want = all_slices(doc, hits, window) if hits else whole
    got = learner.decontaminate(doc, benchmark, n=n, window=window, min_slice=0, max_pieces=100)
    expect.equal(as_slices(got), want, "slices")


def planted(words, places, item):
    """A document of numbered words of six letters, and the item before each of these words."""
    parts = []
    for i in range(words):
        parts += [item] * (i in places)
        parts.append(f"w{i:05d}")
    return " ".join(parts)


@pytest.mark.core
@pytest.mark.hint("what stays must stand in the document in the same order, and no further from a hit than the window")
@given(
    words=st.integers(1, 60),
    places=st.sets(st.integers(0, 59), max_size=3),
    window=st.integers(0, 80),
)
def test_nothing_else_is_removed(learner, words, places, window):
    """slices stand in the document in order, without hits, and what is missing lies in windows"""
    item = "To be, or not to be"
    doc, benchmark = planted(words, places, item), ["to be or not to be"]
    slices = as_slices(learner.decontaminate(doc, benchmark, n=6, window=window, min_slice=0, max_pieces=100))
    at = 0
    for each in slices:
        found = doc.find(each, at)
        expect.true(each and found >= 0, "each slice is a part of the document, behind the one before", got=each)
        gap = doc[at:found].strip()
        expect.true(not gap or item in gap, "between two slices there is a hit", got=gap)
        expect.at_most(len(gap), gap.count(item) * (len(item) + 2 * window), "characters missing between two slices")
        expect.equal(searched(each, benchmark, 6), [], "hits in a slice")
        at = found + len(each)
    rest = doc[at:].strip()
    expect.at_most(len(rest), rest.count(item) * (len(item) + 2 * window), "characters missing after the last slice")


@pytest.mark.core
@pytest.mark.hint("no word may be cut in two: half a word is a new word, and may make a new hit")
@given(doc=TEXTS, benchmark=BENCHMARKS, n=st.integers(1, 3), window=st.integers(0, 5))
def test_clean_slices_stay(learner, doc, benchmark, n, window):
    """a slice that is decontaminated again stays as it is"""
    limits = {"n": n, "window": window, "min_slice": 0, "max_pieces": 100}
    for each in as_slices(learner.decontaminate(doc, benchmark, **limits)):
        expect.equal(as_slices(learner.decontaminate(each, benchmark, **limits)), [each], f"slices of {each!r}")


@pytest.mark.core
@pytest.mark.hint("a slice of min_slice characters is long enough; a document without hits is not measured at all")
@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4), off=st.integers(-1, 1), target=st.integers(0, 3))
def test_short_slices_are_dropped(learner, sizes, off, target):
    """slices of min_slice characters or more are kept"""
    slices = [" ".join(["w" * 5] * size) for size in sizes]
    doc = " leak ".join(slices)
    least = max(len(slices[target % len(slices)]) + off, 0)
    got = learner.decontaminate(doc, ["leak"], n=1, window=0, min_slice=least, max_pieces=4)
    kept = [each for each in slices if len(each) >= least] if len(sizes) > 1 else [doc]
    expect.equal(as_slices(got), kept, f"slices of {least} characters or more")


@pytest.mark.core
@pytest.mark.hint("count all slices, before the short ones are dropped; max_pieces of them are allowed")
@given(count=st.integers(2, 6), off=st.integers(-1, 1), min_slice=st.sampled_from([0, 3, 50]), copies=st.integers(1, 3))
@example(count=2, off=0, min_slice=3, copies=3)
def test_shattered_documents_are_dropped(learner, count, off, min_slice, copies):
    """a document in max_pieces slices is kept, one in more is not, however many hits there are"""
    slices = ["w" * (2 + 3 * (i % 2)) for i in range(count)]
    doc = f" {' '.join(['leak'] * copies)} ".join(slices)
    got = learner.decontaminate(doc, ["leak"], n=1, window=0, min_slice=min_slice, max_pieces=max(count + off, 1))
    kept = [each for each in slices if len(each) >= min_slice] if off >= 0 or count == 1 else []
    expect.equal(as_slices(got), kept, f"slices of a document in {count} slices")


THIRTEEN = "one two three four five six seven eight nine ten eleven twelve thirteen"


@pytest.mark.core
@pytest.mark.hint("the settings of GPT-3: 13 words, windows and slices of 200 characters, 10 slices")
def test_settings_of_gpt3(learner):
    """left to itself, the function has the settings of GPT-3"""
    text = planted(100, (), "")  # 699 characters
    leak = THIRTEEN.upper().replace(" ", ", ")
    doc = f"{text} {leak}. {text}"
    slices = as_slices(learner.decontaminate(doc, [THIRTEEN]))
    expect.equal(slices, all_slices(doc, searched(doc, [THIRTEEN], 13), 200), "slices")
    expect.equal(as_slices(learner.decontaminate(doc, [THIRTEEN[:-9]])), [doc], "slices, the item being of 12 words")
    # A piece of 199 characters beside the hit just lies in the window, one of 200 sticks out and is just long enough.
    for pieces, want in (((199, 200), [200]), ((200,), [200]), ((150, 199), [])):
        doc = " ".join([leak, *("x" * size for size in pieces)])
        sizes = [len(each) for each in as_slices(learner.decontaminate(doc, [THIRTEEN]))]
        expect.equal(sizes, want, f"characters of slices, with pieces of {pieces} characters behind the hit")
    short = planted(50, (), "")  # 349 characters, of which fewer than 200 stay
    expect.equal(as_slices(learner.decontaminate(f"{short} {leak} {short}", [THIRTEEN])), [], "slices of a short text")
    for pieces, want in ((10, 10), (11, 0)):
        doc = f" {leak} ".join([text] * pieces)
        expect.length(as_slices(learner.decontaminate(doc, [THIRTEEN])), want, f"slices of a text in {pieces} pieces")


@pytest.mark.edge
@pytest.mark.hint("no pieces, no slices; no hits, one slice; n-grams longer than a text are none")
@given(doc=TEXTS, n=st.integers(1, 20), min_slice=st.integers(0, 100))
def test_nothing_to_find(learner, doc, n, min_slice):
    """without benchmark, or with items shorter than n, a document stays whole, however short"""
    whole = [doc.strip()] if doc.strip() else []
    for benchmark in ([], ["", " - "], ["a " * (n - 1)]):
        expect.equal(as_hits(learner.ngram_hits(doc, benchmark, n)), [], f"hits of {benchmark}")
        got = learner.decontaminate(doc, benchmark, n=n, window=5, min_slice=min_slice, max_pieces=1)
        expect.equal(as_slices(got), whole, f"slices for {benchmark}")


@pytest.mark.edge
@pytest.mark.hint("raise ValueError before anything else: also for an empty document, and where there are no hits")
@settings(max_examples=15)
@given(doc=TEXTS, wrong=st.integers(-3, -1))
def test_impossible_arguments(learner, doc, wrong):
    """impossible arguments are errors"""
    good = {"n": 2, "window": 1, "min_slice": 1, "max_pieces": 1}
    for bad in ({"n": wrong + 1}, {"window": wrong}, {"min_slice": wrong}, {"max_pieces": wrong + 1}):
        expect.raises(ValueError, learner.decontaminate, doc, ["a b"], **{**good, **bad})
    expect.raises(ValueError, learner.ngram_hits, doc, ["a b"], wrong + 1)
    expect.raises(ValueError, learner.ngram_hits, doc, [], wrong + 1)


# --- growth


@cache
def made_corpus(words):
    """A document of so many words, every second passage of 8 leaked; items that have these passages, and others."""
    sizes = {"vocabulary": 3000, "min_words": 8, "max_words": 8, "skew": 0.3}
    texts, other = (strategies.corpus(seed, words // 8, **sizes) for seed in (words, words + 1))
    doc = " ".join(text.replace(" ", ", ").title() for text in texts)
    return doc, texts[::2] + other


@pytest.mark.scale
@pytest.mark.hint("keep the benchmark's n-grams in a set, and go through hits and pieces of text side by side")
def test_time_grows_with_words(learner):
    """four times the words and items take no more than 7.6 times as long"""
    limits = {"n": 4, "window": 10, "min_slice": 1, "max_pieces": 10**6}
    small, large = made_corpus(6000), made_corpus(24_000)
    slices = as_slices(learner.decontaminate(*small, **limits))
    # 750 passages; every second one goes, with one or two words of its neighbours.
    expect.length(slices, 375, "slices of 6,000 words")
    expect.growth(
        learner.decontaminate,
        small,
        large,
        at_most=FOUR_TIMES,
        kwargs=limits,
        what="6,000 and 24,000 words",
    )
