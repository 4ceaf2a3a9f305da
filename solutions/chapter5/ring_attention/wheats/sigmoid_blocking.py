"""Merges tiles by a sigmoid of their log-sum-exps' difference; blocking sends, even ranks first; lists."""

import math

import torch
import torch.distributed as dist
import torch.nn.functional as F


def _chunks(rank, world, layout):
    if layout == "contiguous":
        return [rank]
    if layout == "zigzag":
        return [rank, 2 * world - rank - 1]
    raise ValueError("contiguous or zigzag")


def positions(rank, world, length, layout):
    size, rest = divmod(length, world * len(_chunks(rank, world, layout)))
    if rest:
        raise ValueError("the length does not divide")
    return [chunk * size + i for chunk in _chunks(rank, world, layout) for i in range(size)]


def causal_work(rank, owner, world, length, layout):
    mine, theirs = _chunks(rank, world, layout), _chunks(owner, world, layout)
    size, rest = divmod(length, world * len(mine))
    if rest:
        raise ValueError("the length does not divide")
    return sum(size * size for i in mine for j in theirs if i > j) + sum(
        size * (size + 1) // 2 for i in mine for j in theirs if i == j
    )


def ring_attention(q, k, v, causal, layout):
    rank, world = dist.get_rank(), dist.get_world_size()
    size, rest = divmod(q.shape[2], len(_chunks(rank, world, layout)))
    if rest:
        raise ValueError("zigzag needs an even number of rows")
    parts = []
    held = torch.cat([k, v], dim=-1)
    for step in range(world):
        keys, values = held.chunk(2, dim=-1)
        owner = (rank - step) % world
        if step == 0:
            parts = [_empty(part) for part in q.split(size, 2)]
        for at, i in enumerate(_chunks(rank, world, layout)):
            for b, j in enumerate(_chunks(owner, world, layout)):
                if causal and j > i:
                    continue
                key, value = (half[:, :, b * size : (b + 1) * size] for half in (keys, values))
                query = q[:, :, at * size : (at + 1) * size]
                parts[at] = _merge(*parts[at], *_tile(query, key, value, causal and i == j))
        if step < world - 1:
            held = _exchange(held, rank, world)
    return torch.cat([out for out, _ in parts], dim=2)


def _empty(query):
    return torch.zeros_like(query), query.new_full((*query.shape[:-1], 1), -math.inf)


def _tile(query, key, value, diagonal):
    scores = query @ key.mT * query.shape[-1] ** -0.5
    if diagonal:
        scores = scores + torch.full_like(scores, -math.inf).triu(1)
    return torch.softmax(scores, dim=-1) @ value, torch.logsumexp(scores, dim=-1, keepdim=True)


def _merge(out, lse, tile, tile_lse):
    out = out - torch.sigmoid(tile_lse - lse) * (out - tile)
    return out, torch.where(lse.isinf(), tile_lse, lse - F.logsigmoid(lse - tile_lse))


def _exchange(held, rank, world):
    arriving = torch.empty_like(held)
    right, left = (rank + 1) % world, (rank - 1) % world
    if rank % 2 == 0:
        dist.send(held, right)
        dist.recv(arriving, left)
    else:
        dist.recv(arriving, left)
        dist.send(held, right)
    return arriving
