"""Expectations on a call as a whole: what it raises, what it leaves behind, what it costs.

``function`` is a function of the ``learner`` fixture: calling it answers a value or raises ``LearnerError``,
and its ``observe`` also tells the arguments after the call, the CPU seconds and the peak memory.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sized
from typing import Any, Final

import numpy as np

from grader.expect.compare import compare
from grader.expect.mismatch import Difference, LearnerError, Mismatch, fail
from grader.expect.rules import match
from grader.expect.values import dtype_name, is_array, is_tensor, to_array
from grader.expect.wording import number_text, show

FLOOR_S: Final = 0.002  # below, a call's fixed costs and the clock's steps outweigh the work
ROUNDS: Final = 5
CLEAR: Final = 0.75  # a ratio below this part of its limit needs no further rounds
LONG_S: Final = 4.0  # after so much time three rounds do: noise weighs little in long calls

Errors = type[BaseException] | tuple[type[BaseException], ...]


def raises(error: Errors, function: Any, *args: Any, **kwargs: Any) -> LearnerError:
    """Ask that a call raises this error or a subclass of it; answers the LearnerError for further questions.

    A stub's NotImplementedError counts only where it is asked for by name, though it is a RuntimeError too.
    """
    names = [each.__name__ for each in (error if isinstance(error, tuple) else (error,))]
    expected = f"raises {' or '.join(names)}"
    try:
        value = function(*args, **kwargs)
    except LearnerError as raised:
        stub = "NotImplementedError"
        if set(names) & set(raised.types) and (stub in names or stub not in raised.types):
            return raised
        raise Mismatch(expected, f"raised {raised}") from None
    raise Mismatch(expected, f"returned {show(value)}", value=value)


def unchanged(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Ask that a call leaves its arguments exactly as they were; answers what it returned."""
    old_args, old_kwargs = copy.deepcopy(args), copy.deepcopy(kwargs)
    seen = function.observe(*args, **kwargs)
    pairs = [(f"argument {i + 1}", old, new) for i, (old, new) in enumerate(zip(old_args, seen.args, strict=True))]
    pairs += [(f"argument {name}", old, seen.kwargs.get(name)) for name, old in old_kwargs.items()]
    for name, old, new in pairs:
        if not _identical(old, new):
            found = compare(new, old, lambda left, right: match(left, right, True))
            found = found or Difference(f"{show(old)} as it was", f"{show(new)}")
            fail(found.within(f"your function changed {name}"), "", seen.value)
    return seen.value


def _identical(old: Any, new: Any) -> bool:
    """Whether two plain values are the same to the last bit: type, order of a list, dtype, NaN and all."""
    old, new = (each.item() if isinstance(each, np.generic) else each for each in (old, new))
    if type(old) is not type(new):
        return False
    if is_array(old):
        same_form = dtype_name(old) == dtype_name(new) and tuple(old.shape) == tuple(new.shape)
        return same_form and _bits(old) == _bits(new)
    if isinstance(old, list | tuple):
        return len(old) == len(new) and all(map(_identical, old, new))
    if isinstance(old, Mapping):
        return old.keys() == new.keys() and all(_identical(old[key], new[key]) for key in old)
    return bool(old == new) or (old != old and new != new)


def _bits(value: Any) -> bytes:
    values = to_array(value) if is_tensor(value) else value
    return values.astype(values.dtype.newbyteorder("="), copy=False).tobytes()


def growth(
    function: Any,
    small_args: tuple[Any, ...],
    large_args: tuple[Any, ...],
    *,
    at_most: float,
    what: str = "",
    kwargs: Mapping[str, Any] | None = None,
) -> float:
    """Ask that CPU time grows at most so many times from the small to the large arguments; answers the ratio.

    The least of five interleaved rounds counts on either side: noise only ever adds. A small time under 2 ms
    counts as 2 ms, so that a fast solution never fails for the clock's sake: let the small call of a *wrong*
    order of growth take more than that, or the check has no teeth. A clear pass ends after two rounds; a fail
    takes all of them, or three where the calls are long.

    Args:
        function: a function of the learner.
        small_args: positional arguments of the small call.
        large_args: positional arguments of the large call.
        at_most: the largest ratio that passes: well between those of the wanted and of the next order of
            growth.
        what: names the work for the learner.
        kwargs: keyword arguments of both calls.
    """
    named = dict(kwargs or {})
    function.observe(*small_args, **named)  # the first call also pays for imports and caches
    small, large = _least_times(function, small_args, large_args, named, at_most)
    ratio = large / max(small, FLOOR_S)
    if ratio > at_most:
        times = _times_larger(small_args, large_args)
        inputs = f"{number_text(times, 3)}x the input" if times > 1 else "the larger input"
        grew, bound = f"{number_text(ratio, 3)}x", f"at most {number_text(at_most, 3)}x"
        took = f"{number_text(1000 * small, 3)} ms, then {number_text(1000 * large, 3)} ms"
        detail = f"time grew {grew} for {inputs}; {bound} ({took})"
        fail(Difference(f"{bound} the time for {inputs}", grew, detail), what, None)
    return ratio


def _least_times(
    function: Any,
    small_args: tuple[Any, ...],
    large_args: tuple[Any, ...],
    kwargs: dict[str, Any],
    at_most: float,
) -> tuple[float, float]:
    """CPU seconds of the small and the large call, the least of as many rounds as it takes to be sure."""
    small = large = math.inf
    spent = 0.0
    for done in range(1, ROUNDS + 1):
        times = [function.observe(*args, **kwargs).cpu_s for args in (small_args, large_args)]
        small, large, spent = min(small, times[0]), min(large, times[1]), spent + sum(times)
        sure = large <= at_most * FLOOR_S  # a pass, whatever other rounds say
        clear = done >= 2 and large <= CLEAR * at_most * max(small, FLOOR_S)
        if sure or clear or (done >= 3 and spent > LONG_S):
            break
    return small, large


def _times_larger(small_args: tuple[Any, ...], large_args: tuple[Any, ...]) -> float:
    """How many times larger the input is, by the argument that grew most; 0 where that cannot be told."""
    sizes = [(_size(small), _size(large)) for small, large in zip(small_args, large_args, strict=False)]
    return max((large / small for small, large in sizes if small > 0), default=0.0)


def _size(value: Any) -> float:
    if is_array(value):
        return float(math.prod(value.shape))
    if isinstance(value, int | float):
        return float(value)
    return float(len(value)) if isinstance(value, Sized) else 0.0


def peak_memory(
    function: Any,
    args: tuple[Any, ...],
    at_most_mb: float,
    what: str = "",
    *,
    kwargs: Mapping[str, Any] | None = None,
) -> float | None:
    """Ask that a call needs at most so many MiB; answers its peak.

    Where the system cannot tell the peak it passes and answers None.

    Args:
        function: a function of the learner.
        args: positional arguments.
        at_most_mb: MiB, as ``Observation.peak_mb`` counts them.
        what: names the work for the learner.
        kwargs: keyword arguments.
    """
    seen = function.observe(*args, **dict(kwargs or {}))
    peak_mb: float | None = seen.peak_mb
    if peak_mb is not None and peak_mb > at_most_mb:
        expected = f"a peak of at most {number_text(at_most_mb, 3)} MiB of memory"
        fail(Difference(expected, f"{number_text(peak_mb, 3)} MiB"), what, seen.value)
    return peak_mb
