"""The reference of minhash_lsh against datasketch (bands, estimates, groups), and figures of published pipelines."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(ROOT / "solutions" / "chapter3" / "minhash_lsh" / "reference.py", "reference_of_minhash_lsh")

CHOICES = {  # threshold, num_perm, weights -> bands, rows: datasketch's with these arguments
    (0.5, 128, (0.5, 0.5)): (25, 5),
    (0.7, 128, (0.5, 0.5)): (14, 9),
    (0.8, 128, (0.5, 0.5)): (9, 13),
    (0.9, 128, (0.5, 0.5)): (5, 25),
    (0.7, 256, (0.5, 0.5)): (25, 10),
    (0.75, 256, (0.5, 0.5)): (21, 12),
    (0.8, 256, (0.5, 0.5)): (17, 15),
    (0.75, 112, (0.5, 0.5)): (11, 10),
    (0.75, 112, (0.25, 0.75)): (14, 8),
    (0.5, 128, (0.1, 0.9)): (32, 4),
    (0.8, 128, (0.1, 0.9)): (14, 9),
    (0.75, 256, (0.1, 0.9)): (28, 9),
    (0.8, 128, (0.9, 0.1)): (6, 21),
    (0.9, 128, (0.9, 0.1)): (3, 42),
}


@pytest.mark.parametrize(("case", "want"), CHOICES.items())
def test_bands_of_record(case, want):
    """The choices that datasketch 2.0.0 made."""
    assert REFERENCE.choose_bands(*case) == want


@pytest.mark.parametrize(("threshold", "num_perm"), [(0.2, 20), (0.5, 64), (0.75, 63), (0.9, 40), (0.97, 12)])
@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.1, 0.9), (0.9, 0.1)])
def test_bands_of_datasketch(threshold, num_perm, weights):
    """datasketch, which integrates by quadrature, chooses the same bands and rows."""
    lsh = pytest.importorskip("datasketch.lsh", reason="compares with datasketch")
    theirs = lsh._optimal_param(threshold, num_perm, *weights)
    assert REFERENCE.choose_bands(threshold, num_perm, weights) == theirs


PUBLISHED = {  # bands, rows -> similarity: share of pairs that are found
    "FineWeb": (14, 8, {0.7: 0.56, 0.75: 0.77, 0.8: 0.92, 0.85: 0.988}),  # arXiv 2406.17557, appendix E.1
    "RefinedWeb": (450, 20, {0.7: 0.302, 0.75: 0.760, 0.8: 0.995}),
    "RefinedWeb, bands and rows exchanged": (20, 450, {0.98: 1 / 444, 0.99: 0.196}),
    "DCLM": (93, 15, {0.7: 0.358, 0.75: 0.714, 0.8: 0.964}),
}


@pytest.mark.parametrize("pipeline", PUBLISHED)
def test_curves_of_published_pipelines(pipeline):
    """The S-curves of pipelines that cleaned large corpora, to the digits that are printed."""
    bands, rows, curve = PUBLISHED[pipeline]
    found = REFERENCE.collision_probability(np.array(list(curve)), bands, rows)
    np.testing.assert_allclose(found, list(curve.values()), rtol=0, atol=0.006)


def pair(seed, shared, own):
    """Two sets of strings with so many items in common, and so many of their own each."""
    items = [f"{seed} {number}" for number in range(shared + 2 * own)]
    return set(items[: shared + own]), set(items[:shared] + items[shared + own :])


@pytest.mark.parametrize(("shared", "own"), [(5, 45), (50, 25), (90, 5)])
def test_estimates_are_as_good_as_those_of_datasketch(shared, own):
    """Over 200 pairs both estimate J without bias, and with the deviation that theory gives."""
    datasketch = pytest.importorskip("datasketch", reason="compares with datasketch")
    pairs, num_perm = 200, 128

    def ours(items, seed):
        return np.asarray(REFERENCE.minhash_signature(items, num_perm, seed))

    def theirs(items, seed):
        made = datasketch.MinHash(num_perm=num_perm, seed=seed + 1)
        made.update_batch([item.encode() for item in items])
        return made.hashvalues

    jaccard = shared / (shared + 2 * own)
    deviation = (jaccard * (1 - jaccard) / num_perm) ** 0.5
    for sign in (ours, theirs):
        sets = [pair(seed, shared, own) for seed in range(pairs)]
        errors = [(sign(one, seed) == sign(two, seed)).mean() - jaccard for seed, (one, two) in enumerate(sets)]
        # The mean and the deviation of 200 errors: five standard errors of each.
        assert abs(np.mean(errors)) < 5 * deviation / pairs**0.5
        assert abs(np.std(errors) / deviation - 1) < 5 / (2 * pairs) ** 0.5


def test_groups_agree_with_datasketch():
    """Candidates of datasketch's MinHashLSH, verified and joined, are the groups that the reference finds."""
    datasketch = pytest.importorskip("datasketch", reason="compares with datasketch")
    draw = np.random.default_rng(5)
    docs = []
    for _ in range(60):  # originals, some with one to three copies that lack a few words at their end
        words = [f"w{number}" for number in draw.integers(0, 10_000, 120)]
        docs += [" ".join(words[: 120 - 2 * copy]) for copy in range(draw.integers(1, 5))]
    docs = [docs[place] for place in draw.permutation(len(docs))]
    bands, rows, threshold = 16, 8, 0.97  # neighbours have J = 0.98, copies of copies are linked by a chain only

    sets = [REFERENCE.shingles(doc, 5) for doc in docs]
    lsh = datasketch.MinHashLSH(num_perm=bands * rows, params=(bands, rows))
    signatures = datasketch.MinHash.bulk([[item.encode() for item in items] for items in sets], num_perm=bands * rows)
    for doc, signature in enumerate(signatures):
        lsh.insert(doc, signature)
    group_of = {doc: {doc} for doc in range(len(docs))}
    for doc, signature in enumerate(signatures):
        for other in lsh.query(signature):
            if len(sets[doc] & sets[other]) / len(sets[doc] | sets[other]) >= threshold:
                joined = group_of[doc] | group_of[other]
                group_of |= dict.fromkeys(joined, joined)
    theirs = {tuple(sorted(group)) for group in group_of.values() if len(group) > 1}

    # A duplicate pair is missed with a probability of at most (1 - 0.97**8)**16 = 2.3e-11.
    assert {tuple(group) for group in REFERENCE.near_duplicate_groups(docs, 5, bands, rows, threshold)} == theirs
    assert len(theirs) > 20 and max(map(len, theirs)) > 2


def test_groups_of_many_copies_take_linear_time():
    """Two thousand copies of one page, and pages like it, are one group without two million comparisons."""
    compared = []
    original = REFERENCE._jaccard
    REFERENCE._jaccard = lambda one, other: compared.append(1) or original(one, other)
    try:
        docs = [" ".join(f"w{number}" for number in range(40 - copy % 2)) for copy in range(2000)]
        groups = REFERENCE.near_duplicate_groups(docs, k=3)
    finally:
        REFERENCE._jaccard = original
    assert groups == [list(range(2000))]
    assert len(compared) < 10 * len(docs)


def test_example_of_the_statement():
    """The table of shingles: 0.857, 0.750 and 0.375."""
    text = "the quick brown fox jumps over the lazy dog near the river bank at dawn"
    sizes = []
    for k in (1, 2, 5):
        one, two = (REFERENCE.shingles(each, k) for each in (text, text.replace("dog", "cat")))
        sizes.append((len(one), len(one & two), len(one | two)))
    assert sizes == [(13, 12, 14), (14, 12, 16), (11, 6, 16)]


def test_signatures_have_no_favourites():
    """Over 20,000 functions each of four strings has the least value a quarter of the time."""
    strings = ["a", "b", "ab", "ba"]
    whole = REFERENCE.minhash_signature(strings, 20_000, 3)
    wins = [(whole == REFERENCE.minhash_signature([string], 20_000, 3)).mean() for string in strings]
    assert sum(wins) == 1
    assert all(abs(one - other) < 0.03 for one, other in itertools.combinations(wins, 2))


def test_picture_draws_something():
    """The picture of the reference has the curve, the areas and the pairs."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    picture = import_file(ROOT / "exercises" / "chapter3" / "minhash_lsh" / "picture.py", "picture_of_minhash_lsh")
    axes = Figure(figsize=(9, 5)).add_subplot()
    picture.draw(REFERENCE, axes)
    assert "14 bands of 8 rows" in axes.get_title(loc="left")
    assert len(axes.lines) >= 2 and len(axes.collections) >= 2
