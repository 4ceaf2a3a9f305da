"""Compares values only: a golden section over V itself, answered as a whole number; sums in loops."""

import math


def bytes_per_token(texts, token_counts):
    if len(texts) != len(token_counts):
        raise ValueError("lengths differ")
    size = tokens = 0
    for text, count in zip(texts, token_counts, strict=True):
        size += len(bytes(text, "utf-8"))
        tokens += count
    if not tokens:
        raise ValueError("no tokens")
    return size / tokens


def token_budget(corpus_bytes, compression, epochs=1.0):
    for value in (corpus_bytes, compression, epochs):
        if not value > 0:
            raise ValueError(f"{value} is not positive")
    return corpus_bytes * epochs / compression


def bits_per_byte(losses, token_counts, byte_counts):
    if len({len(losses), len(token_counts), len(byte_counts)}) > 1 or not any(byte_counts):
        raise ValueError("lengths differ, or no bytes")
    total = sum(byte_counts)
    return math.fsum(loss * math.log2(math.e) * n / total for loss, n in zip(losses, token_counts, strict=True))


def embedding_share(vocab, width, other_params, tied):
    matrices = [vocab * width]
    if not tied:
        matrices.append(vocab * width)
    return 1 - other_params / (other_params + sum(matrices))


def flop_optimal_vocabulary(other_params, width, fit=(0.00639222, -0.15811069, 1.20470122)):
    if other_params <= 0 or width <= 0:
        raise ValueError("no model")
    a, b, c = fit

    def flops(v):
        tokens = a * math.log(v) ** 2 + b * math.log(v) + c
        return 6 * (other_params + v * width) * tokens

    low, high, ratio = 256.0, 200_000.0, (math.sqrt(5) - 1) / 2
    while high - low > 1e-3:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if flops(left) <= flops(right):
            high = right
        else:
            low = left
    return round((low + high) / 2)
