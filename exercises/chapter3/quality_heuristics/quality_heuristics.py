"""Quality heuristics: which pages of a crawl read like text, by the rules of Gopher, C4 and FineWeb.

Read README.md first. These words mean the same in all functions:

- *words*: the pieces of ``text.split()``, punctuation and all;
- *lines*: the pieces of ``text.split("\\n")``, stripped with ``str.strip``; those that are empty then are left out;
- *paragraphs*: runs of lines with no empty or blank line between them, each joined with "\\n";
- *a duplicate* among lines or paragraphs: one that is equal to an earlier one; the first is none;
- *end marks*: the four characters . ? ! and ";
- *characters*: ``len`` of a str.

A fraction is one division of two counts, ``count / total`` as floats, and is compared with the threshold as written.
Rules are tried in the order in which they are listed, and the first that applies gives the reason. A text that no rule
applies to is kept, for the reason "kept". Texts may be empty or blank. Upper and lower case are different
letters unless a rule says otherwise.
"""

STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")
POLICIES = ("terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies")
TOP_NGRAMS = {2: 0.20, 3: 0.18, 4: 0.16}
DUPLICATE_NGRAMS = {5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}


def gopher_quality(text: str) -> tuple[bool, str]:
    """Decide by Gopher's quality rules (Rae et al. 2021, appendix A.1.1) whether a text is kept.

    =====================  =========================================================================
    reason                 the text is dropped if
    =====================  =========================================================================
    "too_few_words"        it has fewer than 50 words
    "too_many_words"       it has more than 100,000 words
    "short_words"          the mean length of its words is below 3 characters
    "long_words"           the mean length of its words is above 10 characters
    "hashes"               ``text.count("#")`` over the number of words is above 0.1
    "ellipses"             ``text.count("...") + text.count("…")`` over the number of words is above 0.1
    "bullet_lines"         the fraction of lines that begin with "•" or "-" is above 0.9
    "ellipsis_lines"       the fraction of lines that end with "..." or "…" is above 0.3
    "few_alphabetic"       the fraction of words with at least one letter (``str.isalpha``) is below 0.8
    "few_stop_words"       fewer than 2 different STOP_WORDS are among its words; a word must be equal to one: "The"
                           and "the," are not
    =====================  =========================================================================

    Args:
        text: the page.

    Returns:
        (kept, reason), for example (False, "hashes") or (True, "kept").

    Example:
        >>> gopher_quality("to be or not to be")
        (False, 'too_few_words')
    """
    raise NotImplementedError


def gopher_repetition(text: str) -> tuple[bool, str]:
    """Decide by Gopher's repetition rules (Rae et al. 2021, table A1) whether a text is kept.

    ================================  ==============================================================
    reason                            the text is dropped if
    ================================  ==============================================================
    "empty"                           it has no words
    "duplicate_lines"                 duplicates among its lines, over lines, are above 0.3
    "duplicate_paragraphs"            duplicates among its paragraphs, over paragraphs, are above 0.3
    "duplicate_line_characters"       characters in duplicate lines over ``len(text)`` are above 0.2
    "duplicate_paragraph_characters"  characters in duplicate paragraphs over ``len(text)`` are above 0.2
    "top_2_gram", ... "top_4_gram"    characters of the top n-gram over ``len(text)`` are above TOP_NGRAMS[n]
    "duplicate_5_gram", ...           characters in duplicate n-grams over ``len(text)`` are above
    "duplicate_10_gram"               DUPLICATE_NGRAMS[n]
    ================================  ==============================================================

    An n-gram is n consecutive words, joined by one space. The *top n-gram* is the one that occurs most often; places
    may overlap. Its characters are its length times the number of its places. Of several that occur equally often, the
    longest counts. Where no n-gram occurs twice, there is none, and the rule does not apply.

    *Duplicate n-grams* are found in one pass from the first word to the last. If the n words from here on were seen
    before, they are a duplicate: their characters are counted, without spaces, and the pass goes on after them. If not,
    they have been seen now, and the pass goes on with the next word. So no word is counted twice.

    Args:
        text: the page, up to 100,000 words.

    Returns:
        (kept, reason).

    Time: four times the words take at most 7.6 times as long.

    Example:
        >>> gopher_repetition("a b c d e\\na b c d e")
        (False, 'duplicate_lines')
    """
    raise NotImplementedError


def c4_clean(text: str) -> str:
    """Keep the lines of a text that C4 keeps (Raffel et al. 2020, section 2.2; constants of the code that made C4).

    A line is dropped if

    - one of its words has more than 1000 characters; or
    - it does not end with an end mark, or it ends with "..."; or
    - it has fewer than 5 words; or
    - it contains "javascript", in upper or lower case; or
    - it contains one of POLICIES, in upper or lower case.

    Args:
        text: the page.

    Returns:
        the lines that are left, in order, joined with "\\n"; "" if there are none.

    Example:
        >>> c4_clean("Menu\\nThis line has five words.\\nThis line goes on and on...")
        'This line has five words.'
    """
    raise NotImplementedError


def c4_filter(text: str) -> tuple[bool, str]:
    """Decide by C4's rules for pages, looking at the lines that ``c4_clean`` keeps, whether a text is kept.

    ===================  ============================================================================
    reason               the text is dropped if what is left of it
    ===================  ============================================================================
    "lorem_ipsum"        contains "lorem ipsum", in upper or lower case
    "curly_bracket"      contains "{"
    "too_few_sentences"  has fewer than 3 sentences: words that end with an end mark
    ===================  ============================================================================

    Args:
        text: the page.

    Returns:
        (kept, reason).

    Example:
        >>> c4_filter("This is one sentence. This is another one.")
        (False, 'too_few_sentences')
    """
    raise NotImplementedError


def fineweb_filter(text: str) -> tuple[bool, str]:
    """Decide by FineWeb's own rules (Penedo et al. 2024, section 3.6) whether a text is kept.

    ============================  ==================================================================
    reason                        the text is dropped if
    ============================  ==================================================================
    "empty"                       it has no words
    "line_punctuation"            the fraction of lines that end with an end mark is at most 0.12
    "short_lines"                 the fraction of lines of fewer than 30 characters is at least 0.67
    "duplicate_line_characters"   characters in duplicate lines, over characters in all lines, are at least 0.1
    "list"                        ``text.count("\\n")`` over the number of words is above 0.3
    ============================  ==================================================================

    Args:
        text: the page.

    Returns:
        (kept, reason).

    Example:
        >>> fineweb_filter("Home\\nAbout us\\nContact")
        (False, 'line_punctuation')
    """
    raise NotImplementedError


def funnel(docs: list[str], stages: list[str]) -> list[dict]:
    """Run documents through the stages of a pipeline and count what each of them leaves.

    A stage is one of

    - "gopher_quality", "gopher_repetition", "fineweb": keeps the documents that the function keeps;
    - "c4": keeps the documents that ``c4_filter`` keeps, and goes on with what ``c4_clean`` leaves of them;
    - "exact_dedup": drops each document that is equal to an earlier one of those that have come so far, for the reason
      "duplicate".

    Args:
        docs: the texts. It must not be changed.
        stages: names of stages, in the order in which they run; may be empty, and a name may come twice.

    Returns:
        one dict per stage, in order:

        - "stage": its name;
        - "documents": how many documents it leaves;
        - "bytes": how many bytes these are as they leave it, in UTF-8;
        - "reasons": a dict from each reason to the number of documents that were dropped for it; reasons that dropped
          none are left out.

    Raises:
        ValueError: a stage has another name than these five, whether or not a document reaches it.

    Example:
        >>> funnel(["a", "a", "é"], ["exact_dedup", "gopher_quality"])  # doctest: +NORMALIZE_WHITESPACE
        [{'stage': 'exact_dedup', 'documents': 2, 'bytes': 3, 'reasons': {'duplicate': 1}},
         {'stage': 'gopher_quality', 'documents': 0, 'bytes': 0, 'reasons': {'too_few_words': 2}}]
    """
    raise NotImplementedError
