"""A and α are for the data, B and β for the parameters.
Killed by: test_planted_optimum, test_loss_is_that_of_the_law
"""


def optimal_allocation(flops: float, theta: tuple[float, float, float, float, float]) -> tuple[float, float, float]:
    least, b, a, beta, alpha = theta
    if min(flops, a, b, alpha, beta) <= 0:
        raise ValueError("the budget, A, B, alpha and beta must be positive")
    product = flops / 6  # N times D
    ratio = (alpha * a / (beta * b)) ** (1 / (alpha + beta))
    params = ratio * product ** (beta / (alpha + beta))
    tokens = product / params
    return params, tokens, least + a / params**alpha + b / tokens**beta
