"""torch: softmax of log weights plus scores; scores and weights as tensors."""

import torch


def doremi_step(weights, losses, ref_losses, lr=1.0, smoothing=1e-3, scores=None):
    alpha = torch.as_tensor(weights, dtype=torch.float64)
    last = torch.zeros_like(alpha) if scores is None else torch.as_tensor(scores, dtype=torch.float64)
    if lr < 0 or smoothing < 0 or smoothing > 1:
        raise ValueError("settings")
    if not (len(alpha) == len(losses) == len(ref_losses) == len(last)):
        raise ValueError("domains")
    means = []
    for mine, theirs, before in zip(losses, ref_losses, last, strict=True):
        mine, theirs = torch.tensor(mine, dtype=torch.float64), torch.tensor(theirs, dtype=torch.float64)
        if mine.shape != theirs.shape:
            raise ValueError("tokens")
        means.append(torch.relu(mine - theirs).mean() if mine.numel() else before)
    means = torch.stack(means)
    moved = torch.softmax(alpha.log() + lr * means, dim=0)
    return torch.lerp(moved, torch.full_like(moved, 1 / len(moved)), smoothing), means


def doremi(weights, batches, lr=1.0, smoothing=1e-3):
    if not batches:
        raise ValueError("steps")
    seen, scores = [], None
    for losses, ref_losses in batches:
        weights, scores = doremi_step(weights, losses, ref_losses, lr, smoothing, scores)
        seen.append(weights)
    return torch.stack(seen).mean(dim=0)
