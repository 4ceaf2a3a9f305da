"""The mean of the runs instead of their sum is as good to descend on, with tolerances to match; scaled by 1e6."""

import numpy as np
from given import minimize

DELTA = 1e-3


def _log_prediction(theta_logs, log_n, log_d):
    e, a, b, alpha, beta = theta_logs
    return np.logaddexp(e, np.logaddexp(a - alpha * log_n, b - beta * log_d))


def huber_log_loss(theta, n, d, loss, delta):
    logs = (np.log(theta[0]), np.log(theta[1]), np.log(theta[2]), theta[3], theta[4])
    r = _log_prediction(logs, np.log(n), np.log(d)) - np.log(loss)
    inside = np.abs(r) <= delta
    return np.sum(r[inside] ** 2) / 2 + np.sum(delta * (np.abs(r[~inside]) - delta / 2))


def fit_parametric(n, d, loss, starts):
    if np.size(n) < 5 or np.size(n) != np.size(d) or np.size(n) != np.size(loss):
        raise ValueError("not enough runs")
    log_n, log_d, log_loss = np.log(n), np.log(d), np.log(loss)
    middle_n, middle_d = log_n.mean(), log_d.mean()

    def objective(x):  # a and b are log terms in the middle of the runs, which makes the valley rounder
        e, a, b, alpha, beta = x
        from_n, from_d = a - alpha * (log_n - middle_n), b - beta * (log_d - middle_d)
        predicted = np.logaddexp(e, np.logaddexp(from_n, from_d))
        pull = np.clip(predicted - log_loss, -DELTA, DELTA)
        value = pull * (predicted - log_loss) - pull**2 / 2
        share_n, share_d = np.exp(from_n - predicted), np.exp(from_d - predicted)
        gradient = [
            np.exp(e - predicted) * pull,
            share_n * pull,
            share_d * pull,
            -share_n * (log_n - middle_n) * pull,
            -share_d * (log_d - middle_d) * pull,
        ]
        return 1e6 * value.mean(), 1e6 * np.mean(gradient, axis=1)

    found = []
    for e, a, b, alpha, beta in starts:
        x = [np.log(e), np.log(a) - alpha * middle_n, np.log(b) - beta * middle_d, alpha, beta]
        found.append(minimize(objective, x, ftol=1e-12, gtol=1e-6))
    if not found:
        raise ValueError("no starts")
    e, a, b, alpha, beta = min(found, key=lambda end: end[1])[0]
    return np.exp(e), np.exp(a + alpha * middle_n), np.exp(b + beta * middle_d), alpha, beta
