"""The files of a new exercise, complete enough to run: it doubles numbers. `TODO` marks what is missing."""

from __future__ import annotations

STUB = '''"""TODO: one line, what this file computes."""


def ${slug}(values: list[float]) -> list[float]:
    """TODO: one line. Twice each value.

    Args:
        values: TODO: shape, unit and range of every argument.

    Returns:
        TODO: shape, unit and range; which types are welcome.

    Raises:
        ValueError: TODO: what is refused. Leave the section out where nothing is.

    Example:
        >>> ${slug}([1.0, 2.5])
        [2.0, 5.0]

    Source: TODO: the paper or page, with the section or equation.
    """
    raise NotImplementedError
'''

README = """# ${title}

TODO: why this exists: two or three sentences, and the formula.

    y_i = 2 x_i

## Example

TODO: numbers that one can follow by hand. For the values 1 and 2.5 the answers are 2 and 5.

## Hints

<details><summary>Hint 1</summary>

TODO: a nudge.

</details>

<details><summary>Hint 2</summary>

TODO: the idea, short of the code.

</details>

## Source

TODO: the primary source.
"""

CHECKS = '''"""Checks of ${slug}. TODO: declare the symbols of the chapter that are used here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import expect

VALUES = st.lists(st.integers(-1000, 1000).map(float), max_size=20)  # TODO: degenerate sizes, too


@pytest.mark.core
@pytest.mark.hint("one answer for each value")
@given(values=VALUES)
def test_one_answer_per_value(learner, values):
    """there are as many answers as values"""
    expect.shape(learner.${slug}(values), (len(values),))


# TODO: at least two more core checks: first a law or an independent oracle, then a comparison with the
# reference (a fixture like learner); at least one @pytest.mark.edge; @pytest.mark.scale where growth matters.
'''

YAML = """title: ${title}
level: ${level}
path: extra
minutes: 20
order: ${order}
objectives: [${objective}] # TODO: numbers of course.yaml
needs: [numpy]
points: {core: 6, edge: 2}
"""

REFERENCE = '''"""TODO: the clearest right way."""


def ${slug}(values: list[float]) -> list[float]:
    """TODO: say how, in one line."""
    return [2 * value for value in values]
'''

WHEATS = {
    "vectorised": '''"""TODO: what is different about this right way. An array instead of a list."""

import numpy as np


def ${slug}(values):
    return 2.0 * np.asarray(values, dtype=np.float64)
''',
    "loop": '''"""TODO: what is different about this right way. Adds instead of multiplying."""


def ${slug}(values):
    answers = []
    for value in values:
        answers.append(value + value)
    return tuple(answers)
''',
}

CHAFF = '''"""TODO: a misconception in the learner's words, and a file name that says it
Killed by: test_one_answer_per_value
"""


def ${slug}(values):
    raise NotImplementedError  # TODO: the code of somebody who believes it
'''
CHAFFS = 5
