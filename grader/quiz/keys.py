"""The keys of numeric questions: what the reference solutions compute, never what somebody typed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from grader import catalog
from grader.catalog.yaml_source import Place
from grader.model import Course, Exercise
from grader.quiz import variants
from grader.quiz.bank import broken
from grader.quiz.model import Computed, Question
from grader.quiz.variants import Variant

MOST = 2**100  # no argument of a reference is as large


@dataclass(frozen=True)
class Solved:
    """The numbers behind one variant, each in the unit of its answer.

    Attributes:
        key: the right answer.
        traps: for each trap of the question the number that it leads to.
        values: the numbers that the explanation names.
    """

    key: float
    traps: tuple[float, ...] = ()
    values: Mapping[str, float] = field(default_factory=dict)


class Keys(Protocol):
    """Something that knows the keys of numeric questions."""

    def solved(self, question: Question, chosen: Variant) -> Solved:
        """The numbers behind one variant of a numeric question."""
        ...


class ReferenceKeys:
    """Keys that the reference solutions of a course compute when they are asked for."""

    def __init__(self, course: Course) -> None:
        self._exercises = {exercise.id: exercise for exercise in course.exercises}
        self._modules: dict[Path, Any] = {}
        self._solved: dict[tuple[str, str], Solved] = {}

    def solved(self, question: Question, chosen: Variant) -> Solved:
        """Call the reference for the key, the traps and the values of the explanation.

        Raises:
            ContentError: a function is not there, does not take these arguments, or gives no finite number.
        """
        name = question.id, variants.name(chosen)
        if name not in self._solved:
            self._solved[name] = self._solve(question, chosen)
        return self._solved[name]

    def _solve(self, question: Question, chosen: Variant) -> Solved:
        answer = question.answer
        assert answer is not None
        key = self.number(question, ("answer",), answer.value, chosen)
        traps = tuple(
            self.number(question, ("traps", at), trap.value, chosen) if trap.value else key * (trap.times or 1.0)
            for at, trap in enumerate(question.traps)
        )
        values = {
            name: self.number(question, ("values", name), answer.value, chosen)
            for name, answer in question.values.items()
        }
        return Solved(key, traps, values)

    def number(self, question: Question, place: Place, computed: Computed, chosen: Variant) -> float:
        """What one function gives for one variant, as a finite number."""
        function = self._function(question, place, computed)
        args = variants.substituted(dict(computed.args), chosen, question)
        self._require_arguments(question, place, computed)
        try:
            if computed.largest:
                name, within = computed.largest
                bound = variants.substituted(within, chosen, question)
                found: Any = _largest(lambda value: _part(function(**args, **{name: value}), computed.part) <= bound)
            else:
                found = _part(function(**args), computed.part)
            number = float(found)
        except Exception as error:
            told = f"{computed.fn} fails with {variants.name(chosen)}: {type(error).__name__}: {error}"
            remedy = "Correct the arguments, the part, or the choices."
            raise broken(question, (*place, "args"), f"{told}.", remedy) from error
        if not math.isfinite(number):
            told = f"{computed.fn} gives {number} with {variants.name(chosen)}."
            raise broken(question, (*place, "fn"), told, "Leave out choices for which there is no finite answer.")
        return number

    def _function(self, question: Question, place: Place, computed: Computed) -> Callable[..., Any]:
        file, exercise, name = self._file(question, place, computed)
        if file not in self._modules:
            unique = f"quiz_{exercise.id.replace('/', '_')}_{file.stem}"
            self._modules[file] = catalog.import_file(file, unique, exercise.given)
        function = getattr(self._modules[file], name)
        if exercise.given is None:
            return partial(function)
        return partial(_with_given, exercise.given, function)

    def _file(self, question: Question, place: Place, computed: Computed) -> tuple[Path, Exercise, str]:
        id, _, name = computed.fn.partition(":")
        exercise = self._exercises.get(id)
        if exercise is None or exercise.reference is None:
            remedy = "Name an exercise that has a reference, or leave the question out until there is one."
            raise broken(question, (*place, "fn"), f"there is no reference solution for {id}.", remedy)
        file = exercise.reference
        if computed.chaff:
            file = file.parent / "chaffs" / f"{computed.chaff}.py"
            if not file.is_file():
                there = ", ".join(sorted(path.stem for path in file.parent.glob("*.py")))
                raise broken(question, (*place, "chaff"), f"{id} has no chaff {computed.chaff}.", f"There are {there}.")
        functions = catalog.signatures(file)
        if name not in functions:
            remedy = f"Choose one of {', '.join(functions)}."
            raise broken(question, (*place, "fn"), f"{id} has no function `{name}`.", remedy)
        return file, exercise, name

    def _require_arguments(self, question: Question, place: Place, computed: Computed) -> None:
        file, _, name = self._file(question, place, computed)
        parameters = {parameter.name: parameter for parameter in catalog.signatures(file)[name].parameters}
        given = set(computed.args) | ({computed.largest[0]} if computed.largest else set())
        for unknown in sorted(given - set(parameters)):
            remedy = f"It takes {', '.join(parameters)}."
            raise broken(question, (*place, "args"), f"{computed.fn} has no argument `{unknown}`.", remedy)
        for missing in [one for one, parameter in parameters.items() if not parameter.has_default and one not in given]:
            raise broken(
                question, (*place, "args"), f"{computed.fn} needs an argument `{missing}`.", f"Add `{missing}: …`."
            )


def _with_given(given: Path, function: Callable[..., Any], /, **args: Any) -> Any:
    with catalog.given_in_place(given):
        return function(**args)


def _part(found: Any, part: str | int | None) -> Any:
    return found if part is None else found[part]


def _largest(fits: Callable[[int], bool]) -> int:
    """The greatest whole number that fits, where all smaller ones fit, too."""
    if not fits(1):
        raise ValueError("not even 1 is within the bound")
    high = 2
    while fits(high):
        high *= 2
        if high > MOST:
            raise ValueError("the bound is never reached")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
