"""Data-constrained scaling: what repeated tokens are worth, and how to spend a budget when there are too few of them.

Read README.md first. Symbols: N parameters of the model, D training tokens with their repetitions, U unique tokens.

``theta`` is a fitted law, seven floats in this order: ``(E, A, B, alpha, beta, r_d, r_n)``. The first five are those of
the law without repetition, E + A / N**alpha + B / D**beta, in nats per token; r_d and r_n are R_D* and R_N*, which say
how fast repeated tokens and excess parameters lose their worth. E is from 0 to 5, A and B from 1 to 1e9, alpha and beta
from 0.2 to 0.5, r_d and r_n from 1 to 1e4, where an answer is asked for.
"""


def effective_tokens(unique: float, epochs: float, r_star: float) -> float:
    """How many fresh tokens a number of epochs over the unique ones is worth.

    The first epoch is worth what it is. After it, the worth is the integral of exp(-r / R*) over r from 0 to
    epochs - 1, times U (README.md has it in closed form). Less than one epoch repeats nothing.

    Args:
        unique: U, unique tokens, more than 0 (up to 1e15).
        epochs: how often the unique tokens are read, more than 0 (up to 1e6); need not be whole.
        r_star: R*, more than 0.

    Returns:
        effective tokens, within 1 part in 10**9.

    Raises:
        ValueError: an argument is zero or negative.

    Example:
        >>> round(effective_tokens(100.0, 4, 15.387756), 4)
        372.5673
    """
    raise NotImplementedError


def loss(
    params: float, tokens: float, unique: float, theta: tuple[float, float, float, float, float, float, float]
) -> float:
    """The loss of a model on repeated tokens: the law for effective parameters and effective tokens.

    - U_D = min(D, U) tokens are fresh. D are worth ``effective_tokens`` of U_D, read D / U_D times, with R_D*.
    - U_N = min(N, N_opt) parameters have something to learn, where N_opt is the model for which U_D tokens are
      compute-optimal: alpha A / N_opt**alpha = beta B / U_D**beta. N parameters are worth
      ``effective_tokens(U_N, N / U_N, R_N*)``: those beyond U_N count like repetitions of it.

    Args:
        params: N, more than 0 (up to 1e15).
        tokens: D, more than 0 (up to 1e17).
        unique: U, more than 0 (up to 1e17). It may be more than D.
        theta: see above.

    Returns:
        the predicted loss, within 1 part in 10**9.

    Raises:
        ValueError: an argument, or a constant of theta other than E, is zero or negative.

    Example:
        >>> theta = (1.5, 40.0, 10.0, 0.5, 0.25, 15.0, 5.0)
        >>> round(loss(3.2e7, 2.5e11, 6.25e10, theta), 6)
        1.521645
    """
    raise NotImplementedError


def best_allocation(
    flops: float, unique: float, theta: tuple[float, float, float, float, float, float, float]
) -> tuple[float, float, float]:
    """The N with the least ``loss`` on a budget of C = 6 N D FLOPs, when there are only so many unique tokens.

    Args:
        flops: C, more than 0 (up to 1e31). Budgets are such that N and D of the answer are from 1e4 to 1e16, and tokens
            are not repeated more than 3 R_D* times.
        unique: U, more than 0 (up to 1e17).
        theta: see above.

    Returns:
        (N, epochs, loss), three floats in this order, as a tuple, a list or an array. epochs is D / U; it is less than
        1 where not all unique tokens are read. Nothing is rounded.

        - N and epochs, each within 1 part in 1000 of the best;
        - 6 N times the D of these epochs is C, within 1 part in 10**9;
        - loss as predicted for the N and D that are returned, within 1 part in 10**6.

    Raises:
        ValueError: ``flops`` or ``unique``, or a constant of theta other than E, is zero or negative.

    Example:
        >>> theta = (1.5, 40.0, 10.0, 0.5, 0.25, 15.0, 5.0)
        >>> n, epochs, least = best_allocation(4.8e19, 6.25e10, theta)
        >>> round(n / 1e6, 2), round(epochs, 3), round(least, 6)
        (31.43, 4.073, 1.521644)
    """
    raise NotImplementedError
