"""The reference of pipeline_schedule against torch's own schedules, played by a longest path, and published figures."""

import itertools
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter5" / "pipeline_schedule" / "reference.py", "reference_of_pipeline_schedule"
)


def makespan(orders, chunks, f, b_input, b_weight):
    """The longest path through the passes: each waits for the one before it on its device, and for its inputs."""
    devices = len(orders)
    took = {"F": f / chunks, "I": b_input / chunks, "W": b_weight / chunks, "B": (b_input + b_weight) / chunks}
    place = {}
    for device, order in enumerate(orders):
        for n, (letter, k, chunk) in enumerate(order):
            place["b" if letter in "IB" else letter, k, chunk * devices + device] = device, n

    @cache
    def end(device, n):
        letter, k, chunk = orders[device][n]
        link, before = chunk * devices + device, [(device, n - 1)] if n else []
        if letter == "F" and link:
            before.append(place["F", k, link - 1])
        if letter == "W":
            before.append(place["b", k, link])
        if letter in "IB" and link + 1 < devices * chunks:
            before.append(place["b", k, link + 1])
        return took[letter] + max((end(*each) for each in before), default=0)

    for n in range(max(map(len, orders))):  # in small steps, so that the recursion stays shallow
        for device, order in enumerate(orders):
            if n < len(order):
                end(device, n)
    return max(end(device, len(order) - 1) for device, order in enumerate(orders))


def torch_orders(name, devices, batches, chunks):
    """What torch's schedule of this name would run, in this exercise's letters."""
    schedules = pytest.importorskip("torch.distributed.pipelining.schedules", reason="a peer's schedules")
    kind = getattr(schedules, name)
    rounds = max(1, batches // devices)
    sizes = SimpleNamespace(
        n_local_stages=chunks,
        pp_group_size=devices,
        microbatches_per_round=batches // rounds,
        _n_microbatches=batches,
    )
    letters = {"FORWARD": "F", "FULL_BACKWARD": "B", "BACKWARD_INPUT": "I", "BACKWARD_WEIGHT": "W"}
    return [
        [
            (letters[each.computation_type.name], each.microbatch_index, each.stage_index // devices)
            for each in kind._calculate_single_rank_operations(sizes, device)
            if each is not None
        ]
        for device in range(devices)
    ]


@pytest.mark.parametrize(("p", "rounds", "v"), list(itertools.product((1, 2, 4, 7), (1, 2, 3), (2, 3, 4))))
def test_interleaved_is_that_of_torch(p, rounds, v):
    """The interleaved order is torch's, pass by pass."""
    ours = REFERENCE.schedule("interleaved", p, p * rounds, 1, 1, 1, v)
    assert ours == torch_orders("ScheduleInterleaved1F1B", p, p * rounds, v)


@pytest.mark.parametrize(("p", "rounds"), list(itertools.product((1, 2, 4, 7), (1, 2, 5))))
@pytest.mark.parametrize("times", [(1, 1, 1), (10, 12, 8), (3, 2, 2)])
def test_as_fast_as_torch(p, rounds, times):
    """1F1B and ZB-H1 take as long as torch's schedules with one chunk, and keep no more than these."""
    m = p * rounds
    for kind, name in (("1f1b", "ScheduleInterleaved1F1B"), ("zb-h1", "ScheduleInterleavedZeroBubble")):
        ours, theirs = REFERENCE.schedule(kind, p, m, *times), torch_orders(name, p, m, 1)
        assert makespan(ours, 1, *times) == makespan(theirs, 1, *times)
        assert max(map(REFERENCE.peak_in_flight, ours)) <= max(map(REFERENCE.peak_in_flight, theirs))


@pytest.mark.parametrize("kind", ["gpipe", "1f1b", "interleaved", "zb-h1"])
@pytest.mark.parametrize(("p", "rounds"), list(itertools.product((1, 2, 3, 5, 8), (1, 2, 4))))
@pytest.mark.parametrize("times", [(1, 1, 1), (10, 12, 8), (5, 3, 1)])
def test_bubbles_of_played_schedules(kind, p, rounds, times):
    """The longest path through each schedule is the ideal time and the bubble."""
    m, chunks = p * rounds, 3 if kind == "interleaved" else 1
    span = makespan(REFERENCE.schedule(kind, p, m, *times, chunks), chunks, *times)
    ideal = m * sum(times)
    assert REFERENCE.bubble_fraction(kind, p, m, *times, chunks) == pytest.approx(span / ideal - 1, abs=1e-12)
    total = REFERENCE.bubble_fraction(kind, p, m, *times, chunks, "total")
    assert total == pytest.approx(1 - ideal / span, abs=1e-12)


@pytest.mark.parametrize(("p", "m"), list(itertools.product((2, 3, 6), (1, 2, 4))))
def test_few_micro_batches(p, m):
    """With fewer micro-batches than stages the table's makespans hold as well."""
    times = (10, 12, 8)
    assert makespan(REFERENCE.schedule("1f1b", p, m, *times), 1, *times) == (m + p - 1) * 30
    assert makespan(REFERENCE.schedule("zb-h1", p, m, *times), 1, *times) == (m + p - 1) * 22 + 8 * max(1, m - p + 1)


def test_published_figures():
    """The papers' examples: peaks of 1F1B, 11, 9, 7, 5 half passes, and a zero-bubble solver's bubble of 42."""
    peaks = {"gpipe": [8, 8, 8, 8], "1f1b": [4, 3, 2, 1], "zb-h1": [4, 4, 4, 4]}
    for kind, want in peaks.items():
        assert [REFERENCE.peak_in_flight(each) for each in REFERENCE.schedule(kind, 4, 8, 1, 1, 1)] == want
    halves = REFERENCE.schedule("interleaved", 4, 8, 1, 1, 1, 2)
    assert [REFERENCE.peak_in_flight(each) for each in halves] == [11, 9, 7, 5]
    assert makespan(halves, 2, 1, 1, 1) == 28.5
    assert makespan(REFERENCE.schedule("interleaved", 8, 32, 1, 1, 1, 2), 2, 1, 1, 1) == 106.5
    assert makespan(REFERENCE.schedule("zb-h1", 4, 8, 10, 12, 8), 1, 10, 12, 8) == 8 * 30 + 42


def test_picture():
    """The picture draws every pass of four schedules."""
    figure = pytest.importorskip("matplotlib.figure", reason="draws the picture").Figure()
    picture = import_file(ROOT / "exercises" / "chapter5" / "pipeline_schedule" / "picture.py", "picture_of_pipelines")
    axes = figure.subplots()
    picture.draw(REFERENCE, axes)
    assert len(axes.collections) >= 4 * 8 * (2 + 2 + 4 + 3)
    assert any("ends at 27" in text.get_text() for text in axes.texts)
