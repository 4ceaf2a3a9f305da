"""A grid over the share of the reducible loss that the parameters have, refined around the cheapest one."""

import numpy as np


def cheapest_model(loss_target, inference_tokens, theta):
    e, a, b, alpha, beta = theta
    reducible = loss_target - e
    if reducible <= 0 or inference_tokens < 0 or min(a, b, alpha, beta) <= 0:
        raise ValueError("no such model")
    low, high = -25.0, 25.0  # log odds of the share
    for _ in range(30):
        odds = np.exp(np.linspace(low, high, 41))
        n = (a / (reducible * odds / (1 + odds))) ** (1 / alpha)
        d = (b / (reducible / (1 + odds))) ** (1 / beta)
        flops = 6 * n * d + 2 * n * inference_tokens
        best = int(np.argmin(flops))
        middle, width = np.log(odds[best]), (high - low) / 8
        low, high = middle - width, middle + width
        if width < 1e-8:
            break
    return float(n[best]), float(d[best]), float(flops[best])
