"""The reference of doremi against torch's softmax, the game that it plays, and the statement's figures."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
reference = import_file(ROOT / "solutions/chapter3/doremi/reference.py", "reference_doremi")


def made_batch(rng, k, empty=0.2):
    """Losses and reference losses of k domains, some of them without tokens."""
    counts = [0 if rng.random() < empty else int(rng.integers(1, 30)) for _ in range(k)]
    losses = [rng.normal(3, 1, n).tolist() for n in counts]
    return losses, [
        [loss + gap for loss, gap in zip(each, rng.normal(0, 0.5, len(each)), strict=True)] for each in losses
    ]


def test_run_equals_the_trainer():
    """The authors' trainer in torch (softmax of log weights and kept scores, running mean) gives the same weights."""
    torch = pytest.importorskip("torch", reason="repeats the authors' trainer in torch")
    rng = np.random.default_rng(1)
    for k, eta, eps in ((1, 1.0, 1e-3), (3, 0.5, 0.0), (8, 2.0, 1e-4)):
        start = rng.dirichlet(np.full(k, 5.0))
        batches = [made_batch(rng, k) for _ in range(12)]
        weights, scores = torch.tensor(start), torch.zeros(k, dtype=torch.float64)
        average = torch.zeros(k, dtype=torch.float64)
        for count, (losses, refs) in enumerate(batches, 1):
            for domain in range(k):
                excess = torch.tensor(losses[domain], dtype=torch.float64) - torch.tensor(
                    refs[domain], dtype=torch.float64
                )
                if len(excess):
                    scores[domain] = excess.clip(min=0).mean()
            moved = torch.nn.functional.softmax(torch.log(weights) + eta * scores, dim=0)
            weights = (1 - eps) * moved + eps / k
            average = (average * (count - 1) + weights) / count
        got = reference.doremi(start.tolist(), batches, eta, eps)
        assert got == pytest.approx(average.numpy(), rel=1e-12)


def test_step_is_the_best_of_its_kind():
    """Without smoothing, no weights have a larger η Σ α λ - KL(α, old α): the step of exponentiated gradient ascent."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        k = int(rng.integers(2, 7))
        old, eta = rng.dirichlet(np.ones(k)) * 0.9 + 0.1 / k, float(rng.uniform(0.1, 3))
        new, scores = reference.doremi_step(old.tolist(), *made_batch(rng, k), lr=eta, smoothing=0.0)
        others = rng.dirichlet(np.ones(k), 500) * 0.999 + 0.001 / k
        others = np.concatenate([others, new + 0.01 * (others - new)])

        def gain(alpha, old=old, scores=scores, eta=eta):
            return eta * alpha @ scores - (alpha * np.log(alpha / old)).sum(axis=-1)

        assert (gain(others) <= gain(new) + 1e-12).all()


def test_mean_settles_where_the_last_does_not():
    """In a small game (a proxy that answers each α by its best reply) the mean comes near the solution.

    Domain i's excess is 1 for all but the one that the proxy works on; the solution is equal weights.
    """
    k, alpha, batches = 3, [0.6, 0.3, 0.1], []
    for _ in range(400):
        worst = int(np.argmax(alpha))
        batches.append(([[0.0 if i == worst else 1.0] for i in range(k)], [[0.0]] * k))
        alpha, _ = reference.doremi_step(alpha, *batches[-1], lr=0.5, smoothing=1e-3)
    mean = reference.doremi([0.6, 0.3, 0.1], batches, lr=0.5, smoothing=1e-3)
    assert np.abs(mean - 1 / 3).max() < 0.02
    assert np.abs(alpha - 1 / 3).max() > np.abs(mean - 1 / 3).max()


def test_known_figures():
    """Updates that are known to eight digits, after one step and after three."""
    batch = ([[2.5], [2.1], [1.8]], [[2.0]] * 3)
    one, _ = reference.doremi_step([1 / 3] * 3, *batch)
    assert one == pytest.approx([0.43909728, 0.2944456, 0.26645712], abs=6e-9)
    weights = [1 / 3] * 3
    for _ in range(3):
        weights, _ = reference.doremi_step(weights, *batch)
    assert weights == pytest.approx([0.65541415, 0.19786006, 0.14672579], abs=6e-9)


def test_figures_of_the_statement():
    """The two steps of the statement's example."""
    first = [[3.0, 2.4], [4.1], [1.0]], [[2.2, 2.6], [4.0], [1.2]]
    second = [[2.4], [], [1.5]], [[2.2], [], [1.2]]
    weights, scores = reference.doremi_step([1 / 3] * 3, *first)
    assert scores == pytest.approx([0.4, 0.1, 0])
    assert weights == pytest.approx([0.41466, 0.30727, 0.27807], abs=6e-6)
    weights, scores = reference.doremi_step(weights, *second, scores=scores)
    assert scores == pytest.approx([0.2, 0.1, 0.3])
    assert weights == pytest.approx([0.41458, 0.27809, 0.30733], abs=6e-6)
    mean = reference.doremi([1 / 3] * 3, [first, second])
    assert mean == pytest.approx([0.41462, 0.29268, 0.29270], abs=6e-6)
