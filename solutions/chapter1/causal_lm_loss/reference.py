"""Reference: torch's cross entropy as a sum, divided by a count that is known before the first micro-batch."""

import torch
from torch.nn.functional import cross_entropy

IGNORED = -100  # torch's default for cross_entropy, and everybody's since


def labels_for(tokens: torch.Tensor, doc_ids: torch.Tensor) -> torch.Tensor:
    """The next token, where it is one of the same document."""
    labels = torch.full_like(tokens, IGNORED)
    here, following = doc_ids[:, :-1], doc_ids[:, 1:]
    labels[:, :-1] = torch.where((here == following) & (here >= 0), tokens[:, 1:], IGNORED)
    return labels


def causal_lm_loss(logits: torch.Tensor, labels: torch.Tensor, ignore_index: int = IGNORED) -> torch.Tensor:
    """A sum over what counts, divided by how much counts."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    total = cross_entropy(wide.flatten(0, 1), labels.flatten(), ignore_index=ignore_index, reduction="sum")
    return total / (labels != ignore_index).sum().clamp(min=1)


def accumulate(
    weight: torch.Tensor, micro_batches: list[tuple[torch.Tensor, torch.Tensor]]
) -> tuple[float, torch.Tensor]:
    """Each part is divided by the count of all parts, so that gradients only have to be added."""
    leaf = weight.detach().requires_grad_()
    leaf.grad = torch.zeros_like(weight)
    count = sum(int((labels != IGNORED).sum()) for _, labels in micro_batches)
    loss = 0.0
    for hidden, labels in micro_batches:
        part = cross_entropy(hidden @ leaf.T, labels, reduction="sum") / max(count, 1)
        part.backward()  # adds to leaf.grad, and lets go of this micro-batch's logits
        loss += part.item()
    return loss, leaf.grad
