"""Logarithms of factorials, and all ways to share the votes out, one after the other."""

from math import exp, lgamma, log


def _log_choose(n, k):
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def pass_at_k(n, c, k):
    if n < 1 or c < 0 or c > n or k < 1 or k > n:
        raise ValueError("no such samples")
    return 0.0 if c == 0 else 1.0 if k > n - c else 1 - exp(_log_choose(n - c, k) - _log_choose(n, k))


def coverage(samples, k):
    total = [pass_at_k(n, c, k) for n, c in samples]
    try:
        return sum(total) / len(total)
    except ZeroDivisionError:
        raise ValueError("no problems") from None


def _ways(votes, answers):
    if answers == 1:
        yield (votes,)
        return
    for first in range(votes + 1):
        for rest in _ways(votes - first, answers - 1):
            yield (first, *rest)


def majority_vote_accuracy(probabilities, votes):
    if votes < 1 or not probabilities or min(probabilities) < 0 or abs(sum(probabilities) - 1) > 1e-6:
        raise ValueError("no such votes")
    possible = [p for p in probabilities[1:] if p > 0]
    if probabilities[0] == 0:
        return 0.0
    logs = [log(p) for p in [probabilities[0], *possible]]
    total = 0.0
    for counts in _ways(votes, len(logs)):
        if counts[0] == max(counts):
            chance = lgamma(votes + 1) + sum(c * p - lgamma(c + 1) for c, p in zip(counts, logs, strict=True))
            total += exp(chance) / counts.count(counts[0])
    return total


def best_of_n_kl(n):
    if n < 1:
        raise ValueError("no samples")
    return log(n) + 1 / n - 1
