"""Inference-aware sizing: the model of a given quality that is cheapest to train and to serve, taken together.

Read README.md first. Symbols: N parameters of the model, D training tokens, I tokens that it will read and write for
its users.

``theta`` is a fitted scaling law, five floats in this order: ``(E, A, B, alpha, beta)``. It predicts the loss
E + A / N**alpha + B / D**beta, in nats per token.
"""


def cheapest_model(
    loss_target: float, inference_tokens: float, theta: tuple[float, float, float, float, float]
) -> tuple[float, float, float]:
    """The N and D with the least FLOPs over a lifetime, among all for which the law predicts the target.

    The lifetime costs 6 N D FLOPs of training and 2 N FLOPs for each of the I tokens of inference. N and D are real
    numbers and are not rounded.

    Args:
        loss_target: the loss that the law has to predict for N and D; more than E (by 0.001 to 5, where an answer is
            asked for).
        inference_tokens: I, at least 0; at most 300 times the D of the answer.
        theta: (E, A, B, alpha, beta). E from 0 to 5; A and B more than 0 (up to 1e12); alpha and beta more than 0 (from
            0.15 to 0.6, where an answer is asked for).

    Returns:
        (N, D, flops), three floats in this order, as a tuple, a list or an array:

        - N and D, each within 1 part in 1000 of the best; they are from 1e5 to 1e15;
        - the law predicts the target for the N and D that are returned, to within 1 part in 10**9;
        - flops of the lifetime of this N and D, training and inference, within 1 part in 10**6.

    Raises:
        ValueError: ``loss_target`` is not more than E; ``inference_tokens`` is negative; or A, B, alpha or beta is zero
            or negative.

    Example:
        >>> n, d, flops = cheapest_model(1.54, 1.875e11, (1.5, 40.0, 10.0, 0.5, 0.25))
        >>> f"{n:.5g} {d:.5g} {flops:.5g}"
        '4e+06 6.25e+10 3e+18'
    """
    raise NotImplementedError
