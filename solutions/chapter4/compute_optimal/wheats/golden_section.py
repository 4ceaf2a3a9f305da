"""Knows no formula: a golden-section search over log N, by values of the loss alone."""

import math


def optimal_allocation(flops, theta):
    least, a, b, alpha, beta = theta
    if flops <= 0 or a <= 0 or b <= 0 or alpha <= 0 or beta <= 0:
        raise ValueError(f"no optimum for {flops} and {theta}")

    def loss(log_params):
        params = math.exp(log_params)
        return least + a * params**-alpha + b * (flops / 6 / params) ** -beta

    low, high = 0.0, math.log(flops / 6)  # at least one parameter, at least one token
    part = (math.sqrt(5) - 1) / 2
    left, right = high - part * (high - low), low + part * (high - low)
    at_left, at_right = loss(left), loss(right)
    while high - low > 1e-9:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - part * (high - low)
            at_left = loss(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + part * (high - low)
            at_right = loss(right)
    best = (low + high) / 2
    return [math.exp(best), flops / 6 / math.exp(best), loss(best)]
