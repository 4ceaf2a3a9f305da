"""What the statement of chinchilla_fit hands over: a minimiser, for those who would rather not write one.

``from given import minimize`` finds it. It is BFGS in plain numpy, and it stops where ``scipy.optimize.minimize`` with
``method="L-BFGS-B"`` stops; the defaults of its tolerances are scipy's, too.
"""

from collections.abc import Callable, Sequence

import numpy as np

Array = np.ndarray
Function = Callable[[Array], tuple[float, Array]]

ENOUGH, FLAT = 1e-4, 0.9  # constants of the line search: Nocedal and Wright, Numerical optimization, section 3.1


def minimize(
    function: Function, start: Sequence[float], ftol: float = 2.2e-9, gtol: float = 1e-5, max_steps: int = 15_000
) -> tuple[Array, float]:
    """Walk downhill from ``start`` until a step gains next to nothing.

    Args:
        function: takes a point, an array of floats, and answers its value and its gradient: a float and an array as
            long as the point. Where the value is infinite or NaN the step is taken back.
        start: where to begin.
        ftol: stop where a step from value f to value g gains f - g <= ftol * max(abs(f), abs(g), 1).
        gtol: stop where no component of the gradient is above this in absolute value.
        max_steps: stop after so many steps.

    Returns:
        the last point, and its value.
    """
    x = np.array(start, dtype=np.float64)
    value, slope = _ask(function, x)
    inverse: Array | None = None  # what is known of the inverse of the second derivatives
    for _ in range(max_steps):
        if not np.abs(slope).max() > gtol:
            break
        way = -slope / np.linalg.norm(slope) if inverse is None else -inverse @ slope
        if not way @ slope < 0:
            inverse = None
            continue
        found = _line_search(function, x, value, slope, way)
        if found is None:
            if inverse is None:
                break  # not even straight downhill is there anything lower
            inverse = None
            continue
        x_new, value_new, slope_new = found
        inverse = _update(inverse, x_new - x, slope_new - slope)
        gained = value - value_new
        x, value, slope = x_new, value_new, slope_new
        if gained <= ftol * max(abs(value + gained), abs(value), 1):
            break
    return x, value


def _ask(function: Function, x: Array) -> tuple[float, Array]:
    value, slope = function(x)
    return float(value), np.array(slope, dtype=np.float64)


def _line_search(
    function: Function, x: Array, value: float, slope: Array, way: Array
) -> tuple[Array, float, Array] | None:
    """A step along ``way`` that is neither too long nor too short (the weak Wolfe conditions), by bisection."""
    low, high, step, best = 0.0, np.inf, 1.0, None
    drop = slope @ way
    for _ in range(60):
        x_new = x + step * way
        value_new, slope_new = _ask(function, x_new)
        if not (value_new <= value + ENOUGH * step * drop and np.isfinite(slope_new).all()):
            high = step
        else:
            best = x_new, value_new, slope_new
            if slope_new @ way >= FLAT * drop:
                break
            low = step
        step = 2 * low if high == np.inf else (low + high) / 2
    return best


def _update(inverse: Array | None, moved: Array, turned: Array) -> Array | None:
    """BFGS: the inverse of the second derivatives after a step that moved x and turned the gradient."""
    bend = moved @ turned
    if not bend > 1e-300:
        return inverse
    if inverse is None:
        inverse = np.eye(moved.size) * (bend / (turned @ turned))
    left = np.eye(moved.size) - np.outer(moved, turned) / bend
    return left @ inverse @ left.T + np.outer(moved, moved) / bend
