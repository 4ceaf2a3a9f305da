"""Starts from D, with logarithms throughout, in numpy scalars; the loss comes from the balance of the two terms."""

import numpy as np


def optimal_allocation(flops, theta):
    least, a, b, alpha, beta = np.float64(theta)
    if flops <= 0 or min(theta[1:]) <= 0:
        raise ValueError("what is not positive has no logarithm")
    log_product = np.log(flops) - np.log(6)
    log_tokens = (np.log(beta * b) - np.log(alpha * a) + alpha * log_product) / (alpha + beta)
    model_term = a * np.exp(-alpha * (log_product - log_tokens))
    loss = least + model_term * (1 + alpha / beta)  # B/D^β = (α/β) A/N^α at the optimum
    return np.exp(log_product - log_tokens), np.exp(log_tokens), loss
