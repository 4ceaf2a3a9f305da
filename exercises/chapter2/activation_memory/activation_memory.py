"""Activation memory: what the forward pass keeps for the backward pass, layer by layer and stage by stage.

Read README.md first. A ``config`` is a dict with all of these keys, integers of at least 1:

    length   s, tokens of a sequence
    batch    b, sequences in one micro-batch
    hidden   h, width of the residual stream; a multiple of heads
    heads    a, attention heads
    ffn      f, width of the MLP, often 4 h
    layers   L, layers of the whole model

``tp`` is t, the number of GPUs that share each layer (tensor parallelism), at least 1 (less is not tested). ``sp``
says whether the tensors outside of attention and MLP are cut along the sequence as well (sequence parallelism).
``recompute`` is

    "none"       everything is kept
    "selective"  what lies between Q K^T and the product with V is not kept, but computed again
    "full"       only the input of the layer is kept, and the layer computed again

Numbers of bytes are exact: Python or numpy integers, or floats of exactly the same value.
"""


def activation_bytes(config: dict[str, int], tp: int, sp: bool, recompute: str) -> int:
    """Bytes that one layer keeps on one GPU for one micro-batch, between its forward and its backward pass.

    README.md lists the tensors. Nothing else is counted: no weights, no working space, not the one layer that is
    being recomputed.

    Args:
        config: see above.
        tp: number of GPUs that share the layer.
        sp: True or False; makes no difference where ``tp`` is 1.
        recompute: "none", "selective" or "full".

    Returns:
        bytes.

    Raises:
        ValueError: ``recompute`` is none of the three; or ``tp`` does not divide ``heads`` and ``ffn``; or ``sp`` is
            True and ``tp`` does not divide ``length``. All of this for each ``recompute``, "full" included.

    Example:
        >>> small = {"length": 4, "batch": 1, "hidden": 8, "heads": 2, "ffn": 16, "layers": 6}
        >>> activation_bytes(small, 2, False, "none")
        656
    """
    raise NotImplementedError


def stage_activation_bytes(
    config: dict[str, int], tp: int, sp: bool, recompute: str, pp: int, stage: int, micro_batches: int
) -> int:
    """Bytes of activations on one GPU of a pipeline stage at its peak, under the schedule 1F1B.

    The layers are divided evenly among the stages. Embedding and output head are not counted.

    Args:
        config: see above.
        tp: as for ``activation_bytes``.
        sp: likewise.
        recompute: likewise, for all layers.
        pp: p, number of stages, at least 1 (less is not tested); must divide layers.
        stage: number of the stage, 0 (the first) to pp - 1.
        micro_batches: m, micro-batches of one step, at least 1.

    Returns:
        bytes.

    Raises:
        ValueError: as for ``activation_bytes``; or ``pp`` does not divide ``layers``; or there is no such stage.

    Example:
        >>> small = {"length": 4, "batch": 1, "hidden": 8, "heads": 2, "ffn": 16, "layers": 6}
        >>> stage_activation_bytes(small, 2, False, "none", pp=3, stage=1, micro_batches=8)
        2624
    """
    raise NotImplementedError


def best_recompute(layers: int, budget: int, options: dict[str, tuple[int, int]]) -> dict[str, int] | None:
    """Choose for each layer of a GPU how much is recomputed, so that everything fits and costs least.

    Args:
        layers: number of layers, all alike, 0 to 200.
        budget: bytes that there are for all of them, at least 0; a plan that takes exactly this much fits.
        options: for each of "none", "selective" and "full" what one layer takes in bytes, and what recomputing it
            costs (microseconds, or millions of FLOPs); integers from 0 to 10**12. From "none" to "selective" to
            "full", bytes never grow and the cost never falls.

    Returns:
        how many layers take each option: integers from 0 on that add up to ``layers``; an option that no layer takes
        may be left out. Of all plans that fit, one with the least total cost; where several have it, any of them.
        None where no plan fits.

    Example:
        >>> options = {"none": (10, 0), "selective": (6, 2), "full": (1, 8)}
        >>> best_recompute(4, 33, options)
        {'none': 2, 'selective': 2, 'full': 0}
    """
    raise NotImplementedError
