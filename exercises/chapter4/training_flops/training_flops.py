"""Training FLOPs: what one token of training costs, counted product by product, and by the rule 6 N D.

Read README.md first. A ``config`` says what a decoder-only transformer is made of. It is a dict with all of these
keys, integers of at least 1 (``gated`` apart):

    vocab       tokens that the output head tells apart
    hidden      h, width of the residual stream
    layers      L, number of layers
    heads       query heads
    kv_heads    heads of keys and of values; divides heads
    head_dim    width of one head; need not be hidden / heads
    ffn         width of the MLP
    gated       True: gate, up and down projection (SwiGLU); False: up and down projection
"""

from typing import Any


def flops_per_token(config: dict[str, Any], seq: int, causal: bool, recompute: str) -> int:
    """FLOPs of one forward and one backward pass, per token.

    The mean over all tokens of one sequence of ``seq`` tokens. Only matrix products count: those with weights, the
    output head among them, and the two inside attention (queries with keys, then weights of attention with values). A
    multiplication and its addition are 2 FLOPs. Looking up the embedding, norms, biases, softmax, activations, the loss
    and the optimizer are free. Each product has two operands, and the backward pass has one product of the same cost
    for the gradient of either.

    Args:
        config: see above.
        seq: T, tokens of a sequence, from 1 to 10**6.
        causal: False: every token attends to all ``seq`` tokens. True: token number t (from 1) attends to the t tokens
            up to and including itself, and the products that the mask hides are not computed, forward or backward.
        recompute: what is computed a second time for the backward pass:
            "none"       nothing;
            "selective"  the two products inside attention, of all layers;
            "full"       the forward pass of all layers, but not the output head.

    Returns:
        FLOPs per token, within 1 part in 10**9. Nothing is rounded. Answers stay below 10**15.

    Raises:
        ValueError: ``seq`` is less than 1, or ``recompute`` is none of the three.

    Example:
        >>> tiny = {"vocab": 10, "hidden": 4, "layers": 2, "heads": 2, "kv_heads": 1, "head_dim": 2, "ffn": 6,
        ...         "gated": False}
        >>> flops_per_token(tiny, 5, False, "none")
        1872
    """
    raise NotImplementedError


def training_flops(n: float, d: float) -> float:
    """FLOPs of a whole training run by the rule of thumb, without the products inside attention.

    Args:
        n: N, parameters that work as weights of a matrix product on every token; a number more than 0, up to 10**14.
        d: D, training tokens; a number more than 0, up to 10**15.

    Returns:
        FLOPs, within 1 part in 10**9, an integer or a float. They may be more than a 64-bit integer holds.

    Raises:
        ValueError: ``n`` or ``d`` is zero or negative.

    Example:
        >>> float(training_flops(10**9, 2 * 10**10))
        1.2e+20
    """
    raise NotImplementedError
