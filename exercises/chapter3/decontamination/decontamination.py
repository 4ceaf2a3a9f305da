"""Decontamination: find benchmark text in training documents, and cut it out with its surroundings.

Read README.md first. These words mean the same in both functions:

- *pieces of text* are what stands between white space (``text.split()``): "Well,", "well", "-";
- a piece's *word* is what is left of it in lower case (``str.lower``) without the 32 characters of
  ``string.punctuation``, wherever they stand: "Don't!" has the word "dont". A piece that is nothing but punctuation has
  no word, and n-grams pass over it;
- an *n-gram* is n consecutive words of one text. A text of fewer than n words has none.
"""


def ngram_hits(doc: str, benchmark: list[str], n: int) -> list[tuple[int, int]]:
    """Find the n-grams of a document that a benchmark has, too.

    A hit is an n-gram of the document that is equal, word by word, to an n-gram of one of the benchmark's items. Hits
    may overlap: a shared passage of n + 2 words makes three.

    Args:
        doc: the training document; may be empty.
        benchmark: the items, each a text of its own: n-grams do not reach from one item into the next. The list may be
            empty, and so may items.
        n: words of an n-gram, at least 1.

    Returns:
        one pair (start, end) per hit, from left to right: doc[start:end] reaches from the first character of the piece
        of the n-gram's first word to the last character of the piece of its last word, punctuation at either end
        included.

    Raises:
        ValueError: ``n`` is less than 1.

    Example:
        >>> ngram_hits("I say: To be, or NOT to be!", ["To be or not to be, that is the question."], 5)
        [(7, 23), (10, 27)]
    """
    raise NotImplementedError


def decontaminate(
    doc: str, benchmark: list[str], n: int = 13, window: int = 200, min_slice: int = 200, max_pieces: int = 10
) -> list[str]:
    """Cut the hits out of a document, with a window around each of them.

    1. A hit's window reaches from ``start - window`` to ``end + window``, the end exclusive. A piece of text is removed
       when each of its characters is in a window, be it in one or in several that overlap or touch. A piece that sticks
       out stays whole.
    2. What is left falls into *slices*: runs of neighbouring pieces that stay. A slice is the part of ``doc`` from the
       first character of its first piece to the last character of its last piece.
    3. A document without hits stays one slice, however short; one without pieces has no slices.
    4. A document with hits that falls into more than ``max_pieces`` slices is dropped as a whole.
    5. Of the slices of a document with hits, those of fewer than ``min_slice`` characters are dropped.

    Args:
        doc: the training document; may be empty.
        benchmark: the items of the benchmark, as for ``ngram_hits``.
        n: words of an n-gram, at least 1.
        window: characters on either side of a hit, at least 0.
        min_slice: characters of a slice that is kept, at least 0; inclusive.
        max_pieces: most slices (not pieces of text) of a document that is not dropped, short ones counted, at least 1;
            inclusive.

    Returns:
        the slices that are kept, in order.

    Raises:
        ValueError: ``n`` or ``max_pieces`` is less than 1, or ``window`` or ``min_slice`` is negative.

    Time: four times the words in the document and four times the items take at most 7.6 times as long, however many
    hits there are.

    Example:
        >>> doc = "It was said: To be, or not to be! And they all went home."
        >>> decontaminate(doc, ["to be or not to be"], n=6, window=10, min_slice=8)  # "It" is left, but too short
        ['all went home.']
    """
    raise NotImplementedError
