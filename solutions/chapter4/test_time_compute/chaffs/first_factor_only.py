"""One minus the share of wrong samples, divided once.
Killed by: test_sets_of_samples, test_ten_thousand_samples
"""

import math

import numpy as np


def pass_at_k(n: int, c: int, k: int) -> float:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError("0 <= c <= n and 1 <= k <= n")
    if n - c < k:
        return 1.0
    return float(1 - (n - c) / n * max(0.0, (n - c - k + 1) / (n - k + 1))) if k > 1 else c / n


def coverage(samples: list[tuple[int, int]], k: int) -> float:
    if not samples:
        raise ValueError("no problems")
    return sum(pass_at_k(n, c, k) for n, c in samples) / len(samples)


def majority_vote_accuracy(probabilities: list[float], votes: int) -> float:
    if votes < 1 or min(probabilities, default=-1.0) < 0 or abs(sum(probabilities) - 1) > 1e-9:
        raise ValueError("at least one vote, and probabilities that add up to 1")
    right, *others = probabilities
    accuracy = 0.0
    for m in range(1, votes + 1):
        share = [np.eye(1, votes - m + 1)[0]]
        for p in others:
            terms = np.array([p**j / math.factorial(j) for j in range(m + 1)])
            fewer = [np.convolve(each, terms[:m])[: votes - m + 1] for each in share]
            as_many = [np.convolve(each, np.eye(1, m + 1, m)[0] * terms[m])[: votes - m + 1] for each in share]
            share = [sum(parts) for parts in zip([*fewer, 0 * fewer[0]], [0 * fewer[0], *as_many], strict=True)]
        won = sum(each[votes - m] / (ties + 1) for ties, each in enumerate(share))
        accuracy += right**m / math.factorial(m) * won * math.factorial(votes)
    return float(accuracy)


def best_of_n_kl(n: int) -> float:
    if n < 1:
        raise ValueError("at least one sample")
    return math.log(n) - (n - 1) / n
