"""Multiply by a one-hot vector and sum.
Killed by: test_ids_that_cannot_occur
"""

import torch
from torch.nn.functional import cross_entropy

IGNORED = -100


def labels_for(tokens: torch.Tensor, doc_ids: torch.Tensor) -> torch.Tensor:
    labels = torch.full_like(tokens, IGNORED)
    here, following = doc_ids[:, :-1], doc_ids[:, 1:]
    labels[:, :-1] = torch.where((here == following) & (here >= 0), tokens[:, 1:], IGNORED)
    return labels


def causal_lm_loss(logits: torch.Tensor, labels: torch.Tensor, ignore_index: int = IGNORED) -> torch.Tensor:
    counted = labels != ignore_index
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))[counted]
    one_hot = torch.nn.functional.one_hot(labels[counted], wide.shape[1])
    return -(one_hot * wide.log_softmax(dim=1)).sum() / counted.sum().clamp(min=1)


def accumulate(
    weight: torch.Tensor, micro_batches: list[tuple[torch.Tensor, torch.Tensor]]
) -> tuple[float, torch.Tensor]:
    leaf = weight.detach().requires_grad_()
    leaf.grad = torch.zeros_like(weight)
    count = sum(int((labels != IGNORED).sum()) for _, labels in micro_batches)
    loss = 0.0
    for hidden, labels in micro_batches:
        part = cross_entropy(hidden @ leaf.T, labels, reduction="sum") / max(count, 1)
        part.backward()
        loss += part.item()
    return loss, leaf.grad
