"""Every text has words.
Killed by: test_texts_without_known_words
"""

from collections import Counter
from math import log

import numpy as np


def train_classifier(texts: list[str], labels: list[int], seed: int) -> dict[str, float]:
    if len(texts) != len(labels) or set(labels) != {0, 1}:
        raise ValueError("each text needs a label, and both labels must be there")
    words = sorted({word for text in texts for word in text.split()})  # a set's order depends on the process
    counts = Counter(words), Counter(words)  # one occurrence of each word is given
    for text, label in zip(texts, labels, strict=True):
        counts[label].update(text.split())
    bad, good = (count.total() for count in counts)
    return {word: log(counts[1][word] / good) - log(counts[0][word] / bad) for word in words}


def score(model: dict[str, float], texts: list[str]) -> np.ndarray:
    return np.array([sum(model.get(word, 0.0) for word in text.split()) / len(text.split()) for text in texts])


def out_of_fold_scores(texts: list[str], labels: list[int], folds: int, seed: int) -> np.ndarray:
    if not 2 <= folds <= len(texts):
        raise ValueError("there must be 2 folds at least, and a text in each")
    scores = np.zeros(len(texts))
    for fold in range(folds):
        others = [i for i in range(len(texts)) if i % folds != fold]
        model = train_classifier([texts[i] for i in others], [labels[i] for i in others], seed)
        scores[fold::folds] = score(model, texts[fold::folds])
    return scores


def keep_top(scores: list[float], fraction: float) -> list[int]:
    if not 0 <= fraction <= 1:
        raise ValueError("a fraction lies between 0 and 1")
    best_first = sorted(range(len(scores)), key=lambda i: -scores[i])
    return sorted(best_first[: round(fraction * len(scores))])


def educational_keep(raw_scores: list[float], threshold: int = 3) -> tuple[list[int], list[int]]:
    integers = [round(min(max(raw, 0), 5)) for raw in raw_scores]
    return integers, [i for i, each in enumerate(integers) if each >= threshold]
