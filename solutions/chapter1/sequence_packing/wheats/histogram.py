"""Krell's way: counts of equal lengths instead of single documents, rows as tuples; a mask block by block."""

import numpy as np


def pack(lengths, capacity):
    lengths = np.asarray(lengths, dtype=np.int64)
    if capacity < 1 or ((lengths < 1) | (lengths > capacity)).any():
        raise ValueError("impossible lengths")
    groups = [[] for _ in range(capacity + 1)]  # by the space that is left
    open_spaces = np.zeros(capacity + 1, dtype=bool)
    for length in np.unique(lengths)[::-1]:
        documents = np.flatnonzero(lengths == length).tolist()
        while documents:
            fitting = np.flatnonzero(open_spaces[length:])
            space = length + fitting[0] if len(fitting) else capacity
            row = groups[space].pop() if len(fitting) else ()
            open_spaces[space] = bool(groups[space])
            row += (documents.pop(),)
            groups[space - length].append(row)
            open_spaces[space - length] = True
    return tuple(row for group in groups for row in group)


def build_row(docs):
    sizes = [len(doc) for doc in docs]
    if 0 in sizes:
        raise ValueError("an empty document")
    edges = np.cumsum([0, *sizes])
    total = int(edges[-1])
    mask = np.zeros((total, total), dtype=bool)
    ids, labels, positions = (np.zeros(total, dtype=np.int32) for _ in range(3))
    for doc, start, end in zip(docs, edges, edges[1:], strict=False):
        mask[start:end, start:end] = np.tri(end - start, dtype=bool)
        ids[start:end] = doc
        labels[start:end] = [*doc[1:], -100]
        positions[start:end] = np.arange(end - start)
    return {"ids": ids, "labels": labels, "positions": positions, "cu_seqlens": edges, "mask": mask}
