"""Half a parameter does not exist.
Killed by: test_every_flop_is_spent
"""


def optimal_allocation(flops: float, theta: tuple[float, float, float, float, float]) -> tuple[float, float, float]:
    least, a, b, alpha, beta = theta
    if min(flops, a, b, alpha, beta) <= 0:
        raise ValueError("the budget, A, B, alpha and beta must be positive")
    product = flops / 6  # N times D
    ratio = (alpha * a / (beta * b)) ** (1 / (alpha + beta))
    params = round(ratio * product ** (beta / (alpha + beta)))
    tokens = round(product / params)
    return params, tokens, least + a / params**alpha + b / tokens**beta
