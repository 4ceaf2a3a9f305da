"""A model has a whole number of millions.
Killed by: test_published_trade
"""

import math


def cheapest_model(
    loss_target: float, inference_tokens: float, theta: tuple[float, float, float, float, float]
) -> tuple[float, float, float]:
    least, a, b, alpha, beta = theta
    reducible = loss_target - least
    if min(reducible, a, b, alpha, beta) <= 0 or inference_tokens < 0:
        raise ValueError("the target must be above E; A, B, alpha and beta positive; the demand not negative")

    def too_few(log_d: float) -> bool:
        from_data = b * math.exp(-beta * log_d)
        return from_data * (alpha + beta + beta * inference_tokens / 3 * math.exp(-log_d)) > alpha * reducible

    low = math.log(b / reducible) / beta  # with this D the data alone have the whole loss
    high = low + 1
    while too_few(high):
        high += high - low
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if too_few(middle) else (low, middle)
    tokens = math.exp(high)
    params = (a / (reducible - b / tokens**beta)) ** (1 / alpha)
    params = max(1.0, round(params / 1e6)) * 1e6
    return params, tokens, params * (6 * tokens + 2 * inference_tokens)
