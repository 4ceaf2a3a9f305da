"""begins with the second value, since one value needs no mean
Killed by: test_one_mean_per_value
"""


def running_mean(values):
    if not values:
        raise ValueError
    total, means = values[0], []
    for count, value in enumerate(values[1:], start=2):
        total += value
        means.append(total / count)
    return means
