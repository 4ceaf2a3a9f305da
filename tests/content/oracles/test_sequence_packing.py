"""The reference of sequence_packing against all packings, transformers, recorded rows of trl, and torch's attention."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "solutions" / "chapter1" / "sequence_packing"
REFERENCE = import_file(FOLDER / "reference.py", "reference_of_sequence_packing")
FIRST_FIT = import_file(FOLDER / "wheats" / "first_fit_tree.py", "first_fit_of_sequence_packing")
DOCS = [[5, 6, 7], [8, 9], [10, 11, 12, 13]]
IGNORED = -100


def least(lengths, capacity):
    """The least number of rows: every document tries every row, and a new one."""

    def go(rest, spaces):
        if not rest:
            return len(spaces)
        best = len(spaces) + len(rest)
        for row in {space: i for i, space in enumerate(spaces) if space >= rest[0]}.values():
            best = min(best, go(rest[1:], (*spaces[:row], spaces[row] - rest[0], *spaces[row + 1 :])))
        return min(best, go(rest[1:], (*spaces, capacity - rest[0])))

    return go(sorted(lengths, reverse=True), ())


def enough(rows):
    """What the statement allows."""
    return (11 * rows + 6) // 9


@pytest.mark.parametrize("packer", [REFERENCE, FIRST_FIT], ids=["best fit", "first fit"])
def test_the_bound_holds_wherever_everything_can_be_tried(packer):
    """Best fit and first fit keep the bound for all documents up to 5 in rows up to 9, and for many sets of 8."""
    cases = [
        (lengths, capacity)
        for capacity in range(1, 10)
        for count in range(6)
        for lengths in itertools.combinations_with_replacement(range(1, capacity + 1), count)
    ]
    draw = np.random.default_rng(1)
    cases += [(draw.integers(1, capacity + 1, 8).tolist(), capacity) for capacity in draw.integers(4, 60, 300).tolist()]
    for lengths, capacity in cases:
        rows = packer.pack(list(lengths), capacity)
        assert sorted(doc for row in rows for doc in row) == list(range(len(lengths)))
        assert all(sum(lengths[doc] for doc in row) <= capacity for row in rows)
        assert len(rows) <= enough(least(lengths, capacity)), (lengths, capacity)


@pytest.mark.parametrize("packer", [REFERENCE, FIRST_FIT], ids=["best fit", "first fit"])
def test_the_bound_holds_with_room_on_cut_rows(packer):
    """Best fit and first fit are nowhere near the bound on rows cut at random, so that chance fails nobody."""
    draw = np.random.default_rng(2)
    for rows, pieces in itertools.product((1, 2, 5, 9, 20, 60), range(1, 7)):
        for _ in range(20):
            cuts = np.sort([draw.choice(np.arange(1, 1000), pieces - 1, replace=False) for _ in range(rows)])
            lengths = np.diff(cuts, prepend=0, append=1000, axis=1).ravel().tolist()
            found = len(packer.pack(lengths, 1000))
            assert found <= max(rows + 1, 1.1 * rows) and found <= enough(rows)


def test_packing_stays_fast_with_many_spaces():
    """A hundred thousand documents in rows of 10,000 are packed with less than one percent of padding."""
    lengths = np.random.default_rng(3).integers(1, 10_001, 100_000).tolist()
    rows = REFERENCE.pack(lengths, 10_000)
    assert sum(lengths) > 0.99 * 10_000 * len(rows)


def test_pairs_that_the_mask_leaves():
    """Sixteen documents of 128 tokens in 2,048 have 132,096 pairs to score, of 2,098,176."""
    mask = REFERENCE.build_row([[1] * 128] * 16)["mask"]
    assert mask.sum() == 16 * 128 * 129 // 2 == 132_096
    assert np.tri(2048, dtype=bool).sum() == 2_098_176
    assert REFERENCE.build_row(DOCS)["mask"].sum() == 19


def test_attention_agrees_with_torch():
    """torch's attention over the packed row, with the mask, is causal attention over each document alone."""
    torch = pytest.importorskip("torch", reason="compares with scaled_dot_product_attention")
    attention = torch.nn.functional.scaled_dot_product_attention
    batch = REFERENCE.build_row(DOCS)
    q, k, v = torch.randn(3, 2, 9, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(4))
    packed = attention(q, k, v, attn_mask=torch.from_numpy(batch["mask"]))
    for start, end in itertools.pairwise(batch["cu_seqlens"].tolist()):
        alone = attention(*(x[:, start:end] for x in (q, k, v)), is_causal=True)
        torch.testing.assert_close(packed[:, start:end], alone, rtol=0, atol=1e-12)


def test_mask_agrees_with_flex_attention():
    """FlexAttention's document mask, materialised, is our mask."""
    torch = pytest.importorskip("torch", reason="compares with FlexAttention")
    flex = pytest.importorskip("torch.nn.attention.flex_attention", reason="torch without FlexAttention")
    owner = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2, 2])
    made = flex.create_mask(lambda b, h, q, k: (owner[q] == owner[k]) & (k <= q), 1, 1, 9, 9, device="cpu")
    assert made[0, 0].tolist() == REFERENCE.build_row(DOCS)["mask"].tolist()


def test_row_agrees_with_transformers():
    """DataCollatorWithFlattening makes the same row; its labels are ours before the shift."""
    transformers = pytest.importorskip("transformers", reason="compares with DataCollatorWithFlattening")
    pytest.importorskip("torch", reason="the collator returns tensors")
    collate = transformers.DataCollatorWithFlattening(return_flash_attn_kwargs=True, return_tensors="pt")
    theirs = collate([{"input_ids": doc} for doc in DOCS])
    ours = REFERENCE.build_row(DOCS)
    assert theirs["input_ids"][0].tolist() == ours["ids"].tolist()
    assert theirs["position_ids"][0].tolist() == ours["positions"].tolist()
    assert theirs["cu_seq_lens_q"].tolist() == ours["cu_seqlens"].tolist() == [0, 3, 5, 9]
    assert [*theirs["labels"][0, 1:].tolist(), IGNORED] == ours["labels"].tolist()


TRL = {  # capacity, lengths -> the rows that trl.pack_dataset(strategy="bfd") of trl 1.16.0 made of them
    (8, (5, 4, 3, 3, 2, 2, 1)): [[2, 2], [3, 4, 1], [5, 3]],
    (10, (7, 6, 5, 4, 3, 2, 1)): [[5, 2, 1], [6, 4], [7, 3]],
    (10, (6, 5, 5, 4, 4, 3, 3)): [[4, 3, 3], [5, 5], [6, 4]],
}


@pytest.mark.parametrize(("case", "want"), TRL.items())
def test_rows_of_trl(case, want):
    """Best-fit decreasing makes the rows that trl's packing makes."""
    capacity, lengths = case
    rows = REFERENCE.pack(list(lengths), capacity)
    assert sorted(sorted(lengths[doc] for doc in row) for row in rows) == sorted(sorted(row) for row in want)


def test_picture_draws_something():
    """The picture of the reference has bars of documents and of a mask, and says how much is padding."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    picture = import_file(
        ROOT / "exercises" / "chapter1" / "sequence_packing" / "picture.py", "picture_of_sequence_packing"
    )
    axes = Figure(figsize=(9, 5)).add_subplot()
    picture.draw(REFERENCE, axes)
    rows, mask = axes.child_axes
    assert len(rows.patches) > 64 and len(mask.patches) == 25 * 25
    assert "padding" in rows.get_title(loc="left")
