"""Newton's method on the condition for D, as Sardana et al. do it, with numpy numbers."""

import numpy as np


def cheapest_model(loss_target, inference_tokens, theta):
    e, a, b, alpha, beta = (np.float64(value) for value in theta)
    left = loss_target - e
    if not (left > 0 and min(a, b, alpha, beta) > 0 and inference_tokens >= 0):
        raise ValueError("no such model")
    # Without inference b D^-beta = alpha left / (alpha + beta); with it, D is larger.
    x = np.log(b * (alpha + beta) / (alpha * left)) / beta
    for _ in range(200):
        demand = beta * inference_tokens / 3 * np.exp(-x)
        # log of both sides: it is convex and falls, so Newton's steps never go too far to the right.
        value = np.log(b) - beta * x + np.log(alpha + beta + demand) - np.log(alpha * left)
        slope = -beta - demand / (alpha + beta + demand)
        x -= value / slope
    d = np.exp(x)
    n = (a / (left - b * d**-beta)) ** (1 / alpha)
    return np.array([n, d, 2 * n * (3 * d + inference_tokens)])
