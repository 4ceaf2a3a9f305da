"""The reference of ring_attention against torch's attention in float64: rank after rank, in one process."""

from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

torch = pytest.importorskip("torch", reason="the exercise is about tensors")
attention = torch.nn.functional.scaled_dot_product_attention

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter5" / "ring_attention" / "reference.py", "reference_of_ring_attention"
)
LAYOUTS = ("contiguous", "zigzag")


def drawn(seed, *shape, dtype=torch.float64):
    """Queries, keys and values of the whole sequence."""
    return torch.randn(3, *shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def ring(monkeypatch, qkv, world, causal, layout):
    """The rows of all ranks, put in order, and how many shards each rank received."""
    length = qkv.shape[3]
    places = [torch.from_numpy(REFERENCE.positions(rank, world, length, layout)) for rank in range(world)]
    shards = [qkv[:, :, :, place] for place in places]
    answer, received = torch.zeros_like(qkv[0]), []
    for rank, place in enumerate(places):
        arrived = [rank]

        def pass_on(held, spare, rank, world, arrived=arrived):
            assert torch.equal(held, shards[arrived[-1]][1:])
            arrived.append((arrived[-1] - 1) % world)  # what lies to the left comes next
            spare.copy_(shards[arrived[-1]][1:])
            return []

        monkeypatch.setattr(REFERENCE.dist, "get_rank", lambda rank=rank: rank)
        monkeypatch.setattr(REFERENCE.dist, "get_world_size", lambda: world)
        monkeypatch.setattr(REFERENCE, "_pass_on", pass_on)
        answer[:, :, place] = REFERENCE.ring_attention(*shards[rank], causal, layout)
        received.append(sorted(arrived))
    return answer, received


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("world", [1, 2, 3, 4, 7])
def test_equals_torchs_attention(monkeypatch, world, causal, layout):
    """Merged tile by tile, the rows are those of scaled_dot_product_attention; each rank sees each shard once."""
    qkv = drawn(world, 2, 3, 6 * world, 5)
    answer, received = ring(monkeypatch, qkv, world, causal, layout)
    torch.testing.assert_close(answer, attention(*qkv, is_causal=causal), rtol=0, atol=1e-13)
    assert received == [list(range(world))] * world


@pytest.mark.parametrize("layout", LAYOUTS)
def test_large_scores(monkeypatch, layout):
    """Scores in the thousands neither overflow nor vanish."""
    qkv = drawn(9, 1, 2, 16, 4) * torch.tensor([100.0, 30.0, 1.0], dtype=torch.float64)[:, None, None, None, None]
    answer, _ = ring(monkeypatch, qkv, 4, True, layout)
    torch.testing.assert_close(answer, attention(*qkv, is_causal=True), rtol=0, atol=1e-10)


def test_float32_is_as_good_as_torchs(monkeypatch):
    """In float32 the error against float64 is at most four times that of torch's own float32."""
    qkv = drawn(10, 1, 2, 128, 16, dtype=torch.float32)
    exact = attention(*qkv.double(), is_causal=True)
    answer, _ = ring(monkeypatch, qkv, 4, True, "zigzag")
    assert answer.dtype == torch.float32
    assert (answer - exact).abs().max() <= 4 * (attention(*qkv, is_causal=True) - exact).abs().max()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("world", [1, 2, 3, 5])
def test_work_is_the_mask(world, layout):
    """causal_work counts the ones of np.tri between the positions of two ranks."""
    length = 6 * world
    mask = np.tri(length, dtype=int)
    places = [REFERENCE.positions(rank, world, length, layout) for rank in range(world)]
    want = [[mask[np.ix_(mine, theirs)].sum() for theirs in places] for mine in places]
    found = [
        [REFERENCE.causal_work(rank, owner, world, length, layout) for owner in range(world)] for rank in range(world)
    ]
    assert found == want


def test_figures_of_the_statement():
    """With 4 ranks and 64 positions: 136, 392, 648 and 904 scores, or 520 each; busy 57.5 % of the time."""
    sums = {
        layout: [sum(REFERENCE.causal_work(rank, owner, 4, 64, layout) for owner in range(4)) for rank in range(4)]
        for layout in LAYOUTS
    }
    assert sums == {"contiguous": [136, 392, 648, 904], "zigzag": [520] * 4}
    assert sum(sums["contiguous"]) / (4 * max(sums["contiguous"])) == pytest.approx(0.575, abs=5e-4)


def test_zigzag_is_that_of_ring_flash_attention():
    """extract_local of zhuzilin/ring-flash-attention: chunks of the 2n-fold cut, rank and 2n - 1 - rank."""
    chunks = torch.arange(48).chunk(8)
    for rank in range(4):
        theirs = torch.cat([chunks[rank], chunks[2 * 4 - rank - 1]])
        assert REFERENCE.positions(rank, 4, 48, "zigzag").tolist() == theirs.tolist()


def test_picture_draws_something():
    """The picture of the reference is two timetables, and says how busy the ranks are."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    path = ROOT / "exercises" / "chapter5" / "ring_attention" / "picture.py"
    axes = Figure(figsize=(9, 5)).add_subplot()
    import_file(path, "picture_of_ring_attention").draw(REFERENCE, axes)
    titles = [panel.get_title(loc="left") for panel in axes.child_axes]
    assert [title.split(":")[0] for title in titles] == list(LAYOUTS)
    assert "100%" in titles[1]
