"""Expectations on the form of an answer, and readers that a check uses before it computes with an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from grader.expect.mismatch import NO_RETURN, Difference, fail
from grader.expect.rules import same_shape
from grader.expect.values import (
    Array,
    NotNumbers,
    dtype_name,
    first,
    is_opaque,
    is_sequence,
    kind_of,
    to_array,
    to_floats,
)
from grader.expect.wording import number_text, show, size_text

T = TypeVar("T")


def array(got: Any, what: str = "", *, shape: tuple[int | None, ...] | None = None) -> Array:
    """Read an answer as an array of numbers: bf16 and fp8 become float32, integers beyond 64 bits float64.

    Args:
        got: what the learner's code answered.
        what: names the value for the learner.
        shape: the shape to ask for; None in it stands for any size.
    """
    values = read(got, "numbers", what)
    if shape is not None:
        _ask_shape(got, values, shape, what)
    return to_floats(values) if values.dtype.kind == "O" else values


def number(got: Any, what: str = "") -> float:
    """Read an answer as one real number; True is none."""
    values = read(got, "a number", what)
    if values.shape or to_floats(values).dtype.kind == "c" or values.dtype.kind == "b":
        detail = "" if not values.shape else f"got {size_text(values.shape)}"
        fail(Difference("a number", show(got), detail), what, got)
    return float(to_floats(values))


def positive(got: Any, what: str = "") -> float:
    """Read an answer as one finite number above 0: what a formula with powers and logarithms can take."""
    value = number(got, what)
    if not 0 < value < float("inf"):
        fail(Difference("a finite number above 0", show(got)), what, got)
    return value


def integer(got: Any, what: str = "") -> int:
    """Read an answer as one integer; 3.0 and True are none."""
    values = read(got, "an integer", what)
    value = values.item() if not values.shape else None
    if not isinstance(value, int) or isinstance(value, bool):
        fail(Difference("an integer", show(got)), what, got)
    return value


def sequence(got: Any, what: str = "") -> list[Any]:
    """Read an answer as a list of anything: a list, a tuple, or the rows of an array or tensor."""
    if not is_sequence(got):
        fail(Difference("a list", show(got), _not_this(got)), what, got)
    return list(got)


def instance(got: Any, kind: type[T], what: str = "") -> T:
    """Read an answer as a value of this very type, e.g. ``dict`` or ``str``."""
    if not isinstance(got, kind):
        fail(Difference(f"a {kind.__name__}", show(got), _not_this(got)), what, got)
    return got


def length(got: Any, count: int, what: str = "") -> None:
    """Ask for so many elements of a list, dict, set or string, or along an array's first axis."""
    if not (isinstance(got, str | bytes | Mapping | set | frozenset) or is_sequence(got)):
        fail(Difference(f"{count} elements", show(got), _not_this(got)), what, got)
    if len(got) != count:
        fail(Difference(f"{count} elements", f"{len(got)} elements", show(got)), what, got)


def shape(got: Any, shape: tuple[int | None, ...], what: str = "") -> None:
    """Ask for numbers of this shape; None in it stands for any size."""
    _ask_shape(got, read(got, f"numbers of shape {shape}", what), tuple(shape), what)


def dtype(got: Any, want: Any, what: str = "") -> None:
    """Ask for an array, tensor or scalar of this dtype.

    Args:
        got: what the learner's code answered; a Python float counts as float64, an int as int64.
        want: a name, a numpy or torch dtype, or a tuple of them of which any will do.
        what: names the value for the learner.
    """
    names = [_dtype_text(each) for each in (want if isinstance(want, tuple) else (want,))]
    name = dtype_name(got)
    if name not in names:
        came = f"dtype {name}" if name else show(got)
        fail(Difference(f"dtype {' or '.join(names)}", came, "" if name else _not_this(got)), what, got)


def finite(got: Any, what: str = "") -> None:
    """Ask for numbers without NaN and infinity, also inside lists and dicts."""
    for path, part in _leaves(got, ""):
        values = to_floats(read(part, "finite numbers", what, got))
        wrong = ~np.isfinite(values)
        if wrong.any():
            index = first(wrong)
            place = f"{path}{list(index) if index else ''}"
            detail = f"{int(wrong.sum())} of {wrong.size} are not finite" if index else ""
            came = number_text(values[index]) + (f" at {place}" if place else "")
            fail(Difference("finite numbers", came, detail), what, got)


def read(got: Any, wanted: str, what: str, value: Any = ...) -> Array:
    """Read numbers; a Mismatch names what was wanted, and carries ``value`` where got is only part of it."""
    try:
        return to_array(got)
    except NotNumbers as why:
        detail = NO_RETURN if got is None else f"got {why}"
        fail(Difference(wanted, show(got), detail), what, got if value is ... else value)


def _not_this(got: Any) -> str:
    return NO_RETURN if got is None else "" if is_opaque(got) else f"got {kind_of(got)}"


def _ask_shape(got: Any, values: Array, wanted: tuple[int | None, ...], what: str) -> None:
    sizes = values.shape
    known = (*sizes, *(0 for _ in wanted))  # 0: an axis that an empty list leaves open
    filled = tuple(known[axis] if size is None else size for axis, size in enumerate(wanted))
    if not same_shape(sizes, filled, isinstance(got, list | tuple)):
        expected = f"shape {wanted}".replace("None", "any") if wanted else "one number"
        fail(Difference(expected, size_text(sizes), show(got)), what, got)


def _dtype_text(want: Any) -> str:
    text = str(want)
    if isinstance(want, str) or text.startswith("torch."):
        return text.removeprefix("torch.")
    return str(np.dtype(want).name)


def _leaves(got: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(got, Mapping):
        for key, value in got.items():
            yield from _leaves(value, f"{path}[{show(key, 40)}]")
        return
    try:
        to_array(got)
    except NotNumbers:
        if isinstance(got, list | tuple):
            for i, value in enumerate(got):
                yield from _leaves(value, f"{path}[{i}]")
            return
    yield path, got
