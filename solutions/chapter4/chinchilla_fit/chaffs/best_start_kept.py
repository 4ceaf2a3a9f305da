"""The start with the least objective is the fit: the grid is the search.
Killed by: test_planted_law_is_found, test_no_law_is_better
"""

from collections.abc import Callable

import numpy as np

DELTA = 1e-3  # Hoffmann et al. 2022, section 3.3


def huber_log_loss(
    theta: tuple[float, float, float, float, float], n: np.ndarray, d: np.ndarray, loss: np.ndarray, delta: float
) -> float:
    least, a, b, alpha, beta = theta
    residual = np.log(least + a / n**alpha + b / d**beta) - np.log(loss)
    return float(_huber(residual, delta)[0].sum())


def fit_parametric(
    n: np.ndarray, d: np.ndarray, loss: np.ndarray, starts: list[tuple[float, float, float, float, float]]
) -> tuple[float, float, float, float, float]:
    if not len(n) == len(d) == len(loss) >= 5 or len(starts) == 0:
        raise ValueError("at least five runs, each with n, d and loss, and at least one start")
    objective = _objective(np.log(n), np.log(d), np.log(loss))
    # The objective is about 1e-3, so scipy's tolerances would stop far from the bottom.
    ends = [([*np.log(start[:3]), *start[3:]], objective([*np.log(start[:3]), *start[3:]])[0]) for start in starts]
    lowest = np.array(min(ends, key=lambda end: end[1])[0])
    least, a, b = np.exp(lowest[:3]).tolist()
    return least, a, b, float(lowest[3]), float(lowest[4])


def _objective(
    log_n: np.ndarray, log_d: np.ndarray, log_loss: np.ndarray
) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        e, a, b, alpha, beta = x
        terms = np.stack([np.full_like(log_n, e), a - alpha * log_n, b - beta * log_d])
        top = terms.max(axis=0)
        shares = np.exp(terms - top)  # no overflow, wherever a step may lead
        total = shares.sum(axis=0)
        values, pull = _huber(top + np.log(total) - log_loss, DELTA)
        # How much each term pulls at the residual: its share of the prediction.
        pulls = shares / total * pull
        return values.sum(), np.array([*pulls.sum(axis=1), -(pulls[1] @ log_n), -(pulls[2] @ log_d)])

    return objective


def _huber(residual: np.ndarray, delta: float) -> tuple[np.ndarray, np.ndarray]:
    inside = np.clip(residual, -delta, delta)
    return inside * (residual - inside / 2), inside
