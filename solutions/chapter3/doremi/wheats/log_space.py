"""Like the authors' trainer: log weights, logsumexp, one flat array of tokens with domain ids, a running average."""

import numpy as np


def doremi_step(weights, losses, ref_losses, lr=1.0, smoothing=1e-3, scores=None):
    k = len(weights)
    if not (lr >= 0 and 0 <= smoothing <= 1):
        raise ValueError(f"{lr=} {smoothing=}")
    if len(losses) != k or len(ref_losses) != k or (scores is not None and len(scores) != k):
        raise ValueError(f"not {k} domains")
    counts = np.array([len(tokens) for tokens in losses])
    if [len(tokens) for tokens in ref_losses] != counts.tolist():
        raise ValueError("tokens differ")
    ids = np.repeat(np.arange(k), counts)
    gap = np.concatenate([np.asarray(each, dtype=float) for each in losses])
    gap = gap - np.concatenate([np.asarray(each, dtype=float) for each in ref_losses])
    sums = np.bincount(ids, weights=gap.clip(min=0), minlength=k)
    kept = np.zeros(k) if scores is None else np.array(scores, dtype=float)
    now = np.where(counts > 0, sums / np.maximum(counts, 1), kept)
    with np.errstate(divide="ignore"):
        logs = np.log(np.asarray(weights, dtype=float)) + lr * now
    logs -= logs.max() + np.log(np.exp(logs - logs.max()).sum())
    return tuple((1 - smoothing) * np.exp(logs) + smoothing / k), tuple(now)


def doremi(weights, batches, lr=1.0, smoothing=1e-3):
    if not len(batches):
        raise ValueError("nothing to average")
    average, current, scores = np.zeros(len(weights)), weights, None
    for step, (losses, ref_losses) in enumerate(batches):
        current, scores = doremi_step(current, losses, ref_losses, lr, smoothing, scores)
        average = (average * step + np.array(current)) / (step + 1)
    return average
