"""Two rings: the first half of the heads travels to the right, the other half to the left."""

import math

import numpy as np
import torch
import torch.distributed as dist


def positions(rank, world, length, layout):
    if layout == "contiguous" and length % world == 0:
        return np.arange(length // world) + rank * (length // world)
    if layout == "zigzag" and length % (2 * world) == 0:
        half = length // (2 * world)
        start, mirrored = rank * half, length - (rank + 1) * half
        return np.r_[start : start + half, mirrored : mirrored + half]
    raise ValueError(f"layout {layout!r} with length {length}")


def causal_work(rank, owner, world, length, layout):
    queries, keys = (positions(r, world, length, layout) for r in (rank, owner))
    if rank == owner:
        return len(keys) * (len(keys) + 1) // 2
    half = len(keys) // 2 if layout == "zigzag" else len(keys)
    return sum(int((queries >= start).sum()) * half for start in keys[::half])


def ring_attention(q, k, v, causal, layout):
    rank, world = dist.get_rank(), dist.get_world_size()
    heads = q.shape[1] // 2
    length = world * q.shape[2]
    positions(rank, world, length, layout)
    answers = []
    for direction, some in ((1, slice(0, heads)), (-1, slice(heads, None))):
        if q[:, some].shape[1]:
            answers.append(_one_way(q[:, some], k[:, some], v[:, some], direction, length, causal, layout))
    return torch.cat(answers, dim=1)


def _one_way(q, k, v, direction, length, causal, layout):
    rank, world = dist.get_rank(), dist.get_world_size()
    queries = torch.as_tensor(positions(rank, world, length, layout))
    pair = [k.clone(), v.clone()]
    best = torch.full(q.shape[:3], -math.inf, dtype=q.dtype)
    total, weighted = torch.zeros_like(best), torch.zeros_like(q)
    for step in range(world):
        owner = (rank - direction * step) % world
        scores = torch.matmul(q, pair[0].transpose(-1, -2)) / math.sqrt(q.shape[-1])
        if causal:
            keys = torch.as_tensor(positions(owner, world, length, layout))
            scores = torch.where(keys[None, :] <= queries[:, None], scores, -math.inf)
        new = torch.maximum(best, scores.amax(-1))
        weights = torch.exp(scores - new[..., None])
        shrink = torch.exp(best - new)
        total = total * shrink + weights.sum(-1)
        weighted = weighted * shrink[..., None] + weights @ pair[1]
        best = new
        if step + 1 < world:
            pair = [_pass(tensor, (rank + direction) % world, (rank - direction) % world) for tensor in pair]
    return weighted / total[..., None]


def _pass(tensor, to, source):
    arriving = torch.empty_like(tensor)
    pair = [dist.P2POp(dist.isend, tensor, to), dist.P2POp(dist.irecv, arriving, source)]
    for work in dist.batch_isend_irecv(pair):
        work.wait()
    return arriving
