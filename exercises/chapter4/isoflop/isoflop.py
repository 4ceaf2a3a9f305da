"""IsoFLOP profiles: the best model size for each of a few budgets, and how it grows with the budget.

Read README.md first. Symbols: N parameters of a model, C training FLOPs. A profile is a set of runs that all cost the
same: models of several sizes, and the loss of each.
"""

import numpy as np


def isoflop_minimum(n: np.ndarray, loss: np.ndarray, window: float) -> tuple[float, float]:
    """The model size at which a parabola through a profile has its minimum, and the loss there.

    The parabola is loss = c0 + c1 x + c2 x**2 over x = log N, fitted by least squares to the runs whose loss is at most
    ``window`` above the lowest loss of the profile. All these runs weigh alike.

    Args:
        n: N of each run, a numpy array of floats from 1e4 to 1e14, in any order. The runs in the window are from two to
            a thousand times apart (the largest against the smallest), where an answer is asked for.
        loss: loss of each run, an array of the same length, from 1 to 20.
        window: in nats per token, at least 0; ``float("inf")`` takes all runs.

    Returns:
        (N, loss) at the minimum of the parabola, two floats, as a tuple, a list or an array. N is not rounded, and need
        not be one of the sizes that were run. N within 1 part in 10**4, the loss within 1 part in 10**6.

    Raises:
        ValueError: ``n`` and ``loss`` have not the same length; or there are fewer than three different sizes in the
            window; or the parabola does not open upwards; or its minimum lies outside of the sizes in the window, so
            that it would be extrapolated. (Nothing is asked of minima within 1 % of the smallest or largest size, of
            losses that lie on a straight line, or of empty arrays.)

    Example:
        >>> sizes, losses = np.array([1e8, 4e8, 1.6e9]), np.array([3.0, 2.6, 2.8])
        >>> size, lowest = isoflop_minimum(sizes, losses, float("inf"))
        >>> round(size / 1e6, 3), round(lowest, 6)
        (503.968, 2.591667)
    """
    raise NotImplementedError


def fit_exponent(budgets: np.ndarray, n_opt: np.ndarray) -> tuple[float, float]:
    """The power law N = k C**a through the minima of several budgets.

    It is a straight line through the points (log C, log N), by least squares over log N.

    Args:
        budgets: C of each profile, a numpy array of floats from 1e15 to 1e26, in any order. The largest is at least
            twice the smallest, where an answer is asked for.
        n_opt: N at the minimum of each profile, an array of the same length, from 1e4 to 1e14.

    Returns:
        (a, k), two floats, as a tuple, a list or an array: a within 1e-6, and k such that k C**a is within 1 part in
        10**4 at each of the budgets.

    Raises:
        ValueError: ``budgets`` and ``n_opt`` have not the same length, or there are fewer than two different budgets.

    Example:
        >>> a, k = fit_exponent(np.array([1e18, 1e20, 1e22]), np.array([1e8, 1e9, 1e10]))
        >>> round(a, 6), round(k, 6)
        (0.5, 0.1)
    """
    raise NotImplementedError
