"""The real bank: it passes its gate, and its answers are what an independent calculation gives."""

from __future__ import annotations

import math
from itertools import chain
from pathlib import Path

import pytest

from grader import catalog
from grader.quiz import gate, variants
from grader.quiz.bank import load_bank
from grader.quiz.keys import ReferenceKeys
from grader.quiz.model import Kind

ROOT = Path(__file__).parent.parent.parent
BANK = load_bank(ROOT / "question_bank")


@pytest.fixture(scope="module")
def keys():
    """The keys of the real bank."""
    return ReferenceKeys(catalog.load_course(ROOT / "exercises"))


def test_bank_holds():
    """`grade check question_bank` finds no fault."""
    report = gate.check(catalog.load_course(ROOT / "exercises", validate=True))
    assert not [f"{error.message} {error.remedy}" for error in report.faults]


def test_blueprint_has_35_rows():
    """The blueprint has 35 questions, in the numbers per topic that the module plans."""
    topics = [row.topic for row in BANK.blueprint]
    planned = {"data": 7, "scaling": 6, "distributed": 6, "hardware": 6, "stability": 5, "profiling": 5}
    assert {topic: topics.count(topic) for topic in planned} == planned
    assert [row.number for row in BANK.blueprint] == [f"q{number}" for number in range(1, 36)]


def test_terms_cover_the_chapters():
    """Every chapter has at least nine terms."""
    chapters = [term.chapter for term in BANK.terms]
    assert all(chapters.count(chapter) >= 9 for chapter in range(1, 9))


# The same numbers by other means: formulas written down here, not taken from the exercises.
BYTES = {"mixed_adam": 16, "mixed_adam_fp32_gradients": 18, "fp32_adam": 16}


def sharded(params: int, room: int) -> int:
    """The least N with 2 Ψ + 14 ⌈Ψ/N⌉ within the room, tried one by one."""
    return next(n for n in range(1, 4097) if 2 * params + 14 * math.ceil(params / n) <= room)


INDEPENDENT = {
    "q3": lambda p: 6 * p["params"] * p["tokens"] / (989e12 * p["mfu"] * 3600) * p["price"],
    "q5": lambda p: p["room"] // BYTES[p["recipe"]],
    "q14": lambda p: math.sqrt(p["flops"] / 120),
    "q16": lambda p: 1 - math.comb(p["n"] - p["c"], p["k"]) / math.comb(p["n"], p["k"]),
    "q19": lambda p: sharded(p["params"], p["room"]),
    "q20": lambda p: (p["stages"] - 1) / (p["chunks"] * p["microbatches"]),
    "q33": lambda p: 6 * p["weights"] * p["speed"] / (64 * 989e12),
    "q23": lambda p: math.sqrt(2 * p["write"] * p["mtbf"]),
}
NUMERIC = [question for question in BANK.questions if question.kind is Kind.NUMERIC]


@pytest.mark.parametrize("question", NUMERIC, ids=lambda question: question.id)
def test_keys_agree_with_other_formulas(question, keys):
    """Every variant's key is what a formula written for this test gives."""
    formula = INDEPENDENT[question.number]
    for chosen in variants.every(question):
        values = {name: choice.value for name, choice in chosen.items()}
        assert math.isclose(keys.solved(question, chosen).key, formula(values), rel_tol=1e-6), values


def test_no_two_texts_are_alike():
    """No explanation, stem or reason stands twice in the bank: each is about its own question."""
    texts = [text for each in BANK.questions for text in (each.stem, each.explain)]
    texts += [option.why for option in chain.from_iterable(each.options for each in BANK.questions)]
    assert len(texts) == len(set(texts))
