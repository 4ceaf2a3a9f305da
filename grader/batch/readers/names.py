"""What file and folder names say: whose it is, which exercise, which attempt, and whether it was late."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from grader.catalog.submission import plain_name

# As Canvas writes them: name_LATE_userid_submissionid_file, with -1, -2 … before the ending of later attempts.
CANVAS: Final = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<number>\d+)_(?P<file>.+)", re.DOTALL)
_WORDS: Final = "attempt|resubmission|submission|version|try"
_TRY: Final = re.compile(rf"(?:[ _.-]+v|[ _.-]*(?:{_WORDS}))[ _.-]*(\d{{1,4}})\Z", re.IGNORECASE)
_COPY: Final = re.compile(r"[ _]*\((\d{1,4})\)\Z")
_NUMBER: Final = re.compile(r"-(\d{1,3})\Z")
CLOSE: Final = 0.8  # of difflib's ratio, as where a learner's own folder is searched


@dataclass(frozen=True)
class Stem:
    """A file's name without its ending and without what counts its copies.

    Attributes:
        text: what is left, as it was written.
        attempt: the number that was taken off; 0 where there was none.
    """

    text: str
    attempt: int = 0


def stem_of(name: str, numbered: bool = False) -> Stem:
    """Take the ending and the marks of copies off a file's name.

    Args:
        name: e.g. ``minhash-lsh (1).py``.
        numbered: whether ``-1`` before the ending counts attempts, as Canvas writes them.
    """
    text, dot, _ = name.rpartition(".")
    text, attempt = text if dot and text else name, 0
    patterns = (_COPY, _TRY, *([_NUMBER] if numbered else []))
    for _ in patterns:
        for pattern in patterns:
            found = pattern.search(text)
            if found and found.start() > 0:
                text, attempt = text[: found.start()], max(attempt, int(found[1]))
    return Stem(text, attempt)


def attempt_of(folder: str) -> int:
    """The number in a folder's name such as ``attempt2``, or 0."""
    found = re.fullmatch(rf"(?:{_WORDS}|v)?[ _.-]*(\d{{1,4}})", folder, re.IGNORECASE)
    return int(found[1]) if found else 0


def split_attempt(folder: str) -> Stem:
    """A student's folder and the attempt that its name counts: ``doe_jane-attempt2``."""
    found = _TRY.search(folder)
    if found and found.start() > 0 and re.search(_WORDS, found[0], re.IGNORECASE):
        return Stem(folder[: found.start()].rstrip(" _.-"), int(found[1]))
    return Stem(folder)


@dataclass(frozen=True)
class Meaning:
    """Which exercise a file's name means.

    Attributes:
        slug: of the exercise, or "".
        rank: 0 its name as it should be, 1 the same in other spelling or with more around it, 2 nearly.
        rest: what else the name says: a student, perhaps.
    """

    slug: str = ""
    rank: int = 9
    rest: str = ""


def meaning(name: str, slugs: Sequence[str], numbered: bool = False) -> Meaning:
    """Which of the exercises a file means, by its name alone."""
    raw = name.rpartition(".")[0]
    if raw in slugs:
        return Meaning(raw, 0)
    plain = plain_name(stem_of(name, numbered).text + ".py")
    if plain in slugs:
        return Meaning(plain, 1)
    for slug in sorted(slugs, key=len, reverse=True):
        for form in dict.fromkeys((slug, slug.replace("_", ""))):
            if plain.endswith(f"_{form}") and not plain.startswith("test_"):
                return Meaning(slug, 1, plain[: -len(form) - 1])
            if plain.startswith(f"{form}_") and not re.match(r"tests?\b", plain[len(form) + 1 :]):
                return Meaning(slug, 1, plain[len(form) + 1 :])
    return _nearly(plain, slugs)


def _nearly(plain: str, slugs: Sequence[str]) -> Meaning:
    words = plain.split("_")
    tails = {"_".join(words[at:]): "_".join(words[:at]) for at in range(len(words))}
    best = get_close_matches(plain, slugs, n=1, cutoff=CLOSE)
    if best:
        return Meaning(best[0], 2)
    for tail, rest in tails.items():
        close = get_close_matches(tail, slugs, n=1, cutoff=CLOSE)
        if close and rest and not plain.startswith("test_"):
            return Meaning(close[0], 2, rest)
    return Meaning()
