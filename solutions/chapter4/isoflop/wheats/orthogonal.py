"""Polynomials that are orthogonal on the runs, by Gram and Schmidt, one projection after the other; base 2."""

import numpy as np


def _project(values, on):
    return values @ on / (on @ on)


def isoflop_minimum(n, loss, window):
    if n.shape != loss.shape:
        raise ValueError("sizes and losses do not match")
    inside = loss <= loss.min() + window
    x, y = np.log2(n[inside]), loss[inside]
    if len(np.unique(x)) < 3:
        raise ValueError("fewer than three sizes")
    first = x - x.mean()
    second = first**2 - np.mean(first**2)
    tilt = _project(second, first)
    second = second - tilt * first
    slope, bend = _project(y, first), _project(y, second)
    if not bend > 0:
        raise ValueError("no minimum")
    at = tilt / 2 - slope / (2 * bend)
    if at < first.min() or at > first.max():
        raise ValueError("no minimum among the sizes")
    lowest = y.mean() + slope * at + bend * (at**2 - np.mean(first**2) - tilt * at)
    return np.exp2(x.mean() + at), lowest


def fit_exponent(budgets, n_opt):
    if budgets.shape != n_opt.shape or len(np.unique(budgets)) < 2:
        raise ValueError("a line takes two budgets")
    x, y = np.log2(budgets), np.log2(n_opt)
    a = _project(y, x - x.mean())
    return np.float64(a), np.exp2(y.mean() - a * x.mean())
