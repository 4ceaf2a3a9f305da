"""Python's own numbers: fsum, math.exp after the largest exponent is taken off, and a list of every step's weights."""

from math import exp, fsum


def excess(losses, ref_losses):
    return fsum(max(loss - ref, 0.0) for loss, ref in zip(losses, ref_losses, strict=True)) / len(losses)


def doremi_step(weights, losses, ref_losses, lr=1.0, smoothing=1e-3, scores=None):
    if lr < 0 or smoothing < 0 or smoothing > 1:
        raise ValueError("lr or smoothing")
    scores = list(scores) if scores is not None else [0.0 for _ in weights]
    if {len(losses), len(ref_losses), len(scores)} != {len(weights)}:
        raise ValueError("domains")
    for domain, (mine, theirs) in enumerate(zip(losses, ref_losses, strict=True)):
        if len(mine) or len(theirs):
            scores[domain] = excess(mine, theirs)
    most = max(scores)
    unnormalised = [weight * exp(lr * (score - most)) for weight, score in zip(weights, scores, strict=True)]
    total = fsum(unnormalised)
    return [(1 - smoothing) * each / total + smoothing / len(weights) for each in unnormalised], scores


def doremi(weights, batches, lr=1.0, smoothing=1e-3):
    if len(batches) == 0:
        raise ValueError("no step")
    history, scores = [], None
    for batch in batches:
        weights, scores = doremi_step(weights, *batch, lr=lr, smoothing=smoothing, scores=scores)
        history.append(weights)
    return [fsum(column) / len(history) for column in zip(*history, strict=True)]
