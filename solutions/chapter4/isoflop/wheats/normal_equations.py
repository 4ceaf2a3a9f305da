"""Normal equations over uncentred natural logarithms, in plain Python, solved by Cramer's rule; answers are lists."""

from fractions import Fraction
from math import exp, log


def _determinant(rows):
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def isoflop_minimum(n, loss, window):
    n, loss = [float(size) for size in n], [float(value) for value in loss]
    if len(n) != len(loss):
        raise ValueError("sizes and losses do not match")
    runs = [
        (Fraction(log(size)), Fraction(value))
        for size, value in zip(n, loss, strict=True)
        if value <= min(loss) + window
    ]
    if len({x for x, _ in runs}) < 3:
        raise ValueError("fewer than three sizes")
    sums = [sum(x**power for x, _ in runs) for power in range(5)]
    right = [sum(y * x**power for x, y in runs) for power in range(3)]
    matrix = [[sums[row + column] for column in range(3)] for row in range(3)]
    whole = _determinant(matrix)
    c = []
    for place in range(3):
        changed = [[right[r] if k == place else matrix[r][k] for k in range(3)] for r in range(3)]
        c.append(_determinant(changed) / whole)
    if c[2] <= 0:
        raise ValueError("no minimum")
    vertex = -c[1] / (2 * c[2])
    if vertex < min(runs)[0] or vertex > max(runs)[0]:
        raise ValueError("no minimum among the sizes")
    return [exp(vertex), float(c[0] + c[1] * vertex + c[2] * vertex**2)]


def fit_exponent(budgets, n_opt):
    if len(budgets) != len(n_opt):
        raise ValueError("budgets and sizes do not match")
    xs, ys = [log(c) for c in budgets], [log(n) for n in n_opt]
    x, y = sum(xs) / max(len(xs), 1), sum(ys) / max(len(ys), 1)
    below = sum((each - x) ** 2 for each in xs)
    if len({float(c) for c in budgets}) < 2:
        raise ValueError("fewer than two budgets")
    a = sum((one - x) * (other - y) for one, other in zip(xs, ys, strict=True)) / below
    return [a, exp(y - a * x)]
