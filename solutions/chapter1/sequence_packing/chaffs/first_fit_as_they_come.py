"""First fit finds the gaps: there is no need to sort.
Killed by: test_order_of_arrival_costs_nothing
"""

from collections.abc import Sequence

import numpy as np

IGNORED = -100


def pack(lengths: Sequence[int], capacity: int) -> list[list[int]]:
    if capacity < 1 or any(not 1 <= length <= capacity for length in lengths):
        raise ValueError("impossible lengths")
    rows: list[list[int]] = []
    filled: list[int] = []
    for document in range(len(lengths)):
        length = lengths[document]
        for row in range(len(rows)):
            if filled[row] + length <= capacity:
                break
        else:
            row = len(rows)
            rows.append([])
            filled.append(0)
        rows[row].append(document)
        filled[row] += length
    return rows


def build_row(docs: Sequence[Sequence[int]]) -> dict[str, np.ndarray]:
    lengths = np.array([len(doc) for doc in docs], dtype=np.int64)
    if (lengths < 1).any():
        raise ValueError("a document without tokens")
    cu_seqlens = np.concatenate([[0], lengths.cumsum()])
    ids = np.array([token for doc in docs for token in doc], dtype=np.int64)
    labels = np.append(ids[1:], IGNORED)[: len(ids)]
    labels[cu_seqlens[1:] - 1] = IGNORED
    places = np.arange(len(ids))
    owner = np.repeat(np.arange(len(docs)), lengths)
    mask = (owner[:, None] == owner) & (places[:, None] >= places)
    return {
        "ids": ids,
        "labels": labels,
        "positions": places - cu_seqlens[owner],
        "cu_seqlens": cu_seqlens,
        "mask": mask,
    }
