"""numpy throughout: a table of all counts that is grown answer by answer; numpy numbers come back."""

import numpy as np


def pass_at_k(n, c, k):
    if n < 1 or min(c, k - 1) < 0 or max(c, k) > n:
        raise ValueError("no such samples")
    if c > n - k:
        return np.float64(1)
    wrong = np.arange(n - c, n - c - k, -1.0)
    return -np.expm1(np.sum(np.log(wrong) - np.log(np.arange(n, n - k, -1.0))))


def coverage(samples, k):
    if not len(samples):
        raise ValueError("no problems")
    return np.mean([pass_at_k(int(n), int(c), k) for n, c in np.asarray(samples)])


def majority_vote_accuracy(probabilities, votes):
    p = np.asarray(probabilities, dtype=np.float64)
    if votes < 1 or p.size == 0 or (p < 0).any() or abs(p.sum() - 1) > 1e-9:
        raise ValueError("no such votes")
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, votes + 1)))])
    chance = np.array([log_factorial[votes]])
    used, first, most, level = (np.zeros(1, dtype=int) for _ in range(4))
    for answer, each in enumerate(p):
        j = np.arange(votes + 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            term = np.where(j == 0, 0.0, j * np.log(each)) - log_factorial
        rows, counts = np.nonzero(used[:, None] + j <= votes)
        chance, used = chance[rows] + term[counts], used[rows] + counts
        first = counts if answer == 0 else first[rows]
        level = np.where(counts > most[rows], 1, level[rows] + (counts == most[rows]))
        most = np.maximum(most[rows], counts)
        keep = np.isfinite(chance) if answer + 1 < p.size else np.isfinite(chance) & (used == votes)
        chance, used, first, most, level = (array[keep] for array in (chance, used, first, most, level))
    wins = first == most
    return np.sum(np.exp(chance[wins]) / level[wins])


def best_of_n_kl(n):
    if n < 1:
        raise ValueError("no samples")
    return np.log(np.float64(n)) - np.float64(n - 1) / n
