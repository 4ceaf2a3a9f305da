"""torch in float32: the mean of learned word values (fastText with one dimension), by momentum from the seed."""

import torch


def train_classifier(texts, labels, seed):
    y = torch.tensor([float(label) for label in labels])
    if len(y) != len(texts) or not 0 < y.sum() < len(y):
        raise ValueError("labels")
    vocabulary = {}
    for text in texts:
        for word in text.split():
            vocabulary.setdefault(word, len(vocabulary) + 1)
    generator = torch.Generator().manual_seed(seed)
    values = (0.01 * torch.randn(len(vocabulary) + 1, 1, generator=generator)).requires_grad_()
    bias = torch.zeros(1, requires_grad=True)
    ids, offsets = bags(vocabulary, texts)
    speed = torch.zeros_like(values)
    for _ in range(60):
        logits = torch.nn.functional.embedding_bag(ids, values, offsets, mode="mean").squeeze(1) + bias
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, y)
        slope, push = torch.autograd.grad(loss, [values, bias])
        speed = 0.9 * speed + slope
        with torch.no_grad():
            values -= 100 * speed
            bias -= push
    return vocabulary, values.detach().numpy(), float(bias)


def bags(vocabulary, texts):
    """Word numbers of all texts in a row, and where each text begins; unknown words are left out."""
    numbers = [[vocabulary[word] for word in text.split() if word in vocabulary] for text in texts]
    starts = [0]
    for each in numbers:
        starts.append(starts[-1] + len(each))
    flat = [number for each in numbers for number in each]
    return torch.tensor(flat, dtype=torch.long), torch.tensor(starts[: len(texts)], dtype=torch.long)


def score(model, texts):
    if not texts:
        return []
    vocabulary, values, bias = model
    ids, offsets = bags(vocabulary, texts)
    means = torch.nn.functional.embedding_bag(ids, torch.from_numpy(values), offsets, mode="mean")
    return (means.squeeze(1) + bias).tolist()


def out_of_fold_scores(texts, labels, folds, seed):
    if folds < 2 or len(texts) < folds:
        raise ValueError("folds")
    scores = [0.0] * len(texts)
    for fold in range(folds):
        rest = [i for i in range(len(texts)) if i % folds != fold]
        model = train_classifier([texts[i] for i in rest], [labels[i] for i in rest], seed)
        scores[fold::folds] = score(model, texts[fold::folds])
    return scores


def keep_top(scores, fraction):
    if fraction < 0 or fraction > 1:
        raise ValueError("fraction")
    values = torch.as_tensor(scores, dtype=torch.float64)
    order = torch.argsort(values, descending=True, stable=True)
    return sorted(order[: int(fraction * len(values))].tolist())


def educational_keep(raw_scores, threshold=3):
    integers = torch.tensor(raw_scores, dtype=torch.float64).clamp(0, 5).round().long()
    return integers.tolist(), torch.nonzero(integers >= threshold).flatten().tolist()
