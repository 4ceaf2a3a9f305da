"""Words are compared as they stand.
Killed by: test_hits_are_shared_ngrams, test_case_and_punctuation_mean_nothing
"""

import re
import string
from bisect import bisect_right

PUNCTUATION = str.maketrans("", "", string.punctuation)


def ngram_hits(doc: str, benchmark: list[str], n: int) -> list[tuple[int, int]]:
    if n < 1:
        raise ValueError("an n-gram has at least one word")
    known = {ngram for item in benchmark for ngram, _, _ in _ngrams(item, n)}
    return [(start, end) for ngram, start, end in _ngrams(doc, n) if ngram in known]


def decontaminate(
    doc: str, benchmark: list[str], n: int = 13, window: int = 200, min_slice: int = 200, max_pieces: int = 10
) -> list[str]:
    if max_pieces < 1 or min(window, min_slice) < 0:
        raise ValueError("sizes are not negative, and max_pieces is at least 1")
    hits = ngram_hits(doc, benchmark, n)
    if not hits:
        return [doc.strip()] if doc.strip() else []
    windows = _windows(hits, window)
    slices, apart = [], True
    for start, end in _pieces(doc):
        stays = not _inside(start, end, windows)
        if stays and apart:
            slices.append((start, end))
        elif stays:
            slices[-1] = (slices[-1][0], end)
        apart = not stays
    slices = [doc[start:end] for start, end in slices]
    return [piece for piece in slices if len(piece) >= min_slice] if len(slices) <= max_pieces else []


def _pieces(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S+", text)]


def _ngrams(text: str, n: int) -> list[tuple[tuple[str, ...], int, int]]:
    words = [(text[start:end].translate(PUNCTUATION), start, end) for start, end in _pieces(text)]
    words = [word for word in words if word[0]]
    runs = (words[i : i + n] for i in range(len(words) - n + 1))
    return [(tuple(word for word, _, _ in run), run[0][1], run[-1][2]) for run in runs]


def _windows(hits: list[tuple[int, int]], window: int) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in hits:
        if joined and start - window <= joined[-1][1]:
            joined[-1] = (joined[-1][0], end + window)
        else:
            joined.append((start - window, end + window))
    return joined


def _inside(start: int, end: int, windows: list[tuple[int, int]]) -> bool:
    last = bisect_right(windows, start, key=lambda each: each[0]) - 1
    return last >= 0 and end <= windows[last][1]
