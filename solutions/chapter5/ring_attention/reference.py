"""Reference of ring_attention: shards travel one rank a step while the one in hand is folded in."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.distributed as dist

CHUNKS_PER_RANK = {"contiguous": 1, "zigzag": 2}


def positions(rank: int, world: int, length: int, layout: str) -> np.ndarray:
    """Say which positions of the sequence a rank holds, in the order in which it holds them."""
    size = _chunk_size(world, length, layout)
    starts = [chunk * size for chunk in _chunks(rank, world, layout)]
    return np.concatenate([np.arange(start, start + size) for start in starts])


def causal_work(rank: int, owner: int, world: int, length: int, layout: str) -> int:
    """Count the scores that a rank needs against one shard of keys, under the causal mask."""
    size = _chunk_size(world, length, layout)
    square, triangle = size * size, size * (size + 1) // 2
    pairs = [(i, j) for i in _chunks(rank, world, layout) for j in _chunks(owner, world, layout)]
    return sum(square if j < i else triangle if j == i else 0 for i, j in pairs)


def ring_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, layout: str) -> torch.Tensor:
    """Compute this rank's rows of exact attention, while keys and values travel from rank to rank."""
    rank, world = dist.get_rank(), dist.get_world_size()
    size = _chunk_size(world, world * q.shape[2], layout)
    mine = _chunks(rank, world, layout)
    rows = [_Rows(part, chunk, causal) for part, chunk in zip(q.split(size, dim=2), mine, strict=True)]
    held = torch.stack([k, v])  # one message a step, and a buffer of our own: k and v stay as they are
    spare = torch.empty_like(held)
    for step in range(world):
        # The next shard travels while this one is used: a ring is as fast as the slower of the two.
        transfers = _pass_on(held, spare, rank, world) if step < world - 1 else []
        owner = (rank - step) % world
        keys, values = (half.split(size, dim=2) for half in held)
        for chunk, key, value in zip(_chunks(owner, world, layout), keys, values, strict=True):
            for part in rows:
                part.see(chunk, key, value)
        for transfer in transfers:
            transfer.wait()
        held, spare = spare, held
    return torch.cat([part.answer() for part in rows], dim=2)


def _pass_on(held: torch.Tensor, spare: torch.Tensor, rank: int, world: int) -> list[dist.Work]:
    """Start sending to the right and receiving from the left: one after the other would deadlock."""
    right, left = (rank + 1) % world, (rank - 1) % world
    return dist.batch_isend_irecv([dist.P2POp(dist.isend, held, right), dist.P2POp(dist.irecv, spare, left)])


def _chunks(rank: int, world: int, layout: str) -> list[int]:
    """The numbers of the chunks that a rank holds."""
    return [rank] if layout == "contiguous" else [rank, 2 * world - 1 - rank]


def _chunk_size(world: int, length: int, layout: str) -> int:
    """Positions of one chunk."""
    if layout not in CHUNKS_PER_RANK:
        raise ValueError(f"layout must be one of {', '.join(CHUNKS_PER_RANK)}, not {layout!r}")
    count = world * CHUNKS_PER_RANK[layout]
    if length % count:
        raise ValueError(f"length {length} is not divisible by {count} chunks")
    return length // count


class _Rows:
    """The answer for one chunk of queries, folded together tile by tile (online softmax)."""

    def __init__(self, q: torch.Tensor, chunk: int, causal: bool) -> None:
        self.q = q / math.sqrt(q.shape[-1])
        self.chunk = chunk
        self.causal = causal
        self.largest = torch.full_like(q[..., :1], -math.inf)
        self.total = torch.zeros_like(self.largest)
        self.weighted = torch.zeros_like(q)

    def see(self, chunk: int, key: torch.Tensor, value: torch.Tensor) -> None:
        """Fold in one chunk of keys and values; a chunk that lies wholly in the future is skipped."""
        if self.causal and chunk > self.chunk:
            return
        scores = self.q @ key.mT
        if self.causal and chunk == self.chunk:
            future = torch.ones_like(scores, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, -math.inf)
        # Every row of a tile that gets here has a finite score, so the maximum is finite and no NaN arises.
        largest = torch.maximum(self.largest, scores.amax(dim=-1, keepdim=True))
        weights = torch.exp(scores - largest)
        shrink = torch.exp(self.largest - largest)
        self.total = self.total * shrink + weights.sum(dim=-1, keepdim=True)
        self.weighted = self.weighted * shrink + weights @ value
        self.largest = largest

    def answer(self) -> torch.Tensor:
        """The weighted mean of all values seen."""
        return self.weighted / self.total
