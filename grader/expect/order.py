"""Expectations on the size of an answer, and on any condition."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.expect.form import array
from grader.expect.mismatch import Difference, Mismatch, fail
from grader.expect.values import NotNumbers, is_array, is_opaque, largest, to_array, to_floats
from grader.expect.wording import apart, number_text, show


def true(condition: Any, what: str, *, got: Any = ..., expected: Any = ...) -> None:
    """Ask that a condition holds; all of it where it is an array.

    Args:
        condition: what must be true.
        what: what must hold, as a sentence for the learner.
        got: the value that was judged, where there is one to show.
        expected: what it should have been, as text or as a value.
    """
    if _holds(condition):
        return
    came = "it does not hold" if got is ... else show(got)
    value = condition if got is ... else got
    if expected is ...:
        raise Mismatch(what, came, value=value)
    raise Mismatch(expected if isinstance(expected, str) else show(expected), came, what, value=value)


def _holds(condition: Any) -> bool:
    if is_array(condition):
        try:
            return bool(to_array(condition).all())
        except NotNumbers:
            return False
    return not is_opaque(condition) and bool(condition)


def at_most(got: Any, bound: Any, what: str = "") -> None:
    """Ask for numbers that are at most a bound, which is a number or an array that broadcasts."""
    _ask_order(got, None, bound, what)


def at_least(got: Any, bound: Any, what: str = "") -> None:
    """Ask for numbers that are at least a bound, which is a number or an array that broadcasts."""
    _ask_order(got, bound, None, what)


def between(got: Any, low: Any, high: Any, what: str = "") -> None:
    """Ask for numbers from low to high, both ends included."""
    _ask_order(got, low, high, what)


def _ask_order(got: Any, low: Any, high: Any, what: str) -> None:
    raw = array(got, what)
    values = to_floats(raw)
    if raw.dtype.kind == "b" or values.dtype.kind == "c":
        fail(Difference("real numbers", show(got)), what, got)
    edges = (-np.inf if low is None else low, np.inf if high is None else high)
    lows, highs = (np.broadcast_to(to_floats(to_array(edge)), values.shape) for edge in edges)
    wrong = np.asarray(~((values >= lows) & (values <= highs)))
    if not wrong.any():
        return
    with np.errstate(all="ignore"):
        excess = np.nan_to_num(np.maximum(lows - values, values - highs), nan=np.inf)
    index = largest(np.where(wrong, excess, -np.inf))
    least, most, value = lows[index], highs[index], values[index]
    came = number_text(value)
    wanted = f"{number_text(least)} to {number_text(most)}"
    if low is None or high is None:
        edge, came = apart(most if low is None else least, value)
        wanted = f"at {'most' if low is None else 'least'} {edge}"
    detail = f"worst at {list(index)}; {int(wrong.sum())} of {wrong.size} are outside" if index else ""
    fail(Difference(wanted, came, detail), what, got)
