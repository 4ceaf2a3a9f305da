"""A thousand sizes on a logarithmic grid are fine enough.
Killed by: test_planted_optimum, test_published_laws
"""

import numpy as np


def optimal_allocation(flops, theta):
    least, a, b, alpha, beta = theta
    if min(flops, a, b, alpha, beta) <= 0:
        raise ValueError("the budget, A, B, alpha and beta must be positive")
    sizes = np.geomspace(1, flops / 6, 1000)
    losses = least + a / sizes**alpha + b / (flops / (6 * sizes)) ** beta
    params = sizes[np.argmin(losses)]
    tokens = flops / (6 * params)
    return params, tokens, least + a / params**alpha + b / tokens**beta
