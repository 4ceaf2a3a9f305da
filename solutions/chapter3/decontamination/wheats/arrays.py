"""numpy: words as numbers, n-grams as rolling pairs of numbers, windows as steps up and down."""

import re

import numpy as np

CUT = re.compile(r"[!-/:-@\[-`{-~]")  # ASCII's punctuation


def _read(text):
    spans = np.array([match.span() for match in re.finditer(r"\S+", text)], dtype=np.int64).reshape(-1, 2)
    words = [CUT.sub("", text[start:end]).lower() for start, end in spans.tolist()]
    return spans, words, np.array([bool(word) for word in words], dtype=bool)


def _numbers(texts, n):
    """A number for each n-gram of each text, equal for equal n-grams of all texts."""
    names = {}
    rows = [np.array([names.setdefault(word, len(names)) for word in words], dtype=np.int64) for words in texts]
    for size in range(1, n):
        pairs, longer = {}, []
        for row, words in zip(rows, texts, strict=True):
            following = [names[word] for word in words[size:]]
            named = [pairs.setdefault(pair, len(pairs)) for pair in zip(row.tolist(), following, strict=False)]
            longer.append(np.array(named, dtype=np.int64))
        rows = longer
    return rows


def ngram_hits(doc, benchmark, n):
    if n < 1:
        raise ValueError(f"{n=}")
    spans, words, real = _read(doc)
    items = [[word for word in _read(item)[1] if word] for item in benchmark]
    mine, *theirs = _numbers([[word for word in words if word], *items], n)
    found = np.flatnonzero(np.isin(mine, np.concatenate([np.zeros(0, dtype=np.int64), *theirs])))
    spans = spans[real]
    if not found.size:
        return np.zeros((0, 2), dtype=np.int64)
    return np.stack([spans[found, 0], spans[found + n - 1, 1]], axis=1)


def decontaminate(doc, benchmark, n=13, window=200, min_slice=200, max_pieces=10):
    if min(n - 1, window, min_slice, max_pieces - 1) < 0:
        raise ValueError("out of range")
    spans, _, _ = _read(doc)
    hits = ngram_hits(doc, benchmark, n)
    if not len(spans):
        return []
    if not len(hits):
        return [doc[spans[0, 0] : spans[-1, 1]]]
    steps = np.zeros(len(doc) + 1, dtype=np.int64)
    np.add.at(steps, np.maximum(hits[:, 0] - window, 0), 1)
    np.add.at(steps, np.minimum(hits[:, 1] + window, len(doc)), -1)
    clean = np.concatenate([[0], np.cumsum(np.cumsum(steps)[:-1] == 0)])
    stays = clean[spans[:, 1]] > clean[spans[:, 0]]
    edges = np.flatnonzero(np.diff(np.concatenate([[0], stays, [0]])))
    slices = [doc[spans[a, 0] : spans[b - 1, 1]] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return [each for each in slices if len(each) >= min_slice] if len(slices) <= max_pieces else []
