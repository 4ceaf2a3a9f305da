"""Weighted least squares, iterated and damped, over E, A, B and the exponents; then Newton's last steps."""

import numpy as np

DELTA = 1e-3


def huber_log_loss(theta, n, d, loss, delta):
    e, a, b, alpha, beta = theta
    r = np.abs(np.log((e + a * n**-alpha + b * d**-beta) / loss))
    return np.where(r > delta, delta * r - delta**2 / 2, r * r / 2).sum()


def _slopes(x, n, d):
    parts = np.array([np.full(len(n), np.exp(x[0])), np.exp(x[1]) * n ** -x[3], np.exp(x[2]) * d ** -x[4]])
    total = parts.sum(0)
    shares = parts / total
    return np.log(total), np.vstack([shares, -shares[1] * np.log(n), -shares[2] * np.log(d)]).T


def _descend(x, n, d, log_loss):
    def value(at):
        with np.errstate(over="ignore", invalid="ignore"):
            r = np.abs(_slopes(at, n, d)[0] - log_loss)
            return np.where(r > DELTA, DELTA * r - DELTA**2 / 2, r * r / 2).sum()

    here, damp, still = value(x), 1e-2, 0
    for _ in range(500):
        predicted, j = _slopes(x, n, d)
        r = predicted - log_loss
        w = 1 / np.maximum(1, np.abs(r) / DELTA)
        h = j.T @ (w[:, None] * j)
        move = np.linalg.lstsq(h + damp * np.diag(np.diag(h) + 1e-12), -j.T @ (w * r), rcond=None)[0]
        move *= min(1, 1 / np.abs(move).max())
        there = value(x + move)
        if there < here:
            still = still + 1 if here - there < 1e-13 else 0
            x, here, damp = x + move, there, damp / 5
        else:
            damp *= 4
        if damp > 1e12 or still > 3:
            break
    return here, x


def fit_parametric(n, d, loss, starts):
    if len({len(n), len(d), len(loss)}) > 1 or len(n) < 5 or not len(starts):
        raise ValueError("not enough to fit a law to")
    best = None
    for e, a, b, alpha, beta in starts:
        found = _descend(np.array([np.log(e), np.log(a), np.log(b), alpha, beta]), n, d, np.log(loss))
        best = found if best is None or found[0] < best[0] else best
    x = best[1]
    return [float(np.exp(x[0])), float(np.exp(x[1])), float(np.exp(x[2])), float(x[3]), float(x[4])]
