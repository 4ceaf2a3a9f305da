"""Questions, feedback and summaries as text for a terminal: readable at 80 columns, without colour, and aloud."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from grader.quiz.asking import PublicQuestion
from grader.quiz.marking import Marked
from grader.quiz.model import Kind, Question
from grader.quiz.rounds import Round
from grader.report.rows import label, wrapped

MAX_WIDTH = 100
LETTERS = "abcdefghijklmnopqrstuvwxyz"
STYLES = {"right": "bold green", "partly right": "bold yellow", "not right": "bold red"}
TASKS = {
    Kind.SINGLE: "Choose one.",
    Kind.MULTI: "Tick all that apply.",
    Kind.NUMERIC: "Type a number, with its unit if it has one.",
    Kind.ORDER: "Put the steps in order; leave out what does not belong.",
    Kind.MATCH: "Match each number to a letter.",
    Kind.TRACE: "Type what it prints.",
    Kind.SHORT: "Write your answer, and mark it with the list that follows.",
}


def points(count: float) -> str:
    """``1 point``, ``2 points``."""
    return f"{count:g} point{'' if count == 1 else 's'}"


def prose(text: str, width: int, indent: int = 0, style: str = "") -> list[Text]:
    """Wrapped lines, indented."""
    lines = wrapped(" ".join(text.split()), min(width, MAX_WIDTH) - indent)
    return [Text(" " * indent + line, style) for line in lines]


def heading(public: PublicQuestion, at: int, count: int, width: int, flagged: bool = False) -> list[Text]:
    """Which question this is, what it is about, and the stem with its code."""
    parts = [f"question {at} of {count}", public.id, public.topic, f"chapter {public.chapter}", public.level]
    rows = [*prose(" · ".join([*parts, *(["flagged"] if flagged else [])]), width, style="dim"), Text()]
    rows += prose(public.stem, width, style="bold")
    if public.code:
        rows += [Text(), *(Text(f"    {line}") for line in public.code.split("\n"))]
    return [*rows, Text()]


def task(public: PublicQuestion, width: int) -> list[Text]:
    """What to do, and how it is scored."""
    unit = f" It is asked for in {public.ask}." if public.ask else ""
    return prose(f"{TASKS[Kind(public.kind)]}{unit} Scoring: {public.credit}.", width, style="dim")


def listed(mark: str, text: str, width: int, style: str = "") -> list[Text]:
    """An item with a mark before it: later lines stand under the first one."""
    first, *rest = wrapped(text, min(width, MAX_WIDTH) - len(mark) - 1)
    return [Text(f"{mark} {first}", style), *(Text(" " * (len(mark) + 1) + line, style) for line in rest)]


def signed(sign: str, said: str, text: str, width: int) -> list[Text]:
    """An item after an answer: a sign, what is said of it, and its text under the sign's right."""
    return listed(f"  {sign}", f"{said} {text}".strip(), width)


def choices(public: PublicQuestion, width: int) -> list[Text]:
    """Options, blocks or pairs with the names that an answer in a line uses."""
    rows: list[Text] = []
    for item in public.lefts:
        rows += listed(f"  {item.name}.", item.text, width)
    rows += [Text()] if public.lefts else []
    for item in public.items:
        rows += listed(f"  {item.name}.", item.text, width)
    return [*rows, Text()] if public.items else rows


def feedback(question: Question, explanation: str, marked: Marked, width: int, certainty: str = "") -> list[Text]:
    """Everything that is said after an answer."""
    share = "" if marked.right or marked.score == 0 else f" · {100 * marked.score:.0f} % of the points"
    verdict = "marked by you" if marked.apart else marked.verdict
    style = STYLES[marked.verdict]
    rows = _labelled("read as", marked.read_as, width)
    rows += [Text(f"{verdict}{share}{f' · {certainty}' if certainty else ''}", style)]
    rows += _labelled("mistake", marked.mistake, width)
    if question.kind in (Kind.TRACE, Kind.ORDER, Kind.NUMERIC, Kind.SHORT):
        rows += _expected(question, marked, width)
    rows += [Text()] if marked.reasons else []
    for reason in marked.reasons:
        rows += signed(*_sign(question, reason.right, reason.chosen), reason.text, width)
        rows += prose(reason.why, width, indent=6, style="dim")
    rows += [Text(), *prose(explanation, width)]
    rows += _labelled("practise", f"grade {question.exercise}" if question.exercise else "", width)
    rows += _labelled("sources", "; ".join(question.refs), width)
    return [*rows, Text()]


def _sign(question: Question, right: bool, chosen: bool) -> tuple[str, str]:
    """Signs and words, so that nothing depends on colour."""
    if question.kind is Kind.SHORT:
        return ("[x]" if chosen else "[ ]"), ""
    sign = "✓" if right else "✗"
    if question.kind in (Kind.MATCH, Kind.ORDER):
        return sign, "" if chosen or question.kind is Kind.MATCH else "(left out)"
    return sign, f"{'your answer, ' if chosen else ''}{'right' if right else 'wrong'}:"


def _expected(question: Question, marked: Marked, width: int) -> list[Text]:
    names = {Kind.ORDER: "one order", Kind.SHORT: "model"}
    lines = marked.expected.split("\n") if question.kind is Kind.TRACE else []
    if lines:
        return [label("expected" if at == 0 else "").append(line) for at, line in enumerate(lines)]
    return _labelled(names.get(question.kind, "expected"), marked.expected, width)


def _labelled(word: str, text: str, width: int) -> list[Text]:
    if not text:
        return []
    lines = wrapped(" ".join(text.split()), min(width, MAX_WIDTH) - 12)
    return [label(word if at == 0 else "").append(line) for at, line in enumerate(lines)]


def summary(round_: Round, sure: Sequence[int], width: int) -> list[Text]:
    """What came of a round: points, those marked by the learner apart, and what to look at again."""
    rows: list[Text] = []
    graded = {at: marked for at, marked in round_.results.items() if not marked.apart}
    reached = sum(marked.score * round_.asked[at].question.points for at, marked in graded.items())
    counted = range(len(round_.asked)) if round_.exam else graded
    most = sum(round_.asked[at].question.points for at in counted if round_.asked[at].question.kind is not Kind.SHORT)
    if not round_.results and not round_.exam:
        return prose("Nothing answered this time.", width)
    rows += prose(f"{reached:.2f}".rstrip("0").rstrip(".") + f" of {points(most)}", width, style="bold")
    own = [at for at, marked in round_.results.items() if marked.apart]
    if own:
        rows += _labelled("by you", f"{len(own)} short answer{'s' if len(own) > 1 else ''}, counted apart", width)
    missed = [round_.asked[at].question.number for at, marked in round_.results.items() if not marked.right]
    rows += _labelled("again", f"grade quiz --missed: {', '.join(missed)}" if missed else "", width)
    if sure:
        rows += _labelled("certainty", f"{sum(sure):+d} points of certainty in {len(sure)} answers", width)
    return rows
