"""Rules that judge two arrays of numbers: the same form, exactly equal, within a tolerance."""

from __future__ import annotations

from math import prod

import numpy as np

from grader.expect.mismatch import Difference
from grader.expect.values import Array, first, largest, to_floats
from grader.expect.wording import FEW, apart, number_text, show, size_text


def forms(got: Array, want: Array, is_list: bool) -> Difference | None:
    """Ask for the same shape, and for booleans where the other has booleans.

    Args:
        got: what came.
        want: what should have come.
        is_list: whether ``got`` was written as a list.
    """
    if not same_shape(got.shape, want.shape, is_list):
        if not want.shape:
            return Difference(show(want), show(got), f"expected one number, got {size_text(got.shape)}")
        came = size_text(got.shape) if got.shape else f"one number, {show(got)}"
        return Difference(size_text(want.shape), came, show(got) if got.shape and got.size <= FEW else "")
    if got.size and (got.dtype.kind == "b") != (want.dtype.kind == "b"):
        words = ("numbers", "booleans") if got.shape else ("a number", "a boolean")
        return Difference(show(want), show(got), f"expected {words[want.dtype.kind == 'b']}")
    return None


def same_shape(got: tuple[int, ...], want: tuple[int, ...], is_list: bool) -> bool:
    """Whether shapes agree; a list cannot say (0, 3), [] is all it has."""
    return got == want or (is_list and prod(got) == 0 and got == want[: len(got)])


def match(got: Array, want: Array, nan_equal: bool) -> Difference | None:
    """Ask for equal numbers; shows the first that is not."""
    with np.errstate(all="ignore"):
        if _rounds(got, want):
            got, want = got.astype(object), want.astype(object)
        same = np.asarray(got == want, dtype=bool)
        if nan_equal and not same.all():
            same |= np.asarray((got != got) & (want != want), dtype=bool)
    if same.all():
        return None
    index = first(~same)
    expected, came = apart(want[index], got[index])
    if not same.shape:
        return Difference(expected, came)
    count = f"{int((~same).sum())} of {same.size} differ"
    if same.size <= FEW:
        return Difference(show(want), show(got), f"at {list(index)}: {came}, not {expected}; {count}")
    place = f"at {list(index)}"
    return Difference(f"{expected} {place}", f"{came} {place}", f"shape {same.shape}; {count}, this is the first")


def _rounds(left: Array, right: Array) -> bool:
    # numpy turns an integer into a float to compare it with one, Python compares exactly.
    integers = [array for array in (left, right) if array.dtype.kind in "iu"]
    return len(integers) == 1 and bool((np.abs(integers[0].astype(np.float64)) >= 2.0**53).any())


def near(got: Array, want: Array, rtol: Array, atol: Array, nan_equal: bool) -> Difference | None:
    """Ask for ``|got - want| <= atol + rtol * |want|``; shows the number that is furthest beyond."""
    if got.dtype.kind == "b":
        return match(got, want, nan_equal)
    left, right = to_floats(got), to_floats(want)
    if left.dtype.kind == "c" and right.dtype.kind != "c":
        return Difference(show(want), show(got), "expected real numbers, got complex ones")
    with np.errstate(all="ignore"):
        error = np.asarray(np.abs(left - right))
        allowed = np.broadcast_to(atol + rtol * np.abs(right), right.shape)
        fine = np.where(np.isfinite(left) & np.isfinite(right), error <= allowed, left == right)
        if nan_equal:
            fine |= np.isnan(left) & np.isnan(right)
        if fine.all():
            return None
        # NaN and infinity where a number should be are worse than any number.
        excess = np.where(fine, -np.inf, np.nan_to_num(error - allowed, nan=np.inf))
    return _worst(left, right, ~fine, error, allowed, largest(excess))


def _worst(got: Array, want: Array, wrong: Array, error: Array, allowed: Array, index: tuple[int, ...]) -> Difference:
    expected, came = apart(want[index], got[index])
    off = f"off by {number_text(error[index], 3)}, allowed {number_text(allowed[index], 3)}"
    detail = off if np.isfinite(error[index]) and np.isfinite(allowed[index]) else ""
    if not error.shape:
        return Difference(expected, came, detail)
    place, count = f"at {list(index)}", f"{int(wrong.sum())} of {wrong.size} differ"
    detail = "; ".join(filter(None, (detail, count)))
    if error.size <= FEW:
        return Difference(show(want), show(got), f"worst {place}: {detail}")
    return Difference(f"{expected} {place}", f"{came} {place}", f"shape {error.shape}; {detail}, this is the worst")
