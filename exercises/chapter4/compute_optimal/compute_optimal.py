"""Compute-optimal allocation: how large a model, and how many tokens, for a given number of FLOPs.

Read README.md first. Symbols: N parameters of the model, D training tokens, C training FLOPs.

``theta`` is a fitted scaling law, five floats in this order: ``(E, A, B, alpha, beta)``. It predicts the loss
E + A / N**alpha + B / D**beta, in nats per token.
"""


def optimal_allocation(flops: float, theta: tuple[float, float, float, float, float]) -> tuple[float, float, float]:
    """The N and D with the least predicted loss among all that cost C = 6 N D FLOPs, and that loss.

    Every FLOP is spent. N and D are real numbers: they are not rounded to whole ones, to powers of two, or to
    anything else.

    Args:
        flops: C, training FLOPs; more than 0, up to 1e31. Both N and D are at least 10 at the optimum, which
            brackets a search: N is at most C / 60.
        theta: (E, A, B, alpha, beta). E from 0 to 10; A and B more than 0, up to 1e20; alpha and beta from
            0.1 to 1.

    Returns:
        (N, D, loss), three floats in this order, as a tuple, a list or an array; numpy numbers will do:

        - N and D, each within 1 part in 1000 of the optimum, so a numerical search will do as well as a
          formula;
        - their 6 N D is C to within 1 part in 10**9, which is double precision with much room;
        - loss is what the law predicts for the N and D that are returned, to within 1 part in 10**6.

    Raises:
        ValueError: C, A, B, alpha or beta is zero or negative. Nothing else is asked outside the ranges
            above: not of a negative E, of exponents between 0 and 0.1, of NaN or of infinity.

    Example:
        C / 6 is 10**18 here. Answers are the same up to rounding.

        >>> optimal_allocation(6e18, (1.5, 40.0, 10.0, 0.5, 0.25))
        (16000000.0, 62500000000.0, 1.53)

    Source: Hoffmann et al. 2022, section 3.3, equations 2 and 4.
    """
    raise NotImplementedError
