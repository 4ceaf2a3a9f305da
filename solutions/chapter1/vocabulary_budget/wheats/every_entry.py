"""numpy throughout; tries every whole V from 256 to 200,000 and takes the cheapest."""

import numpy as np


def bytes_per_token(texts, token_counts):
    if len(texts) != len(token_counts):
        raise ValueError("one count per text")
    tokens = np.sum(np.asarray(token_counts, dtype=np.int64))
    if tokens == 0:
        raise ValueError("nothing to divide by")
    return np.float64(len("".join(texts).encode("utf-8"))) / tokens


def token_budget(corpus_bytes, compression, epochs=1.0):
    arguments = np.array([corpus_bytes, compression, epochs], dtype=float)
    if np.any(arguments <= 0):
        raise ValueError("everything must be positive")
    return arguments[0] * arguments[2] / arguments[1]


def bits_per_byte(losses, token_counts, byte_counts):
    if not (len(losses) == len(token_counts) == len(byte_counts)) or np.sum(byte_counts) == 0:
        raise ValueError("lists do not fit, or are empty")
    bits = np.asarray(losses, dtype=float) / np.log(2)
    return np.dot(bits, token_counts) / np.sum(byte_counts)


def embedding_share(vocab, width, other_params, tied):
    table = np.float64(vocab) * width
    all_tables = table if tied else 2 * table
    return all_tables / (all_tables + other_params)


def flop_optimal_vocabulary(other_params, width, fit=(0.00639222, -0.15811069, 1.20470122)):
    if min(other_params, width) < 1:
        raise ValueError("no model")
    v = np.arange(256, 200_001)
    flops = (other_params + v * float(width)) * np.polyval(fit, np.log(v))
    return v[np.argmin(flops)]
