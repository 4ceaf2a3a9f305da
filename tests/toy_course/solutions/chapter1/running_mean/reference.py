"""Reference: one pass with a sum carried along."""


def running_mean(values: list[float]) -> list[float]:
    """The mean of the first k values, for every k; see the stub."""
    if not values:
        raise ValueError("there are no values")
    total = 0.0
    means = []
    for count, value in enumerate(values, start=1):
        total += value
        means.append(total / count)
    return means
