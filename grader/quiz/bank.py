"""Read the question bank from its yaml files: schema, records, and what must hold between questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grader import catalog
from grader.catalog.schema import require_valid
from grader.catalog.yaml_source import Place, YamlFile, read_yaml
from grader.errors import ContentError, UsageError
from grader.model import Course
from grader.quiz.model import (
    Answer,
    Bank,
    Block,
    BlueprintRow,
    Choice,
    Computed,
    Kind,
    Option,
    Pair,
    Question,
    RubricItem,
    Term,
    Trap,
)
from grader.quiz.units import spell

BLUEPRINT = "blueprint.yaml"
TERMS = "terms.yaml"
RTOL = 0.01  # a key to one part in a hundred, where the question says nothing: paper and pencil


def bank_folder(course: Course) -> Path:
    """The folder of the bank: where ``course.yaml`` says the terms are, otherwise beside the exercises.

    Raises:
        UsageError: the course has no bank.
    """
    terms = catalog.terms_file(course)
    folder = terms.parent if terms else course.root.parent / "question_bank"
    if not any(folder.glob("chapter*.yaml")):
        remedy = "Write question_bank/chapter1.yaml, or give --course another course."
        raise UsageError(f"{folder} holds no questions.", remedy)
    return folder


def load_bank(folder: Path) -> Bank:
    """All questions, terms and the blueprint of a bank, in the order of the questions' numbers.

    Raises:
        ContentError: a file is not as its schema wants it, or two questions have one id or number.
    """
    questions = [question for path in sorted(folder.glob("chapter*.yaml")) for question in _questions(path)]
    seen: dict[str, Question] = {}
    for question in questions:
        first = seen.setdefault(question.number, question)
        if first is not question:
            same = f"{first.source.path.name}, line {first.source.line((*first.place, 'id'))}"
            message = f"{question.number} is the number of {first.id} in {same}, too."
            raise question.source.error((*question.place, "id"), message, "Give one of them another number.")
    rows, blueprint = _blueprint(folder / BLUEPRINT)
    ordered = sorted(questions, key=lambda question: (int(question.number[1:]), question.id))
    return Bank(tuple(ordered), _terms(folder / TERMS), rows, blueprint)


def _questions(path: Path) -> list[Question]:
    source = _valid(path, "question_bank")
    return [_question(source, ("questions", at), data) for at, data in enumerate(source.data["questions"])]


def _valid(path: Path, schema: str) -> YamlFile:
    source = read_yaml(path)
    require_valid(source, schema)
    return source


def _question(source: YamlFile, place: Place, data: Mapping[str, Any]) -> Question:
    made: dict[str, Any] = {key: value for key, value in data.items() if key not in _MAKERS}
    made |= {key: make(data[key]) for key, make in _MAKERS.items() if key in data}
    made.setdefault("credit", "net" if data["kind"] == "multi" else "all")
    if "code" in made:
        made["code"] = made["code"].rstrip("\n")
    return Question(**made, source=source, place=place)


def _computed(data: Mapping[str, Any]) -> Computed:
    largest = data.get("largest")
    return Computed(
        fn=data["fn"],
        args=data["args"],
        part=data.get("part"),
        largest=(largest["arg"], largest["within"]) if largest else None,
        chaff=data.get("chaff", ""),
    )


def _answer(data: Mapping[str, Any]) -> Answer:
    unit = data["unit"]
    return Answer(_computed(data), unit, data.get("ask", unit), data.get("rtol", RTOL), data.get("atol", 0.0))


def _trap(data: Mapping[str, Any]) -> Trap:
    return Trap(data["why"], _computed(data) if "fn" in data else None, data.get("times"))


def _choice(data: Any) -> Choice:
    if isinstance(data, Mapping):
        return Choice(data["value"], data["text"])
    return Choice(data, data if isinstance(data, str) else spell(data))


def _block(data: Mapping[str, Any]) -> Block:
    return Block(**{**data, "after": tuple(data.get("after", ()))})


_MAKERS: dict[str, Any] = {
    "kind": Kind,
    "refs": tuple,
    "extra": tuple,
    "options": lambda items: tuple(Option(**item) for item in items),
    "answer": _answer,
    "traps": lambda items: tuple(_trap(item) for item in items),
    "blocks": lambda items: tuple(_block(item) for item in items),
    "pairs": lambda items: tuple(Pair(**item) for item in items),
    "rubric": lambda items: tuple(RubricItem(**item) for item in items),
    "params": lambda items: {key: tuple(map(_choice, value["choice"])) for key, value in items.items()},
    "values": lambda items: {key: _answer(value) for key, value in items.items()},
}


def _terms(path: Path) -> tuple[Term, ...]:
    if not path.is_file():
        return ()
    source = _valid(path, "terms")
    found: dict[str, int] = {}
    for at, data in enumerate(source.data["terms"]):
        first = found.setdefault(data["term"].lower(), at)
        if first != at:
            line = source.line(("terms", first))
            raise source.error(("terms", at), f"{data['term']} stands in line {line}, too.", "Keep one of them.")
    return tuple(Term(**data, place=("terms", at)) for at, data in enumerate(source.data["terms"]))


def _blueprint(path: Path) -> tuple[tuple[BlueprintRow, ...], YamlFile | None]:
    if not path.is_file():
        return (), None
    source = _valid(path, "blueprint")
    return tuple(BlueprintRow(**data) for data in source.data["questions"]), source


def select(bank: Bank, words: Sequence[str]) -> tuple[Question, ...]:
    """The questions that ``words`` name, each once: a topic, a chapter, a level, an id or its number; all by default.

    Raises:
        UsageError: a word names nothing.
    """
    if not words or "all" in words:
        return bank.questions
    chosen: set[str] = set()
    for word in words:
        found = {question.id for question in bank.questions if word.lower() in _names(question)}
        if not found:
            raise UsageError(f"no question, topic or chapter is called {word!r}.", _suggestion(bank, word))
        chosen |= found
    return tuple(question for question in bank.questions if question.id in chosen)


def _names(question: Question) -> tuple[str, ...]:
    chapter = f"chapter{question.chapter}"
    return question.id, question.number, question.topic, question.level, chapter, str(question.kind)


def _suggestion(bank: Bank, word: str) -> str:
    from difflib import get_close_matches

    names = sorted({name for question in bank.questions for name in _names(question)})
    close = get_close_matches(word.lower(), names, n=1)
    if close:
        return f"Did you mean {close[0]}?"
    topics = sorted({question.topic for question in bank.questions})
    return f"Topics are {', '.join(topics)}; questions are {bank.questions[0].number} to {bank.questions[-1].number}."


def broken(question: Question, place: Place, message: str, remedy: str) -> ContentError:
    """An error at a place within a question."""
    return question.source.error((*question.place, *place), message, remedy)
