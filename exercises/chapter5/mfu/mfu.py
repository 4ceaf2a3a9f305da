"""MFU and HFU: what share of the hardware's arithmetic a training run puts to use.

Read README.md first. A ``model`` is a dict of integers of at least 0, with all of these keys:

    embedding_weights   weights of the embedding, which is looked up
    dense_weights       weights of the matrix products that every token goes through, all layers together, without head
    expert_weights      weights of ONE expert, all layers together
    experts             number of experts; 0 in a model without experts
    active_experts      experts that a token goes through
    head_weights        weights of the output head (a product, also where they are those of the embedding)
    layers              L, at least 1
    heads               H, heads of queries in each layer, at least 1
    head_dim            Q, width of a head, at least 1

A ``chip`` is a dict with the peak rates of its data sheet, in FLOPs per second: "dense_flops", and "sparse_flops" for
matrices of which half the entries are zero. Training has dense matrices.

Results are Python or numpy floats, to a relative error of 1e-9. The checks keep to numbers that chips, models and runs
could have, and to toy models; arguments out of range are not tested unless an error is named.
"""

from typing import Any


def mfu(
    model: dict[str, int], seq: int, causal: bool, tokens_per_s: float, chips: int, chip: dict[str, float]
) -> float:
    """Model FLOPs utilization: the FLOPs that the model needs, as a share of what the chips could do.

    Per token the model needs 6 FLOPs for each weight of a matrix product that the token goes through, and
    12 L H Q t for the products inside attention, where t is the number of tokens that a token attends to.

    Args:
        model: see above.
        seq: T, tokens of a sequence, at least 1.
        causal: False: t = T, as if there were no mask. True: t = (T + 1) / 2, the mean over a causal sequence.
        tokens_per_s: tokens that all chips together train on in a second, above 0.
        chips: number of chips, at least 1.
        chip: see above.

    Returns:
        a fraction, not percent.

    Example:
        >>> tiny = {"embedding_weights": 40, "dense_weights": 192, "expert_weights": 0, "experts": 0,
        ...         "active_experts": 0, "head_weights": 40, "layers": 2, "heads": 2, "head_dim": 2}
        >>> mfu(tiny, 5, False, 100, 2, {"dense_flops": 468_000, "sparse_flops": 936_000})
        0.2
    """
    raise NotImplementedError


def hfu(
    model: dict[str, int],
    seq: int,
    causal: bool,
    recompute: str,
    tokens_per_s: float,
    chips: int,
    chip: dict[str, float],
) -> float:
    """Hardware FLOPs utilization: the FLOPs that are carried out, as a share of what the chips could do.

    These are the model's FLOPs and what is computed a second time for the backward pass. A forward pass costs 2 FLOPs
    for each weight, and 4 L H Q t inside attention.

    Args:
        model: as for ``mfu``, like seq, causal, tokens_per_s, chips and chip.
        seq: T.
        causal: as above; what a mask hides is not recomputed either.
        recompute: "none"; "selective": the products inside attention; or "full": the forward pass of all layers,
            experts included, but not the output head.
        tokens_per_s: as above.
        chips: as above.
        chip: as above.

    Returns:
        a fraction.

    Raises:
        ValueError: ``recompute`` is none of the three.
    """
    raise NotImplementedError


def measure(
    config: dict[str, Any], durations: list[float], warmup: int, steps: int, chip: dict[str, float]
) -> dict[str, float]:
    """Measure a real training run on one (virtual) chip.

    Make a ``given.Trainer(config, durations)`` and train. Its steps count from 0; those from ``warmup`` to
    ``warmup + steps - 1`` are timed, by ``Trainer.clock``. ``Trainer.step`` returns before the device has finished.
    Count the FLOPs of one whole step (any of them, before, after or while others are timed) by
    ``Trainer.counted_step``, which counts like torch's FlopCounterMode: what is carried out, recomputation included.

    Args:
        config: of the Trainer: a toy model.
        durations: of the Trainer: seconds per step, each from 0.01 to 100; at least warmup + steps of them.
        warmup: steps before the timed ones, from 0 to 4.
        steps: timed steps, from 1 to 5.
        chip: see above.

    Returns:
        four numbers:

        - "tokens_per_s": tokens of the timed steps, by the seconds from the end of the steps before (or the beginning)
          to the end of the last timed step;
        - "flops_per_token": counted FLOPs of a step, by its tokens;
        - "mfu": of ``Trainer.model``, without a mask (causal False), since this attention computes all T² products;
        - "hfu": from the counted FLOPs.
    """
    raise NotImplementedError
