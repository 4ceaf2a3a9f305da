"""One minus the share of wrong samples, divided once.
Killed by: test_sets_of_samples, test_ten_thousand_samples
"""

import math


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
    if votes < 1 or any(p < 0 for p in probabilities) or abs(sum(probabilities) - 1) > 1e-9:
        raise ValueError("at least one vote, and probabilities that add up to 1")
    right, *others = probabilities
    accuracy = 0.0
    for m in range(1, votes + 1):
        weights = {(votes - m, 0): right**m / math.factorial(m)}
        for p in others:
            before, weights = weights, {}
            for (left, level), weight in before.items():
                for j in range(min(left, m) + 1):
                    after = left - j, level + (j == m)
                    weights[after] = weights.get(after, 0.0) + weight * p**j / math.factorial(j)
        accuracy += sum(weight / (level + 1) for (left, level), weight in weights.items() if left == 0)
    return accuracy * math.factorial(votes)


def best_of_n_kl(n: int) -> float:
    if n < 1:
        raise ValueError("at least one sample")
    return math.log(n) - (n - 1) / n
