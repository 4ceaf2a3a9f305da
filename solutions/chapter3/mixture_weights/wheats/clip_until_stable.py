"""Plain lists: share out what is left among those that are free, cap whoever is over, and begin again."""

from math import exp, inf, log


def temperature_weights(sizes, t):
    _require(sizes)
    if t <= 0:
        raise ValueError(f"no such temperature: {t}")
    alpha = 0.0 if t == inf else 1 / t
    largest = log(max(sizes))
    powers = [exp(alpha * (log(n) - largest)) if n else 0.0 for n in sizes]
    return [power / sum(powers) for power in powers]


def capped_weights(weights, sizes, budget, max_epochs):
    _require(weights)
    if min(sizes) < 0 or budget <= 0 or max_epochs <= 0:
        raise ValueError("impossible")
    caps = [max_epochs * n / budget for n in sizes]
    if sum(cap for cap, weight in zip(caps, weights, strict=True) if weight) < 1:
        raise ValueError("not enough tokens")
    return _share(weights, caps, 1.0)


def unimax(sizes, budget, max_epochs):
    _require(sizes)
    if budget <= 0 or max_epochs <= 0:
        raise ValueError("impossible")
    return _share([1] * len(sizes), [max_epochs * n for n in sizes], budget)


def _share(weights, caps, whole):
    capped = set()
    while True:
        free = [i for i, weight in enumerate(weights) if weight and i not in capped]
        left = whole - sum(caps[i] for i in capped)
        total = sum(weights[i] for i in free)
        answer = [caps[i] if i in capped else left * weights[i] / total if i in free else 0.0 for i in range(len(caps))]
        over = {i for i in free if answer[i] > caps[i]}
        if not over:
            return answer
        capped |= over


def _require(numbers):
    if any(number < 0 for number in numbers) or not any(numbers):
        raise ValueError(f"negative, or nothing at all: {numbers}")
