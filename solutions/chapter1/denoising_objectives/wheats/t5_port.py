"""As in T5's own code: shuffled indicators, a noise mask, cumulated sentinels; torch_mask_tokens with two coins."""

import numpy as np


def mask_tokens(tokens, special_mask, vocab_size, mask_id, seed, p=0.15):
    if p < 0 or p > 1:
        raise ValueError(p)
    rng = np.random.RandomState(seed)
    inputs, labels = tokens.copy(), tokens.copy()
    selected = rng.binomial(1, np.where(special_mask, 0.0, p)).astype(bool)
    labels[~selected] = -100
    masked = selected & rng.binomial(1, 0.8, tokens.shape).astype(bool)
    inputs[masked] = mask_id
    swapped = selected & ~masked & rng.binomial(1, 0.5, tokens.shape).astype(bool)
    inputs[swapped] = rng.randint(vocab_size, size=int(swapped.sum()))
    return inputs, labels


def _noise_mask(length, density, mean_span, rng):
    noise = int(min(max(np.round(length * density), 1), length - 1))
    spans = int(min(max(np.round(noise / mean_span), 1), length - noise))

    def segments(items, count):
        first = np.arange(items - 1) < count - 1
        rng.shuffle(first)
        return np.bincount(np.cumsum(np.pad(first, (1, 0))), minlength=count)

    cut = segments(noise, spans)
    runs = np.stack([segments(length - noise, spans), cut], axis=1).ravel()
    return np.repeat(np.arange(2 * spans) % 2 == 1, runs)


def _with_sentinels(tokens, mask, vocab_size, eos_id):
    first = mask & ~np.pad(mask[:-1], (1, 0))
    out = np.where(first, vocab_size - np.cumsum(first), tokens)
    return np.append(out[first | ~mask], eos_id)


def span_corrupt(tokens, seed, density, mean_span, vocab_size, eos_id=1):
    _validate(len(tokens), density, mean_span)
    mask = _noise_mask(len(tokens), density, mean_span, np.random.RandomState(seed))
    # Masks begin with a kept token and end with noise: as many runs of either.
    return tuple(_with_sentinels(np.asarray(tokens), side, vocab_size, eos_id) for side in (mask, ~mask))


def lengths(inputs_length, density, mean_span):
    _validate(inputs_length - 1, density, mean_span)
    best = None
    for length in range(inputs_length - 1, int((inputs_length + 2) / (1 - density)) + 2):
        mask = _noise_mask(length, density, mean_span, np.random.RandomState(0))
        spans = int((mask[1:] & ~mask[:-1]).sum())
        if (~mask).sum() + spans + 1 <= inputs_length:
            best = length, int(mask.sum()) + spans + 1
    return best


def _validate(length, density, mean_span):
    if length < 2 or not 0 < density < 1 or mean_span < 1:
        raise ValueError("impossible arguments")
