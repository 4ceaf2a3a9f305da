"""numpy's polyfit over log10."""

import numpy as np


def isoflop_minimum(n, loss, window):
    n, loss = np.asarray(n, dtype=float), np.asarray(loss, dtype=float)
    if n.size != loss.size or n.size == 0:
        raise ValueError("sizes and losses do not match")
    mask = loss - loss.min() <= window
    n, loss = n[mask], loss[mask]
    if np.unique(n).size < 3:
        raise ValueError("fewer than three sizes")
    fit = np.polynomial.Polynomial.fit(np.log10(n), loss, 2)
    [vertex] = fit.deriv().roots()
    if fit.deriv(2)(vertex) < 0 or vertex < np.log10(n.min()) or vertex > np.log10(n.max()):
        raise ValueError("no minimum among the sizes")
    return np.array([10**vertex, fit(vertex)])


def fit_exponent(budgets, n_opt):
    if np.size(budgets) != np.size(n_opt) or np.unique(budgets).size < 2:
        raise ValueError("fewer than two budgets")
    a, b = np.polyfit(np.log10(budgets), np.log10(n_opt), 1)
    return a, 10.0**b
