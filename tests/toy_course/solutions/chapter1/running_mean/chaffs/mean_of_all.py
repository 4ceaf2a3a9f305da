"""the mean of all values, again and again
Killed by: test_first_value_is_kept
"""


def running_mean(values):
    if not values:
        raise ValueError
    return [sum(values) / len(values)] * len(values)
