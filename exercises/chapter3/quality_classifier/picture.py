"""Draws how well a learner's scores, and length alone, rank unseen texts, where good ones are longer or shorter."""

import numpy as np

SHORT, LONG = (20, 60), (35, 90)  # words of a text, from ... to
YOURS, LENGTH, INK = "#2f6fb0", "#c8641b", "#333333"


def draw(learner, axes):
    """Draw ROC curves: the share of good texts above a cut against that of bad texts."""
    model = learner.train_classifier(*made_texts(0, 400, SHORT, LONG), 0)
    axes.plot([0, 1], [0, 1], color=INK, linewidth=1, linestyle=(0, (4, 3)))
    for line, lengths, where in (("-", (SHORT, LONG), "longer, as in training"), ("--", (LONG, SHORT), "shorter")):
        texts, labels = made_texts(1, 400, *lengths)
        scores = [float(each) for each in learner.score(model, texts)]
        words = [len(text.split()) for text in texts]
        for who, ranks, colour in (("your scores", scores, YOURS), ("length alone", words, LENGTH)):
            bad, good, area = curve(np.array(ranks), np.array(labels))
            label = f"{who}, good texts {where}: AUC {area:.2f}"
            axes.plot(bad, good, line, color=colour, linewidth=2, label=label)
    axes.text(0.36, 0.33, "a coin: AUC 0.50", fontsize=9, color=INK)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, frameon=False, fontsize=9)
    axes.set_title("Ranking 400 unseen texts", loc="left", fontsize=11, pad=10)
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    axes.set(xlabel="share of bad texts above the cut", ylabel="share of good texts above the cut")
    axes.spines[["top", "right"]].set_visible(False)


def curve(ranks, labels):
    """Shares of bad and good texts at or above each cut, from the highest down, and the area under their curve."""
    cuts = np.unique(ranks)[::-1]
    bad, good = ([0, *((ranks[labels == label] >= cut).mean() for cut in cuts)] for label in (0, 1))
    return bad, good, float(np.trapezoid(good, bad))


def made_texts(draw, docs, *lengths):
    """Texts and labels: most words are common to all, every eighth tells the label, one in twenty misleads."""
    rng = np.random.default_rng([1, draw])
    labels = (rng.permutation(docs) % 2).tolist()
    texts = []
    for label in labels:
        words = [f"w{rank}" for rank in rng.zipf(1.6, rng.integers(*lengths[label])).tolist()]
        for place, kind in enumerate(rng.random(len(words)).tolist()):
            if kind < 0.18:
                words[place] = f"{'bad' if (label == 0) == (kind < 0.13) else 'good'}{rng.integers(60)}"
        texts.append(" ".join(words))
    return texts, labels
