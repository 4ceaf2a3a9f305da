"""Exact: fractions all the way, the largest λ under which the sources do not run over, tuples of floats at the end."""

from fractions import Fraction


def temperature_weights(sizes: list[int], t: float) -> tuple[float, ...]:
    if t <= 0 or min(sizes) < 0 or sum(sizes) == 0:
        raise ValueError("no such temperature or sizes")
    powers = [pow(float(size), 1 / t) if size else 0.0 for size in sizes]
    total = sum(powers)
    return tuple(power / total for power in powers)


def capped_weights(weights: list[float], sizes: list[int], budget: float, max_epochs: float) -> tuple[float, ...]:
    if min(weights) < 0 or sum(weights) == 0 or min(sizes) < 0:
        raise ValueError("no such weights or sizes")
    tokens = poured(weights, sizes, budget, max_epochs)
    if sum(tokens) < Fraction(budget):
        raise ValueError("cannot be filled")
    return tuple(float(each / Fraction(budget)) for each in tokens)


def unimax(sizes: list[int], budget: float, max_epochs: float) -> tuple[float, ...]:
    if min(sizes) < 0 or sum(sizes) == 0:
        raise ValueError("no such sizes")
    return tuple(float(each) for each in poured([1] * len(sizes), sizes, budget, max_epochs))


def poured(weights, sizes, budget, max_epochs):
    """Raise λ from one cap to the next until the budget is used up."""
    if budget <= 0 or max_epochs <= 0:
        raise ValueError("no such budget")
    sources = [(Fraction(weight), Fraction(max_epochs) * size) for weight, size in zip(weights, sizes, strict=True)]
    rising = sorted((cap / weight, weight) for weight, cap in sources if weight)
    speed = sum(weight for _, weight in rising)
    level, left = Fraction(0), Fraction(budget)
    for reached, weight in rising:
        if (reached - level) * speed > left:
            level += left / speed
            break
        left -= (reached - level) * speed
        level, speed = reached, speed - weight
    return [min(level * weight, cap) for weight, cap in sources]
