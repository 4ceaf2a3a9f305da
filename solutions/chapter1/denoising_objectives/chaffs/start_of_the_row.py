"""Select the first 15 % of each row: the order of texts is random anyway.
Killed by: test_a_share_p_is_selected
"""

import random
from itertools import pairwise

import numpy as np

IGNORED = -100
MASKED, RANDOM = 0.8, 0.1  # shares of what is selected: Devlin et al. 2019, section 3.1


def mask_tokens(
    tokens: np.ndarray, special_mask: np.ndarray, vocab_size: int, mask_id: int, seed: int, p: float = 0.15
) -> tuple[np.ndarray, np.ndarray]:
    if not 0 <= p <= 1:
        raise ValueError("p is a probability")
    rng = np.random.default_rng(seed)
    selected = (np.arange(tokens.shape[1]) < p * tokens.shape[1]) & ~special_mask
    fate = rng.random(tokens.shape)
    inputs = np.where(selected & (fate < MASKED), mask_id, tokens)
    replaced = selected & (fate >= 1 - RANDOM)
    inputs = np.where(replaced, rng.integers(0, vocab_size, tokens.shape), inputs)
    return inputs, np.where(selected, tokens, IGNORED)


def span_corrupt(
    tokens: list[int], seed: int, density: float, mean_span: float, vocab_size: int, eos_id: int = 1
) -> tuple[list[int], list[int]]:
    noise, spans = _budget(len(tokens), density, mean_span)
    rng = random.Random(seed)
    kept_runs = _runs(len(tokens) - noise, spans, rng)
    noise_runs = _runs(noise, spans, rng)
    inputs: list[int] = []
    targets: list[int] = []
    start = 0
    for span, (kept, cut) in enumerate(zip(kept_runs, noise_runs, strict=True)):
        sentinel = vocab_size - 1 - span
        inputs += [*tokens[start : start + kept], sentinel]
        targets += [sentinel, *tokens[start + kept : start + kept + cut]]
        start += kept + cut
    return [*inputs, eos_id], [*targets, eos_id]


def lengths(inputs_length: int, density: float, mean_span: float) -> tuple[int, int]:
    if inputs_length < 3:
        raise ValueError("a kept token, a sentinel and the end of sequence make 3")
    tokens = 2
    while _built(tokens + 1, density, mean_span)[0] <= inputs_length:
        tokens += 1
    return tokens, _built(tokens, density, mean_span)[1]


def _built(tokens: int, density: float, mean_span: float) -> tuple[int, int]:
    noise, spans = _budget(tokens, density, mean_span)
    return tokens - noise + spans + 1, noise + spans + 1


def _budget(tokens: int, density: float, mean_span: float) -> tuple[int, int]:
    if tokens < 2 or not 0 < density < 1 or mean_span < 1:
        raise ValueError("it takes two tokens, a density between 0 and 1 and spans of at least 1")
    noise = min(max(round(tokens * density), 1), tokens - 1)
    return noise, min(max(round(noise / mean_span), 1), tokens - noise)


def _runs(total: int, count: int, rng: random.Random) -> list[int]:
    cuts = [0, *sorted(rng.sample(range(1, total), count - 1)), total]
    return [end - start for start, end in pairwise(cuts)]
