"""A scaling law is positive anyway.
Killed by: test_impossible_arguments
"""


def optimal_allocation(flops: float, theta: tuple[float, float, float, float, float]) -> tuple[float, float, float]:
    least, a, b, alpha, beta = theta
    product = flops / 6  # N times D
    ratio = (alpha * a / (beta * b)) ** (1 / (alpha + beta))
    params = ratio * product ** (beta / (alpha + beta))
    tokens = product / params
    return params, tokens, least + a / params**alpha + b / tokens**beta
