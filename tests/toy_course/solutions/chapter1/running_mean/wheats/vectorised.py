"""numpy's cumulative sum, and an array instead of a list."""

import numpy as np


def running_mean(values):
    if len(values) == 0:
        raise ValueError("there are no values")
    return np.cumsum(values) / np.arange(1, len(values) + 1)
