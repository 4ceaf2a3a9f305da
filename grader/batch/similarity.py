"""Near-duplicates among hand-ins, by MinHash and locality-sensitive hashing: candidates for a human look.

Two short solutions of the same exercise are alike by nature. So what the stub gave is taken off, and so is what
many hand-ins share; what is left is compared exactly for every pair that the hashes bring together.

Source: Broder, "On the resemblance and containment of documents", 1997; bands as in Leskovec, Rajaraman and Ullman,
"Mining of Massive Datasets", chapter 3.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from typing import Any, Final

import numpy as np

from grader.batch.records import Entry, Intake
from grader.batch.tokens import shingles, tokens
from grader.model import Exercise

SIZE: Final = 8  # tokens of a shingle: about a statement
BANDS: Final = 32  # pairs at similarity 0.6 meet with 98.8 %, at 0.2 with 5 %
ROWS: Final = 4
THRESHOLD: Final = 0.6
LEAST: Final = 25  # shingles that a file must have left: less than that is alike by chance
COMMON: Final = 1 / 2  # of the class: what more than that share has is the exercise's own, and nobody's
CLASS: Final = 9  # different files from which such a share means something
SEED: Final = 20_260_301  # any fixed number: the same class gives the same candidates


@dataclass(frozen=True)
class Match:
    """Students whose files for one exercise are much alike.

    Attributes:
        left: students with one file, or with files that differ in names, comments and layout only.
        right: students with the other; empty where ``left`` is all there is.
        similarity: shared share of their shingles (Jaccard), 1.0 within ``left``.
        shared: how many shingles they share.
    """

    exercise: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    similarity: float
    shared: int


@dataclass(frozen=True)
class Comparison:
    """What came of comparing the files of one exercise.

    Attributes:
        compared: how many students' files were compared.
        short: how many had too little of their own.
    """

    exercise: str
    compared: int
    short: int
    matches: tuple[Match, ...]


def compare(intake: Intake, exercises: Sequence[Exercise], threshold: float = THRESHOLD) -> list[Comparison]:
    """Look for near-duplicates among the files of each exercise.

    Args:
        intake: who handed in what.
        exercises: which to look at.
        threshold: least similarity to be told of, above 0 and up to 1.
    """
    found = []
    for exercise in exercises:
        entries = [e for e in intake.entries if e.exercise == exercise.id and e.submission.source is not None]
        if entries:
            found.append(_compare(exercise, entries, threshold))
    return found


def _compare(exercise: Exercise, entries: Sequence[Entry], threshold: float) -> Comparison:
    given = shingles(tokens(exercise.stub.read_bytes()), SIZE)
    sources: defaultdict[bytes, list[str]] = defaultdict(list)
    for entry in entries:
        sources[entry.submission.source or b""].append(entry.student.key)
    raw = {source: frozenset(shingles(tokens(source), SIZE) - given) for source in sources}
    common = _common(set(raw.values()))
    owners: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    short = 0
    for source, students in sources.items():
        left = raw[source] - common
        if len(left) < LEAST:
            short += len(students)
        else:
            owners[left] += students
    documents = list(owners)
    matches = [Match(exercise.id, tuple(sorted(owners[d])), (), 1.0, len(d)) for d in documents if len(owners[d]) > 1]
    for one, other in candidates(documents):
        shared = len(documents[one] & documents[other])
        similarity = shared / len(documents[one] | documents[other])
        if similarity >= threshold:
            sides = sorted((tuple(sorted(owners[documents[one]])), tuple(sorted(owners[documents[other]]))))
            matches.append(Match(exercise.id, sides[0], sides[1], similarity, shared))
    matches.sort(key=lambda match: (-match.similarity, -match.shared, match.left, match.right))
    return Comparison(exercise.id, len(entries) - short, short, tuple(matches))


def _common(documents: Iterable[frozenset[str]]) -> set[str]:
    """What half of all different files share."""
    documents = list(documents)
    if len(documents) < CLASS:
        return set()
    counts = Counter(shingle for document in documents for shingle in document)
    return {shingle for shingle, count in counts.items() if count > len(documents) * COMMON}


def candidates(documents: Sequence[Iterable[str]]) -> set[tuple[int, int]]:
    """Pairs of positions whose signatures agree in a whole band."""
    buckets: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    for at, document in enumerate(documents):
        for band, values in enumerate(signature(document).reshape(BANDS, ROWS)):
            buckets[band, values.tobytes()].append(at)
    return {pair for bucket in buckets.values() for pair in combinations(bucket, 2)}


def signature(items: Iterable[str]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The least value of each hash function over a set of texts that is not empty."""
    digests = b"".join([blake2b(item.encode("utf-8", "replace"), digest_size=4).digest() for item in items])
    x = np.frombuffer(digests, dtype="<u4").astype(np.uint64)[:, None]  # (items, 1)
    # The high half of a x + b mod 2**64 is pairwise independent for 32-bit x: Dietzfelbinger, STACS 1996.
    a, b = np.random.default_rng(SEED).integers(0, 2**64, size=(2, BANDS * ROWS), dtype=np.uint64)
    least: np.ndarray[Any, np.dtype[np.uint64]] = (x * a + b).min(axis=0) >> np.uint64(32)
    return least


def to_document(found: Sequence[Comparison], threshold: float) -> dict[str, Any]:
    """What ``grade similar --json`` prints, as ``grader/schemas/similar.json`` describes it."""
    return {
        "schema": "similar/1",
        "threshold": threshold,
        "exercises": [
            {
                "id": each.exercise,
                "compared": each.compared,
                "short": each.short,
                "matches": [_match(match) for match in each.matches],
            }
            for each in found
        ],
    }


def _match(match: Match) -> Mapping[str, Any]:
    return {
        "left": [_text(name) for name in match.left],
        "right": [_text(name) for name in match.right],
        "similarity": round(match.similarity, 4),
        "shared": match.shared,
    }


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def lines(found: Sequence[Comparison], most: int) -> Iterator[str]:
    """The same for a terminal: a line per match, the most alike first."""
    for each in found:
        left_out = f"; {each.short} have too little of their own" if each.short else ""
        yield f"{each.exercise} · {each.compared} compared{left_out}"
        for match in each.matches[:most]:
            sides = " · ".join(", ".join(side) for side in (match.left, match.right) if side)
            yield f"  {match.similarity:>4.0%}  {sides}"
        if len(each.matches) > most:
            yield f"  … and {len(each.matches) - most} more: --json has them all"
        if not each.matches:
            yield "  nothing stands out"
    yield "Candidates for a human look, and no verdict: short solutions are often alike by themselves."
