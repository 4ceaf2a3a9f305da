"""Plain Python: a random number per token, lists as answers, cuts by selection sampling, lengths by bisection."""

import random


def mask_tokens(tokens, special_mask, vocab_size, mask_id, seed, p=0.15):
    if not 0.0 <= p <= 1.0:
        raise ValueError("p must be a probability")
    draw = random.Random(seed)
    inputs, labels = [], []
    for row, specials in zip(tokens.tolist(), special_mask.tolist(), strict=True):
        inputs.append([])
        labels.append([])
        for token, special in zip(row, specials, strict=True):
            if special or draw.random() >= p:
                inputs[-1].append(token)
                labels[-1].append(-100)
                continue
            labels[-1].append(token)
            kind = draw.choices(("mask", "random", "same"), (8, 1, 1))[0]
            inputs[-1].append({"mask": mask_id, "random": draw.randrange(vocab_size), "same": token}[kind])
    return [inputs, labels]


def _plan(length, density, mean_span):
    noise = round(density * length)
    if noise < 1:
        noise = 1
    if noise >= length:
        noise = length - 1
    spans = round(noise / mean_span) or 1
    return noise, min(spans, length - noise)


def _cut(run, count, draw):
    """Walk along the places between tokens; each is a cut with probability cuts left / places left."""
    parts, needed = [[run[0]]], count - 1
    for place in range(1, len(run)):
        if draw.random() * (len(run) - place) < needed:
            parts.append([])
            needed -= 1
        parts[-1].append(run[place])
    return parts


def span_corrupt(tokens, seed, density, mean_span, vocab_size, eos_id=1):
    if len(tokens) < 2 or not 0 < density < 1 or mean_span < 1:
        raise ValueError("impossible arguments")
    draw = random.Random(f"spans {seed}")
    noise, spans = _plan(len(tokens), density, mean_span)
    kept, cut = (_cut([None] * size, spans, draw) for size in (len(tokens) - noise, noise))
    stream, inputs, targets = iter(tokens), [], []
    for number in range(spans):
        inputs.extend(next(stream) for _ in kept[number])
        inputs.append(vocab_size - 1 - number)
        targets.append(vocab_size - 1 - number)
        targets.extend(next(stream) for _ in cut[number])
    inputs.append(eos_id)
    targets.append(eos_id)
    return inputs, targets


def lengths(inputs_length, density, mean_span):
    if inputs_length < 3 or not 0 < density < 1 or mean_span < 1:
        raise ValueError("impossible arguments")

    def sizes(length):
        noise, spans = _plan(length, density, mean_span)
        return length - noise + spans + 1, noise + spans + 1

    low, high = 2, 2 * int(inputs_length / (1 - density)) + 8
    while high - low > 1:
        middle = (low + high) // 2
        if sizes(middle)[0] <= inputs_length:
            low = middle
        else:
            high = middle
    return low, sizes(low)[1]
