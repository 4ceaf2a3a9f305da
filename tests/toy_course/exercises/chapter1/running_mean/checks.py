"""Checks of running_mean. Values are whole numbers below 1000, so that their sums are exact."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import expect

VALUES = st.lists(st.integers(-1000, 1000).map(float), min_size=1, max_size=30)
ATOL = 1e-10  # 30 updates of a mean below 1000, each rounded by 1000 * 2**-53: under 4e-12


@pytest.mark.core
@pytest.mark.hint("for n values there are n means, the first of one value only")
@given(values=VALUES)
def test_one_mean_per_value(learner, values):
    """there are as many means as values"""
    expect.shape(learner.running_mean(values), (len(values),))


@pytest.mark.core
@pytest.mark.hint("the mean of one value is that value")
@given(values=VALUES)
def test_first_value_is_kept(learner, values):
    """the first mean is the first value"""
    expect.close(learner.running_mean(values)[0], values[0], rtol=0, atol=ATOL)


@pytest.mark.core
@pytest.mark.hint("divide by how many values went into the sum")
@given(values=VALUES)
def test_last_is_the_mean(learner, values):
    """the last mean is the mean of all values"""
    expect.close(learner.running_mean(values)[-1], math.fsum(values) / len(values), rtol=0, atol=ATOL)


@pytest.mark.core
@pytest.mark.hint("the k-th mean is the sum of the first k values, divided by k")
@given(values=VALUES)
def test_agrees_with_the_reference(learner, reference, values):
    """every mean is right"""
    expect.close(learner.running_mean(values), reference.running_mean(values), rtol=0, atol=ATOL)


@pytest.mark.edge
@pytest.mark.hint("there is no mean of nothing: raise ValueError")
def test_no_values_are_refused(learner):
    """no values at all raise ValueError"""
    expect.raises(ValueError, learner.running_mean, [])


@pytest.mark.scale
@pytest.mark.hint("carry the sum along instead of adding up again")
def test_time_grows_with_the_number_of_values(learner):
    """four times the values take about four times as long"""
    small, large = [1.0] * 1000, [1.0] * 4000
    expect.growth(learner.running_mean, (small,), (large,), at_most=9, what="CPU time")
