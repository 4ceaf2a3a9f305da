"""Known mix-ups of an exercise: which checks fail together, and what that usually means.

``misconceptions.json`` lies beside the checks, so that a kit without solutions has it too; it holds sentences
and names of visible checks, and nothing of a solution. ``grade check --write`` makes it from the chaffs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path

from grader.errors import ContentError
from grader.model import Exercise

FILE = "misconceptions.json"
MOST_GUESSES = 2  # more readings of one failure than this help nobody
_ORDINARY = re.compile(r"(A|[A-Z][a-z]+)\b")  # a first word that a sentence, and nothing else, may have made capital


@dataclass(frozen=True)
class Misconception:
    """Checks that fail together, and what the known-wrong variants behind it get wrong.

    Attributes:
        fails: full names of the failing visible checks, sorted.
        says: one sentence per variant, in the learner's words, sorted.
    """

    fails: tuple[str, ...]
    says: tuple[str, ...]


def misconceptions_file(exercise: Exercise) -> Path:
    """Where the mix-ups of an exercise are kept."""
    return exercise.folder / FILE


def misconceptions(exercise: Exercise) -> dict[frozenset[str], str]:
    """What a learner's file probably gets wrong, by the set of visible checks that fail.

    Two variants that fail in the same way are told as "either … or …"; of three or more, none is told.
    """
    statement = exercise.statement.read_text(encoding="utf-8") if exercise.statement.is_file() else ""
    return {
        frozenset(known.fails): _joined(known.says, statement)
        for known in read_misconceptions(exercise)
        if len(known.says) <= MOST_GUESSES
    }


def _joined(says: Sequence[str], statement: str) -> str:
    """Several sentences as one, which goes on where they would end and begin."""
    if len(says) == 1:
        return says[0]
    return f"either {', or '.join(_as_part(sentence.removesuffix('.'), statement) for sentence in says)}"


def _as_part(sentence: str, statement: str) -> str:
    """With a small letter at its start, unless its first word is a name.

    GPUs, ZeRO and N show that they are names. Adam is one if the statement has it with a capital in mid-sentence, and
    never with a small letter.
    """
    first = _ORDINARY.match(sentence)
    if first is None or iskeyword(first[0]):
        return sentence
    small = sentence[0].lower() + sentence[1:]
    capital = re.search(rf"[a-z,] [`*]*{first[0]}\b", statement)
    return sentence if capital and not re.search(rf"\b{first[0].lower()}\b", statement) else small


def read_misconceptions(exercise: Exercise) -> tuple[Misconception, ...]:
    """The file's content as it stands, or nothing where there is no file.

    Raises:
        ContentError: it is not what ``grade check --write`` writes.
    """
    path = misconceptions_file(exercise)
    if not path.is_file():
        return ()
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return tuple(Misconception(tuple(entry["fails"]), tuple(entry["says"])) for entry in entries)
    except (ValueError, KeyError, TypeError) as error:
        remedy = f"Make it anew: grade check {exercise.id} --write"
        raise ContentError(f"{path}: not a list of misconceptions ({error!r}).", remedy) from error


def spell_misconceptions(known: Sequence[Misconception]) -> str:
    """The text of the file, the same for the same content."""
    entries = [{"fails": list(each.fails), "says": list(each.says)} for each in known]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
