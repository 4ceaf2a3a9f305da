"""What all exports share: which variant is taken, text as HTML, and what has to be said."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from grader.quiz import units, variants
from grader.quiz.asking import Asked
from grader.quiz.keys import Keys
from grader.quiz.marking import tolerance
from grader.quiz.model import Bank, Kind, Question
from grader.quiz.ordering import one_order

LINE_BREAK = " / "  # between the lines of an output, where a target has one line only


@dataclass
class Warnings:
    """What a target cannot hold, question by question."""

    target: str
    lines: list[str] = field(default_factory=list)

    def say(self, question: Question, what: str) -> None:
        """Note that something of a question is not as it is here."""
        self.lines.append(f"{self.target}: {question.id}: {what}")


def asked_for(bank: Bank, keys: Keys, seed: int) -> Sequence[Asked]:
    """Each question under one seed."""
    return [Asked(question, seed, keys) for question in bank.questions]


def note_variant(asked: Asked, warnings: Warnings) -> None:
    """A target holds one variant of a question with parameters."""
    count = variants.count(asked.question)
    if count > 1:
        warnings.say(asked.question, f"one of its {count} variants is exported; --seed chooses which.")


def markup(text: str) -> str:
    """Text as HTML; quotes stay as they are, for it is never put into an attribute."""
    return html.escape(text, quote=False)


def stem_html(asked: Asked, *more: str) -> str:
    """The stem, its code, and further sentences, as HTML in one line."""
    parts = [f"<p>{markup(asked.fill(asked.question.stem))}</p>"]
    if asked.question.code:
        code = markup(asked.fill(asked.question.code)).replace("\n", "<br>").replace("  ", "&nbsp;&nbsp;")
        parts.append(f"<pre>{code}</pre>")
    return "".join([*parts, *(f"<p>{markup(text)}</p>" for text in more if text)])


def explanation_html(asked: Asked) -> str:
    """The explanation, what to practise, and the sources."""
    question = asked.question
    practise = f"Practise: grade {question.exercise}" if question.exercise else ""
    texts = [asked.explanation(), practise, "; ".join(question.refs)]
    return "".join(f"<p>{markup(text)}</p>" for text in texts if text)


def one_line(text: str) -> str:
    """An expected output in one line."""
    return LINE_BREAK.join(line for line in text.strip().splitlines())


def in_ask(asked: Asked, number: float) -> float:
    """A number of the key's unit in the unit that is asked for."""
    answer = asked.question.answer
    assert answer is not None
    return number * units.factor(answer.unit) / units.factor(answer.ask)


def plain(number: float, digits: int = 9) -> str:
    """A plain decimal without an exponent, to so many significant digits."""
    text = format(Decimal(f"{number:.{digits}g}"), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def margin(asked: Asked) -> float:
    """The tolerance around the key, in the unit that is asked for."""
    answer = asked.question.answer
    assert answer is not None
    return in_ask(asked, tolerance(asked.solved.key, answer))


def unit_hint(asked: Asked) -> str:
    """What to say where a target takes bare numbers."""
    answer = asked.question.answer
    assert answer is not None
    return (
        "Answer with a plain number." if answer.ask == units.NONE else f"Answer with a plain number, in {answer.ask}."
    )


def order_sentence(question: Question) -> str:
    """One right order of the steps, in words."""
    texts = {block.id: block.text for block in question.blocks}
    return " → ".join(texts[id] for id in one_order(question.blocks))


def kinds(bank: Bank) -> set[Kind]:
    """The kinds of question that a bank has."""
    return {question.kind for question in bank.questions}
