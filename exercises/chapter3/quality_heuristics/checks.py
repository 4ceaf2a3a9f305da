"""Checks of quality_heuristics. Pages are built around one rule at a time, on both sides of its threshold.

Whether a rule applies is counted while a page is built, and compared in exact fractions. No other rule applies to
such a page, so the whole verdict is known.
"""

from fractions import Fraction
from functools import cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

KEPT = (True, "kept")
PLAIN = ("the", "model", "and", "reader", "found", "many", "quiet", "pages")  # good words: 4.5 characters on average
FOUR_TIMES = 1.25 * 4**1.3  # growth as n**1.3 and a quarter more for caches and the clock; squares make 16


def verdict(answer):
    """A learner's verdict as (kept, reason)."""
    pair = expect.sequence(answer, "(kept, reason)")
    expect.length(pair, 2, "(kept, reason)")
    return pair[0], pair[1]


def expect_verdict(answer, applies, reason, about=""):
    """Ask for this reason where the rule applies, and for a page that is kept where it does not."""
    expect.equal(verdict(answer), (False, reason) if applies else KEPT, about or "(kept, reason)")


def plain_words(count):
    """So many good words."""
    return [PLAIN[i % len(PLAIN)] for i in range(count)]


def fresh_words(start=0):
    """Different words without end."""
    while True:
        yield f"w{start}"
        start += 1


def near(numerator, denominator, low, high):
    """Pairs (part, whole) with the part at most one away from this fraction of the whole."""
    wholes = st.integers(low, high)
    return wholes.flatmap(
        lambda whole: st.tuples(
            st.integers(-1, 1).map(lambda off: min(max(whole * numerator // denominator + off, 0), whole)),
            st.just(whole),
        )
    )


# --- Gopher: quality


@pytest.mark.core
@pytest.mark.hint("50 words are enough, 49 are not; words are what text.split() gives")
@given(count=st.integers(0, 60), gap=st.sampled_from([" ", "  ", "\n", "\n\n", "\t"]))
@example(count=49, gap=" ")
@example(count=50, gap=" ")
def test_number_of_words(learner, count, gap):
    """a page of 50 words is kept, one of 49 is not"""
    expect_verdict(learner.gopher_quality(gap.join(plain_words(count))), count < 50, "too_few_words")


@pytest.mark.edge
@pytest.mark.hint("100,000 words are not too many, one more is")
def test_most_words(learner):
    """a page of 100,000 words is kept, one of a word more is not"""
    page = " ".join(plain_words(100_000))
    expect_verdict(learner.gopher_quality(page), False, "", "(kept, reason) of 100,000 words")
    expect_verdict(learner.gopher_quality(page + " end"), True, "too_many_words", "(kept, reason) of 100,001 words")


@pytest.mark.core
@pytest.mark.hint("the mean is all characters of the words over the words; 3 and 10 themselves are allowed")
@given(count=st.integers(50, 70), off=st.integers(-1, 1), long=st.booleans())
def test_mean_word_length(learner, count, off, long):
    """a mean length of 3 or 10 characters is allowed; a letter less or more on the page is not"""
    if long:  # the and + two of 17: 40 characters in 4 words
        words = ["the", "and", "c" * 17, "d" * 17, *["e" * 10] * (count - 5), "f" * (10 + off)]
        applies, reason = off > 0, "long_words"
    else:
        words = ["the", "and", *["cat"] * (count - 3), "c" * (3 + off)]
        applies, reason = off < 0, "short_words"
    expect_verdict(learner.gopher_quality(" ".join(words)), applies, reason)


@pytest.mark.core
@pytest.mark.hint("count the symbols in the whole text, several in one word too; one for ten words is allowed")
@given(case=near(1, 10, 50, 75), symbol=st.sampled_from(["#", "...", "…", "... …"]), spread=st.integers(1, 3))
@example(case=(5, 50), symbol="#", spread=1)
@example(case=(6, 50), symbol="... …", spread=2)
def test_symbols(learner, case, symbol, spread):
    """one hash or one ellipsis for ten words is allowed, more is not"""
    count, total = case
    words, kinds = plain_words(total), symbol.split()
    for i in range(count):  # before words, so that no line ends with them; as many as spread before one word
        words[1 + 2 * (i // spread)] = kinds[i % len(kinds)] + words[1 + 2 * (i // spread)]
    reason = "hashes" if symbol == "#" else "ellipses"
    expect_verdict(learner.gopher_quality(" ".join(words)), Fraction(count, total) > Fraction(1, 10), reason)


@pytest.mark.core
@pytest.mark.hint("strip the lines before you look at their ends, leave out empty ones; 0.9 and 0.3 are allowed")
@given(
    bullets=st.booleans(),
    case=st.one_of(near(9, 10, 1, 20), near(3, 10, 1, 20)),
    marks=st.tuples(st.sampled_from("•-"), st.sampled_from(["...", "…"])),
    blanks=st.integers(0, 2),
)
@example(bullets=True, case=(9, 10), marks=("-", "..."), blanks=1)
@example(bullets=True, case=(10, 10), marks=("•", "..."), blanks=0)
@example(bullets=False, case=(3, 10), marks=("-", "…"), blanks=1)
@example(bullets=False, case=(4, 10), marks=("-", "..."), blanks=0)
def test_lines_with_bullets_and_ellipses(learner, bullets, case, marks, blanks):
    """nine lines of ten may begin with a bullet, three of ten end with an ellipsis; empty lines do not count"""
    count, total = case
    line = " ".join(plain_words(max(12, -(-50 // total))))
    marked = f" \t{marks[0]} {line}" if bullets else f"{line}{marks[1]} "
    page = ("\n" + " \n" * blanks).join([marked] * count + [line] * (total - count))
    most, reason = (Fraction(9, 10), "bullet_lines") if bullets else (Fraction(3, 10), "ellipsis_lines")
    expect_verdict(learner.gopher_quality(page), Fraction(count, total) > most, reason)


@pytest.mark.core
@pytest.mark.hint("one letter in a word is enough; digits and marks are no letters; four words of five are enough")
@given(case=near(1, 5, 50, 75), other=st.sampled_from(["1984", "3.14", "+-/="]), mixed=st.sampled_from(["4th", "é22"]))
@example(case=(10, 50), other="1984", mixed="4th")
@example(case=(11, 50), other="1984", mixed="4th")
def test_words_with_letters(learner, case, other, mixed):
    """one word of five may be without any letter, more may not"""
    count, total = case
    words = [other] * count + plain_words(total - count - 5) + [mixed] * 5
    expect_verdict(learner.gopher_quality(" ".join(words)), Fraction(count, total) > Fraction(1, 5), "few_alphabetic")


STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")


@pytest.mark.core
@pytest.mark.hint("different stop words count, each once, written exactly like this: not The, not the with a comma")
@given(
    found=st.sets(st.sampled_from(STOP_WORDS), max_size=3),
    near_misses=st.lists(st.sampled_from([w for s in STOP_WORDS for w in (s.title(), s + ",", s + "s")]), max_size=4),
    times=st.integers(1, 4),
)
@example(found={"the"}, near_misses=["And", "of,"], times=4)
@example(found={"the", "and"}, near_misses=[], times=1)
def test_stop_words(learner, found, near_misses, times):
    """two different stop words are enough, one that comes twice is not"""
    words = [*sorted(found) * times, *near_misses, *["quick", "brown", "foxes", "jump"] * 13]
    expect_verdict(learner.gopher_quality(" ".join(words)), len(found) < 2, "few_stop_words")


# --- Gopher: repetition

PIECES = st.lists(st.sampled_from(["a b", "a b c d", "e", "f g h", "", " ", "a"]), max_size=8)


def marked_repetition(text):
    """The verdict by plain search: what is equal to something earlier, in exact fractions."""
    lines = [line.strip() for line in text.split("\n")]
    blocks = [[]]
    for line in lines:
        if line:
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    blocks, lines = ["\n".join(block) for block in blocks if block], [line for line in lines if line]
    if not lines:
        return False, "empty"
    again = [[piece for i, piece in enumerate(part) if piece in part[:i]] for part in (lines, blocks)]
    rules = [
        ("duplicate_lines", Fraction(len(again[0]), len(lines)), 30),
        ("duplicate_paragraphs", Fraction(len(again[1]), len(blocks)), 30),
        ("duplicate_line_characters", Fraction(len("".join(again[0])), len(text)), 20),
        ("duplicate_paragraph_characters", Fraction(len("".join(again[1])), len(text)), 20),
    ]
    words = text.split()
    for n, most in zip((2, 3, 4), (20, 18, 16), strict=True):
        ngrams = [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]
        top = max(((ngrams.count(ngram), len(ngram)) for ngram in ngrams), default=(1, 0))
        rules.append((f"top_{n}_gram", Fraction(top[0] * top[1] if top[0] > 1 else 0, len(text)), most))
    for n, most in zip(range(5, 11), range(15, 9, -1), strict=True):
        seen, characters, i = [], 0, 0
        while i <= len(words) - n:
            again = words[i : i + n] in seen
            seen.append(words[i : i + n])
            characters += len("".join(words[i : i + n])) if again else 0
            i += n if again else 1
        rules.append((f"duplicate_{n}_gram", Fraction(characters, len(text)), most))
    return next(((False, reason) for reason, share, most in rules if share > Fraction(most, 100)), KEPT)


@pytest.mark.core
@pytest.mark.hint("the first copy is no duplicate; the fractions of characters are of len(text), white space and all")
@given(pieces=PIECES, padding=st.integers(0, 60))
@example(pieces=["a", "a", "", "e"], padding=0)
@example(pieces=["a b", "f g h", "", "a b", "f g h", "", "e"], padding=0)
@example(pieces=["a", "", " ", "a", "", "e", "", "f g h"], padding=30)
@example(pieces=["a b c d", "a b c d", "e"], padding=19)
@example(pieces=["a b", " ", "a b", "", "e", "f g h"], padding=0)
def test_repeated_lines_and_paragraphs(learner, pieces, padding):
    """lines and paragraphs that come again are counted, and so are their characters"""
    page = "\n".join([*pieces, *["z" * padding] * (padding > 0)])
    expect.equal(verdict(learner.gopher_repetition(page)), marked_repetition(page))


@pytest.mark.core
@pytest.mark.hint("slide over the words; on a duplicate of n words, count it and go on behind it")
@given(words=st.lists(st.sampled_from(["a", "bb", "ccc"]), max_size=30), others=st.integers(0, 60), split=st.booleans())
@example(words=["a"] * 12, others=18, split=False)
@example(words=["a", "bb", "ccc", "a", "ccc"] * 3, others=60, split=False)
def test_repeated_words(learner, words, others, split):
    """n-grams that come again are counted as the contract says"""
    half = len(words) // 2 if split else len(words)
    page = " ".join([*words[:half], *islice(fresh_words(), others), *words[half:]])
    expect.equal(verdict(learner.gopher_repetition(page)), marked_repetition(page))


@pytest.mark.core
@pytest.mark.hint("three of ten may be duplicates, and not one more; a paragraph of four lines is one paragraph")
@pytest.mark.parametrize("kind", ["lines", "paragraphs"])
@settings(max_examples=20)
@given(case=near(3, 10, 4, 20))
@example(case=(3, 10))
@example(case=(4, 10))
def test_threshold_of_duplicates(learner, kind, case):
    """three lines or paragraphs of ten may have come before, and not one more"""
    count, total = case
    fresh = fresh_words(100)
    others = total - 1 - count
    if kind == "lines":  # long lines, so that the copies of "aa" weigh nothing in characters
        page = "\n".join(["aa"] * (1 + count) + [" ".join(islice(fresh, 40)) for _ in range(others)])
    else:  # of four lines each, so that few lines of the page are duplicates
        block = ["\n".join(" ".join(islice(fresh, 40)) for _ in range(4)) for _ in range(others)]
        page = "\n\n".join(["aa"] * (1 + count) + block)
    applies = Fraction(count, total) > Fraction(3, 10)
    expect_verdict(learner.gopher_repetition(page), applies, f"duplicate_{kind}")


@pytest.mark.core
@pytest.mark.hint("a fifth of len(text) may be duplicates; the newline within a paragraph is one of its characters")
@given(size=st.integers(8, 20), shorter=st.booleans())
def test_threshold_of_duplicate_characters(learner, size, shorter):
    """a fifth of the characters may be in lines or paragraphs that came before, and not a bit more"""
    word, fresh = "m" * size, fresh_words(10)
    page = "\n".join([word, next(fresh), next(fresh), word])
    page += "\n" + "z" * (5 * size - len(page) - 1 - shorter)  # a line of one word, so that no n-gram comes twice
    got = learner.gopher_repetition(page)
    expect_verdict(got, shorter, "duplicate_line_characters", "(kept, reason) of duplicate lines")
    block = f"{word}\n{'n' * size}"  # 2 * size characters in lines, and one more in the paragraph
    page = "\n\n".join([block, next(fresh), next(fresh), block])
    page += "\n\n" + "z" * (5 * len(block) - len(page) - 4 - shorter) + "\ny"
    reason = "duplicate_paragraph_characters" if shorter else "top_2_gram"
    got = verdict(learner.gopher_repetition(page))
    expect.equal(got, (False, reason), "(kept, reason) of duplicate paragraphs")


def filled(piece, size):
    """The piece at the beginning and at the end, and different words between, so many characters in all."""
    fresh, page = fresh_words(10), [piece]
    while size - len(" ".join([*page, piece])) > 12:
        page.append(next(fresh))
    rest = size - len(" ".join([*page, piece])) - 1
    return " ".join([*page, "z" * rest, piece])


@pytest.mark.core
@pytest.mark.hint("a fraction that equals its threshold is allowed; the characters of top n-grams include the spaces")
@pytest.mark.parametrize("n", [2, 3, 4])
@settings(max_examples=10)
@given(scale=st.integers(4, 9), shorter=st.booleans())
def test_threshold_of_top_ngrams(learner, n, scale, shorter):
    """the top 2-, 3- and 4-gram may fill 20, 18 and 16 % of the page, and not a bit more"""
    percent = {2: 20, 3: 18, 4: 16}[n]
    size = percent * scale // 2  # characters of the n-gram, which comes twice on a page of 100 * scale
    ngram = " ".join(["m" * (size - 2 * (n - 1)), *"xyz"[: n - 1]])
    page = filled(ngram, 100 * scale - shorter)
    expect_verdict(learner.gopher_repetition(page), shorter, f"top_{n}_gram")


@pytest.mark.core
@pytest.mark.hint("characters of duplicate n-grams are those of the second copy, without spaces")
@pytest.mark.parametrize("n", range(5, 11))
@settings(max_examples=5)
@given(shorter=st.booleans(), half=st.integers(5, 8))
def test_threshold_of_duplicate_ngrams(learner, n, shorter, half):
    """duplicate 5- to 10-grams may fill 15, 14, 13, 12, 11 and 10 % of the page, and not a bit more"""
    # Two long words at the ends keep every shorter n-gram under its own threshold.
    percent, scale = 20 - n, 2 * half + 1
    long = (percent * scale - (n - 2)) // 2
    passage = " ".join(["p" * long, *"abcdefgh"[: n - 2], "q" * long])
    page = filled(passage, 100 * scale - shorter)
    expect_verdict(learner.gopher_repetition(page), shorter, f"duplicate_{n}_gram")


# --- C4

C4_LINES = {  # line -> whether it is kept
    "This line has five words.": True,
    "This has four words.": False,
    "Is this one a question?": True,
    "What a line this is!": True,
    'He said "this is a line"': True,
    "This line has no end mark": False,
    "This line ends with 'quotes'": False,
    "This line goes on and on...": False,
    "This line goes on and on…": False,
    "Please enable JavaScript to see this.": False,
    "A line of javascripts or so.": False,
    "Read our Privacy Policy before you go.": False,
    "By reading you accept the TERMS OF USE.": False,
    "This site uses cookies like all others.": False,
    "We use cookies, and so do you.": False,
    "We are using cookies like all others.": True,
    "We talk about the use of cookies here.": False,
    "Here is our cookie policy for you.": False,
    "We like policy, privacy and terms here.": True,
    "A line of {five or more} words.": True,
    "Lorem ipsum dolor sit amet today.": True,
    f"A word of {'x' * 1000} is long.": True,
    f"A word of {'x' * 1001} is too long.": False,
    "": False,
}


@pytest.mark.core
@pytest.mark.hint("go through the five rules for one line; what is stripped, and what is compared in lower case?")
@given(
    lines=st.lists(st.sampled_from(sorted(C4_LINES)), max_size=6),
    margin=st.sampled_from(["", " ", "\t "]),
)
def test_c4_keeps_lines(learner, lines, margin):
    """lines of prose are kept, in order and stripped; all others are dropped"""
    page = "\n".join(margin + line + margin for line in lines)
    expect.equal(learner.c4_clean(page), "\n".join(line for line in lines if C4_LINES[line]))


@pytest.mark.core
@pytest.mark.hint("go through the list of line rules once more: which of them does this line break?")
@pytest.mark.parametrize("line", sorted(C4_LINES), ids=lambda line: line[:24] or "empty")
def test_c4_lines_one_by_one(learner, line):
    """each rule for lines from both sides"""
    expect.equal(learner.c4_clean(line), line if C4_LINES[line] else "", f"what is left of {line[:60]!r}")


GOOD = "This line has five words."
C4_PAGES = {  # page -> verdict
    "three sentences": ("One is here. Two is here. Three.", KEPT),
    "two sentences": ("One is here and two is here. Three.", (False, "too_few_sentences")),
    "three lines": ("\n".join([GOOD] * 3), KEPT),
    "sentences that end in other marks": ('Is this it? "Yes, it is!" And so on it goes.', KEPT),
    "dropped lines have no sentences": (f"{GOOD}\n{GOOD}\nOne. Two. Three. Four", (False, "too_few_sentences")),
    "curly bracket": (f"{GOOD}\n{GOOD}\nThis is a line of {{code}}.", (False, "curly_bracket")),
    "curly bracket in a dropped line": ("\n".join([GOOD] * 3 + ["function a() { return 1; }"]), KEPT),
    "closing bracket": ("\n".join([GOOD] * 3 + ["This is a line with } in it."]), KEPT),
    "lorem ipsum": ("\n".join([GOOD] * 3 + ["Then LOREM Ipsum begins the text."]), (False, "lorem_ipsum")),
    "lorem ipsum in a dropped line": ("\n".join([GOOD] * 3 + ["Lorem ipsum"]), KEPT),
    "lorem ipsum, a bracket and one sentence": ("Lorem ipsum { and so on.", (False, "lorem_ipsum")),
    "a bracket and one sentence": ("This line has { in it.", (False, "curly_bracket")),
}


@pytest.mark.core
@pytest.mark.hint("clean first; then the three rules look at what is left, in their order")
@pytest.mark.parametrize("name", C4_PAGES)
def test_c4_judges_pages(learner, name):
    """pages are judged by the lines that are left"""
    page, want = C4_PAGES[name]
    expect.equal(verdict(learner.c4_filter(page)), want)


# --- FineWeb


def lines_of(lengths, end=""):
    """Different lines of so many characters, of words of 4, each with this end."""
    fresh = fresh_words(100)
    return [
        (" ".join(islice(fresh, -(-size // 5) + 1))[: size - len(end)].strip().ljust(size - len(end), "x") + end)
        for size in lengths
    ]


@pytest.mark.core
@pytest.mark.hint("at most 0.12: a page at the threshold is dropped; which four characters are end marks?")
@given(case=near(12, 100, 1, 50), mark=st.sampled_from('.?!"'), other=st.sampled_from([",", ";", "'", ""]))
@example(case=(3, 25), mark=".", other="")
@example(case=(4, 25), mark=".", other=";")
def test_fineweb_end_marks(learner, case, mark, other):
    """more than 12 % of the lines must end with an end mark"""
    count, total = case
    lines = lines_of([40] * total)
    page = "\n".join(line[:-1] + (mark if i < count else other or "x") for i, line in enumerate(lines))
    expect_verdict(learner.fineweb_filter(page), Fraction(count, total) <= Fraction(12, 100), "line_punctuation")


@pytest.mark.core
@pytest.mark.hint("at least 0.67: a page at the threshold is dropped; a line of 30 characters is not short")
@given(case=near(67, 100, 1, 40), margin=st.sampled_from(["", " "]))
@example(case=(67, 100), margin="")
@example(case=(66, 100), margin=" ")
def test_fineweb_short_lines(learner, case, margin):
    """less than 67 % of the lines may have fewer than 30 characters"""
    count, total = case
    lines = lines_of([29] * count + [30] * (total - count), end=".")
    page = "\n".join(margin + line + margin for line in lines)
    expect_verdict(learner.fineweb_filter(page), Fraction(count, total) >= Fraction(67, 100), "short_lines")


@pytest.mark.core
@pytest.mark.hint("at least 0.1: characters of the later copies over the characters of all lines, without the newlines")
@given(size=st.integers(41, 60), rest=st.integers(-2, 2), copies=st.integers(1, 2), blanks=st.integers(0, 1))
@example(size=50, rest=0, copies=1, blanks=0)
@example(size=50, rest=1, copies=1, blanks=1)
def test_fineweb_duplicate_lines(learner, size, rest, copies, blanks):
    """less than 10 % of the characters may be in lines that came before"""
    # 1 + copies lines are equal; the others, of all together 10 * copies * size + rest characters, are not.
    others = 10 * copies * size - (1 + copies) * size + rest
    parts = others // size - 1
    lines = lines_of([size] + [size] * parts + [others - parts * size], end=".")
    page = ("\n" + "\n" * blanks).join(lines + [lines[0]] * copies)
    expect_verdict(learner.fineweb_filter(page), rest <= 0, "duplicate_line_characters")


@pytest.mark.core
@pytest.mark.hint("three newlines for ten words are allowed; empty lines have newlines as well")
@given(case=near(3, 10, 10, 60), blanks=st.booleans())
@example(case=(3, 10), blanks=True)
@example(case=(4, 10), blanks=False)
def test_fineweb_lists(learner, case, blanks):
    """three newlines for ten words are allowed, more are not"""
    newlines, words = case
    lines = 1 if blanks else newlines + 1
    sizes = np.full(lines, words // lines)
    sizes[: words % lines] += 1
    fresh = (word + "x" * 30 for word in fresh_words())
    page = "\n".join(" ".join(islice(fresh, size)) + "." for size in sizes.tolist())
    page = page + "\n" * newlines if blanks else page
    expect_verdict(learner.fineweb_filter(page), Fraction(newlines, words) > Fraction(3, 10), "list")


# --- all filters

SOUP = st.sampled_from(
    [
        "the",
        "and",
        "to",
        "pages",
        "readers",
        "1984",
        "#tag",
        "so...",
        "…",
        "a",
        "end.",
        "Why?",
        "{x}",
        "internationally",
    ]
)
LINES = st.builds(
    lambda mark, words, end, times: "\n".join([mark + " ".join(words) + end] * times),
    st.sampled_from(["", "- ", "• ", "  "]),
    st.lists(SOUP, max_size=9),
    st.sampled_from(["", ".", "...", "!", " "]),
    st.sampled_from([1, 1, 1, 2]),
)
PAGES = st.lists(LINES, max_size=14).map("\n".join)


@pytest.mark.core
@pytest.mark.hint("where several rules apply, the first one of the list gives the reason")
@pytest.mark.parametrize("name", ["gopher_quality", "gopher_repetition", "c4_filter", "fineweb_filter"])
@given(page=PAGES)
def test_first_rule_gives_the_reason(learner, reference, name, page):
    """on pages that break many rules, the first one that applies is named"""
    expect.equal(verdict(getattr(learner, name)(page)), verdict(getattr(reference, name)(page)))


@pytest.mark.edge
@pytest.mark.hint("a page of nothing has no words and no lines: nothing to divide by")
@pytest.mark.parametrize("page", ["", " \n\t\n ", "\n"], ids=["empty", "blank", "newline"])
def test_empty_pages(learner, page):
    """empty and blank pages are dropped, each for its reason"""
    expect.equal(verdict(learner.gopher_quality(page)), (False, "too_few_words"), "gopher_quality")
    expect.equal(verdict(learner.gopher_repetition(page)), (False, "empty"), "gopher_repetition")
    expect.equal(verdict(learner.c4_filter(page)), (False, "too_few_sentences"), "c4_filter")
    expect.equal(verdict(learner.fineweb_filter(page)), (False, "empty"), "fineweb_filter")
    expect.equal(learner.c4_clean(page), "", "c4_clean")


# --- the funnel

STAGES = ("gopher_quality", "gopher_repetition", "c4", "fineweb", "exact_dedup")
PROSE = " ".join(plain_words(60)) + ". This is it. And that was it."
DOCS = st.lists(
    st.sampled_from(
        [
            PROSE,
            f"Menu\n{PROSE}",
            f"{PROSE}\nHöme | Aböut",
            "Höme\nAbout",
            "One is here. Two is here. Three is here.",
            "One is here. Two is here. Three is here.\nMenu",
            "a b c d e\na b c d e",
            "",
        ]
    ),
    max_size=6,
)


def run_by_hand(learner, docs, stages):
    """The funnel from the learner's own filters."""
    names = {"c4": "c4_filter", "fineweb": "fineweb_filter"}
    rows = []
    for stage in stages:
        left, reasons = [], {}
        for doc in docs:
            if stage == "exact_dedup":
                kept, reason = doc not in left, "duplicate"
            else:
                kept, reason = verdict(getattr(learner, names.get(stage, stage))(doc))
            if kept:
                left.append(learner.c4_clean(doc) if stage == "c4" else doc)
            else:
                reasons[reason] = reasons.get(reason, 0) + 1
        docs = left
        size = len("".join(docs).encode())
        rows.append({"stage": stage, "documents": len(docs), "bytes": size, "reasons": reasons})
    return rows


@pytest.mark.core
@pytest.mark.hint(
    "each stage sees what the one before left, cleaned by c4 where that was the stage; bytes are of UTF-8"
)
@given(docs=DOCS, stages=st.lists(st.sampled_from(STAGES), max_size=4))
@example(docs=["Höme\nAbout", PROSE, f"Menu\n{PROSE}"], stages=["exact_dedup", "c4", "exact_dedup"])
@example(docs=["Höme\nAbout", f"Menu\n{PROSE}"], stages=list(STAGES))
def test_stages_follow_one_another(learner, docs, stages):
    """each stage judges what the one before has left, and the counts are those of your own filters"""
    expect.equal(learner.funnel(docs, stages), run_by_hand(learner, docs, stages))


@pytest.mark.core
@pytest.mark.hint("two pages with the same text and other menus are equal after c4 has cleaned them, not before")
def test_order_of_stages(learner):
    """duplicates that differ in their menus are found after the cleaning, not before it"""
    docs = [f"Home | About\n{PROSE}", f"{PROSE}\nImpressum", PROSE]
    for stages, want in ((["exact_dedup", "c4"], 3), (["c4", "exact_dedup"], 1)):
        rows = expect.sequence(learner.funnel(docs, stages), "the rows")
        expect.length(rows, 2, "the rows")
        last = expect.instance(rows[-1], dict, "a row")
        expect.equal(last.get("documents"), want, f"documents after {stages}")
        expect.equal(last.get("bytes"), want * len(PROSE), f"bytes after {stages}")


@pytest.mark.edge
@pytest.mark.hint("look at all names before you begin: raise ValueError")
@given(docs=DOCS, stages=st.lists(st.sampled_from(STAGES), max_size=2), wrong=st.sampled_from(["", "C4", "gopher"]))
@settings(max_examples=10)
def test_unknown_stages(learner, docs, stages, wrong):
    """a stage that there is not is an error"""
    expect.raises(ValueError, learner.funnel, docs, [*stages, wrong])
    expect.raises(ValueError, learner.funnel, [], [wrong])


@pytest.mark.edge
@pytest.mark.hint("the documents belong to the caller: make a new list for what is left")
@given(docs=DOCS)
@settings(max_examples=10)
def test_documents_are_left_alone(learner, docs):
    """the funnel changes neither documents nor stages; without stages it has no rows"""
    expect.unchanged(learner.funnel, docs, ["c4", "exact_dedup"])
    expect.equal(learner.funnel(docs, []), [], "rows")


# --- growth


@cache
def made_page(words):
    """A page of so many words, few of them repeated."""
    return " ".join(strategies.corpus(words, 1, vocabulary=20_000, min_words=words, max_words=words, skew=0.3))


@pytest.mark.scale
@pytest.mark.hint("remember what was seen in a set; searching a list for every n-gram is quadratic")
def test_time_grows_with_words(learner):
    """four times the words take no more than 7.6 times as long"""
    expect.equal(verdict(learner.gopher_repetition(made_page(8000))), KEPT, "(kept, reason) of 8,000 words")
    expect.growth(
        learner.gopher_repetition,
        (made_page(2000),),
        (made_page(8000),),
        at_most=FOUR_TIMES,
        what="2,000 and 8,000 words",
    )
