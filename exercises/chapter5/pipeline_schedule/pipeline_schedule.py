"""Pipeline schedules: in which order every device runs its passes, how long it idles, and what it keeps.

Read README.md first. Symbols: p stages (one device each), m micro-batches, v chunks of layers per device.

A *pass* is a tuple ``(letter, micro_batch, chunk)``, micro-batches from 0 to m - 1, chunks from 0 to v - 1:

    "F"  forward pass
    "B"  full backward pass: gradients of the input and of the weights in one go
    "I"  the first half of a backward pass, the gradient of the input
    "W"  the second half, the gradient of the weights

Chunk c of device d is link c * p + d of the chain of p * v links that a micro-batch passes through. The letters have
the same meaning in all three functions.
"""

Pass = tuple[str, int, int]


def schedule(
    kind: str, stages: int, microbatches: int, f: float, b_input: float, b_weight: float, chunks: int = 1
) -> list[list[Pass]]:
    """The passes of one training step, for each device in the order in which it runs them.

    Only the order is asked for. A device starts its next pass as soon as it has finished the one before and the pass
    has what it needs: "F" needs the "F" of the link before; "B" and "I" need the "F" of their own link, and the "B" or
    "I" of the link behind; "W" needs the "I" of its own link. Sending takes no time. A pass takes f ("F"), b_input
    ("I"), b_weight ("W") or b_input + b_weight ("B"), divided by ``chunks``.

    An order is right if every device runs all of its passes once (for each micro-batch and chunk one "F" and one
    backward pass), if no device waits for ever, and if makespan (when the last pass ends, counted from the start of
    the first) and passes in flight (see ``peak_in_flight``) are at most

        kind            makespan                                                 in flight on device d
        "gpipe"         (m + p - 1) (f + b_input + b_weight)                     m
        "1f1b"          (m + p - 1) (f + b_input + b_weight)                     min(m, p - d)
        "interleaved"   (m + (p - 1) / v) (f + b_input + b_weight)               min(m v, 2 (p - 1 - d) + (v - 1) p + 1)
        "zb-h1"         (m + p - 1) (f + b_input) + max(1, m - p + 1) b_weight   min(m, p)

    4800 micro-batches ("1f1b", 4 stages) may take at most 25 times as long to schedule as 600.

    In "gpipe" each device also runs all of its forward passes before its first backward pass. Backward passes are "B"
    in the first three kinds. In "zb-h1" each of them is either "B", or "I" and later "W".

    Args:
        kind: "gpipe", "1f1b", "interleaved" or "zb-h1".
        stages: p, from 1 to 64.
        microbatches: m, from 1 to 5000; for "interleaved" a multiple of ``stages``.
        f: time of a device's forward pass of one micro-batch, all of its chunks together; above 0.
        b_input: likewise, of the gradient of the input; above 0.
        b_weight: likewise, of the gradient of the weights; above 0. For "zb-h1" at most ``f`` and at most ``b_input``
            (more is not tested).
        chunks: v; from 2 to 8 for "interleaved", 1 for all other kinds.

    Returns:
        p lists of passes, device 0 first. Lists or tuples, with Python or numpy integers.

    Raises:
        ValueError: there is no such kind; or ``chunks`` is less than 2 for "interleaved", or not 1 for another kind;
            or ``microbatches`` is not a multiple of ``stages`` for "interleaved".

    Example:
        >>> schedule("1f1b", 2, 2, 1, 1, 1)[0]
        [('F', 0, 0), ('F', 1, 0), ('B', 0, 0), ('B', 1, 0)]
    """
    raise NotImplementedError


def bubble_fraction(
    kind: str,
    stages: int,
    microbatches: int,
    f: float,
    b_input: float,
    b_weight: float,
    chunks: int = 1,
    relative_to: str = "ideal",
) -> float:
    """The bubble: makespan minus the time in which a device works, as a fraction.

    A device works m (f + b_input + b_weight), the *ideal* time. The makespan is that of the table in ``schedule``.

    Args:
        kind: as for ``schedule``, like all arguments down to ``chunks``.
        stages: p.
        microbatches: m.
        f: time of a forward pass.
        b_input: time of the gradient of the input.
        b_weight: time of the gradient of the weights.
        chunks: v.
        relative_to: "ideal" divides the bubble by the ideal time; "total" divides it by the makespan, which gives the
            share of time that a device idles.

    Returns:
        the fraction, to a relative error of 1e-9; 0 where there is no bubble.

    Raises:
        ValueError: as for ``schedule``; or ``relative_to`` is neither "ideal" nor "total".

    Example:
        >>> bubble_fraction("1f1b", 4, 8, 1, 1, 1)
        0.375
    """
    raise NotImplementedError


def peak_in_flight(passes: list[Pass]) -> int:
    """The most forward passes whose activations a device keeps at the same time.

    An "F" brings the activations of one micro-batch and one chunk; they are kept until the "B" of this micro-batch and
    chunk has ended, or its "W". An "I" alone frees nothing. A list of 24,000 passes may take at most 25 times as long
    as one of 3000.

    Args:
        passes: what one device runs, in order: a list of tuples as above, all four letters possible, up to 30,000 of
            them. Every "F" is followed by its "B", or by its "I" and later its "W". May be empty.

    Returns:
        the number of (micro-batch, chunk) pairs that are kept at the peak; 0 for an empty list.

    Example:
        >>> peak_in_flight([("F", 0, 0), ("F", 1, 0), ("B", 0, 0), ("B", 1, 0)])
        2
    """
    raise NotImplementedError
