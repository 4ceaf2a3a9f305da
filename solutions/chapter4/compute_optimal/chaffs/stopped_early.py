"""Two hundred steps of gradient descent from N = D will have arrived.
Killed by: test_planted_optimum, test_published_laws
"""

import math


def optimal_allocation(flops, theta):
    least, a, b, alpha, beta = theta
    if min(flops, a, b, alpha, beta) <= 0:
        raise ValueError("the budget, A, B, alpha and beta must be positive")
    params = (flops / 6) ** 0.5
    for _ in range(200):
        slope = beta * b / (flops / (6 * params)) ** beta - alpha * a / params**alpha
        params *= math.exp(-min(max(slope, -1), 1))
    tokens = flops / (6 * params)
    return params, tokens, least + a / params**alpha + b / tokens**beta
