"""k comes before a, as in k C^a.
Killed by: test_planted_power_law
"""

import math

import numpy as np


def isoflop_minimum(n: np.ndarray, loss: np.ndarray, window: float) -> tuple[float, float]:
    if len(n) != len(loss):
        raise ValueError("each run has a size and a loss")
    near = loss <= np.min(loss, initial=math.inf) + window
    x, y = np.log(n[near]), loss[near]
    if len(set(x.tolist())) < 3:
        raise ValueError("a parabola takes three different sizes")
    middle = x.mean()
    powers = np.stack([np.ones_like(x), x - middle, (x - middle) ** 2], axis=1)
    (level, slope, bend), *_ = np.linalg.lstsq(powers, y, rcond=None)
    if bend <= 0:
        raise ValueError("the parabola has no minimum")
    vertex = -slope / (2 * bend)
    if not x.min() <= middle + vertex <= x.max():
        raise ValueError("the minimum lies outside of the sizes that were run")
    return math.exp(middle + vertex), float(level + slope * vertex / 2)


def fit_exponent(budgets: np.ndarray, n_opt: np.ndarray) -> tuple[float, float]:
    if len(budgets) != len(n_opt) or len(set(budgets.tolist())) < 2:
        raise ValueError("a line takes two different budgets, each with its best size")
    x, y = np.log(budgets), np.log(n_opt)
    from_middle = x - x.mean()
    exponent = float(from_middle @ y / (from_middle @ from_middle))
    return math.exp(y.mean() - exponent * x.mean()), exponent
