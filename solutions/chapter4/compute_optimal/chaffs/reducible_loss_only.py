"""E is there anyway, so the loss is what remains without it.
Killed by: test_loss_is_that_of_the_law, test_irreducible_loss_moves_nothing
"""


def optimal_allocation(flops: float, theta: tuple[float, float, float, float, float]) -> tuple[float, float, float]:
    _, a, b, alpha, beta = theta
    if min(flops, a, b, alpha, beta) <= 0:
        raise ValueError("the budget, A, B, alpha and beta must be positive")
    product = flops / 6  # N times D
    ratio = (alpha * a / (beta * b)) ** (1 / (alpha + beta))
    params = ratio * product ** (beta / (alpha + beta))
    tokens = product / params
    return params, tokens, a / params**alpha + b / tokens**beta
