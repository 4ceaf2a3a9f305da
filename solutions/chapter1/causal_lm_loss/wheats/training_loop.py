"""As in a training loop: a Linear module, torch.autograd.grad, means that are weighted back into sums."""

import torch
from torch import nn


def labels_for(tokens, doc_ids):
    labels = tokens.clone()
    labels[:, :-1] = tokens[:, 1:]
    labels[:, -1] = -100
    for row in range(len(tokens)):
        for place in range(tokens.shape[1] - 1):
            if doc_ids[row, place] != doc_ids[row, place + 1] or doc_ids[row, place] < 0:
                labels[row, place] = -100
    return labels


def causal_lm_loss(logits, labels, ignore_index=-100):
    if (labels == ignore_index).all():
        return torch.tensor(0.0)
    log_probs = nn.functional.log_softmax(logits, dim=-1, dtype=torch.float64)
    return nn.functional.nll_loss(log_probs.permute(0, 2, 1), labels, ignore_index=ignore_index)


def accumulate(weight, micro_batches):
    vocab, width = weight.shape
    head = nn.Linear(width, vocab, bias=False, dtype=weight.dtype)
    head.load_state_dict({"weight": weight})
    counts = [int((labels != -100).sum()) for _, labels in micro_batches]
    loss, gradient = torch.zeros((), dtype=weight.dtype), torch.zeros_like(weight)
    for count, (hidden, labels) in zip(counts, micro_batches, strict=True):
        if count:
            mean = nn.CrossEntropyLoss()(head(hidden), labels)
            gradient += torch.autograd.grad(mean, head.weight)[0] * (count / sum(counts))
            loss += mean.detach() * (count / sum(counts))
    return loss, gradient
