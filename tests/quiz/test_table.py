"""Keys without solutions: a kit marks from the table of answers, exactly as the references would."""

from __future__ import annotations

import shutil

import pytest

from grader import catalog
from grader.errors import ContentError
from grader.quiz import gate, variants
from grader.quiz.bank import load_bank
from grader.quiz.keys import ReferenceKeys
from grader.quiz.table import TableKeys, find_keys
from tests.quiz.toy import make_course


@pytest.fixture
def kit(tmp_path):
    """A course without solutions, its bank, and the keys that it had."""
    course = make_course(tmp_path)
    gate.check(course, write=True)
    bank, references = load_bank(tmp_path / "question_bank"), ReferenceKeys(course)
    known = {
        variants.name(chosen): references.solved(bank.questions[0], chosen)
        for chosen in variants.every(bank.questions[0])
    }
    shutil.rmtree(tmp_path / "solutions")
    return tmp_path, bank, known


def test_a_kit_knows_every_variant(kit):
    """Without solutions each variant has the key, traps and values that the reference computed."""
    folder, bank, known = kit
    keys = find_keys(catalog.load_course(folder / "exercises"), folder / "question_bank")
    for chosen in variants.every(bank.questions[0]):
        assert keys.solved(bank.questions[0], chosen) == known[variants.name(chosen)]


def test_a_changed_question_is_not_looked_up(kit):
    """A changed question has no answer in an old table: an error in a kit, computed anew where solutions are."""
    folder, _, known = kit
    path = folder / "question_bank/chapter1.yaml"
    path.write_text(path.read_text().replace("rtol: 0.01", "rtol: 0.02"))
    question = load_bank(folder / "question_bank").questions[0]
    keys = TableKeys(folder / "question_bank/answers.json")
    chosen = variants.variant(question, 1)
    with pytest.raises(ContentError, match="no answer to q1-mean-of-two"):
        keys.solved(question, chosen)

    class Others:
        def solved(self, question, chosen):
            return known[variants.name(chosen)]

    assert TableKeys(folder / "question_bank/answers.json", Others()).solved(question, chosen) in known.values()


def test_no_table_and_no_solutions(kit):
    """A course with neither says which reference is missing when a number is asked for."""
    folder, bank, _ = kit
    (folder / "question_bank/answers.json").unlink()
    keys = find_keys(catalog.load_course(folder / "exercises"), folder / "question_bank")
    with pytest.raises(ContentError, match="there is no reference solution"):
        keys.solved(bank.questions[0], variants.variant(bank.questions[0], 1))
