"""divided by the index, which starts at 0, and not by the count
Killed by: test_last_is_the_mean, test_agrees_with_the_reference
"""


def running_mean(values):
    if not values:
        raise ValueError
    total, means = 0.0, []
    for index, value in enumerate(values):
        total += value
        means.append(total / max(index, 1))
    return means
