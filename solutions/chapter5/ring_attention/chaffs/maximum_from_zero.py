"""The running maximum starts at 0.
Killed by: test_large_scores_are_stable
"""

import math

import numpy as np
import torch
import torch.distributed as dist


def positions(rank, world, length, layout):
    if layout not in ("contiguous", "zigzag"):
        raise ValueError(f"unknown layout {layout!r}")
    chunks = [rank] if layout == "contiguous" else [rank, 2 * world - 1 - rank]
    if length % (world * len(chunks)):
        raise ValueError(f"length {length} does not divide into chunks")
    size = length // (world * len(chunks))
    return np.concatenate([np.arange(chunk * size, (chunk + 1) * size) for chunk in chunks])


def causal_work(rank, owner, world, length, layout):
    queries = positions(rank, world, length, layout)
    keys = positions(owner, world, length, layout)
    return int(np.searchsorted(keys, queries, side="right").sum())


def ring_attention(q, k, v, causal, layout):
    rank, world = dist.get_rank(), dist.get_world_size()
    places = [torch.as_tensor(positions(r, world, world * q.shape[2], layout)) for r in range(world)]
    held = torch.stack([k, v])
    largest = torch.zeros_like(q[..., :1])
    total = torch.zeros_like(largest)
    weighted = torch.zeros_like(q)
    for step in range(world):
        owner = (rank - step) % world
        scores = q @ held[0].transpose(-1, -2) / math.sqrt(q.shape[-1])
        if causal:
            scores = scores.masked_fill(places[owner] > places[rank][:, None], -math.inf)
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        weights, shrink = torch.exp(scores - new), torch.exp(largest - new)
        total = total * shrink + weights.sum(-1, keepdim=True)
        weighted = weighted * shrink + weights @ held[1]
        largest = new
        if step < world - 1:
            held = pass_on(held, rank, world)
    return weighted / total


def pass_on(held, rank, world):
    arriving = torch.empty_like(held)
    sending = dist.isend(held, (rank + 1) % world)
    dist.recv(arriving, (rank - 1) % world)
    sending.wait()
    return arriving
