"""Into the row with the most space: that is where it fits easiest, so start with the shortest.
Killed by: test_order_of_arrival_costs_nothing, test_rows_cut_into_pieces_are_put_together
"""

from collections.abc import Sequence

import numpy as np

IGNORED = -100


def pack(lengths: Sequence[int], capacity: int) -> list[list[int]]:
    if capacity < 1 or any(not 1 <= length <= capacity for length in lengths):
        raise ValueError("impossible lengths")
    rows: list[list[int]] = []
    spaces: list[int] = []
    for document in sorted(range(len(lengths)), key=lengths.__getitem__):
        length = lengths[document]
        row = max(range(len(rows)), key=spaces.__getitem__, default=None)
        if row is None or spaces[row] < length:
            row = len(rows)
            rows.append([])
            spaces.append(capacity)
        rows[row].append(document)
        spaces[row] -= length
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
