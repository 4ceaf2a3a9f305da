"""Exact shares instead of coins: a permutation chooses what is selected in all rows; runs from random combinations."""

import itertools
import random

import numpy as np


def mask_tokens(tokens, special_mask, vocab_size, mask_id, seed, p=0.15):
    if not 0 <= p <= 1:
        raise ValueError("p")
    rng = np.random.default_rng([seed, 20])
    free = np.flatnonzero(~special_mask.ravel())
    chosen = rng.permutation(free)[: round(p * len(free))]
    masked, swapped, _ = np.split(chosen, [round(0.8 * len(chosen)), round(0.9 * len(chosen))])
    labels = np.full(tokens.size, -100)
    labels[chosen] = tokens.ravel()[chosen]
    inputs = tokens.ravel().copy()
    inputs[masked] = mask_id
    inputs[swapped] = rng.integers(vocab_size - 1, size=len(swapped), endpoint=True)
    return inputs.reshape(tokens.shape), labels.reshape(tokens.shape)


def _counts(length, density, mean_span):
    if length < 2 or density <= 0 or density >= 1 or mean_span < 1:
        raise ValueError("impossible arguments")
    noise = max(1, min(length - 1, round(length * density)))
    return noise, max(1, min(length - noise, round(noise / mean_span)))


def span_corrupt(tokens, seed, density, mean_span, vocab_size, eos_id=1):
    noise, spans = _counts(len(tokens), density, mean_span)
    rng = random.Random(seed)
    # A kept token is drawn as "k" and noise as "n"; cuts are chosen among the places between two of a kind.
    kept_cuts = set(rng.sample(range(1, len(tokens) - noise), spans - 1))
    noise_cuts = set(rng.sample(range(1, noise), spans - 1))
    queue, inputs, targets = list(tokens), [], []
    kept_left, noise_left = len(tokens) - noise, noise
    for span in range(spans):
        inputs.append(queue.pop(0))
        kept_left -= 1
        while kept_left and len(tokens) - noise - kept_left not in kept_cuts:
            inputs.append(queue.pop(0))
            kept_left -= 1
        inputs.append(vocab_size - span - 1)
        targets += [vocab_size - span - 1, queue.pop(0)]
        noise_left -= 1
        while noise_left and noise - noise_left not in noise_cuts:
            targets.append(queue.pop(0))
            noise_left -= 1
    return [*inputs, eos_id], [*targets, eos_id]


def lengths(inputs_length, density, mean_span):
    if inputs_length < 3:
        raise ValueError("too short")
    for length in itertools.count(2):
        noise, spans = _counts(length, density, mean_span)
        if length - noise + spans + 1 > inputs_length:
            noise, spans = _counts(length - 1, density, mean_span)
            return np.array([length - 1, noise + spans + 1])
