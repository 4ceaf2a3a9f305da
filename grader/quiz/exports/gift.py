"""Moodle's GIFT format: https://docs.moodle.org/en/GIFT_format. One blank line between questions, none within."""

from __future__ import annotations

from collections.abc import Sequence

from grader.quiz.asking import Asked
from grader.quiz.exports.common import (
    Warnings,
    asked_for,
    explanation_html,
    in_ask,
    margin,
    markup,
    note_variant,
    one_line,
    order_sentence,
    plain,
    stem_html,
    unit_hint,
)
from grader.quiz.keys import Keys
from grader.quiz.model import Bank, Kind

CATEGORY = "$CATEGORY: $course$/top/Pretraining at Scale"
# The weights that Moodle's import accepts, in per cent: question/engine/bank.php, fraction_options.
WEIGHTS = (
    100, 90, 83.33333, 80, 75, 70, 66.66667, 60, 50, 40, 33.33333, 30, 25, 20, 16.66667, 14.28571, 12.5, 11.11111,
    10, 5,
)  # fmt: skip


def export(bank: Bank, keys: Keys, seed: int) -> tuple[str, list[str]]:
    """The whole bank as GIFT, and what GIFT cannot hold."""
    warnings = Warnings("GIFT")
    blocks = [_category(bank)]
    blocks += [block for asked in asked_for(bank, keys, seed) if (block := _question(asked, warnings))]
    return "\n\n".join(blocks) + "\n", warnings.lines


def _category(bank: Bank) -> str:
    return f"// {len(bank.questions)} questions\n{CATEGORY}"


def escaped(text: str) -> str:
    """Text in which GIFT's own characters stand for themselves, in one line."""
    for character in "\\~=#{}:":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", "\\n")


def _html(text: str) -> str:
    return escaped(markup(text))


def _question(asked: Asked, warnings: Warnings) -> str:
    question = asked.question
    if question.kind is Kind.ORDER:
        told = "an order of steps of which several are right has no kind there; it is exported as an essay."
        warnings.say(question, told)
    note_variant(asked, warnings)
    if question.hint:
        warnings.say(question, "the hint is left out.")
    more = {Kind.NUMERIC: unit_hint, Kind.TRACE: _lines_hint}.get(question.kind)
    stem = escaped(stem_html(asked, more(asked) if more else ""))
    general = f"####{escaped(_explanation(asked))}"
    rows = _ANSWERS[question.kind](asked, warnings)
    inside = "\n".join(["", *rows, general, ""]) if rows else general  # an essay takes no line ends
    return f"::{escaped(question.id)}::[html]{stem}{{{inside}}}"


def _explanation(asked: Asked) -> str:
    question = asked.question
    found = explanation_html(asked)
    if question.kind is Kind.ORDER:
        found = f"<p>{markup(order_sentence(question))}</p>{found}"
    if question.kind is Kind.SHORT:
        rubric = "".join(f"<li>{markup(item.text)} ({item.points:g})</li>" for item in question.rubric)
        found = f"<p>{markup(question.model)}</p><ul>{rubric}</ul>{found}"
    if question.kind is Kind.MATCH:
        reasons = "".join(f"<li>{markup(f'{pair.left}: {pair.why}')}</li>" for pair in question.pairs)
        found = f"<ul>{reasons}</ul>{found}"
    return found


def _lines_hint(asked: Asked) -> str:
    return 'Type it in one line, with " / " between lines.' if "\n" in asked.question.expect.strip() else ""


def _single(asked: Asked, warnings: Warnings) -> list[str]:
    return [
        f"{'=' if option.correct else '~'}{_html(asked.fill(option.text))}#{_html(asked.fill(option.why))}"
        for option in asked.question.options
    ]


def _multi(asked: Asked, warnings: Warnings) -> list[str]:
    options = asked.question.options
    right = sum(option.correct for option in options)
    weight = min(WEIGHTS, key=lambda allowed: abs(allowed - 100 / right))
    if asked.question.credit == "all":
        warnings.say(asked.question, "credit for all or nothing becomes credit by tick.")
    signed = {True: plain(weight), False: plain(-weight)}
    return [
        f"~%{signed[option.correct]}%{_html(asked.fill(option.text))}#{_html(asked.fill(option.why))}"
        for option in options
    ]


def _numeric(asked: Asked, warnings: Warnings) -> list[str]:
    near = margin(asked)
    rows = [f"=%100%{plain(in_ask(asked, asked.solved.key))}:{plain(near, 4)}#{_html('Right.')}"]
    for trap, value in zip(asked.question.traps, asked.solved.traps, strict=True):
        rows.append(f"=%0%{plain(in_ask(asked, value))}:{plain(near, 4)}#{_html(asked.fill(trap.why))}")
    return ["#", *rows]


def _match(asked: Asked, warnings: Warnings) -> list[str]:
    pairs = [(pair.left, pair.right) for pair in asked.question.pairs] + [("", text) for text in asked.question.extra]
    return [f"={_html(left)} -> {_html(right)}" for left, right in pairs]


def _trace(asked: Asked, warnings: Warnings) -> list[str]:
    return [f"={escaped(one_line(asked.question.expect))}"]


def _essay(asked: Asked, warnings: Warnings) -> Sequence[str]:
    if asked.question.kind is Kind.SHORT:
        warnings.say(asked.question, "the rubric becomes part of the feedback; an essay is marked by hand.")
    return []


_ANSWERS = {
    Kind.SINGLE: _single,
    Kind.MULTI: _multi,
    Kind.NUMERIC: _numeric,
    Kind.MATCH: _match,
    Kind.TRACE: _trace,
    Kind.SHORT: _essay,
    Kind.ORDER: _essay,
}
