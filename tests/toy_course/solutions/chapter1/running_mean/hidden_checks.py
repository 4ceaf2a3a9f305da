"""Checks of running_mean that run at hand-in only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import expect


@pytest.mark.core
@pytest.mark.hint("work on a copy")
@given(values=st.lists(st.integers(-9, 9).map(float), min_size=2, max_size=8))
def test_values_are_left_alone(learner, values):
    """the list that was passed in is left as it is"""
    expect.unchanged(learner.running_mean, values)
