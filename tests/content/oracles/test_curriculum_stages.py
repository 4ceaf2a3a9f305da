"""The reference of curriculum_stages against scipy's quadrature and root finder, numpy's grids, and the statement."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
reference = import_file(ROOT / "solutions/chapter3/curriculum_stages/reference.py", "reference_curriculum_stages")
checks = import_file(ROOT / "exercises/chapter3/curriculum_stages/checks.py", "checks_curriculum_stages")


def made_plan(rng):
    """A plan of up to five stages with random mixtures and blends."""
    plan = []
    for number in range(int(rng.integers(1, 6))):
        length, count = (int(n) for n in rng.integers(1, 50, 2))
        names = rng.permutation(["web", "code", "math", "books"])[: rng.integers(1, 5)]
        mixture = {
            str(name): float(weight) for name, weight in zip(names, rng.uniform(0.1, 5, len(names)), strict=True)
        }
        blend = int(rng.integers(0, length * count + 1)) if number else 0
        plan.append({"tokens": length * count, "sequence_length": length, "mixture": mixture, "blend": blend})
    return plan


def test_weights_are_an_interpolation():
    """Weights are numpy's linear interpolation between corner points, just after the beginning of every stage."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        plan = made_plan(rng)
        begin, previous = 0, None
        for stage in plan:
            for source in checks.sources_of(plan):
                own = stage["mixture"].get(source, 0) / sum(stage["mixture"].values())
                first = own if not stage["blend"] else previous[source]
                for x in rng.uniform(0, stage["tokens"], 5):
                    want = np.interp(x, [0, max(stage["blend"], 1e-12)], [first, own])
                    assert reference.mixture_at(plan, begin + x)[source] == pytest.approx(want, abs=1e-12)
            previous = {
                source: stage["mixture"].get(source, 0) / sum(stage["mixture"].values())
                for source in checks.sources_of(plan)
            }
            begin += stage["tokens"]


def test_tokens_are_an_integral():
    """Tokens between two points are what scipy integrates."""
    integrate = pytest.importorskip("scipy.integrate", reason="integrates with scipy")
    rng = np.random.default_rng(2)
    for _ in range(10):
        plan = made_plan(rng)
        total = checks.length_of(plan)
        start, stop = sorted(rng.uniform(0, total, 2))
        ends = np.cumsum([stage["tokens"] for stage in plan])
        blends = ends - [stage["tokens"] - stage["blend"] for stage in plan]
        corners = [float(c) for c in {*ends, *blends} if start < c < stop]
        got = reference.tokens_by_source(plan, start, stop)
        for source in got:
            want, _ = integrate.quad(weight_of, start, stop, (plan, source), points=corners, limit=200)
            assert got[source] == pytest.approx(want, rel=1e-9, abs=1e-9)


def weight_of(t, plan, source):
    """The weight of one source."""
    return reference.mixture_at(plan, t)[source]


def missing(t, plan, source, size):
    """Tokens drawn up to t, less those that the source has."""
    return reference.tokens_by_source(plan, 0, t)[source] - size


def test_used_up_where_a_root_is():
    """A source is used up where scipy finds the root of tokens drawn less tokens allowed."""
    optimize = pytest.importorskip("scipy.optimize", reason="finds roots with scipy")
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(40):
        plan = made_plan(rng)
        total = checks.length_of(plan)
        drawn = reference.tokens_by_source(plan)
        sizes = {source: max(int(tokens * rng.uniform(0.2, 1.5)), 1) for source, tokens in drawn.items()}
        for source, at in reference.exhausted_at(plan, sizes, 1.0).items():
            if drawn[source] < sizes[source]:
                assert at is None
                continue
            asked = plan, source, sizes[source]
            root = optimize.brentq(missing, 0, total, asked, xtol=1e-12, rtol=1e-14)
            assert missing(at, *asked) == pytest.approx(0, abs=1e-9 * sizes[source])
            assert at <= root + 1e-6
            found += 1
    assert found > 50


def test_figures_of_the_statement():
    """The statement's table of places, weights, tokens, epochs and ends."""
    plan = checks.EXAMPLE
    assert reference.stage_at(plan, 39) == (1, 3, 3)
    assert reference.stage_at(plan, 40) == (2, 0, 0)
    assert reference.mixture_at(plan, 28) == {"web": 0.5, "code": 0.25, "math": 0.25, "books": 0}
    assert reference.mixture_at(plan, 42) == {"web": 0.125, "code": 0.25, "math": 0.625, "books": 0}
    assert reference.tokens_by_source(plan, 24, 40)["math"] == 6
    assert reference.tokens_by_source(plan, 40, 44)["math"] == 2.5
    assert reference.tokens_by_source(plan) == {"web": 24.5, "code": 27, "math": 8.5, "books": 16}
    sizes = {"web": 20, "code": 10, "math": 5, "books": 16}
    assert reference.epochs_by_source(plan, sizes) == {"web": 1.225, "code": 2.7, "math": 1.7, "books": 1}
    ends = reference.exhausted_at(plan, sizes, 1)
    assert ends == pytest.approx({"web": 27.056, "code": 40, "math": 38, "books": 76}, abs=5e-4)


def test_examples_of_the_stub():
    """The numbers in the stub's docstrings."""
    plan = [
        {"tokens": 8, "sequence_length": 4, "mixture": {"web": 1}, "blend": 0},
        {"tokens": 16, "sequence_length": 8, "mixture": {"web": 1, "code": 3}, "blend": 4},
    ]
    assert reference.stage_at(plan, 17) == (1, 1, 1)
    assert reference.mixture_at(plan, 9) == {"web": 0.8125, "code": 0.1875}
    assert reference.tokens_by_source(plan, 0, 12) == {"web": 10.5, "code": 1.5}
    ends = reference.exhausted_at(plan, {"web": 10, "code": 6}, 1)
    assert ends == pytest.approx({"web": 10.6667, "code": 18}, abs=1e-4)


def test_picture_draws():
    """The picture has a band for each source, the names of the stages, and marks where sources are used up."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws with matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    picture = import_file(ROOT / "exercises/chapter3/curriculum_stages/picture.py", "picture_curriculum_stages")
    axes = Figure().subplots()
    picture.draw(reference, axes)
    assert len(axes.collections) == 4
    assert {text.get_text().split("\n")[0] for text in axes.texts} == set(picture.NAMES)
    ends = reference.exhausted_at(picture.PLAN, picture.SIZES, picture.MAX_EPOCHS)
    marks = [line for line in axes.lines if line.get_color() == picture.INK]
    assert len(marks) == sum(end is not None for end in ends.values()) > 0
