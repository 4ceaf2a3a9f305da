"""I hand the surplus to the sources that were below the cap, and am done.
Killed by: test_capped_weights_are_the_only_ones, test_caps_hold
"""

import numpy as np


def temperature_weights(sizes: list[int], t: float) -> np.ndarray:
    n = _sizes(sizes)
    if t <= 0:
        raise ValueError("the temperature must be above 0")
    powers = np.where(n > 0, n ** (1 / t), 0)  # 0 to the power of 0 is 1: an empty source stays out by name
    return powers / powers.sum()


def capped_weights(weights: list[float], sizes: list[int], budget: float, max_epochs: float) -> np.ndarray:
    wanted = np.asarray(weights, dtype=float)
    caps = _caps(sizes, budget, max_epochs)
    if wanted.min() < 0:
        raise ValueError("weights must not be negative")
    if budget > caps[wanted > 0].sum():  # also where no weight is above 0
        raise ValueError("the sources cannot fill the budget within the cap")
    return _fill(wanted, caps, budget) / budget


def unimax(sizes: list[int], budget: float, max_epochs: float) -> np.ndarray:
    caps = _caps(sizes, budget, max_epochs)
    return _fill(np.ones(len(caps)), caps, budget)


def _fill(wanted: np.ndarray, caps: np.ndarray, budget: float) -> np.ndarray:
    shares = wanted / wanted.sum()
    over = budget * shares > caps
    tokens = np.where(over, caps, budget * shares)
    if not over.all():
        tokens[~over] += (budget - tokens.sum()) * shares[~over] / shares[~over].sum()
    return tokens


def _caps(sizes: list[int], budget: float, max_epochs: float) -> np.ndarray:
    if budget <= 0 or max_epochs <= 0:
        raise ValueError("the budget and the number of epochs must be above 0")
    return max_epochs * _sizes(sizes)


def _sizes(sizes: list[int]) -> np.ndarray:
    n = np.asarray(sizes, dtype=float)
    if n.min() < 0 or n.max() <= 0:
        raise ValueError("sizes must not be negative, and one of them must be above 0")
    return n
