"""QR once; accumulated data is one data set with the mean of all labels of a row; standard library noise."""

import random

import numpy as np


def fit_generations(x, w, sigma, generations, mode, seed):
    if mode != "replace" and mode != "accumulate":
        raise ValueError(mode)
    if sigma < 0 or generations <= 0:
        raise ValueError("sigma or generations")
    gauss = random.Random(seed).gauss
    q, r = np.linalg.qr(x)
    models = np.empty((generations, x.shape[1]))
    labels = np.zeros(len(x))
    for i in range(generations):
        teacher = models[i - 1] if i else w
        new = x @ teacher + sigma * np.array([gauss(0, 1) for _ in range(len(x))])
        labels = new if mode == "replace" else (labels * i + new) / (i + 1)
        models[i] = np.linalg.solve(r, q.T @ labels)
    return models


def expected_error(x, sigma, generations, mode):
    if mode != "replace" and mode != "accumulate":
        raise ValueError(mode)
    if sigma < 0 or generations <= 0:
        raise ValueError("sigma or generations")
    one = sigma**2 * np.square(np.linalg.pinv(x)).sum()  # the trace of the inverse of X'X
    i = np.arange(1.0, generations + 1)
    return one * i if mode == "replace" else one * np.add.accumulate(1 / i / i)
