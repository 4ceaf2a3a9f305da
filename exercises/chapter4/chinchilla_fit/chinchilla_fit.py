"""The Chinchilla fit: a scaling law from training runs, by the third approach of Hoffmann et al. 2022.

Read README.md first. Symbols: N parameters of a model, D tokens that it was trained on.

``theta`` is a law, five floats in this order: ``(E, A, B, alpha, beta)``. It predicts the loss
E + A / N**alpha + B / D**beta, in nats per token. Runs come as three numpy arrays of float64 of one length, ``n``,
``d`` and ``loss``: run number i has n[i] parameters, was trained on d[i] tokens and ended with loss[i]. Sizes are from
1e5 to 1e15, losses from 1 to 20.

``given.py`` lies beside this file. ``from given import minimize`` gets you a minimiser; nobody has to use it.
"""

import numpy as np


def huber_log_loss(
    theta: tuple[float, float, float, float, float], n: np.ndarray, d: np.ndarray, loss: np.ndarray, delta: float
) -> float:
    """How badly a law fits runs: the sum over all runs of the Huber loss of log prediction - log loss.

    Logarithms are natural. The Huber loss of a residual r is r**2 / 2 where abs(r) <= delta, and
    delta * (abs(r) - delta / 2) elsewhere. It is summed over the runs, not averaged.

    Args:
        theta: the law; E, A and B more than 0, alpha and beta from 0 to 2.
        n: parameters of each run; at least one run.
        d: tokens of each run.
        loss: loss of each run.
        delta: where the Huber loss turns from a parabola into a line, from 1e-6 to 100.

    Returns:
        the sum, within 1 part in 10**9 (or ``delta`` * 1e-12 per run, where that is more).

    Example:
        The law predicts 1.53 and 1.55.

        >>> theta = (1.5, 40.0, 10.0, 0.5, 0.25)
        >>> n, d, loss = np.array([1.6e7, 1e6]), np.array([6.25e10, 1e12]), np.array([1.53, 1.5])
        >>> round(huber_log_loss(theta, n, d, loss, 1e-3), 10)
        3.22898e-05
    """
    raise NotImplementedError


def fit_parametric(
    n: np.ndarray, d: np.ndarray, loss: np.ndarray, starts: list[tuple[float, float, float, float, float]]
) -> tuple[float, float, float, float, float]:
    """The law with the least ``huber_log_loss`` of these runs, with a delta of 1e-3.

    Runs are those of a law with E from 1.5 to 2, A from 200 to 600, B from 300 to 2500, alpha and beta from 0.28 to
    0.4; or the two terms of such a law exchanged; or such a law with N counted in another unit (A changes, sizes stay
    within 1e5 to 1e15). Losses scatter about the law by 0.5 % at most (standard deviation), apart from up to five
    outliers, which are 30 to 100 % too high. Nobody says which these are, and they count like all other runs.

    Args:
        n: parameters of each run; 100 to 2000 runs where an answer is asked for. Or five to ten runs without any
            scatter, and one start, which is their law: the least there is then 0, and the first promise below holds.
        d: tokens of each run.
        loss: loss of each run.
        starts: laws to begin from, 1 to 16 of them, five positive numbers each. At least one predicts all losses but
            the outliers within 20 %. Others may lie far off, and a descent that begins there may end in a valley that
            is not the lowest. You may begin elsewhere, too, or nowhere: only the answer counts.

    Returns:
        (E, A, B, alpha, beta), five positive floats as a tuple, a list or an array:

        - their ``huber_log_loss`` is at most 1e-7 above the least that there is;
        - alpha and beta are within 0.01 of those that have the least, where there are 100 runs or more. Nothing is
          asked of A and B by themselves, because runs do not tell them well.

        2000 runs and 16 starts may take 5 seconds of CPU time.

    Raises:
        ValueError: ``n``, ``d`` and ``loss`` have not the same length, or there are fewer than five runs, or no starts.

    Source: Hoffmann et al. 2022, section 3.3 and appendix D.2.
    """
    raise NotImplementedError
