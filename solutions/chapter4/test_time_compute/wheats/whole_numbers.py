"""Binomials as whole numbers of any size; votes by recursion over the answers, with a memory."""

import math
from fractions import Fraction
from functools import cache


def pass_at_k(n, c, k):
    if not 1 <= k <= n or not 0 <= c <= n:
        raise ValueError("no such samples")
    return float(1 - Fraction(math.comb(n - c, k), math.comb(n, k)))


def coverage(samples, k):
    if len(samples) == 0:
        raise ValueError("no problems")
    # math.comb is dear for large numbers, and problems repeat themselves.
    estimates = {pair: pass_at_k(*pair, k) for pair in {tuple(pair) for pair in samples}}
    return math.fsum(estimates[tuple(pair)] for pair in samples) / len(samples)


def majority_vote_accuracy(probabilities, votes):
    if votes <= 0 or any(p < 0 for p in probabilities) or not math.isclose(sum(probabilities), 1, abs_tol=1e-8):
        raise ValueError("no such votes")
    others = tuple(probabilities[1:])

    @cache
    def rest(place, left, most, level):
        """Answers from this place on take what is left, none more than most; level of them have had most so far."""
        if place == len(others):
            return 1 / (level + 1) if left == 0 else 0.0
        return sum(
            math.comb(left, j) * others[place] ** j * rest(place + 1, left - j, most, level + (j == most))
            for j in range(min(left, most) + 1)
        )

    wins = (math.comb(votes, m) * probabilities[0] ** m * rest(0, votes - m, m, 0) for m in range(1, votes + 1))
    return math.fsum(wins)


def best_of_n_kl(n):
    if n <= 0:
        raise ValueError("no samples")
    return math.log(n) - 1 + 1 / n
