"""Welford's update of the mean: no sum, other rounding."""


def running_mean(values):
    if not values:
        raise ValueError("mean of nothing")
    mean = 0.0
    means = []
    for count, value in enumerate(values, start=1):
        mean += (value - mean) / count
        means.append(mean)
    return means
