"""A golden section over log N on the curve of equal loss."""

import math

GOLDEN = (math.sqrt(5) - 1) / 2


def cheapest_model(loss_target, inference_tokens, theta):
    e, a, b, alpha, beta = theta
    if a <= 0 or b <= 0 or alpha <= 0 or beta <= 0 or loss_target <= e or inference_tokens < 0:
        raise ValueError("no such model")
    smallest = math.log(a / (loss_target - e)) / alpha

    def tokens(excess):  # log N is smallest + excess
        return (b / ((loss_target - e) * -math.expm1(-alpha * excess))) ** (1 / beta)

    def cost(log_excess):
        excess = math.exp(log_excess)
        return smallest + excess + math.log(6 * tokens(excess) + 2 * inference_tokens)

    low, high = math.log(1e-7), math.log(100.0)
    while high - low > 1e-9:
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if cost(left) < cost(right):
            high = right
        else:
            low = left
    excess = math.exp((low + high) / 2)
    n, d = math.exp(smallest + excess), tokens(excess)
    return [n, d, 6 * n * d + 2 * n * inference_tokens]
