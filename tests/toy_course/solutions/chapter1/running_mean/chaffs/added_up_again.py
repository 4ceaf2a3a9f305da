"""adds up all values so far for every mean
Killed by: test_time_grows_with_the_number_of_values
"""


def running_mean(values):
    if not values:
        raise ValueError
    return [sum(values[:count]) / count for count in range(1, len(values) + 1)]
