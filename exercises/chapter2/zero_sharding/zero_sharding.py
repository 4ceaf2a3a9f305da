"""ZeRO sharding: what each GPU of a data-parallel group keeps, and what it sends, at stages 0 to 3.

Read README.md first. Symbols: Ψ parameters of the model, N GPUs in the data-parallel group (``dp``).

A recipe says how many bytes of each training state belong to one parameter. Mixed-precision Adam, for
example: ``{"parameters": 2, "gradients": 2, "optimizer": 12}``.

Arguments are Python integers. Results are exact: Python or numpy integers, or floats of exactly the same value.
"""


def zero_bytes_per_gpu(params: int, stage: int, dp: int, recipe: dict[str, int]) -> int:
    """Bytes of training state that one GPU keeps.

    Stage 0 shards nothing, stage 1 the optimizer states, stage 2 the gradients as well, stage 3 the
    parameters as well. A state that is not sharded is kept whole by every GPU. A sharded state is padded at
    its end to the next multiple of ``dp`` elements and cut into ``dp`` equal shards; padding takes memory
    like everything else, so all GPUs keep equally much.

    Args:
        params: Ψ, number of parameters, from 1 to 10**13.
        stage: 0, 1, 2 or 3.
        dp: N, number of data-parallel GPUs, at least 1.
        recipe: bytes per parameter under the keys "parameters", "gradients" and "optimizer"; integers from
            0 on. (Other recipes are not tested.)

    Returns:
        bytes.

    Raises:
        ValueError: ``params`` or ``dp`` is less than 1, or ``stage`` is none of 0 to 3.

    Example:
        >>> zero_bytes_per_gpu(10, 1, 4, {"parameters": 2, "gradients": 2, "optimizer": 12})
        76
    """
    raise NotImplementedError


def zero_traffic(params: int, stage: int, dp: int) -> int:
    """Elements that one GPU sends in one training step.

    Collectives run as rings over buffers that are padded like the sharded states. In a reduce-scatter, and
    in an all-gather, each GPU sends N - 1 shards; an all-reduce is a reduce-scatter and an all-gather. Each
    step

    - stages 0, 1 and 2: reduces the gradients once and leaves all GPUs with the new parameters;
    - stage 3: gathers the parameters for the forward pass and again for the backward pass (they are freed in
      between), and reduces the gradients once.

    Nothing else is sent: no gradient accumulation, no mixed widths. The factor (N - 1)/N is kept, so that one
    GPU sends nothing.

    Args:
        params: Ψ, number of parameters, from 1 to 10**13.
        stage: 0, 1, 2 or 3.
        dp: N, number of data-parallel GPUs, at least 1.

    Returns:
        elements, not bytes.

    Raises:
        ValueError: ``params`` or ``dp`` is less than 1, or ``stage`` is none of 0 to 3.

    Example:
        >>> zero_traffic(10, 0, 4)
        18
    """
    raise NotImplementedError


def smallest_dp_that_fits(params: int, stage: int, recipe: dict[str, int], gpu_bytes: int, max_dp: int) -> int | None:
    """The least number of GPUs with which the training state of each fits into its memory.

    Args:
        params: Ψ, number of parameters, from 1 to 10**13.
        stage: 0, 1, 2 or 3.
        recipe: as for ``zero_bytes_per_gpu``.
        gpu_bytes: bytes that a GPU has left for training state, at least 0 (less is not tested); it fits when
            ``zero_bytes_per_gpu`` is at most this.
        max_dp: largest number of GPUs that may be used, from 1 to 100,000. Every number from 1 to
            ``max_dp`` is allowed, not only powers of two.

    Returns:
        the least such number of GPUs from 1 to ``max_dp``, both included, or None where none will do.

    Raises:
        ValueError: ``params`` or ``max_dp`` is less than 1, or ``stage`` is none of 0 to 3.

    Example:
        >>> smallest_dp_that_fits(7, 3, {"parameters": 2, "gradients": 2, "optimizer": 12}, 64, max_dp=8)
        2
    """
    raise NotImplementedError
