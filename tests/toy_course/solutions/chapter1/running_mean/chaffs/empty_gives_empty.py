"""no values give no means, and no error
Killed by: test_no_values_are_refused
"""


def running_mean(values):
    total, means = 0.0, []
    for count, value in enumerate(values, start=1):
        total += value
        means.append(total / count)
    return means
