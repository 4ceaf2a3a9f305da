"""Skips a tile where causal_work counts nothing, and masks all others by positions; K and V in one message."""

from __future__ import annotations

import numpy as np
import torch
import torch.distributed as dist


def _chunks(rank: int, world: int, length: int, layout: str) -> tuple[list[int], int]:
    if layout == "contiguous":
        count, mine = world, [rank]
    elif layout == "zigzag":
        count, mine = 2 * world, [rank, 2 * world - 1 - rank]
    else:
        raise ValueError(f"unknown layout {layout!r}")
    if length % count:
        raise ValueError(f"length {length} is not divisible by {count}")
    size = length // count
    return [c * size for c in mine], size


def positions(rank: int, world: int, length: int, layout: str) -> np.ndarray:
    starts, size = _chunks(rank, world, length, layout)
    return np.concatenate([np.arange(s, s + size) for s in starts])


def causal_work(rank: int, owner: int, world: int, length: int, layout: str) -> int:
    queries, size = _chunks(rank, world, length, layout)
    keys, _ = _chunks(owner, world, length, layout)
    total = 0
    for i in queries:
        for j in keys:
            if j < i:
                total += size * size
            elif j == i:
                total += size * (size + 1) // 2
    return total


def ring_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, layout: str) -> torch.Tensor:
    rank, world = dist.get_rank(), dist.get_world_size()
    length, scale = q.shape[2], q.shape[3] ** -0.5
    mine = torch.as_tensor(positions(rank, world, world * length, layout))

    held = torch.stack([k, v])
    spare = torch.empty_like(held)
    m = torch.full((*q.shape[:3], 1), float("-inf"), dtype=q.dtype)
    total = torch.zeros_like(m)
    acc = torch.zeros_like(q)

    for step in range(world):
        pending = []
        if step < world - 1:
            pending = dist.batch_isend_irecv(
                [
                    dist.P2POp(dist.isend, held, (rank + 1) % world),
                    dist.P2POp(dist.irecv, spare, (rank - 1) % world),
                ]
            )

        owner = (rank - step) % world
        if not causal or causal_work(rank, owner, world, world * length, layout) > 0:
            scores = q @ held[0].transpose(-1, -2) * scale
            if causal:
                theirs = torch.as_tensor(positions(owner, world, world * length, layout))
                scores.masked_fill_(theirs[None, :] > mine[:, None], float("-inf"))
            new_m = torch.maximum(m, scores.amax(dim=-1, keepdim=True))
            weights = torch.exp(scores - new_m)
            shrink = torch.exp(m - new_m)
            total = total * shrink + weights.sum(dim=-1, keepdim=True)
            acc = acc * shrink + weights @ held[1]
            m = new_m

        for work in pending:
            work.wait()
        held, spare = spare, held

    return acc / total
