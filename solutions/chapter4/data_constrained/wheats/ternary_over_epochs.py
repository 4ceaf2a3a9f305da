"""A ternary search over the logarithm of the number of epochs, with numpy scalars."""

import numpy as np


def effective_tokens(unique, epochs, r_star):
    if not (unique > 0 and epochs > 0 and r_star > 0):
        raise ValueError("positive arguments, please")
    repeated = np.maximum(0.0, epochs - 1.0)
    return unique * np.minimum(1.0, epochs) - unique * r_star * np.expm1(-repeated / r_star)


def loss(params, tokens, unique, theta):
    e, a, b, alpha, beta, r_d, r_n = map(np.float64, theta)
    for value in (params, tokens, unique, a, b, alpha, beta, r_d, r_n):
        if not value > 0:
            raise ValueError("positive arguments, please")
    tokens_worth = effective_tokens(unique, tokens / unique, r_d)
    limit = (alpha * a / (beta * b) * np.float64(min(tokens, unique)) ** beta) ** (1 / alpha)
    params_worth = effective_tokens(limit, params / limit, r_n)
    return e + a / params_worth**alpha + b / tokens_worth**beta


def best_allocation(flops, unique, theta):
    if not (flops > 0 and unique > 0):
        raise ValueError("positive arguments, please")

    def at(log_epochs):
        d = unique * np.exp(log_epochs)
        return loss(flops / (6 * d), d, unique, theta)

    low, high = np.log(1e3 / unique), np.log(flops / 6e3 / unique)
    for _ in range(110):
        third = (high - low) / 3
        if at(low + third) < at(high - third):
            high -= third
        else:
            low += third
    epochs = np.exp((low + high) / 2)
    return flops / (6 * epochs * unique), epochs, at(np.log(epochs))
