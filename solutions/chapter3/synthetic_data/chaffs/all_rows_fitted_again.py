"""Stack all rows and fit them.
Killed by: test_accumulating_takes_no_longer_each_time
"""

import numpy as np


def fit_generations(x: np.ndarray, w: np.ndarray, sigma: float, generations: int, mode: str, seed: int) -> np.ndarray:
    _require(sigma, generations, mode)
    solve = np.linalg.pinv(x)
    rng = np.random.default_rng(seed)
    models, model, everything = [], w, np.empty((0, len(x)))
    for _ in range(1, generations + 1):
        labels = x @ model + sigma * rng.standard_normal(len(x))
        everything = labels[None] if mode == "replace" else np.vstack([everything, labels])
        # The inputs are the same every time, so the fit to all labels so far is the mean of the fits.
        rows = np.vstack([x] * len(everything))
        model = np.linalg.lstsq(rows, everything.ravel(), rcond=None)[0]
        models.append(model)
    return np.array(models)


def expected_error(x: np.ndarray, sigma: float, generations: int, mode: str) -> np.ndarray:
    _require(sigma, generations, mode)
    one = sigma**2 * np.trace(np.linalg.inv(x.T @ x))
    i = np.arange(1, generations + 1)
    return one * (i if mode == "replace" else np.cumsum(1 / i**2))


def _require(sigma: float, generations: int, mode: str) -> None:
    if sigma < 0 or generations < 1:
        raise ValueError("sigma must not be negative, and there is at least one generation")
    if mode not in ("replace", "accumulate"):
        raise ValueError("the mode is replace or accumulate")
