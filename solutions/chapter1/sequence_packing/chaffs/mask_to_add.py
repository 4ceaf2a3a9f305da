"""The mask is added to the scores: 0 and minus infinity.
Killed by: test_mask_is_a_triangle_per_document
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

IGNORED = -100


def pack(lengths: Sequence[int], capacity: int) -> list[list[int]]:
    if capacity < 1:
        raise ValueError("a row must hold at least one token")
    rows: list[list[int]] = []
    waiting: defaultdict[int, list[list[int]]] = defaultdict(list)  # rows by the space that they have left
    spaces: list[int] = []  # those for which a row waits, sorted
    for document in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        length = int(lengths[document])
        if not 1 <= length <= capacity:
            raise ValueError(f"a document of {length} tokens does not fit a row of {capacity}")
        place = bisect_left(spaces, length)
        if place < len(spaces):
            space = spaces[place]
            row = waiting[space].pop()
            if not waiting[space]:
                spaces.pop(place)
        else:
            space, row = capacity, []
            rows.append(row)
        row.append(document)
        if not waiting[space - length]:
            insort(spaces, space - length)
        waiting[space - length].append(row)
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
        "mask": np.where(mask, 0.0, -np.inf),
    }
