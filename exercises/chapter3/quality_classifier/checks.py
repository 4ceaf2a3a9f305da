"""Checks of quality_classifier.

Corpora are made: most words are common to good and bad texts (with the frequencies of natural language), every fifth
says something about the label, one in twenty says the wrong thing. Which words say what follows from the corpus's
number. In training good texts are longer: length alone reaches an AUC of 0.85 on texts like these, and 0.16 where
good texts are shorter. Naive Bayes, logistic regression on counts, frequencies or tf-idf, linear support vectors and
small networks (scikit-learn's, as they come) all reach 0.97 on texts like those of training and 0.92 where good texts
are shorter; forests, which lean on length, 0.86.
"""

from functools import cache
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

SHORT, LONG, ANY = (20, 60), (35, 90), (20, 90)  # words of a text, from ... to
COMMON, TELLING = 400, 60  # words that both use; words for each label
ENOUGH, WITHOUT_LENGTH = 0.9, 0.85  # AUC on texts like those of training, and on others


@cache
def corpus(number, draw, docs, bad, good, common=COMMON):
    """Texts and labels; ``bad`` and ``good`` are the ranges of their lengths.

    The same ``number`` makes the same words tell the same; ``draw`` makes new texts of them.
    """
    names = np.array([f"w{i}" for i in np.random.default_rng(number).permutation(common + 2 * TELLING).tolist()])
    telling, everyday = names[: 2 * TELLING].reshape(2, TELLING), names[2 * TELLING :]
    rng = np.random.default_rng([number, draw])
    labels = rng.permutation(docs) % 2
    low, high = np.array([bad, good])[labels].T
    counts = rng.integers(low, high + 1)
    of, size = np.repeat(labels, counts), counts.sum()  # of each word: its text's label
    frequencies = 1 / np.arange(1, common + 1)
    words = everyday[rng.choice(common, size, p=frequencies / frequencies.sum())]
    kind = rng.random(size)
    says = np.where(kind < 0.2, of, 1 - of)
    words = np.where(kind < 0.25, telling[says, rng.integers(TELLING, size=size)], words)
    return [" ".join(text) for text in np.split(words, counts.cumsum()[:-1])], labels.tolist()


def training():
    """600 texts of which the good ones are longer."""
    return corpus(7, 0, 600, SHORT, LONG)


def auc(scores, labels):
    """How often a good text has a higher score than a bad one, ties counting half."""
    scores, labels = np.asarray(scores), np.asarray(labels)
    good, bad = scores[labels == 1][:, None], scores[labels == 0]
    return float(((good > bad) + 0.5 * (good == bad)).mean())


def read(answer, count):
    """Scores as an array of ``count`` finite numbers."""
    scores = expect.array(answer, "scores", shape=(count,))
    expect.finite(scores, "scores")
    return scores


def close(got, want, what):
    """Ask for the same scores, up to what the contract allows for rounding."""
    expect.close(got, want, what, rtol=0, atol=1e-5 * float(np.abs(want).max(initial=0)))


def read_positions(answer, count, what="positions"):
    """Positions as a list of integers in ascending order."""
    places = [expect.integer(place, what) for place in expect.sequence(answer, what)]
    expect.true(places == sorted(set(places)), f"{what} are in ascending order, each once", got=places)
    expect.between(places or [0], 0, max(count - 1, 0), what)
    return places


# --- training and scoring


@pytest.mark.core
@pytest.mark.hint("count words in good and in bad texts; score a text by the words that it has")
def test_good_texts_rank_higher(learner):
    """of a good and a bad text that were not in training, the good one has the higher score: AUC 0.9 or more"""
    texts, labels = corpus(7, 1, 300, SHORT, LONG)
    model = learner.train_classifier(*training(), 0)
    got = auc(read(learner.score(model, texts), len(texts)), labels)
    length = auc([len(text.split()) for text in texts], labels)
    expect.at_least(got, ENOUGH, f"AUC on 300 unseen texts, where length alone has {length:.2f}")


@pytest.mark.core
@pytest.mark.hint(
    "in training the good texts were longer; divide by the number of words, so that length does not count"
)
@pytest.mark.parametrize("bad, good", [(ANY, ANY), (LONG, SHORT)], ids=["any_length", "good_ones_shorter"])
def test_length_does_not_decide(learner, bad, good):
    """the AUC is 0.85 or more where good texts are as long as bad ones, or shorter"""
    texts, labels = corpus(7, 2, 300, bad, good)
    model = learner.train_classifier(*training(), 0)
    got = auc(read(learner.score(model, texts), len(texts)), labels)
    length = auc([len(text.split()) for text in texts], labels)
    expect.at_least(got, WITHOUT_LENGTH, f"AUC on 300 unseen texts, where length alone has {length:.2f}")


@pytest.mark.core
@pytest.mark.hint("everything that the model knows must come from texts and labels; higher scores are for label 1")
@pytest.mark.parametrize("number", [11, 12])
def test_labels_decide(learner, number):
    """other words, other models; with all labels turned round, the ranking turns round"""
    train, labels = corpus(number, 0, 600, SHORT, LONG)
    texts, truth = corpus(number, 1, 200, ANY, ANY)
    got = auc(read(learner.score(learner.train_classifier(train, labels, 1), texts), len(texts)), truth)
    expect.at_least(got, WITHOUT_LENGTH, "AUC on 200 unseen texts")
    opposite = learner.train_classifier(train, [1 - label for label in labels], 1)
    got = auc(read(learner.score(opposite, texts), len(texts)), truth)
    expect.at_most(got, 1 - WITHOUT_LENGTH, "AUC after training with all labels turned round")


LABELLED = st.lists(st.tuples(strategies.texts(max_words=6), st.integers(0, 1)), max_size=5).map(
    lambda pairs: [("the cat sat", 0), ("a red sea", 1), *pairs]
)


@pytest.mark.core
@pytest.mark.hint("nothing about the other texts may enter a score: no scaling, no ranks, no counts of the batch")
@settings(max_examples=15)
@given(labelled=LABELLED, texts=strategies.documents(min_size=1, max_size=5), seed=strategies.seeds())
def test_texts_are_scored_one_by_one(learner, labelled, texts, seed):
    """a text's score is the same alone and among others"""
    model = learner.train_classifier([text for text, _ in labelled], [label for _, label in labelled], seed)
    together = read(learner.score(model, texts), len(texts))
    alone = [read(learner.score(model, [text]), 1)[0] for text in texts]
    close(alone, together, "scores of the texts, each alone")
    back = read(learner.score(model, texts[::-1]), len(texts))
    close(back[::-1], together, "scores of the texts in reverse order")


@pytest.mark.core
@pytest.mark.hint("a clock, an unseeded generator, or hash() of a string, which is salted anew in every process?")
def test_seed_and_data_decide(learner):
    """the same arguments give the same scores, also in another process"""
    train, labels = (part[:200] for part in training())
    texts, _ = corpus(7, 1, 50, SHORT, LONG)
    model = learner.train_classifier(train, labels, 5)
    first = read(learner.score(model, texts), len(texts))
    again = learner.train_classifier(train, labels, 5)
    close(read(learner.score(again, texts), len(texts)), first, "scores after training again")
    there = learner.score.elsewhere(model, texts)
    close(read(there, len(texts)), first, "scores of the same model in another process")
    trained_there = learner.train_classifier.elsewhere(train, labels, 5)
    close(read(learner.score(trained_there, texts), len(texts)), first, "scores after training in another process")


# --- out-of-fold scores


def without_fold(items, fold, folds):
    """What the model of a fold is trained on."""
    return [item for i, item in enumerate(items) if i % folds != fold]


@pytest.mark.core
@pytest.mark.hint("for each fold: train on all texts of the others, in their order, and score the texts of this one")
@settings(max_examples=6)
@given(docs=st.integers(20, 60), folds=st.integers(2, 6), draw=strategies.seeds(), seed=strategies.seeds())
def test_out_of_fold_scores_are_those_of_the_others(learner, docs, folds, draw, seed):
    """a text's out-of-fold score is that of a model of your own, trained on the other folds"""
    texts, labels = corpus(7, draw, docs, SHORT, LONG)
    trainings = [without_fold(labels, fold, folds) for fold in range(folds)]
    assume(all(0 < sum(part) < len(part) for part in trainings))  # 20 texts in 6 folds: nearly always
    got = read(learner.out_of_fold_scores(texts, labels, folds, seed), docs)
    for fold, part in enumerate(trainings):
        model = learner.train_classifier(without_fold(texts, fold, folds), part, seed)
        want = read(learner.score(model, texts[fold::folds]), len(texts[fold::folds]))
        close(got[fold::folds], want, f"scores of fold {fold}: texts {fold}, {fold + folds}, ...")


@pytest.mark.core
@pytest.mark.hint("whatever is fitted (words, frequencies, a threshold) is fitted without the fold that it scores")
@pytest.mark.parametrize("fold", [0, 2])
def test_own_fold_has_no_say(learner, fold):
    """labels and other texts of its own fold leave a text's score as it is"""
    texts, labels = corpus(7, 3, 60, SHORT, LONG)
    before = read(learner.out_of_fold_scores(texts, labels, 3, 0), 60)
    labels, texts = list(labels), list(texts)
    for i in range(fold, 60, 3):
        labels[i] = 1 - labels[i]
    after = read(learner.out_of_fold_scores(texts, labels, 3, 0), 60)
    close(after[fold::3], before[fold::3], f"scores of fold {fold} after its labels were turned round")
    for i in range(fold + 3, 60, 3):
        texts[i] = "not one word of this was there"
    after = read(learner.out_of_fold_scores(texts, labels, 3, 0), 60)
    close(after[fold : fold + 1], before[fold : fold + 1], f"score of text {fold} after its fold's others were changed")


@pytest.mark.core
@pytest.mark.hint("a model that is asked about texts of its own training has seen the answers")
def test_meaningless_labels_cannot_be_learned(learner):
    """where labels mean nothing, out-of-fold scores have an AUC near one half"""
    texts, _ = corpus(7, 4, 400, ANY, ANY)
    half = np.random.default_rng(3)
    labels = np.empty(400, dtype=int)
    for fold in range(2):
        labels[fold::2] = half.permutation(200) % 2
    got = read(learner.out_of_fold_scores(texts, labels.tolist(), 2, 0), 400)
    # In each fold 100 labels of either kind were dealt without regard to its scores: the AUC has a standard deviation
    # of sqrt(201 / (12 * 100 * 100)) = 0.041. Beyond 6.3 of them lies less than 1e-9; ties only make it less.
    for fold in range(2):
        expect.between(
            auc(got[fold::2], labels[fold::2]), 0.24, 0.76, f"AUC in fold {fold} of labels that mean nothing"
        )


# --- what is kept


@pytest.mark.core
@pytest.mark.hint("sort by score, highest first; of equal scores the earlier text comes first; then cut")
@given(
    scores=st.lists(st.integers(-8, 8).map(lambda n: n / 4), max_size=12),
    fraction=st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.62, 0.75, 0.9, 1.0]),
)
@example(scores=[0.5, 0.5, 0.5, 0.5], fraction=0.5)
@example(scores=[0.25, -1.0, 0.5, 0.25, 0.25], fraction=0.5)
def test_kept_texts_are_the_best(learner, scores, fraction):
    """the fraction of all texts is kept, the best ones, and of equals the earlier ones"""
    got = read_positions(learner.keep_top(scores, fraction), len(scores))
    exact = fraction * len(scores)
    # Quarters are exact in binary; the other fractions may round to either side.
    slack = 0 if fraction * 4 % 1 == 0 else 1e-9
    expect.between(len(got), floor(exact - slack), ceil(exact + slack), f"texts kept of {len(scores)}")
    ranked = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    expect.equal(got, sorted(ranked[: len(got)]), "positions")


def nearest(raw):
    """The nearest integer; of two that are equally near, the even one."""
    candidates = sorted(range(6), key=lambda integer: (abs(raw - integer), integer % 2))
    return candidates[0]


@pytest.mark.core
@pytest.mark.hint("cut to 0 ... 5, round halves to even, and then compare the integer with the threshold")
@given(
    raws=st.lists(st.one_of(st.integers(-8, 28).map(lambda n: n / 4), st.floats(-2, 8)), max_size=6),
    threshold=st.integers(0, 5),
)
@example(raws=[0.5, 1.5, 2.5, 3.5, 4.5, -0.3, 5.7], threshold=3)
def test_rounding_of_raw_scores(learner, raws, threshold):
    """raw scores are cut and rounded, halves to even, before they meet the threshold"""
    answer = expect.sequence(learner.educational_keep(raws, threshold), "(integer scores, positions)")
    expect.length(answer, 2, "(integer scores, positions)")
    want = [nearest(raw) for raw in raws]
    expect.equal(answer[0], want, "integer scores")
    kept = read_positions(answer[1], len(raws))
    expect.equal(kept, [i for i, integer in enumerate(want) if integer >= threshold], "positions")


# --- edges


@pytest.mark.edge
@pytest.mark.hint("what does your score divide by, or look up, where a text has no word that is known?")
@settings(max_examples=15)
@given(labelled=LABELLED, unknown=strategies.words().map(lambda word: word + "zzz"), blanks=st.integers(0, 2))
def test_texts_without_known_words(learner, labelled, unknown, blanks):
    """empty texts, unknown words and an empty list are scored like everything else"""
    train = [text for text, _ in labelled] + [""] * blanks
    model = learner.train_classifier(train, [label for _, label in labelled] + [0] * blanks, 0)
    read(learner.score(model, ["", unknown, f"{unknown} the cat", " "]), 4)
    read(learner.score(model, []), 0)


@pytest.mark.edge
@pytest.mark.hint("the stub says 3: without a threshold, 2.5 is rounded to 2 and goes, 2.51 stays")
def test_default_threshold(learner):
    """left to itself, FineWeb-Edu's rule keeps integers from 3 on"""
    answer = expect.sequence(learner.educational_keep([2.5, 2.51, 3.0, 2.49, 3.5]), "(integer scores, positions)")
    expect.length(answer, 2, "(integer scores, positions)")
    expect.equal(read_positions(answer[1], 5), [1, 2, 4], "positions")


@pytest.mark.edge
@pytest.mark.hint("one label alone teaches nothing; folds are 2 to the number of texts; a fraction is 0 to 1")
@given(labels=st.lists(st.integers(0, 1), min_size=2, max_size=6).map(lambda rest: [0, 1, *rest]))
@settings(max_examples=15)
def test_impossible_arguments(learner, labels):
    """labels that are missing or all the same, impossible folds and fractions are errors"""
    texts = ["the cat sat on a mat"] * len(labels)
    for wrong in (labels[:-1], [*labels, 1], [0] * len(labels), [1] * len(labels)):
        expect.raises(ValueError, learner.train_classifier, texts, wrong, 0)
    expect.raises(ValueError, learner.train_classifier, [], [], 0)
    for folds in (-1, 0, 1, len(texts) + 1):
        expect.raises(ValueError, learner.out_of_fold_scores, texts, labels, folds, 0)
    for fraction in (-0.01, 1.01):
        expect.raises(ValueError, learner.keep_top, [0.5] * len(texts), fraction)


@pytest.mark.edge
@pytest.mark.hint("as many folds as texts is allowed: each text is then a fold of its own")
def test_each_text_a_fold(learner):
    """folds of one text each work"""
    texts, labels = ["good a", "bad b", "good c", "bad d", "good e"], [1, 0, 1, 0, 1]
    got = read(learner.out_of_fold_scores(texts, labels, 5, 0), 5)
    model = learner.train_classifier(texts[1:], labels[1:], 0)
    close(got[:1], read(learner.score(model, texts[:1]), 1), "score of the first text")


@pytest.mark.scale
@pytest.mark.hint(
    "a table of texts by words is nearly all zeros: keep the words that are there, not those that are not"
)
def test_memory_of_training(learner):
    """3,000 texts with 30,000 words take at most 256 MiB to train on"""
    # A table of 3,000 by 30,000 float32 is 343 MiB, float64 687; 180,000 words in index arrays are 3 MiB. What a
    # library loads at its first use counts too: torch's optimizers bring 100 MiB.
    texts, labels = corpus(5, 0, 3000, ANY, ANY, common=30_000)
    texts = [f"{text} {' '.join(f'x{4 * i + k}' for k in range(4))}" for i, text in enumerate(texts)]
    expect.peak_memory(learner.train_classifier, (texts, labels, 0), 256, "training on 3,000 texts")
