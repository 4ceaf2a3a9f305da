"""Parameters lose worth as tokens do.
Killed by: test_effective_sizes, test_published_losses
"""

import math

Theta = tuple[float, float, float, float, float, float, float]

GOLDEN = (math.sqrt(5) - 1) / 2


def effective_tokens(unique: float, epochs: float, r_star: float) -> float:
    if min(unique, epochs, r_star) <= 0:
        raise ValueError("unique tokens, epochs and R* must be positive")
    return unique * (epochs if epochs <= 1 else 1 - r_star * math.expm1((1 - epochs) / r_star))


def loss(params: float, tokens: float, unique: float, theta: Theta) -> float:
    least, a, b, alpha, beta, r_d, r_n = theta
    if min(params, tokens, unique, a, b, alpha, beta, r_d, r_n) <= 0:
        raise ValueError("all arguments and constants but E must be positive")
    fresh = min(tokens, unique)
    enough = (alpha * a * fresh**beta / (beta * b)) ** (1 / alpha)  # parameters that the fresh tokens can feed
    worth_d = effective_tokens(fresh, tokens / fresh, r_d)
    worth_n = effective_tokens(min(params, enough), params / min(params, enough), r_d)
    return least + a / worth_n**alpha + b / worth_d**beta


def best_allocation(flops: float, unique: float, theta: Theta) -> tuple[float, float, float]:
    if flops <= 0:
        raise ValueError("the budget must be positive")

    def along(log_n: float) -> float:
        return loss(math.exp(log_n), flops / (6 * math.exp(log_n)), unique, theta)

    low, high = 0.0, math.log(flops / 6)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = along(left), along(right)
    while high - low > 1e-7:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = along(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = along(right)
    params = math.exp((low + high) / 2)
    tokens = flops / (6 * params)
    return params, tokens / unique, loss(params, tokens, unique, theta)
