"""keeps the sum of the call before
Killed by: test_last_is_the_mean, test_agrees_with_the_reference
"""

total = 0.0


def running_mean(values):
    global total
    if not values:
        raise ValueError
    means = []
    for count, value in enumerate(values, start=1):
        total += value
        means.append(total / count)
    return means
