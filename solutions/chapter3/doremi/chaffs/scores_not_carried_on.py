"""Each step of a run begins without scores.
Killed by: test_run_is_the_mean_of_its_steps
"""

import numpy as np


def doremi_step(
    weights: list[float],
    losses: list[list[float]],
    ref_losses: list[list[float]],
    lr: float = 1.0,
    smoothing: float = 1e-3,
    scores: list[float] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    k = len(weights)
    if lr < 0 or not 0 <= smoothing <= 1:
        raise ValueError("lr must not be negative, and smoothing must lie between 0 and 1")
    last = np.zeros(k) if scores is None else scores
    if not k == len(losses) == len(ref_losses) == len(last):
        raise ValueError("weights, losses, ref_losses and scores must have one entry per domain")
    new = np.array([_score(*domain) for domain in zip(losses, ref_losses, last, strict=True)])
    logits = lr * new
    grown = np.asarray(weights) * np.exp(logits - logits.max())
    return (1 - smoothing) * grown / grown.sum() + smoothing / k, new


def _score(losses: list[float], ref_losses: list[float], last: float) -> float:
    if len(losses) != len(ref_losses):
        raise ValueError("a domain must have as many losses as reference losses")
    if len(losses) == 0:
        return last
    return np.maximum(np.subtract(losses, ref_losses), 0).mean()


def doremi(
    weights: list[float],
    batches: list[tuple[list[list[float]], list[list[float]]]],
    lr: float = 1.0,
    smoothing: float = 1e-3,
) -> np.ndarray:
    if not batches:
        raise ValueError("a run has at least one step")
    total, scores = np.zeros(len(weights)), None
    for losses, ref_losses in batches:
        weights, scores = doremi_step(weights, losses, ref_losses, lr, smoothing, None)
        total += weights
    return total / len(batches)
