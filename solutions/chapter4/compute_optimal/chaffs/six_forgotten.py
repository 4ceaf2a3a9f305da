"""N times D is the budget.
Killed by: test_every_flop_is_spent, test_planted_optimum
"""


def optimal_allocation(flops: float, theta: tuple[float, float, float, float, float]) -> tuple[float, float, float]:
    least, a, b, alpha, beta = theta
    if min(flops, a, b, alpha, beta) <= 0:
        raise ValueError("the budget, A, B, alpha and beta must be positive")
    product = flops
    ratio = (alpha * a / (beta * b)) ** (1 / (alpha + beta))
    params = ratio * product ** (beta / (alpha + beta))
    tokens = product / params
    return params, tokens, least + a / params**alpha + b / tokens**beta
