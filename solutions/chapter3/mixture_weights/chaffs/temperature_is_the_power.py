"""Weights are the sizes to the power of the temperature.
Killed by: test_temperature_is_undone_by_its_power, test_alpha_of_multilingual_models, test_hotter_is_flatter
"""

import numpy as np


def temperature_weights(sizes: list[int], t: float) -> np.ndarray:
    n = _sizes(sizes)
    if t <= 0:
        raise ValueError("the temperature must be above 0")
    powers = np.where(n > 0, n**t, 0)  # 0 to the power of 0 is 1: an empty source stays out by name
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
    tokens = np.zeros(len(caps))
    drawn = np.flatnonzero(wanted)
    order = drawn[np.argsort(caps[drawn] / wanted[drawn])]  # who reaches the cap first comes first
    left = budget
    for place, source in enumerate(order):
        share = wanted[source] / wanted[order[place:]].sum()
        tokens[source] = min(left * share, caps[source])
        left -= tokens[source]
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
