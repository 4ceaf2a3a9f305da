"""Arrays instead of tensors: everything in numpy's float64, lists of labels, a tuple of arrays as the answer."""

import numpy as np


def labels_for(tokens, doc_ids):
    labels = []
    for row, docs in zip(tokens.tolist(), doc_ids.tolist(), strict=True):
        pairs = zip(docs, docs[1:], row[1:], strict=False)
        labels.append([token if here == there != -1 else -100 for here, there, token in pairs] + [-100])
    return labels


def causal_lm_loss(logits, labels, ignore_index=-100):
    vocab = logits.shape[-1]
    scores, wanted = logits.float().numpy() if logits.element_size() == 2 else logits.numpy(), labels.numpy()
    scores, wanted = scores.reshape(-1, vocab).astype(np.float64), wanted.reshape(-1)
    total, count = np.float64(0), 0
    for row, label in zip(scores, wanted, strict=True):
        if label == ignore_index:
            continue
        if not 0 <= label < vocab:
            raise IndexError(f"label {label} of {vocab} words")
        total += np.logaddexp.reduce(row) - row[label]
        count += 1
    return total / max(count, 1)


def accumulate(weight, micro_batches):
    table = weight.double().numpy()
    count = max(sum(np.count_nonzero(labels.numpy() != -100) for _, labels in micro_batches), 1)
    loss, gradient = 0.0, np.zeros(table.shape)
    for hidden, labels in micro_batches:
        states, wanted = hidden.double().numpy(), labels.numpy()
        counted = wanted != -100
        scores = states @ table.T
        scores -= scores.max(axis=1, keepdims=True)
        log_shares = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        loss -= log_shares[counted, wanted[counted]].sum() / count
        slope = np.exp(log_shares)
        slope[counted, wanted[counted]] -= 1
        slope[~counted] = 0
        gradient += slope.T @ states / count
    return [np.float64(loss), gradient]
