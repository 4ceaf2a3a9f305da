"""Logistic regression on hashed word frequencies, full-batch gradient steps on index arrays; the model is an array."""

import zlib

import numpy as np

BUCKETS = 2**15


def _cells(texts):
    """Row, bucket and weight of each word; the weights of a text sum to 1."""
    words = [text.split() for text in texts]
    lengths = np.array([len(each) for each in words], dtype=np.int64)
    rows = np.repeat(np.arange(len(texts)), lengths)
    buckets = np.array([zlib.crc32(word.encode()) % BUCKETS for each in words for word in each], dtype=np.int64)
    return rows, buckets, 1 / np.repeat(np.maximum(lengths, 1), lengths)


def train_classifier(texts, labels, seed):
    y = np.asarray(labels, dtype=float)
    if len(texts) != len(y) or not 0 < y.sum() < len(y):
        raise ValueError("labels")
    rows, buckets, weights = _cells(texts)
    w, bias, speed = np.zeros(BUCKETS), 0.0, np.zeros(BUCKETS)
    for _ in range(100):
        logits = np.bincount(rows, w[buckets] * weights, minlength=len(y)) + bias
        error = (1 / (1 + np.exp(-logits)) - y) / len(y)
        speed = 0.9 * speed + np.bincount(buckets, error[rows] * weights, minlength=BUCKETS)
        w -= 100 * speed
        bias -= error.sum()
    return {"w": w, "bias": bias}


def score(model, texts):
    rows, buckets, weights = _cells(texts)
    return np.bincount(rows, model["w"][buckets] * weights, minlength=len(texts)) + model["bias"]


def out_of_fold_scores(texts, labels, folds, seed):
    if folds < 2 or folds > len(texts):
        raise ValueError("folds")
    labels, fold_of = np.asarray(labels), np.arange(len(texts)) % folds
    scores = np.empty(len(texts))
    for fold in range(folds):
        inside = fold_of == fold
        rest = [text for text, skip in zip(texts, inside, strict=True) if not skip]
        model = train_classifier(rest, labels[~inside], seed)
        scores[inside] = score(model, [text for text, take in zip(texts, inside, strict=True) if take])
    return scores.tolist()


def keep_top(scores, fraction):
    if fraction < 0 or fraction > 1:
        raise ValueError("fraction")
    scores = np.asarray(scores, dtype=float)
    order = np.lexsort((np.arange(len(scores)), -scores))
    return np.sort(order[: int(np.floor(fraction * len(scores)))])


def educational_keep(raw_scores, threshold=3):
    integers = np.rint(np.clip(np.asarray(raw_scores, dtype=float), 0, 5)).astype(int)
    return integers, np.flatnonzero(integers >= threshold)
