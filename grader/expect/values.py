"""Plain values: telling them apart, and reading them as arrays of numbers."""

from __future__ import annotations

import sys
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

NUMBERS: Final = {bool, int, float, complex}


class NotNumbers(Exception):
    """A value is no number and no rectangular block of numbers; the text says what it is instead."""


def is_tensor(value: Any) -> bool:
    """Whether a value is a torch tensor; torch is looked up, never imported."""
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return tensor is not None and isinstance(value, tensor)


def is_array(value: Any) -> bool:
    """Whether a value is an ndarray or a tensor, 0-d ones included."""
    return isinstance(value, np.ndarray) or is_tensor(value)


def is_opaque(value: Any) -> bool:
    """Whether a value arrived as "not a plain value": ``boundary.wire.Opaque``, known by its form."""
    return type(value).__name__ == "Opaque" and hasattr(value, "type_name")


def is_sequence(value: Any) -> bool:
    """Whether a value is a list, a tuple, or an array or tensor with at least one axis."""
    return isinstance(value, list | tuple) or (is_array(value) and value.ndim > 0)


def kind_of(value: Any) -> str:
    """Name what a value is, in a learner's words."""
    if value is None:
        return "None"
    if is_opaque(value):
        return f"a {value.type_name} object, which is not a plain value"
    if is_array(value) and value.ndim:
        return "a tensor" if is_tensor(value) else "an array"
    name = type(value.item() if is_array(value) or isinstance(value, np.generic) else value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {'string' if name == 'str' else name}"


def dtype_name(value: Any) -> str:
    """Name the dtype of an array, tensor or scalar (``float32``).

    A Python number counts as its 64-bit dtype; "" where there is none.
    """
    if is_tensor(value):
        return str(value.dtype).removeprefix("torch.")
    if isinstance(value, np.ndarray | np.generic):
        return str(value.dtype.name)
    return {bool: "bool", int: "int64", float: "float64", complex: "complex128"}.get(type(value), "")


def to_array(value: Any) -> Array:
    """Read a number or a rectangular block of numbers as an array of booleans or numbers.

    Nothing is rounded: integers that their neighbours' dtype cannot hold make an array of Python objects.

    Raises:
        NotNumbers: for everything else.
    """
    if is_tensor(value):
        return _from_tensor(value)
    if isinstance(value, np.ndarray | np.generic):
        return _from_numpy(np.asarray(value))
    if isinstance(value, bool | int | float | complex):
        return _from_numbers([value]).reshape(())
    if isinstance(value, list | tuple):
        return _from_sequence(value)
    raise NotNumbers(kind_of(value))


def to_floats(values: Array) -> Array:
    """Widen an array of numbers to float64 or complex128; integers beyond their range become infinite."""
    with np.errstate(all="ignore"):
        if values.dtype.kind == "O":
            widened = [_to_float(value) for value in values.flat]
            return np.array(widened).reshape(values.shape)
        return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def _to_float(value: Any) -> Any:
    try:
        return value if isinstance(value, complex) else float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _from_tensor(value: Any) -> Array:
    torch = sys.modules["torch"]
    try:
        dense = value.detach() if value.layout is torch.strided else value.detach().to_dense()
        dense = dense.cpu().resolve_conj().resolve_neg()
        narrow = dense.dtype is torch.bfloat16 or str(dense.dtype).startswith("torch.float8")
        # numpy has neither; both fit float32 without rounding.
        return np.asarray((dense.float() if narrow else dense).numpy())
    except (RuntimeError, TypeError) as why:
        raise NotNumbers(f"a tensor of dtype {dtype_name(value)}") from why


def _from_numpy(value: Array) -> Array:
    if value.dtype.kind in "biufc":
        return value
    if value.dtype.kind == "O" and value.ndim:
        return to_array(value.tolist())
    raise NotNumbers(f"an array of dtype {value.dtype.name}" if value.ndim else kind_of(value))


def _from_sequence(value: list[Any] | tuple[Any, ...]) -> Array:
    # Level by level: a list of a million rows costs no million small arrays.
    sizes, items = [len(value)], list(value)
    while items and all(isinstance(item, list | tuple) for item in items):
        lengths = set(map(len, items))
        if len(lengths) > 1:
            raise NotNumbers(f"{kind_of(value)} with rows of different lengths")
        sizes.append(lengths.pop())
        items = list(chain.from_iterable(items))
    if {type(item) for item in items} <= NUMBERS:
        return _from_numbers(items).reshape(sizes)
    try:
        parts = [to_array(item) for item in items]
    except NotNumbers as why:
        raise NotNumbers(f"{kind_of(value)} that holds {why}") from None
    if len({part.shape for part in parts}) > 1:
        raise NotNumbers(f"{kind_of(value)} with rows of different shapes")
    return _joined(parts).reshape([*sizes, *parts[0].shape])


def _from_numbers(items: list[Any]) -> Array:
    kinds = set(map(type, items))
    if bool in kinds and len(kinds) > 1:
        raise NotNumbers("a mix of booleans and numbers")
    exact = 2**63 if kinds <= {int} else 2**53
    if int in kinds and any(isinstance(item, int) and abs(item) >= exact for item in items):
        values = np.empty(len(items), dtype=object)
        values[:] = items
        return values
    return np.array(items) if items else np.zeros(0)


def _joined(parts: list[Array]) -> Array:
    kinds = {part.dtype.kind for part in parts}
    if "b" in kinds and len(kinds) > 1:
        raise NotNumbers("a mix of booleans and numbers")
    if {"i", "u"} <= kinds or "O" in kinds:
        parts = [part.astype(object) for part in parts]
    return np.stack(parts)


def first(wrong: Array) -> tuple[int, ...]:
    """The index of the first true element."""
    return largest(wrong)  # argmax takes the first of equals


def largest(values: Array) -> tuple[int, ...]:
    """The index of the largest element."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(values)), values.shape))
