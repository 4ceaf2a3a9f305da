"""Noise is noise: uniform numbers with the right variance.
Killed by: test_noise_is_white
"""

import numpy as np


def fit_generations(x: np.ndarray, w: np.ndarray, sigma: float, generations: int, mode: str, seed: int) -> np.ndarray:
    _require(sigma, generations, mode)
    solve = np.linalg.pinv(x)
    rng = np.random.default_rng(seed)
    models, model = [], w
    for i in range(1, generations + 1):
        fit = solve @ (x @ model + sigma * rng.uniform(-(3**0.5), 3**0.5, len(x)))
        # The inputs are the same every time, so the fit to all labels so far is the mean of the fits.
        model = fit if mode == "replace" else model + (fit - model) / i
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
