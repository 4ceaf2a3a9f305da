"""The variants of a question: which values its parameters have under a seed, and the texts that name them."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from grader.errors import ContentError
from grader.quiz.model import Choice, Question

# `$name`; a dollar before a digit, a blank or nothing is money and stays as it is.
PLACEHOLDER = re.compile(r"\$([a-z][a-z0-9_]*)")

Variant = Mapping[str, Choice]


def generator(question: Question, seed: int | str, purpose: str = "") -> random.Random:
    """The source of chance for one question under one seed: the same on every machine."""
    text = f"{question.id}\n{question.rev}\n{seed}\n{purpose}"
    return random.Random(hashlib.sha256(text.encode()).digest())


def pick(rng: random.Random, count: int) -> int:
    """A whole number below ``count``; ``random()`` is the part of the generator that never changes."""
    return int(rng.random() * count)


def shuffled(rng: random.Random, items: Sequence[Any]) -> list[Any]:
    """The items in another order: Fisher and Yates, spelled out so that it is the same in every Python."""
    found = list(items)
    for last in range(len(found) - 1, 0, -1):
        at = pick(rng, last + 1)
        found[last], found[at] = found[at], found[last]
    return found


def variant(question: Question, seed: int | str) -> Variant:
    """The values that the parameters have under ``seed``."""
    rng = generator(question, seed)
    return {name: choices[pick(rng, len(choices))] for name, choices in sorted(question.params.items())}


def count(question: Question) -> int:
    """How many variants there are."""
    return prod(len(choices) for choices in question.params.values())


def every(question: Question) -> Iterator[Variant]:
    """All variants, in a fixed order."""
    names = sorted(question.params)
    for chosen in product(*(question.params[name] for name in names)):
        yield dict(zip(names, chosen, strict=True))


def name(chosen: Variant) -> str:
    """A variant's name in a table of answers: its values, in the order of their names."""
    return ", ".join(f"{key}={chosen[key].value!r}" for key in sorted(chosen))


def filled(text: str, words: Mapping[str, str]) -> str:
    """``text`` with each ``$name`` replaced; one that nothing stands for stays."""
    return PLACEHOLDER.sub(lambda match: words.get(match[1], match[0]), text)


def words(chosen: Variant) -> dict[str, str]:
    """What a stem says for each parameter."""
    return {key: choice.text for key, choice in chosen.items()}


def substituted(value: Any, chosen: Variant, question: Question) -> Any:
    """``value`` with each ``"$name"`` in it, however deep, replaced by the parameter's value."""
    if isinstance(value, str) and (match := PLACEHOLDER.fullmatch(value)):
        if match[1] not in chosen:
            remedy = f"Choose one of {', '.join(sorted(chosen)) or 'none: there are no params'}."
            raise question.source.error(question.place, f"{question.id} has no parameter `{match[1]}`.", remedy)
        return chosen[match[1]].value
    if isinstance(value, Mapping):
        return {key: substituted(item, chosen, question) for key, item in value.items()}
    if isinstance(value, list):
        return [substituted(item, chosen, question) for item in value]
    return value


def undefined(question: Question) -> ContentError | None:
    """The first ``$name`` of a stem, code or hint that is no parameter, as an error; None where all are."""
    for where in ("stem", "code", "hint"):
        for found in PLACEHOLDER.findall(getattr(question, where)):
            if found not in question.params and question.params:
                message = f"`${found}` is no parameter of {question.id}."
                remedy = f"Choose one of {', '.join(sorted(question.params))}."
                return question.source.error((*question.place, where), message, remedy)
    return None
