"""How values are written for a learner: short, six digits, large arrays by shape and dtype."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import Any, Final

import numpy as np

from grader.expect.mismatch import LIMIT, clip
from grader.expect.values import NotNumbers, dtype_name, is_array, is_tensor, kind_of, to_array

FEW: Final = 8  # elements that are shown one by one
DEEP: Final = 4  # levels of nesting that are shown
HUGE_BITS: Final = 128  # str() refuses integers of very many digits, and nobody reads them


def show(value: Any, limit: int = LIMIT) -> str:
    """Write a value."""
    return clip(_shown(value, DEEP), limit)


def _shown(value: Any, depth: int) -> str:
    if is_array(value):
        return _array(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int | float | complex | np.number):
        return number_text(value)
    if isinstance(value, str | bytes):
        return repr(value) if len(value) <= LIMIT else f"{value[:LIMIT]!r}... ({len(value)} long)"
    if isinstance(value, list | tuple | set | frozenset | Mapping):
        return _collection(value, depth - 1) if depth else "..."
    return kind_of(value)


def _collection(value: Any, depth: int) -> str:
    if isinstance(value, Mapping):
        return _few(value.items(), "{}", lambda item: f"{_shown(item[0], depth)}: {_shown(item[1], depth)}")
    if isinstance(value, set | frozenset):
        return _few(ordered(value), "{}", lambda item: _shown(item, depth)) if value else "set()"
    if isinstance(value, tuple) and len(value) == 1:
        return f"({_shown(value[0], depth)},)"
    return _few(value, "()" if isinstance(value, tuple) else "[]", lambda item: _shown(item, depth))


def _few(items: Collection[Any], brackets: str, text: Callable[[Any], str]) -> str:
    parts = [text(item) for item in islice(items, FEW)]
    if len(items) > FEW:
        parts.append(f"... {len(items)} in all")
    return f"{brackets[0]}{', '.join(parts)}{brackets[1]}"


def _array(value: Any) -> str:
    sizes = tuple(value.shape)
    if math.prod(sizes) <= FEW and (math.prod(sizes) or sizes == (0,)):
        try:
            return _nested(to_array(value).tolist())
        except NotNumbers:
            pass
    return f"{dtype_name(value)} {'tensor' if is_tensor(value) else 'array'} of shape {sizes}"


def _nested(value: Any) -> str:
    return f"[{', '.join(map(_nested, value))}]" if isinstance(value, list) else number_text(value)


def ordered(items: Iterable[Any]) -> list[Any]:
    """Sort values for display; values that do not compare are sorted by their text."""
    items = list(items)
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=show)


def number_text(value: Any, digits: int = 6) -> str:
    """Write one number: floats with so many significant digits, integers in full up to 128 bits."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        value = int(value)
        if value.bit_length() <= HUGE_BITS:
            return str(value)
        return f"{'-' * (value < 0)}10**{value.bit_length() * math.log10(2):.0f} or so"
    if isinstance(value, complex | np.complexfloating):
        return f"({value.real:.{digits}g}{value.imag:+.{digits}g}j)"
    return f"{value:.{digits}g}"


def apart(left: Any, right: Any) -> tuple[str, str]:
    """Write two numbers with as many digits as it takes to tell them apart."""
    for digits in (6, 9, 12, 17):
        texts = number_text(left, digits), number_text(right, digits)
        if texts[0] != texts[1]:
            break
    return texts


def size_text(sizes: tuple[int, ...]) -> str:
    """Write a shape; no axis at all is one number."""
    return f"shape {sizes}" if sizes else "one number"
