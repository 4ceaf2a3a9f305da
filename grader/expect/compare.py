"""Comparisons of values: exactly, within a tolerance, in any order.

Which values are alike:

- list, tuple, ndarray and tensor; Python number, numpy scalar, 0-d array and 0-d tensor; any float dtype;
- an integer and a float of the same value (``dtype`` and ``integer`` ask for more);
- ``bool`` and ``np.bool_``. But True is not the number 1: a boolean where a number is asked is a mismatch,
  and so is a number where a boolean is asked;
- an empty list and an empty array of any inner shape.

Shapes must agree: ``[3]`` is not ``3``. Strings, bytes and sets compare exactly; lists and dicts go into
their values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from grader.expect.mismatch import NO_RETURN, Difference, Mismatch, fail
from grader.expect.rules import forms, match, near
from grader.expect.values import (
    Array,
    NotNumbers,
    is_array,
    is_opaque,
    is_sequence,
    kind_of,
    to_array,
    to_floats,
)
from grader.expect.wording import ordered, show

Rule = Callable[[Array, Array], Difference | None]


def equal(got: Any, want: Any, what: str = "", *, nan_equal: bool = True) -> None:
    """Ask for the same value; the module's docstring says what is the same.

    Args:
        got: what the learner's code answered.
        want: what it should be: numbers, arrays, strings, and lists, dicts and sets of them.
        what: names the value for the learner ("the loss").
        nan_equal: whether NaN equals NaN at the same place.
    """
    found = compare(got, want, lambda left, right: match(left, right, nan_equal))
    if found:
        fail(found, what, got)


def close(got: Any, want: Any, what: str = "", *, rtol: Any, atol: Any, nan_equal: bool = True) -> None:
    """Ask for ``|got - want| <= atol + rtol * |want|``, element by element, computed in float64.

    Args:
        got: what the learner's code answered.
        want: what it should be: numbers, arrays, or lists and dicts of them (strings inside compare exactly).
        what: names the value for the learner.
        rtol: relative tolerance, a number or an array that broadcasts to ``want``. No default: derive it.
        atol: absolute tolerance, likewise.
        nan_equal: whether NaN equals NaN at the same place.
    """
    relative, absolute = (to_floats(to_array(tolerance)) for tolerance in (rtol, atol))
    if not ((relative >= 0).all() and (absolute >= 0).all()):
        raise ValueError("a tolerance of this check is negative or NaN")
    found = compare(got, want, lambda left, right: near(left, right, relative, absolute, nan_equal))
    if found:
        fail(found, what, got)


def different(got: Any, other: Any, what: str = "") -> None:
    """Ask that two answers differ (another seed, another input); None and objects are no answers at all."""
    if got is None or is_opaque(got):
        fail(Difference("an answer", show(got), NO_RETURN if got is None else ""), what, got)
    if not is_opaque(other) and compare(got, other, lambda left, right: match(left, right, True)) is None:
        raise Mismatch("something else", f"twice {show(got)}", what, value=got)


def same_items(got: Any, want: Any, what: str = "") -> None:
    """Ask for the same items in any order, each as often; items compare exactly, lists and tuples alike."""
    if not all(is_sequence(value) or isinstance(value, set | frozenset) for value in (got, want)):
        fail(Difference(show(want), show(got), NO_RETURN if got is None else f"got {kind_of(got)}"), what, got)
    shown = {_key(item): _plain(item) for value in (got, want) for item in value}
    left, right = (Counter(map(_key, value)) for value in (got, want))
    if left != right:
        missing, extra = ([shown[key] for key in found.elements()] for found in (right - left, left - right))
        fail(Difference(show(want), show(got), _unmatched(missing, extra)), what, got)


def _plain(value: Any) -> Any:
    if is_array(value):
        try:
            return to_array(value).tolist()
        except NotNumbers:
            return kind_of(value)
    return value.item() if isinstance(value, np.generic) else value


def _key(value: Any) -> Any:
    """A hashable that is equal for items that are alike; True stays apart from 1."""
    value = _plain(value)
    if isinstance(value, list | tuple):
        return ("list", *map(_key, value))
    if isinstance(value, Mapping):
        return ("dict", frozenset((_key(key), _key(item)) for key, item in value.items()))
    if isinstance(value, set | frozenset):
        return ("set", frozenset(map(_key, value)))
    if value is None or is_opaque(value) or isinstance(value, bool) or value != value:
        return ("other", show(value))
    return value


def compare(got: Any, want: Any, rule: Rule, path: str = "") -> Difference | None:
    """Walk two values side by side; the rule judges blocks of numbers; the first difference is the answer."""
    got, want = _unwrapped(got), _unwrapped(want)
    if isinstance(want, Mapping) and isinstance(got, Mapping):
        return _mappings(got, want, rule, path)
    if isinstance(want, Mapping):
        found: Difference | None = _other_kind(got, want)
    elif want is None:
        found = None if got is None else Difference("None", show(got))
    elif is_opaque(want):
        found = Difference("a plain value", show(got))
    elif isinstance(want, str | bytes):
        found = _texts(got, want)
    elif isinstance(want, set | frozenset):
        found = _sets(got, want)
    else:
        return _numbers(got, want, rule, path)
    return _reworded(found, got, path)


def _unwrapped(value: Any) -> Any:
    """What a 0-d array of text or objects holds; anything else as it is."""
    held = isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind not in "biufc"
    return value.item() if held else value


def _reworded(found: Difference | None, got: Any, path: str) -> Difference | None:
    """Say where inside the answer a difference lies, and ask for a forgotten return."""
    if found and got is None and not path:
        return Difference(found.expected, found.got, NO_RETURN)
    return found.within(f"at {path}") if found and path else found


def _other_kind(got: Any, want: Any) -> Difference:
    return Difference(show(want), show(got), f"expected {kind_of(want)}, got {kind_of(got)}")


def _texts(got: Any, want: str | bytes) -> Difference | None:
    if not isinstance(got, str if isinstance(want, str) else bytes):
        return _other_kind(got, want)
    if got == want:
        return None
    shortest = min(len(got), len(want))
    place = next((i for i in range(shortest) if got[i] != want[i]), shortest)
    detail = f"they differ from character {place} on" if max(len(got), len(want)) > 20 else ""
    skipped = max(0, place - 20) if place > 60 else 0
    dots = "..." * bool(skipped)
    return Difference(f"{dots}{show(want[skipped:])}", f"{dots}{show(got[skipped:])}", detail)


def _sets(got: Any, want: Any) -> Difference | None:
    if not isinstance(got, set | frozenset):
        return _other_kind(got, want)
    return None if got == want else Difference(show(want), show(got), _unmatched(want - got, got - want))


def _unmatched(missing: Collection[Any], extra: Collection[Any]) -> str:
    pairs = (("missing", missing), ("extra", extra))
    return ", ".join(f"{word} {show(ordered(items), 80)}" for word, items in pairs if items)


def _mappings(got: Mapping[Any, Any], want: Mapping[Any, Any], rule: Rule, path: str) -> Difference | None:
    if got.keys() != want.keys():
        detail = _unmatched(want.keys() - got.keys(), got.keys() - want.keys())
        return _reworded(Difference(f"keys {show(list(want))}", f"keys {show(list(got))}", detail), got, path)
    inner = (compare(got[key], want[key], rule, f"{path}[{show(key, 40)}]") for key in want)
    return next(filter(None, inner), None)


def _numbers(got: Any, want: Any, rule: Rule, path: str) -> Difference | None:
    try:
        right = to_array(want)
    except NotNumbers as why:
        if is_sequence(want):
            return _sequences(got, want, rule, path)
        raise TypeError(f"a check wants {why}, which expect cannot compare") from None
    try:
        left = to_array(got)
    except NotNumbers as why:
        if is_sequence(got) and is_sequence(want) and len(got) == len(want):
            return _sequences(got, want, rule, path)  # names the element that is no number
        return _reworded(Difference(show(want), show(got), f"got {why}"), got, path)
    found = forms(left, right, isinstance(got, list | tuple)) or (rule(left, right) if right.size else None)
    return _reworded(found, got, path)


def _sequences(got: Any, want: Any, rule: Rule, path: str) -> Difference | None:
    if not is_sequence(got):
        return _reworded(_other_kind(got, want), got, path)
    if len(got) != len(want):
        detail = f"expected {len(want)} elements, got {len(got)}"
        return _reworded(Difference(show(want), show(got), detail), got, path)
    inner = (compare(got[i], want[i], rule, f"{path}[{i}]") for i in range(len(want)))
    return next(filter(None, inner), None)
