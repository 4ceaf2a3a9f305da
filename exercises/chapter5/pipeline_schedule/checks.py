"""Checks of pipeline_schedule. Symbols: p stages, m micro-batches, v chunks, d a device.

The oracle plays whatever order the learner returns, pass by pass, on a clock. Times are whole numbers and a chunk's
passes are counted in v-ths of them, so that all sums are exact.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect, strategies

STAGES, TIME = st.integers(1, 6), st.integers(1, 12)
BATCHES = st.integers(1, 12)
# The contract. A handful of operations in float64 rounds by less than 1e-14; differences of nearly equal numbers,
# such as makespan / ideal - 1, by less than 1e-15 in absolute terms, and the least bubble here is 1/500.
RTOL, ATOL = 1e-9, 1e-12


@st.composite
def half_times(draw):
    """f, b_input and b_weight where the gradient of the weights is not the longest, as "zb-h1" asks."""
    weight, more, extra = draw(st.tuples(TIME, st.integers(0, 8), st.integers(0, 8)))
    return weight + more, weight + extra, weight


# --- the oracle: a pipeline that is played


def read(got, p, m, v, split):
    """The learner's orders as lists of (letter, micro-batch, chunk), each device's passes complete."""
    orders = []
    devices = expect.sequence(got, "the schedule")
    expect.length(devices, p, "the list of devices")
    for d, device in enumerate(devices):
        passes = []
        for each in expect.sequence(device, f"passes of device {d}"):
            triple = expect.sequence(each, "a pass")
            expect.length(triple, 3, f"a pass of device {d}")
            letter = expect.instance(triple[0], str, "the letter of a pass")
            numbers = (expect.integer(number, f"number in a pass of device {d}") for number in triple[1:])
            passes.append((letter, *numbers))
        pairs = [(k, c) for k in range(m) for c in range(v)]
        whole = [each[1:] for each in passes if each[0] == "B"]
        halves = [each for each in pairs if each not in set(whole)] if split else []
        want = [("F", *each) for each in pairs] + [("B", *each) for each in pairs if each not in set(halves)]
        want += [(letter, *each) for each in halves for letter in "IW"]
        expect.same_items(passes, want, f"passes of device {d}, in any order")
        orders.append(passes)
    return orders


def needs(letter, k, link, last):
    """What must have ended before this pass of this link may start; "b" is the end of "B" or "I"."""
    if letter == "F":
        return [("F", k, link - 1)] if link else []
    if letter == "W":
        return [("b", k, link)]
    return [("F", k, link)] + ([("b", k, link + 1)] if link < last else [])


def played(orders, v, f, b_input, b_weight):
    """v times the makespan; a Mismatch where devices wait for one another for ever."""
    p, took = len(orders), {"F": f, "I": b_input, "W": b_weight, "B": b_input + b_weight}
    ended, clock, at = {}, [0] * p, [0] * p
    moved = True
    while moved:
        moved = False
        for d, order in enumerate(orders):
            while at[d] < len(order):
                letter, k, c = order[at[d]]
                waits = needs(letter, k, c * p + d, p * v - 1)
                if any(each not in ended for each in waits):
                    break
                clock[d] = max([clock[d], *(ended[each] for each in waits)]) + took[letter]
                ended["b" if letter in "IB" else letter, k, c * p + d] = clock[d]
                at[d] += 1
                moved = True
    stuck = [f"device {d} at {order[n]}" for d, (order, n) in enumerate(zip(orders, at, strict=True)) if n < len(order)]
    expect.true(not stuck, "every pass gets what it waits for", got="waiting for ever: " + ", ".join(stuck[:3]))
    return max(clock)


def kept(passes):
    """The most forward passes that a device keeps the activations of."""
    now = most = 0
    for letter, _, _ in passes:
        now += (letter == "F") - (letter in "BW")
        most = max(most, now)
    return most


def judge(learner, kind, p, m, times, v=1, *, span, flights):
    """Play the learner's schedule: at most ``span`` v-ths long, at most ``flights[d]`` in flight. Answers it."""
    orders = read(learner.schedule(kind, p, m, *times, v), p, m, v, kind == "zb-h1")
    got = played(orders, v, *times)
    expect.at_most(got / v, span / v, "makespan")
    for d, most in enumerate(flights):
        expect.at_most(kept(orders[d]), most, f"passes in flight on device {d}")
    return orders


# --- schedules


@pytest.mark.core
@pytest.mark.hint(
    "all forward passes of a device come first; then its backward passes, from the last device to the first"
)
@given(p=STAGES, m=BATCHES, times=st.tuples(TIME, TIME, TIME))
@example(p=4, m=8, times=(1, 1, 1))
def test_gpipe(learner, p, m, times):
    """GPipe: all forward passes, then all backward passes, in (m + p - 1) rounds"""
    orders = judge(learner, "gpipe", p, m, times, span=(m + p - 1) * sum(times), flights=[m] * p)
    for d, order in enumerate(orders):
        first = [letter for letter, _, _ in order[:m]]
        expect.equal(first, ["F"] * m, f"letters of the first {m} passes of device {d}")


@pytest.mark.core
@pytest.mark.hint("the last device turns round at once; how many forward passes fit before the first gradient is back?")
@given(p=STAGES, m=BATCHES, times=st.tuples(TIME, TIME, TIME))
@example(p=4, m=8, times=(1, 1, 1))
@example(p=4, m=2, times=(1, 1, 1))
def test_one_forward_one_backward(learner, p, m, times):
    """1F1B: as fast as GPipe, with at most p - d micro-batches in flight on device d"""
    flights = [min(m, p - d) for d in range(p)]
    judge(learner, "1f1b", p, m, times, span=(m + p - 1) * sum(times), flights=flights)


@pytest.mark.core
@pytest.mark.hint(
    "p micro-batches go through chunk 0, then the same p through chunk 1; backwards the last chunk goes first"
)
@given(p=st.integers(1, 5), rounds=st.integers(1, 3), v=st.integers(2, 4), times=st.tuples(TIME, TIME, TIME))
@example(p=4, rounds=2, v=2, times=(1, 1, 1))
def test_interleaved(learner, p, rounds, v, times):
    """interleaved: with v chunks per device the bubble is a v-th of 1F1B's"""
    m = p * rounds
    flights = [min(m * v, 2 * (p - 1 - d) + (v - 1) * p + 1) for d in range(p)]
    judge(learner, "interleaved", p, m, times, v, span=(m * v + p - 1) * sum(times), flights=flights)


@pytest.mark.core
@pytest.mark.hint(
    "keep 1F1B's warm-up; let weight gradients wait until p micro-batches are in flight, or no forward is left"
)
@given(p=STAGES, m=BATCHES, times=half_times())
@example(p=4, m=8, times=(1, 1, 1))
@example(p=4, m=8, times=(10, 12, 8))
def test_zero_bubble(learner, p, m, times):
    """ZB-H1: weight gradients fill gaps, with at most p micro-batches in flight"""
    f, b_input, b_weight = times
    span = (m + p - 1) * (f + b_input) + max(1, m - p + 1) * b_weight
    judge(learner, "zb-h1", p, m, times, span=span, flights=[min(m, p)] * p)


@pytest.mark.edge
@pytest.mark.hint("a single device waits for nobody")
@given(m=BATCHES, v=st.integers(2, 4), times=half_times())
def test_one_stage(learner, m, v, times):
    """one stage has no bubble, whatever the schedule"""
    for kind, most in (("gpipe", m), ("1f1b", 1), ("zb-h1", 1)):
        judge(learner, kind, 1, m, times, span=m * sum(times), flights=[most])
        expect.close(learner.bubble_fraction(kind, 1, m, *times), 0, f"bubble of {kind}", rtol=0, atol=ATOL)
    expect.close(learner.bubble_fraction("interleaved", 1, m, *times, v), 0, "bubble", rtol=0, atol=ATOL)


# --- bubbles


@pytest.mark.core
@pytest.mark.hint("which passes does a device wait for, and how long? Multiply out before you divide")
@pytest.mark.parametrize("relative_to", ["ideal", "total"])
@given(p=STAGES, rounds=st.integers(1, 3), v=st.integers(2, 4), times=half_times())
def test_bubble_of_played_schedules(learner, reference, relative_to, p, rounds, v, times):
    """the bubble is what a played schedule leaves over"""
    m = p * rounds
    for kind, chunks in (("gpipe", 1), ("1f1b", 1), ("interleaved", v), ("zb-h1", 1)):
        span = played(reference.schedule(kind, p, m, *times, chunks), chunks, *times)
        ideal = m * sum(times) * chunks
        want = (span - ideal) / (ideal if relative_to == "ideal" else span)
        got = learner.bubble_fraction(kind, p, m, *times, chunks, relative_to)
        expect.close(got, want, f"bubble of {kind}", rtol=RTOL, atol=ATOL)


@pytest.mark.core
@pytest.mark.hint("1F1B saves memory, not time; more micro-batches than stages, or fewer, make no difference to that")
@given(p=STAGES, m=BATCHES, times=half_times())
def test_bubble_of_few_batches(learner, p, m, times):
    """also with fewer micro-batches than stages, a ZB-H1 device hides what weight gradients it has"""
    f, b_input, b_weight = times
    for kind in ("gpipe", "1f1b"):
        expect.close(learner.bubble_fraction(kind, p, m, *times), (p - 1) / m, f"{kind}", rtol=RTOL, atol=ATOL)
    span = (m + p - 1) * (f + b_input) + max(1, m - p + 1) * b_weight
    want = span / (m * sum(times)) - 1
    expect.close(learner.bubble_fraction("zb-h1", p, m, *times), want, "bubble of zb-h1", rtol=RTOL, atol=ATOL)


@pytest.mark.core
@pytest.mark.hint("(p - 1) of something, over m of something; the interleaved bubble is divided by v")
def test_published_bubbles(learner):
    """the formulas of the papers, for pipelines of 4 and 8 stages"""
    # Narayanan et al. 2021, section 2.2: (p - 1) / m and (p - 1) / (v m); Qi et al. 2023, table 2:
    # (p - 1) (T_F + T_B - T_W), where T_B is the gradient of the input.
    for args, want in {
        ("gpipe", 4, 8, 1, 1, 1): 3 / 8,
        ("1f1b", 8, 32, 1, 1, 1): 7 / 32,
        ("interleaved", 4, 8, 1, 1, 1, 2): 3 / 16,
        ("interleaved", 8, 32, 1, 1, 1, 2): 7 / 64,
        ("interleaved", 4, 8, 1, 1, 1, 4): 3 / 32,
        ("zb-h1", 4, 8, 1, 1, 1): 3 / 24,
        ("zb-h1", 4, 8, 10, 12, 8): 3 * 14 / 240,
    }.items():
        expect.close(learner.bubble_fraction(*args), want, f"bubble of {args[0]}", rtol=RTOL, atol=ATOL)
    share = learner.bubble_fraction("1f1b", 4, 8, 1, 1, 1, 1, "total")
    expect.close(share, 3 / 11, "share of time that is idle", rtol=RTOL, atol=ATOL)


# --- memory


def device_list(choices, width):
    """A list of passes from choices: 0 starts a micro-batch, 1, 2 and 3 run "B", "I" and "W" of one that waits."""
    passes, waiting, halves, started = [], [], [], 0
    for choice in [*choices, *[1, 3] * len(choices)]:
        if choice == 0:
            waiting.append((started % width, started // width))
            passes.append(("F", *waiting[-1]))
            started += 1
        elif choice == 3 and halves:
            passes.append(("W", *halves.pop()))
        elif choice in (1, 2) and waiting:
            each = waiting.pop(0)
            passes.append(("BI"[choice - 1], *each))
            halves += [each] * (choice - 1)
    return passes


@pytest.mark.core
@pytest.mark.hint("up at an F, down at a B or a W; an I frees nothing; pairs of micro-batch and chunk count one by one")
@given(seed=strategies.seeds(), size=st.integers(0, 20), width=st.integers(1, 5))
def test_peak_in_flight(learner, seed, size, width):
    """the peak is the most that was begun and not freed"""
    choices = np.random.default_rng(seed).choice([0, 0, 0, 1, 2, 3, 3], size).tolist()  # so that lists grow and shrink
    passes = device_list(choices, width)
    expect.equal(expect.integer(learner.peak_in_flight(passes), "the peak"), kept(passes), "passes in flight")


@pytest.mark.core
@pytest.mark.hint("the peak may come late, after much has been freed")
@pytest.mark.parametrize("letters", ["B", "IW"])
@given(freed=st.integers(1, 4), more=st.integers(1, 4), width=st.integers(1, 3))
def test_late_peak(learner, letters, freed, more, width):
    """what was freed is freed once"""
    passes = [(letter, k % width, k // width) for k in range(freed) for letter in "F" + letters]
    late = [(k % width, k // width) for k in range(freed, freed + more)]
    passes += [("F", *each) for each in late] + [(letter, *each) for each in late for letter in letters]
    expect.equal(expect.integer(learner.peak_in_flight(passes), "the peak"), more, "passes in flight")


@pytest.mark.edge
@pytest.mark.hint("four kinds; chunks only where they are interleaved, and then in whole groups: raise ValueError")
@given(p=st.integers(2, 5), m=st.integers(1, 6), v=st.integers(2, 4), no_kind=st.sampled_from(["", "gpip", "zb-h2"]))
def test_impossible_arguments(learner, p, m, v, no_kind):
    """impossible arguments are errors"""
    wrong = [(no_kind, p, m, 1, 1, 1), ("interleaved", p, p * m, 1, 1, 1), ("interleaved", p, p * m + 1, 1, 1, 1, v)]
    wrong += [(kind, p, m, 1, 1, 1, v) for kind in ("gpipe", "1f1b", "zb-h1")]
    for args in wrong:
        expect.raises(ValueError, learner.schedule, *args)
        expect.raises(ValueError, learner.bubble_fraction, *args)
    expect.raises(ValueError, learner.bubble_fraction, "1f1b", p, m, 1, 1, 1, 1, "device")


# --- scale


@pytest.mark.scale
@pytest.mark.hint("one walk through the list is enough; do not count again from the beginning at every pass")
def test_long_lists(learner):
    """the peak of a list eight times as long takes about eight times as long"""
    # Counting again from the beginning takes 64 times as long; lists of 3000 and 24,000 passes.
    small, large = (device_list(np.random.default_rng(1).permutation([0, 2] * n).tolist(), 7) for n in (1000, 8000))
    expect.growth(learner.peak_in_flight, (small,), (large,), at_most=25, what="time for eight times as many passes")


@pytest.mark.scale
@pytest.mark.hint("a pass is found by counting, not by searching through all of them")
def test_many_micro_batches(learner):
    """a schedule of eight times as many micro-batches takes about eight times as long"""
    # 4 stages and 600 micro-batches, 4800 passes; 4800 micro-batches, 38,400 passes. Quadratic is 64 times.
    small, large = (("1f1b", 4, m, 1, 1, 1) for m in (600, 4800))
    expect.growth(learner.schedule, small, large, at_most=25, what="time for eight times as many micro-batches")
