"""Marking: the credit rules, and the complaints that public trackers of quiz tools hold."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.quiz import ordering, variants
from grader.quiz.asking import Asked, by_place
from grader.quiz.marking import mark
from grader.quiz.model import Block
from grader.quiz.units import UnreadableError, spell
from tests.quiz.toy import make_bank


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """The questions of the toy bank by number, asked under seed 5."""
    bank, keys = make_bank(tmp_path_factory.mktemp("toy"))
    return {question.number: Asked(question, 5, keys) for question in bank.questions}


def test_single(toy):
    """The right option scores, a wrong one does not, and every option's reason is said either way."""
    right = mark(toy["q2"], {"choice": "canary_option_mean"})
    wrong = mark(toy["q2"], {"choice": "canary_option_sum"})
    assert (right.score, wrong.score) == (1, 0)
    for marked in (right, wrong):
        assert len(marked.reasons) == 3 and all(reason.why for reason in marked.reasons)


@pytest.mark.parametrize(
    ("ticks", "score"),
    [("total average", 1), ("total", 0.5), ("total median", 0), ("median sorted", 0), ("total average median", 0.5)],
)
def test_multi_is_net(toy, ticks, score):
    """Right ticks minus wrong ones, and never below 0."""
    response = {"choices": [f"canary_option_{name}" for name in ticks.split()]}
    assert mark(toy["q3"], response).score == score


def test_number_is_right_within_its_tolerance(toy):
    """The key is right, so is what lies within the tolerance, and beyond it a trap says which mistake it was."""
    asked = toy["q1"]
    key = asked.solved.key
    assert mark(asked, {"text": spell(key / 1e9)}).right
    assert mark(asked, {"text": spell(key * 1.009, "B")}).right
    assert not mark(asked, {"text": spell(key * 1.011, "B")}).right
    trapped = mark(asked, {"text": spell(3 * key / 1e9, "GB")})
    assert trapped.score == 0 and "not divided" in trapped.mistake
    assert "counts" in trapped.expected and trapped.read_as.endswith("GB")


def test_zero_is_an_answer(toy):
    """The answer 0 is marked like any other, and not taken for none."""
    assert mark(toy["q1"], {"text": "0"}).score == 0


def test_margin_survives_scientific_notation(toy):
    """The same number scores the same however it is written."""
    key = toy["q1"].solved.key
    assert all(mark(toy["q1"], {"text": f"{key:.9{form}} B"}).right for form in "eEf")


@pytest.mark.parametrize("number", ["q1", "q2", "q3", "q4", "q5", "q6", "q7"])
def test_nothing_is_no_answer(toy, number):
    """An empty answer is asked for again, and costs nothing."""
    empty = {"choice": None, "choices": [], "text": "  ", "order": [], "pairs": {}}
    with pytest.raises(UnreadableError, match="no answer yet"):
        mark(toy[number], empty)


def test_order_counts_the_longest_right_part(toy):
    """Any order that the steps allow is right; a distractor costs one step; leaving all out but one scores a share."""
    read, lower, split, count, train = (f"canary_block_{name}" for name in "read lower split count train".split())
    score = {
        (read, lower, split, count): 1,
        (read, split, lower, count): 1,
        (count, lower, split, read): 0.5,  # small letters and splitting have no order between them
        (read, lower, split, count, train): 0.75,
        (train,): 0,
        (read,): 0.25,
    }
    for order, expected in score.items():
        assert mark(toy["q4"], {"order": list(order)}).score == expected, order


@given(st.data())
def test_longest_part_is_the_longest(data):
    """The part found is in a right order, and no longer part is: all parts are tried here."""
    count = data.draw(st.integers(1, 6))
    names = [str(at) for at in range(count)]
    blocks = {}
    for at, name in enumerate(names):
        after = data.draw(st.lists(st.sampled_from(names[:at]), unique=True)) if at else []
        blocks[name] = Block(name, name, "because", tuple(after))
    given_ = data.draw(st.permutations(names))
    before = ordering.ancestors(blocks)

    def right(part: tuple[str, ...]) -> bool:
        return all(late not in before[early] for at, early in enumerate(part) for late in part[at + 1 :])

    parts = [()]
    for name in given_:
        parts += [(*part, name) for part in parts]
    longest = max(len(part) for part in parts if right(part))
    found = ordering.longest_in_order(given_, blocks)
    assert len(found) == longest
    assert right(tuple(name for name in given_ if name in found))
    assert ordering.one_order(list(blocks.values())) in [list(each) for each in permutations(names) if right(each)]


def test_match_is_marked_by_pair(toy):
    """Each right pair has its share, and a wrong one says what was chosen."""
    marked = mark(toy["q5"], {"pairs": {"count_words": "a dict", "most_common": "a tensor"}})
    assert marked.score == 0.5 and "You chose a tensor" in marked.reasons[1].why


def test_trace_ignores_white_space_only(toy):
    """Blanks and empty lines do not matter, everything else does."""
    assert mark(toy["q6"], {"text": "1  1\n\n 2 3 \n3 6\n"}).right
    assert not mark(toy["q6"], {"text": "1 1 2 3 3 6"}).right


def test_short_is_marked_by_the_learner(toy):
    """Points come from the rubric, and are counted apart."""
    marked = mark(toy["q7"], {"text": "they are everywhere", "awarded": ["canary_rubric_nothing"]})
    assert marked.apart and abs(marked.score - 2 / 3) < 1e-12


def test_seeds_vary_questions_and_repeat_exactly(toy):
    """A seed always gives the same variant and order; over 200 seeds all variants and all orders of options occur."""
    question, keys = toy["q1"].question, toy["q1"].keys
    names = {variants.name(variants.variant(question, seed)) for seed in range(200)}
    assert len(names) == variants.count(question) == 20
    orders = {tuple(o.id for o in Asked(toy["q2"].question, seed, keys).options) for seed in range(200)}
    assert len(orders) == 6
    assert Asked(question, 3, keys).public(by_place) == Asked(question, 3, keys).public(by_place)


def test_public_question_tells_nothing(toy):
    """What a learner sees before answering holds no reason, key, explanation or id of an option."""
    for asked in toy.values():
        assert "canary" not in str(asked.public(by_place).document())
