"""DoReMi: let a small model's excess losses choose the weights of a corpus's domains.

Read README.md first. Symbols: k domains, αᵢ weight of domain i, λᵢ its score, η step size (``lr``), c smoothing,
T steps. Losses are in nats per token. Numbers must be right to a relative 1e-9 or an absolute 1e-12.
"""


def doremi_step(
    weights: list[float],
    losses: list[list[float]],
    ref_losses: list[list[float]],
    lr: float = 1.0,
    smoothing: float = 1e-3,
    scores: list[float] | None = None,
) -> tuple[list[float], list[float]]:
    """One update of the domain weights from the losses of one batch.

    1. The score λᵢ of a domain is the mean, over its tokens in the batch, of max(loss - reference loss, 0): each
       token is clipped at 0, and clipped tokens count in the mean. A domain without a token in the batch keeps
       its score of the last step, ``scores[i]``.
    2. αᵢ' = αᵢ exp(η λᵢ), divided by their sum.
    3. The new weight is (1 - c) αᵢ' + c/k.

    Args:
        weights: α, k numbers above 0 that sum to 1; k from 1 to 100.
        losses: the proxy model's losses: for each of the k domains a list of one loss per token, of any length.
            A domain that is not in the batch has an empty list.
        ref_losses: the reference model's losses on the same tokens, in the same form.
        lr: η, 0 or more. η λᵢ is up to 10,000: exp of it is too large for a float. (Where ``smoothing`` is 0, the
            η λᵢ of all steps of a run sum to 100 at most, so that no weight vanishes.)
        smoothing: c, from 0 to 1.
        scores: the last step's scores, k numbers from 0 on; None at the first step: all 0.

    Returns:
        (weights, scores): the new weights and this step's scores, each a list, tuple or array of k numbers.
        The arguments are left as they were.

    Raises:
        ValueError: ``lr`` is less than 0 or ``smoothing`` not from 0 to 1; ``losses``, ``ref_losses`` or
            ``scores`` does not have k entries; or a domain has more losses than reference losses, or fewer.
            (Weights and scores outside of their ranges are not tested.)

    Example:
        >>> weights, scores = doremi_step([0.5, 0.5], [[3.0, 2.4], [1.0]], [[2.2, 2.6], [1.2]], smoothing=0.0)
        >>> [round(weight, 6) for weight in weights], [round(score, 6) for score in scores]
        ([0.598688, 0.401312], [0.4, 0.0])
    """
    raise NotImplementedError


def doremi(
    weights: list[float],
    batches: list[tuple[list[list[float]], list[list[float]]]],
    lr: float = 1.0,
    smoothing: float = 1e-3,
) -> list[float]:
    """The result of a DoReMi run: the mean of the weights after each of its T steps.

    Each step is a ``doremi_step`` that begins with the weights and scores of the step before (the first with
    ``weights`` and scores of 0). The weights that the run began with do not count in the mean.

    Args:
        weights: α before the first step, as for ``doremi_step``.
        batches: for each step (losses, ref_losses), as for ``doremi_step``; 1 to 1,000 steps.
        lr: η.
        smoothing: c.

    Returns:
        k weights that sum to 1: a list, tuple or array. The arguments are left as they were.

    Raises:
        ValueError: there is no batch, or ``doremi_step`` raises one.

    Example:
        >>> doremi([0.5, 0.5], [([[1.0], []], [[0.5], []]), ([[], [2.0]], [[], [1.0]])], lr=1.0, smoothing=0.0)
        [0.561229..., 0.438770...]
    """
    raise NotImplementedError
