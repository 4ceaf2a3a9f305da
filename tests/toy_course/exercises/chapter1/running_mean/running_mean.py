"""The mean of all values so far."""


def running_mean(values: list[float]) -> list[float]:
    """The mean of the first k values, for every k from 1 to the number of values.

    Args:
        values: at least one number; left as it is.

    Returns:
        as many numbers as there are values, as a list or an array. Takes time in proportion to their number.

    Raises:
        ValueError: there are no values.

    Example:
        >>> running_mean([2.0, 4.0, 9.0])
        [2.0, 3.0, 5.0]
    """
    raise NotImplementedError
