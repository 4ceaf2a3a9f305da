"""Assertions that speak to learners.

A check says what it wants through these functions. Each one either returns or raises ``Mismatch``, which
carries what was expected and what came, as short text. Whatever a learner returns, the answer is a
``Mismatch`` or a pass, never another exception and never a warning. Other exceptions mean that the check
itself is wrong.

A check that computes with an answer reads it first, with ``array``, ``number``, ``integer``, ``sequence`` or
``instance``: a learner's None is then a Mismatch too, and not a TypeError somewhere in the check.
"""

from grader.expect.compare import close, different, equal, same_items
from grader.expect.form import array, dtype, finite, instance, integer, length, number, positive, sequence, shape
from grader.expect.measure import growth, peak_memory, raises, unchanged
from grader.expect.mismatch import LearnerError, Mismatch
from grader.expect.order import at_least, at_most, between, true
from grader.expect.statistics import binomial_within, mean_within, same_distribution
from grader.expect.wording import show

__all__ = [
    "LearnerError",
    "Mismatch",
    "array",
    "at_least",
    "at_most",
    "between",
    "binomial_within",
    "close",
    "different",
    "dtype",
    "equal",
    "finite",
    "growth",
    "instance",
    "integer",
    "length",
    "mean_within",
    "number",
    "peak_memory",
    "positive",
    "raises",
    "same_distribution",
    "same_items",
    "sequence",
    "shape",
    "show",
    "true",
    "unchanged",
]
