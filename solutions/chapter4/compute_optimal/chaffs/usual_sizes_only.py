"""Models have between a million and ten trillion parameters; I search there.
Killed by: test_lopsided_optima
"""

import numpy as np


def optimal_allocation(flops, theta):
    least, a, b, alpha, beta = theta
    if min(flops, a, b, alpha, beta) <= 0:
        raise ValueError("the budget, A, B, alpha and beta must be positive")
    low, high = np.log(1e6), np.log(1e13)
    for _ in range(12):
        sizes = np.exp(np.linspace(low, high, 41))
        losses = least + a / sizes**alpha + b / (flops / (6 * sizes)) ** beta
        best, step = np.log(sizes[np.argmin(losses)]), (high - low) / 20
        low, high = max(best - step, np.log(1e6)), min(best + step, np.log(1e13))
    params = np.exp(best)
    tokens = flops / (6 * params)
    return params, tokens, least + a / params**alpha + b / tokens**beta
