"""A small bank with every kind of question, on the toy course; each test may change its text."""

from __future__ import annotations

import shutil
from pathlib import Path

from grader import catalog
from grader.model import Course
from grader.quiz.bank import load_bank
from grader.quiz.keys import ReferenceKeys
from grader.quiz.model import Bank

HERE = Path(__file__).parent
TOY_COURSE = HERE.parent / "toy_course"
BANK = (HERE / "toy_bank.yaml").read_text(encoding="utf-8")
TERMS = """terms:
- term: Mean
  chapter: 1
  text: The sum of some numbers, divided by how many there are.
- term: Stop word
  chapter: 1
  text: A word that is so common that counting it tells nothing.
"""


def make_course(folder: Path, bank: str = BANK, terms: str = TERMS, blueprint: str = "") -> Course:
    """A copy of the toy course with this bank beside its exercises."""
    shutil.copytree(TOY_COURSE, folder, dirs_exist_ok=True)
    home = folder / "question_bank"
    home.mkdir()
    (home / "chapter1.yaml").write_text(bank, encoding="utf-8")
    (home / "terms.yaml").write_text(terms, encoding="utf-8")
    if blueprint:
        (home / "blueprint.yaml").write_text(blueprint, encoding="utf-8")
    return catalog.load_course(folder / "exercises")


def make_bank(folder: Path, bank: str = BANK) -> tuple[Bank, ReferenceKeys]:
    """The toy bank and the keys of its questions."""
    course = make_course(folder, bank)
    return load_bank(folder / "question_bank"), ReferenceKeys(course)
