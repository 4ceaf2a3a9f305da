"""G divides the data term by the model term.
Killed by: test_planted_optimum, test_no_neighbour_is_better
"""


def optimal_allocation(flops: float, theta: tuple[float, float, float, float, float]) -> tuple[float, float, float]:
    least, a, b, alpha, beta = theta
    if min(flops, a, b, alpha, beta) <= 0:
        raise ValueError("the budget, A, B, alpha and beta must be positive")
    product = flops / 6  # N times D
    ratio = (beta * b / (alpha * a)) ** (1 / (alpha + beta))
    params = ratio * product ** (beta / (alpha + beta))
    tokens = product / params
    return params, tokens, least + a / params**alpha + b / tokens**beta
