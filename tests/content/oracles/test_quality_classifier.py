"""The reference of quality_classifier, and the corpora of its checks, against scikit-learn."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
reference = import_file(ROOT / "solutions/chapter3/quality_classifier/reference.py", "reference_quality_classifier")
checks = import_file(ROOT / "exercises/chapter3/quality_classifier/checks.py", "checks_quality_classifier")


def test_naive_bayes_is_that_of_scikit_learn():
    """The summed log odds of a text's words are those of MultinomialNB, without its prior."""
    text = pytest.importorskip("sklearn.feature_extraction.text", reason="compares with scikit-learn")
    naive_bayes = pytest.importorskip("sklearn.naive_bayes", reason="compares with scikit-learn")
    texts, labels = checks.training()
    counts = text.CountVectorizer(token_pattern=r"\S+")
    peer = naive_bayes.MultinomialNB(alpha=1).fit(counts.fit_transform(texts), labels)
    model = reference.train_classifier(texts, labels, 0)
    words = counts.get_feature_names_out()
    assert set(model) == set(words)
    odds = peer.feature_log_prob_[1] - peer.feature_log_prob_[0]
    assert [model[word] for word in words] == pytest.approx(odds, abs=1e-12)
    unseen, _ = checks.corpus(7, 1, 50, checks.SHORT, checks.LONG)
    joint = peer.predict_joint_log_proba(counts.transform(unseen))
    priors = peer.class_log_prior_[1] - peer.class_log_prior_[0]
    lengths = np.array([len(each.split()) for each in unseen])
    assert reference.score(model, unseen) * lengths == pytest.approx(joint[:, 1] - joint[:, 0] - priors, abs=1e-9)


def test_auc_of_the_checks():
    """The AUC that the checks compute is scikit-learn's, ties included."""
    metrics = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
    rng = np.random.default_rng(1)
    for _ in range(20):
        labels = rng.permutation(np.arange(40) % 2)
        scores = rng.integers(0, 12, 40) / 4
        assert checks.auc(scores, labels) == pytest.approx(metrics.roc_auc_score(labels, scores), abs=1e-12)


def test_usual_methods_pass_the_thresholds():
    """Classifiers of scikit-learn as they come reach what the checks ask for, length and distinct words do not."""
    text = pytest.importorskip("sklearn.feature_extraction.text", reason="trains scikit-learn's classifiers")
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.naive_bayes import BernoulliNB, ComplementNB
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    ranges = (checks.SHORT, checks.LONG), (checks.ANY, checks.ANY), (checks.LONG, checks.SHORT)
    unseen = [checks.corpus(7, draw, 300, *lengths) for draw, lengths in zip((1, 2, 2), ranges, strict=True)]
    bounds = (checks.ENOUGH, checks.WITHOUT_LENGTH, checks.WITHOUT_LENGTH)
    for features in (text.CountVectorizer(), text.CountVectorizer(binary=True), text.TfidfVectorizer()):
        for method in (LogisticRegression(max_iter=300), LinearSVC(), SGDClassifier(random_state=0), ComplementNB()):
            model = make_pipeline(features, method).fit(*checks.training())
            rank = model.decision_function if hasattr(model, "decision_function") else good_odds(model)
            got = [checks.auc(rank(texts), labels) for texts, labels in unseen]
            assert all(area > bound + 0.05 for area, bound in zip(got, bounds, strict=True)), (features, method, got)
    model = make_pipeline(text.CountVectorizer(binary=True), BernoulliNB()).fit(*checks.training())
    assert min(checks.auc(good_odds(model)(texts), labels) for texts, labels in unseen) > checks.WITHOUT_LENGTH
    for measure in (lambda each: len(each.split()), lambda each: len(set(each.split()))):
        got = [checks.auc([measure(each) for each in texts], labels) for texts, labels in unseen]
        assert got[0] < checks.ENOUGH
        assert got[2] < 0.2


def good_odds(model):
    """What ranks texts where a model has no decision function."""
    return lambda texts: model.predict_proba(texts)[:, 1]


def test_out_of_fold_scores_are_cross_validation():
    """Scores are those that scikit-learn's cross_val_predict collects over the same folds."""
    selection = pytest.importorskip("sklearn.model_selection", reason="compares with scikit-learn")
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Classifier(ClassifierMixin, BaseEstimator):
        """The reference in scikit-learn's clothes."""

        def fit(self, texts, labels):
            self.classes_ = np.array([0, 1])
            self.model_ = reference.train_classifier(list(texts), [int(label) for label in labels], 0)
            return self

        def decision_function(self, texts):
            return reference.score(self.model_, list(texts))

        def predict(self, texts):
            return self.decision_function(texts) > 0

    texts, labels = checks.corpus(7, 3, 60, checks.SHORT, checks.LONG)
    folds = selection.PredefinedSplit(np.arange(60) % 4)
    want = selection.cross_val_predict(Classifier(), texts, labels, cv=folds, method="decision_function")
    assert reference.out_of_fold_scores(texts, labels, 4, 0) == pytest.approx(want, abs=1e-12)


def test_rounding_is_that_of_the_model_card():
    """Integer scores are int(round(max(0, min(score, 5)))), and numpy's rint."""
    raws = np.concatenate([np.arange(-8, 29) / 4, np.random.default_rng(1).uniform(-1, 6, 200)])
    integers, kept = reference.educational_keep(raws.tolist())
    assert integers == [round(max(0, min(raw, 5))) for raw in raws.tolist()]
    assert integers == np.rint(raws.clip(0, 5)).astype(int).tolist()
    assert kept == np.flatnonzero(raws > 2.5).tolist()


def test_figures_of_the_statement():
    """The example of three words, the cuts, and the share that is kept."""
    model = reference.train_classifier(["atoms bind atoms", "buy cheap now"], [1, 0], 0)
    assert model["atoms"] == pytest.approx(1.099, abs=5e-4)
    assert model["bind"] == pytest.approx(0.693, abs=5e-4)
    assert model["cheap"] == pytest.approx(-0.693, abs=5e-4)
    assert reference.score(model, ["atoms bind light", "buy atoms", ""]) == pytest.approx([0.597, 0.203, 0], abs=5e-4)
    assert reference.keep_top([0.1, 0.9, 0.3, 0.9], 0.25) == [1]
    assert reference.keep_top([0.1, 0.9, 0.3, 0.9], 0.5) == [1, 3]
    assert reference.educational_keep([2.5, 3.5, -0.3, 5.7, 2.51]) == ([2, 4, 0, 5, 3], [1, 3, 4])


def test_picture_draws():
    """The picture has four ROC curves and the diagonal, and says how large the areas are."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws with matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    picture = import_file(ROOT / "exercises/chapter3/quality_classifier/picture.py", "picture_quality_classifier")
    axes = Figure().subplots()
    picture.draw(reference, axes)
    assert len(axes.lines) == 5
    areas = [float(text.get_text().split()[-1]) for text in axes.get_legend().get_texts()]
    assert areas[0] > 0.9
    assert areas[1] > 0.7
    assert areas[2] > 0.85
    assert areas[3] < 0.3
