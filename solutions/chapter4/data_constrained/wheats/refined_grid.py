"""numpy: a grid over log N that is refined around its lowest point; worth without expm1."""

import numpy as np


def effective_tokens(unique, epochs, r_star):
    if unique <= 0 or epochs <= 0 or r_star <= 0:
        raise ValueError("positive numbers only")
    once = min(epochs, 1.0)
    return unique * (once + r_star * (1 - np.exp(-(epochs - once) / r_star)))


def _losses(n, d, unique, theta):
    e, a, b, alpha, beta, r_d, r_n = theta
    fresh = np.minimum(d, unique)
    useful = np.minimum(n, (alpha * a / beta / b) ** (1 / alpha) * fresh ** (beta / alpha))
    with np.errstate(over="ignore"):
        n_eff = useful + useful * r_n * (1 - np.exp(-(n / useful - 1) / r_n))
        d_eff = fresh + fresh * r_d * (1 - np.exp(-(d / fresh - 1) / r_d))
        return e + a / n_eff**alpha + b / d_eff**beta


def loss(params, tokens, unique, theta):
    if min(params, tokens, unique) <= 0 or min(theta[1:]) <= 0:
        raise ValueError("positive numbers only")
    return np.float64(_losses(np.float64(params), np.float64(tokens), unique, theta))


def best_allocation(flops, unique, theta):
    if min(flops, unique) <= 0 or min(theta[1:]) <= 0:
        raise ValueError("positive numbers only")
    low, high = np.log(1e3), np.log(1e17)
    while high - low > 1e-6:
        x = np.linspace(low, high, 201)
        values = _losses(np.exp(x), flops / (6 * np.exp(x)), unique, theta)
        best = int(np.argmin(values))
        low, high = x[max(best - 2, 0)], x[min(best + 2, 200)]
    n = np.exp((low + high) / 2)
    d = flops / (6 * n)
    return np.array([n, d / unique, _losses(n, d, unique, theta)])
