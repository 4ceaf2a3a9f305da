"""No ring: in step s rank r sends its own shard to r + s and uses that of r - s; float64 inside."""

import numpy as np
import torch
import torch.distributed as dist


def positions(rank, world, length, layout):
    chunks = {"contiguous": (rank,), "zigzag": (rank, 2 * world - 1 - rank)}.get(layout)
    if chunks is None or length % (len(chunks) * world) != 0:
        raise ValueError(f"cannot lay out {length} positions as {layout!r}")
    size = length // (len(chunks) * world)
    return np.hstack([np.arange(size) + chunk * size for chunk in chunks])


def causal_work(rank, owner, world, length, layout):
    queries = positions(rank, world, length, layout)
    total = 0
    keys = positions(owner, world, length, layout)
    for run in np.split(keys, np.flatnonzero(np.diff(keys) != 1) + 1):
        total += int(np.clip(queries - run[0] + 1, 0, len(run)).sum())
    return total


def ring_attention(q, k, v, causal, layout):
    rank, world = dist.get_rank(), dist.get_world_size()
    places = [torch.from_numpy(positions(r, world, world * q.shape[2], layout)) for r in range(world)]
    largest = torch.full((*q.shape[:-1], 1), -torch.inf, dtype=torch.float64)
    total = torch.zeros_like(largest)
    weighted = torch.zeros(q.shape, dtype=torch.float64)
    for step in range(world):
        owner = (rank - step) % world
        keys, values = (k, v) if step == 0 else _fetch(k, v, (rank + step) % world, owner)
        scores = q.double() @ keys.double().transpose(2, 3) / q.shape[-1] ** 0.5
        if causal:
            scores[..., places[rank][:, None] < places[owner]] = -torch.inf
        # Step 0 is the own tile, whose diagonal gives every row a finite maximum.
        new = torch.maximum(largest, scores.max(dim=-1, keepdim=True).values)
        weights = (scores - new).exp()
        total = total * (largest - new).exp() + weights.sum(-1, keepdim=True)
        weighted = weighted * (largest - new).exp() + weights @ values.double()
        largest = new
    return (weighted / total).to(q.dtype)


def _fetch(k, v, to, source):
    keys, values = torch.empty_like(k), torch.empty_like(v)
    sends = [dist.isend(tensor.contiguous(), to) for tensor in (k, v)]
    for tensor in (keys, values):
        dist.recv(tensor, source)
    for sending in sends:
        sending.wait()
    return keys, values
