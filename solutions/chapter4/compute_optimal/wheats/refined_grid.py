"""numpy: a grid over log N, refined around its best point until it is fine enough; the answer is one array."""

import numpy as np


def optimal_allocation(flops, theta):
    if not (np.array([flops, *theta[1:]]) > 0).all():
        raise ValueError("not positive")
    least, a, b, alpha, beta = theta
    centre, width = np.log(flops / 6) / 2, np.log(flops / 6) / 2
    while width > 1e-8:
        params = np.exp(centre + width * np.linspace(-1, 1, 41))
        # Without E: it moves nothing, and its digits would hide those of the other terms.
        reducible = a / params**alpha + b / (flops / (6 * params)) ** beta
        centre, width = np.log(params[np.argmin(reducible)]), width / 10
    n = np.exp(centre)
    d = flops / (6 * n)
    return np.array([n, d, least + a / n**alpha + b / d**beta])
