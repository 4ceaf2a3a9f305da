"""Draws coverage and majority votes over the number of samples, for sixty problems, and two popular mistakes."""

import numpy as np

PROBLEMS, DRAWN = 60, 10_000
SAMPLES = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
VOTES = (1, 3, 9, 21, 41)
INK, COVERAGE, MAJORITY, WRONG = "#333333", "#2f6fb0", "#5a9e6f", "#c8553d"


def draw(learner, axes):
    """Draw coverage and majority_vote_accuracy of the learner for problems of very different difficulty."""
    p, right = problems()
    samples = [(DRAWN, int(c)) for c in right]
    covered = [float(learner.coverage(samples, k)) for k in SAMPLES]
    # A wrong sample falls on one of three wrong answers.
    split = [[each, 0.45 * (1 - each), 0.3 * (1 - each), 0.25 * (1 - each)] for each in p.tolist()]
    voted = [np.mean([float(learner.majority_vote_accuracy(each, votes)) for each in split]) for votes in VOTES]
    averaged = 1 - (1 - right.mean() / DRAWN) ** np.array(SAMPLES)
    axes.plot(SAMPLES, averaged, "--", color=WRONG, linewidth=1.4)
    axes.plot(SAMPLES, covered, "o-", color=COVERAGE, linewidth=2, markersize=5)
    axes.plot(VOTES, voted, "s-", color=MAJORITY, linewidth=2, markersize=4.5)
    frequent = np.mean(p > 0.45 * (1 - p))
    axes.plot([VOTES[-1], SAMPLES[-1]], [frequent] * 2, ":", color=MAJORITY, linewidth=1.4)
    note(axes, (50, averaged[5] - 0.035), f"if all problems had the mean p of {p.mean():.2f}: a mistake", WRONG)
    note(axes, (420, covered[5] - 0.05), "coverage: a verifier picks", COVERAGE)
    note(axes, (60, frequent + 0.035), "majority: the most votes pick", MAJORITY)
    note(axes, (60, frequent - 0.045), "right answers that are the most frequent ones", MAJORITY)
    axes.set_xscale("log")
    axes.set(xlim=(0.9, 12_000), ylim=(0, 1.03), xlabel="samples per problem", ylabel="share of problems solved")
    divergence = ", ".join(f"{float(learner.best_of_n_kl(n)):.2f} for {n}" for n in (4, 16, 256))
    axes.set_title(
        f"Sixty problems, one model: what more samples are worth\nKL of the best of n by a reward: {divergence} nats",
        loc="left",
        fontsize=10,
    )
    axes.spines[["top", "right"]].set_visible(False)


def note(axes, at, text, colour):
    """A few words beside a curve."""
    axes.text(*at, text, color=colour, fontsize=8.5, va="center")


def problems():
    """Probabilities of a right sample, and how many of the drawn samples are right."""
    draw_from = np.random.default_rng(11)
    p = draw_from.beta(0.3, 0.9, PROBLEMS)
    return p, draw_from.binomial(DRAWN, p)
