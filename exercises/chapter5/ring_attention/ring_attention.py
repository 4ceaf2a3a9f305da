"""Ring attention: exact attention over a sequence that no single rank can hold.

Symbols: B batch, H heads, S positions of the whole sequence, n ranks, L = S / n positions on one rank, D head
size.
"""

from __future__ import annotations

import numpy as np
import torch


def positions(rank: int, world: int, length: int, layout: str) -> np.ndarray:
    """Say which positions of the sequence a rank holds, in the order in which it holds them.

    Args:
        rank: the rank asked about, 0 <= rank < world.
        world: number of ranks n, at least 1 (the checks: up to 8).
        length: positions S of the whole sequence, at least 1, numbered 0 to S - 1.
        layout: "contiguous" cuts the sequence into n equal chunks and gives rank r the chunk r.
            "zigzag" cuts it into 2n equal chunks and gives rank r the chunks r and 2n - 1 - r, in this order.

    Returns:
        S / n integers (array or list).

    Raises:
        ValueError: layout is neither of the two, or length is not divisible by the number of chunks.

    Example:
        >>> list(positions(0, 2, 8, "zigzag"))
        [0, 1, 6, 7]
    """
    raise NotImplementedError


def causal_work(rank: int, owner: int, world: int, length: int, layout: str) -> int:
    """Count the scores that a rank needs against one shard of keys, under the causal mask.

    A score is one pair (query position i held by ``rank``, key position j held by ``owner``). The causal mask
    keeps it when j <= i: a position sees itself.

    Args:
        rank: the rank whose queries are meant.
        owner: the rank from which the keys came; may be the same rank.
        world: number of ranks n.
        length: positions S of the whole sequence, up to 2**22: too many to list all pairs.
        layout: "contiguous" or "zigzag", as in ``positions``.

    Returns:
        The number of pairs that the mask keeps: an exact integer, Python's or numpy's.

    Raises:
        ValueError: as in ``positions``.

    Example:
        >>> [causal_work(0, owner, 2, 8, "zigzag") for owner in (0, 1)]
        [10, 8]
    """
    raise NotImplementedError


def ring_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, layout: str) -> torch.Tensor:
    """Compute this rank's rows of exact attention, while keys and values travel from rank to rank.

    Every rank of the default ``torch.distributed`` group (gloo, already initialised; do not initialise or
    destroy it) calls this function once, with its own shard of the sequence. The group has 1 to 6 ranks.

    The answer on each rank is its shard of  softmax(Q Kᵀ / sqrt(D)) V  over the *whole* sequence. Where
    causal, query position i sees key positions j <= i, counted over the whole sequence.

    Args:
        q: this rank's queries, float32 or float64, shape [B, H, L, D], contiguous; no size is 0.
        k: this rank's keys, same shape and dtype, contiguous.
        v: this rank's values, same shape and dtype, contiguous. All ranks pass the same shape.
        causal: whether the causal mask applies.
        layout: "contiguous" or "zigzag": which positions the L rows are, as in ``positions`` with S = n · L.

    Returns:
        A new tensor of q's shape and dtype: rows in the same order as q's. Scores and sums are kept at least
        as precise as that dtype, and scores in the thousands give neither NaN nor infinity. q, k and v stay
        as they are, and need no gradients.

    Raises:
        ValueError: unknown layout, or "zigzag" with an odd L. Every rank raises it, before anything is sent.

    Cost, for n ranks:
        - Traffic: each rank receives each of the other n - 1 shards of K and of V once, in q's dtype. Nothing
          else of that size travels; how you move the shards (direction, order, function of
          torch.distributed) is yours.
        - Memory: a rank holds its own shards, a fixed number of travelling ones and the L x L scores with one
          of them; never all of K and V. So it does not grow with n while L stays the same.

    Hint: keep, per query row, the largest score so far, the sum of exp(score - largest) so far, and the
    weighted sum of values so far.
    """
    raise NotImplementedError
