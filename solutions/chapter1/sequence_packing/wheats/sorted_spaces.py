"""Best fit by bisection in a sorted list of (space, row); a mask from differences of positions."""

from bisect import bisect_left, insort

import numpy as np


def pack(lengths, capacity):
    if capacity < 1:
        raise ValueError("a row of no tokens")
    spaces, rows = [], []
    for document in np.argsort([-length for length in lengths], kind="stable").astype(int).tolist():
        length = lengths[document]
        if length > capacity or length <= 0:
            raise ValueError("it does not fit")
        found = bisect_left(spaces, (length, -1))
        if found == len(spaces):
            spaces.append((capacity, len(rows)))
            rows.append([])
        space, row = spaces.pop(found)
        rows[row].append(document)
        if space > length:  # a full row is of no use to anyone
            insort(spaces, (space - length, row))
    return rows


def build_row(docs):
    if any(len(doc) == 0 for doc in docs):
        raise ValueError("an empty document")
    edges = np.cumsum([0] + [len(doc) for doc in docs])
    total = int(edges[-1])
    places = np.arange(total)
    starts = edges[np.searchsorted(edges, places, side="right") - 1]
    ids = np.concatenate([np.zeros(0, dtype=np.int64), *map(np.asarray, docs)])
    last = np.isin(places + 1, edges)
    labels = np.where(last, -100, np.roll(ids, -1))
    # q sees k if k lies between the start of q's document and q itself.
    mask = (places <= places[:, None]) & (places >= starts[:, None])
    return {"ids": ids, "labels": labels, "positions": places - starts, "cu_seqlens": edges, "mask": mask}
