"""Expectations on random answers, each with a stated false-alarm probability.

One bound serves all of them. Let X_1 .. X_n be independent, from [0, 1], with mean p. Then for m >= p

    P(mean(X) >= m) <= exp(-n KL(m, p)),    KL(m, p) = m ln(m / p) + (1 - m) ln((1 - m) / (1 - p)),

and the same for m <= p downwards: Hoeffding 1963, theorem 1 (for coins, Chernoff's bound). It holds for every
n and follows the variance where p is near 0 or 1; Pinsker's inequality KL >= 2 (m - p)^2 turns it into
Hoeffding's better known band, sqrt(ln(2/a) / 2n) wide, which is never narrower. The set of means that are at
least as surprising as m is a tail on each side, so a test that fails where n KL > ln(2/a) raises a false
alarm with probability a at most.

Power: for large n, n KL is half the square of the shift in standard errors. Shifts beyond sqrt(2 ln(2/a))
standard errors are found more often than not: 6.5 of them at a = 1e-9; 3 more make it 999 times in 1000. A
standard error is that of a coin, sqrt(p (1 - p) / n): samples between 0 and 1 scatter less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.expect.form import array, number, read
from grader.expect.mismatch import Difference, fail
from grader.expect.values import Array, to_floats
from grader.expect.wording import number_text, show

ROUNDING = 1e-9  # of a sample's range: values that arithmetic pushed over its edge are inside


def binomial_within(successes: Any, n: int, p: float, what: str = "", false_alarm: float = 1e-9) -> None:
    """Ask that a number of successes fits n independent trials.

    Args:
        successes: how many trials succeeded.
        n: how many trials there were.
        p: the probability of a success.
        what: names the trial for the learner.
        false_alarm: the probability that a right answer fails.
    """
    _ask_probability(p)
    count = number(successes, what)
    if not 0 <= count <= n or count != math.floor(count):
        fail(Difference(f"a count from 0 to {n}", show(successes)), what, successes)
    limit = math.log(2 / false_alarm)
    if n * divergence(count / max(n, 1), p) > limit:
        fail(_surprise(count, n, p, limit, false_alarm), what, successes)


def mean_within(
    samples: Any, mean: float, bounds: tuple[float, float], what: str = "", false_alarm: float = 1e-9
) -> None:
    """Ask that independent samples have this mean.

    Args:
        samples: numbers, each within the bounds.
        mean: the mean of the distribution that they should come from.
        bounds: the smallest and the largest value that this distribution can give.
        what: names the value for the learner.
        false_alarm: the probability that a right answer fails.
    """
    low, width = bounds[0], bounds[1] - bounds[0]
    if not low <= mean <= bounds[1]:
        raise ValueError(f"a check asks for the mean {mean}, which is outside of {bounds}")
    values = _samples(samples, bounds, what)
    if not width:
        return
    limit, centre = math.log(2 / false_alarm) / values.size, (mean - low) / width
    got = (math.fsum(values) / values.size - low) / width
    if abs(got - centre) > ROUNDING and divergence(got, centre) > limit:
        edges = " to ".join(number_text(low + width * edge) for edge in band(centre, limit))
        detail = f"over {values.size} samples"
        fail(Difference(f"a mean of {edges}", number_text(low + width * got), detail), what, samples)


def same_distribution(counts: Any, probabilities: Any, what: str = "", false_alarm: float = 1e-9) -> None:
    """Ask that counts of independent draws fit these probabilities.

    Two tests share the false-alarm probability a between them:

    - each of the K cells by itself against its binomial, by the bound above at a / 2K per cell (union bound).
      It finds a bad cell: a shift of 7 standard errors for K = 10, of 7.6 for K = 1000;
    - all cells together: P(n KL(counts / n, p) >= t) <= exp(-t) (e t / (K - 1))^(K - 1) for t > K - 1
      (Agrawal 2020, "Finite-sample concentration of the multinomial in relative entropy", theorem 1.2). It
      finds small shifts in very many cells.

    An outcome of probability 0 must not come up at all.

    Args:
        counts: how often each outcome came up, in order, or as a dict by outcome.
        probabilities: what they should be, in the same form; they sum to 1.
        what: names the draw for the learner.
        false_alarm: the probability that a right answer fails.
    """
    names, wanted, found = _cells(counts, probabilities, what)
    n = int(found.sum())
    if not n:
        fail(Difference("some draws", "none", show(counts)), what, counts)
    impossible = (wanted == 0) & (found > 0)
    if impossible.any():
        name = names[int(np.argmax(impossible))]
        fail(Difference(f"never {show(name)}", f"{int(found[impossible][0])} of {n}"), what, counts)
    limit = math.log(4 * wanted.size / false_alarm)
    surprises = [n * divergence(m, p) for m, p in zip((found / n).tolist(), wanted.tolist(), strict=True)]
    worst = int(np.argmax(surprises))
    if surprises[worst] > limit:
        surprise = _surprise(found[worst], n, float(wanted[worst]), limit, false_alarm)
        fail(surprise.within(f"outcome {show(names[worst])}"), what, counts)
    drawn = found > 0
    total = float((found[drawn] * np.log(found[drawn] / (n * wanted[drawn]))).sum())
    if _multinomial_tail(total, int((wanted > 0).sum())) < math.log(false_alarm / 2):
        detail = f"{n} draws over {wanted.size} outcomes: no single one is far off, all together are"
        fail(Difference("counts that fit the probabilities", show(counts), detail), what, counts)


def divergence(m: float, p: float) -> float:
    """KL(m, p) of coins, in nats; infinite where p rules m out."""
    nats = 0.0
    for left, right in ((m, p), (1 - m, 1 - p)):
        if left > 0:
            nats += left * math.log(left / right) if right > 0 else math.inf
    return max(nats, 0.0)


def band(p: float, limit: float) -> tuple[float, float]:
    """The interval of means m around p with KL(m, p) <= limit."""
    edges = []
    for end in (0.0, 1.0):
        inside, outside = (end, end) if divergence(end, p) <= limit else (p, end)
        for _ in range(60):  # halvings: below the spacing of floats
            middle = (inside + outside) / 2
            if divergence(middle, p) <= limit:
                inside = middle
            else:
                outside = middle
        edges.append(inside)
    return edges[0], edges[1]


def _multinomial_tail(t: float, cells: int) -> float:
    """The logarithm of a bound on P(n KL >= t)."""
    free = cells - 1
    if t <= free:
        return 0.0
    return -t + (free * (1 + math.log(t / free)) if free else 0.0)


def _surprise(count: float, n: int, p: float, limit: float, false_alarm: float) -> Difference:
    low, high = (n * edge for edge in band(p, limit / n))
    odds = f"a right answer is outside less than once in {1 / false_alarm:,.0f} times"
    expected = f"{math.ceil(low - ROUNDING)} to {math.floor(high + ROUNDING)} of {n}"
    return Difference(expected, f"{int(count)} of {n}", f"probability {number_text(p)}; {odds}")


def _samples(samples: Any, bounds: tuple[float, float], what: str) -> Array:
    raw = array(samples, what)
    values = to_floats(raw).ravel()
    if values.dtype.kind == "c" or not values.size:
        fail(Difference("real numbers" if values.size else "some samples", show(samples)), what, samples)
    slack = ROUNDING * (bounds[1] - bounds[0])
    outside = ~((values >= bounds[0] - slack) & (values <= bounds[1] + slack))
    if outside.any():
        expected = f"values from {number_text(bounds[0])} to {number_text(bounds[1])}"
        fail(Difference(expected, number_text(values[np.argmax(outside)])), what, samples)
    clipped: Array = np.clip(values, *bounds)
    return clipped


def _cells(counts: Any, probabilities: Any, what: str) -> tuple[list[Any], Array, Array]:
    """Names, probabilities and counts of the outcomes, in one order."""
    if isinstance(probabilities, Mapping):
        names = list(probabilities)
        wanted = np.array([float(probabilities[name]) for name in names])
        if not isinstance(counts, Mapping):
            fail(Difference("a dict of counts", show(counts)), what, counts)
        if unknown := [name for name in counts if name not in probabilities]:
            fail(Difference(f"outcomes {show(names)}", f"outcomes {show(unknown)} as well"), what, counts)
        found = _whole([counts.get(name, 0) for name in names], what, counts)
    else:
        wanted = to_floats(array(probabilities)).ravel()
        names = list(range(wanted.size))
        found = _whole(counts, what, counts)
        if found.size != wanted.size:
            fail(Difference(f"{wanted.size} counts", f"{found.size} counts"), what, counts)
    if not (math.isclose(float(wanted.sum()), 1.0, abs_tol=1e-6) and (wanted >= 0).all()):
        raise ValueError("the probabilities of a check are negative or do not sum to 1")
    return names, wanted / wanted.sum(), found


def _whole(counts: Any, what: str, value: Any) -> Array:
    numbers = to_floats(read(counts, "counts", what, value)).ravel()
    real = numbers.dtype.kind != "c" and bool(np.isfinite(numbers).all())
    if not real or (numbers < 0).any() or (numbers != np.floor(numbers)).any():
        fail(Difference("counts: whole numbers from 0 up", show(value)), what, value)
    return numbers


def _ask_probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"a check asks for the probability {p}")
