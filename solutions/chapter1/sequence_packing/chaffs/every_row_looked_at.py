"""Best fit: look at all rows for the one with the least space.
Killed by: test_time_grows_with_documents
"""

from collections.abc import Sequence

import numpy as np

IGNORED = -100


def pack(lengths: Sequence[int], capacity: int) -> list[list[int]]:
    if capacity < 1 or any(not 1 <= length <= capacity for length in lengths):
        raise ValueError("impossible lengths")
    rows: list[list[int]] = []
    spaces: list[int] = []
    for document in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        length = lengths[document]
        fitting = [(space, row) for row, space in enumerate(spaces) if space >= length]
        if fitting:
            row = min(fitting)[1]
        else:
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
