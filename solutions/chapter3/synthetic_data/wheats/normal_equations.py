"""Sums XᵀX and Xᵀy over all data so far, solved anew in each generation; lists of lists."""

import numpy as np


def fit_generations(x, w, sigma, generations, mode, seed):
    check(sigma, generations, mode)
    random = np.random.RandomState(seed)
    gram, moment = np.zeros((x.shape[1], x.shape[1])), np.zeros(x.shape[1])
    teacher, chain = np.array(w, dtype=float), []
    for _ in range(generations):
        labels = x.dot(teacher) + sigma * random.randn(x.shape[0])
        if mode == "replace":
            gram[:], moment[:] = 0, 0
        gram += x.T.dot(x)
        moment += x.T.dot(labels)
        teacher = np.linalg.solve(gram, moment)
        chain.append(teacher.tolist())
    return chain


def expected_error(x, sigma, generations, mode):
    check(sigma, generations, mode)
    variance = sigma * sigma * float(np.linalg.inv(x.T.dot(x)).diagonal().sum())
    answer, total = [], 0.0
    for i in range(1, generations + 1):
        total += variance if mode == "replace" else variance / i**2
        answer.append(total)
    return tuple(answer)


def check(sigma, generations, mode):
    if not (sigma >= 0 and generations >= 1 and mode in ("replace", "accumulate")):
        raise ValueError("no such chain")
