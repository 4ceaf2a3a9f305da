"""numpy: λ by bisection on the sum of min(λ w, cap), which grows with λ; answers arrays."""

import numpy as np


def temperature_weights(sizes, t):
    n = checked(sizes)
    if not t > 0:
        raise ValueError("t")
    some = n > 0
    logits = np.full(n.shape, -np.inf)
    logits[some] = np.log(n[some]) / t
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def capped_weights(weights, sizes, budget, max_epochs):
    wanted, n = checked(weights), np.asarray(sizes, dtype=np.float64)
    if n.min() < 0 or not (budget > 0 and max_epochs > 0):
        raise ValueError("sizes, budget, max_epochs")
    caps = np.where(wanted > 0, n * max_epochs, 0.0)
    if caps.sum() < budget:
        raise ValueError("budget")
    answer = level(wanted, caps, budget)
    return answer / answer.sum()


def unimax(sizes, budget, max_epochs):
    caps = checked(sizes) * max_epochs
    if not (budget > 0 and max_epochs > 0):
        raise ValueError("budget, max_epochs")
    return level(np.ones_like(caps), caps, budget)


def level(wanted, caps, budget):
    some = wanted > 0
    low, high = 0.0, float(np.max(caps[some] / wanted[some]))
    for _ in range(200):
        middle = (low + high) / 2
        if np.minimum(middle * wanted, caps).sum() < budget:
            low = middle
        else:
            high = middle
    return np.minimum(high * wanted, caps)


def checked(numbers):
    array = np.asarray(numbers, dtype=np.float64)
    if (array < 0).any() or not (array > 0).any():
        raise ValueError("negative, or nothing at all")
    return array
