"""Balances the two marginal gains, by recursion: a larger model pays as long as αA/N^α exceeds βB/D^β."""

from math import exp, log


def _balance(low, high, excess):
    middle = (low + high) / 2
    if high - low < 1e-12 or middle in (low, high):
        return middle
    return _balance(middle, high, excess) if excess(middle) > 0 else _balance(low, middle, excess)


def optimal_allocation(flops, theta):
    E, A, B, alpha, beta = theta
    for value in (flops, A, B, alpha, beta):
        if not value > 0:
            raise ValueError(value)
    total = log(flops) - log(6)

    def excess(x):
        return log(alpha * A) - alpha * x - (log(beta * B) - beta * (total - x))

    x = _balance(0.0, total, excess)
    y = total - x
    return exp(x), exp(y), E + A * exp(-alpha * x) + B * exp(-beta * y)
