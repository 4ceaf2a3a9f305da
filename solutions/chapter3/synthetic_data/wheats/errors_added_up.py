"""All noise at once: each fit adds an error to its teacher's, whole in one mode, an i-th of it in the other."""

import numpy as np


def fit_generations(x, w, sigma, generations, mode, seed):
    if sigma < 0 or generations < 1 or mode not in {"replace", "accumulate"}:
        raise ValueError((sigma, generations, mode))
    z = np.random.default_rng(seed).normal(size=(generations, len(x)))
    errors = sigma * np.linalg.lstsq(x, z.T, rcond=None)[0].T  # (generations, d)
    if mode == "accumulate":
        errors /= np.arange(1, generations + 1)[:, None]
    return w + errors.cumsum(axis=0)


def expected_error(x, sigma, generations, mode):
    if sigma < 0 or generations < 1 or mode not in {"replace", "accumulate"}:
        raise ValueError((sigma, generations, mode))
    shares = np.ones(generations) if mode == "replace" else np.arange(1.0, generations + 1) ** -2
    return (sigma**2 * (1 / np.linalg.svd(x, compute_uv=False) ** 2).sum() * shares.cumsum()).tolist()
