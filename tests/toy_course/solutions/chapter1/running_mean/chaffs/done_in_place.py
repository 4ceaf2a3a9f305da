"""writes the means over the values
Killed by: test_values_are_left_alone
"""


def running_mean(values):
    if not values:
        raise ValueError
    for index in range(1, len(values)):
        values[index] += values[index - 1]
    for index in range(len(values)):
        values[index] /= index + 1
    return values
