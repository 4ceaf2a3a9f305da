"""Plain Python, words and pairs of words, summed log odds, rounding up; the model is a list of pairs."""

import heapq
import math
from itertools import pairwise


def grams(text):
    words = text.split()
    return words + [f"{one} {two}" for one, two in pairwise(words)]


def train_classifier(texts, labels, seed):
    labels = [int(label) for label in labels]
    if len(labels) != len(texts):
        raise ValueError(f"{len(texts)} texts, {len(labels)} labels")
    if sum(labels) in (0, len(labels)):
        raise ValueError("only one label")
    seen = {}
    totals = [0, 0]
    for text, label in zip(texts, labels, strict=True):
        for gram in grams(text):
            seen.setdefault(gram, [0, 0])[label] += 1
            totals[label] += 1
    size = len(seen)
    rates = [total + 0.5 * size for total in totals]
    return [
        (gram, math.log((good + 0.5) / rates[1]) - math.log((bad + 0.5) / rates[0]))
        for gram, (bad, good) in seen.items()
    ]


def score(model, texts):
    odds = dict(model)
    return [float(sum(odds.get(gram, 0) for gram in grams(text))) for text in texts]


def out_of_fold_scores(texts, labels, folds, seed):
    if not 1 < folds <= len(texts):
        raise ValueError("folds")
    scores = {}
    for fold in range(folds):
        train = [(text, label) for i, (text, label) in enumerate(zip(texts, labels, strict=True)) if i % folds != fold]
        model = train_classifier(*map(list, zip(*train, strict=True)), seed)
        for i in range(fold, len(texts), folds):
            [scores[i]] = score(model, [texts[i]])
    return tuple(scores[i] for i in range(len(texts)))


def keep_top(scores, fraction):
    if not 0 <= fraction <= 1:
        raise ValueError("fraction")
    count = min(math.ceil(fraction * len(scores)), len(scores))
    best = heapq.nsmallest(count, ((-value, place) for place, value in enumerate(scores)))
    return tuple(sorted(place for _, place in best))


def educational_keep(raw_scores, threshold=3):
    kept, integers = [], []
    for place, raw in enumerate(raw_scores):
        integers.append(0 if raw <= 0 else 5 if raw >= 5 else round(raw))
        if integers[-1] >= threshold:
            kept.append(place)
    return integers, kept
