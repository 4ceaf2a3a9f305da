"""Signing: documents per second that the reference of minhash_lsh signs, against datasketch on the same sets."""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence

from measure import EXERCISE, ROOT, in_turn, print_table, ratio

from grader.catalog import import_file

REFERENCE = import_file(ROOT / "solutions" / "chapter3" / EXERCISE / "reference.py", "reference_of_minhash_lsh")
NUM_PERM = 112  # 14 bands of 8 rows, the exercise's defaults
TARGET = 1.0
OURS = "reference"
Corpus = Sequence[set[str]]


def corpus(documents: int, words: int) -> Corpus:
    """Sets of 5-word shingles of texts of so many words; words out of 50,000, so that hardly a shingle comes twice."""
    draw = random.Random(1)
    texts = [" ".join(f"word{draw.randrange(50_000)}" for _ in range(words)) for _ in range(documents)]
    return [REFERENCE.shingles(text, 5) for text in texts]


def signing(sign: Callable[[Corpus], object], sets: Corpus) -> Callable[[], float]:
    """A side: seconds that signing all sets takes."""

    def side() -> float:
        start_s = time.perf_counter()
        sign(sets)
        return time.perf_counter() - start_s

    return side


def signers() -> dict[str, Callable[[Corpus], object]]:
    """The ways to sign: ours, datasketch's for many documents, its plain one, and that of releases before 2.0."""
    try:
        from datasketch import MinHash
    except ImportError:
        sys.exit("This benchmark needs datasketch 2: pip install datasketch")

    def one_by_one(sets: Corpus) -> None:
        for items in sets:
            MinHash(num_perm=NUM_PERM).update_batch([item.encode() for item in items])

    def in_bulk(sets: Corpus, **scheme: str) -> None:
        MinHash.bulk(([item.encode() for item in items] for items in sets), num_perm=NUM_PERM, **scheme)

    return {
        OURS: lambda sets: [REFERENCE.minhash_signature(items, NUM_PERM, 1) for items in sets],
        "bulk": in_bulk,
        "one by one": one_by_one,
        "legacy, bulk": lambda sets: in_bulk(sets, scheme="legacy"),
    }


def main() -> None:
    """Time all in turn for short and long documents and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--words", type=int, nargs="+", default=[50, 500, 2000], help="words of a document")
    options = parser.parse_args()
    rows = []
    for words in options.words:
        sets = corpus(options.documents, words)
        taken = in_turn(options.rounds, {name: signing(sign, sets) for name, sign in signers().items()})
        speeds = {name: f"{len(sets) / statistics.median(taken[name]):,.0f} /s" for name in taken}
        for name in list(taken)[1:]:
            found = f"{ratio(taken[name], taken[OURS]):.2f}x"
            rows.append([f"{words} words", name, speeds[OURS], speeds[name], found, f"{TARGET:.1f}x"])
    print_table(["documents of", "datasketch", "reference signs", "datasketch signs", "ratio", "at least"], rows)


if __name__ == "__main__":
    main()
