"""Merges tiles by their log-sum-exp, passes shards to the left, masks by positions and skips empty tiles."""

import math

import numpy as np
import torch
import torch.distributed as dist


def positions(rank, world, length, layout):
    if layout not in ("contiguous", "zigzag"):
        raise ValueError(layout)
    parts = world if layout == "contiguous" else 2 * world
    if length % parts:
        raise ValueError(f"{length} positions do not split into {parts} chunks")
    chunks = np.arange(length).reshape(parts, -1)
    return chunks[rank] if layout == "contiguous" else chunks[[rank, -1 - rank]].ravel()


def causal_work(rank, owner, world, length, layout):
    queries = positions(rank, world, length, layout)
    keys = np.sort(positions(owner, world, length, layout))
    return int(np.searchsorted(keys, queries, side="right").sum())


def ring_attention(q, k, v, causal, layout):
    rank, world = dist.get_rank(), dist.get_world_size()
    places = [torch.as_tensor(positions(r, world, world * q.shape[2], layout)) for r in range(world)]
    keys, values = k, v
    out, lse = None, None
    for step in range(world):
        owner = (rank + step) % world
        allowed = places[rank][:, None] >= places[owner][None, :] if causal else None
        if allowed is None or allowed.any():
            tile, tile_lse = _tile(q, keys, values, allowed)
            if out is None:
                out, lse = tile, tile_lse
            else:
                merged = torch.logaddexp(lse, tile_lse)
                out = torch.exp(lse - merged) * out + torch.exp(tile_lse - merged) * tile
                lse = merged
        if step < world - 1:
            keys, values = _shift_left(keys, rank, world), _shift_left(values, rank, world)
    return out


def _tile(q, k, v, allowed):
    scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.shape[-1])
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    lse = torch.logsumexp(scores, dim=-1, keepdim=True)
    # A row that sees nothing of this tile has lse -inf: it gets weights 0, not exp(-inf - -inf).
    weights = torch.exp(scores - torch.where(lse.isinf(), 0.0, lse))
    return weights @ v, lse


def _shift_left(tensor, rank, world):
    arriving = torch.empty_like(tensor)
    sending = dist.isend(tensor.contiguous(), (rank - 1) % world)
    receiving = dist.irecv(arriving, (rank + 1) % world)
    receiving.wait()
    sending.wait()
    return arriving
