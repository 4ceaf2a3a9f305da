"""Checks of fault_tolerance. Symbols: M MTBF of the job, d writing, R restart, tau work between two checkpoints.

The oracle lives through a run second by second.
"""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect, strategies

# The contract. float64 rounds these formulas by less than 1e-13 each; exp(x) - 1 for x = 1e-6, which is allowed, by
# 1e-10, and a minimum of a curve is found by comparing values to about the root of eps over its curvature:
# at d / M = 1e-6 the overhead is 1.4e-3 (1 + u²/2) for a tau off by u, so u is 6e-7 where values differ by 2e-16.
RTOL, RTOL_GOODPUT, RTOL_EXACT = 1e-9, 1e-6, 1e-4
HOUR, DAY, MINUTE = 3600, 86_400, 60

RATIO = strategies.magnitudes(1e-6, 10)
MTBF = strategies.magnitudes(60, 1e7)
WHOLE = st.integers(1, 12)


@st.composite
def runs(draw):
    """A small run in whole seconds, and failures that come often, early ones among them."""
    work, interval = draw(st.integers(1, 30)), draw(WHOLE)
    write, restart = draw(st.integers(0, 5)), draw(st.integers(0, 6))
    gaps = draw(st.lists(st.integers(1, 15), max_size=8))
    first = draw(st.integers(0, 10))
    return np.cumsum([first, *gaps]).tolist()[: len(gaps)], work, interval, write, restart


def lived(failures, work, interval, write, restart):
    """The run, one second after the other."""
    spent = dict.fromkeys(("wall", "useful", "checkpoint", "lost", "restart"), 0)
    hits, kept, waiting, worked, wrote = set(failures), 0, 0, 0, 0
    while kept < work:
        if spent["wall"] in hits:
            spent["lost"] += worked + wrote
            worked = wrote = 0
            waiting = restart
        if waiting:
            waiting -= 1
            spent["restart"] += 1
        elif worked < min(interval, work - kept):
            worked += 1
        else:
            wrote += 1
        spent["wall"] += 1
        if worked == min(interval, work - kept) and wrote == write:
            kept += worked
            spent["useful"], spent["checkpoint"] = kept, spent["checkpoint"] + write
            worked = wrote = 0
    return spent


def wall_factor(tau, write, mtbf):
    """Wall time of a second of work, restarts left out: what the best tau makes least."""
    return mtbf * math.expm1((tau + write) / mtbf) / tau


# --- intervals


@pytest.mark.core
@pytest.mark.hint("failures of all GPUs together come as often as one GPU's, times the number of GPUs")
@given(mtbf=MTBF, gpus=st.integers(1, 10**6))
@example(mtbf=50_677 * 3600, gpus=16_384)
def test_more_gpus_fail_more_often(learner, mtbf, gpus):
    """a job of N GPUs fails N times as often as one GPU"""
    expect.close(learner.job_mtbf(mtbf, gpus), mtbf / gpus, "MTBF of the job", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("the root of twice the product, of seconds and seconds")
@given(ratio=RATIO, mtbf=MTBF)
@example(ratio=300 / 86_400, mtbf=86_400)
def test_young(learner, ratio, mtbf):
    """Young's interval balances writing against lost work: tau is the root of 2 d M"""
    got = expect.positive(learner.young_daly(ratio * mtbf, mtbf, "young"), "tau")
    # Overhead of first order: d / tau for writing, tau / 2M for lost work. At their minimum both are the same.
    expect.close(got / (2 * mtbf), ratio * mtbf / got, "work lost, against writing", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("Daly's formula has three terms in the bracket, and takes d off at the end; mind d >= 2 M")
@given(ratio=RATIO, mtbf=MTBF)
@example(ratio=300 / 86_400, mtbf=86_400)
@example(ratio=2, mtbf=1000)
def test_daly(learner, ratio, mtbf):
    """Daly's interval is that of his series"""
    write = ratio * mtbf
    x = math.sqrt(ratio / 2)
    want = mtbf * (2 * x * (1 + x / 3 + x**2 / 9) - ratio) if write < 2 * mtbf else mtbf
    got = learner.young_daly(write, mtbf, "daly")
    # Near d = 2 M, tau is 2 x (1 + ...) - 2 x², of numbers that are both below 3: rounding is not magnified.
    expect.close(got, want, "tau", rtol=RTOL, atol=0)


@pytest.mark.core
@pytest.mark.hint("a figure of the paper: is everything in the same unit, and is d taken off?")
def test_published_intervals(learner):
    """the intervals of Daly's figures: 117, 57 and 9.1 minutes"""
    # Daly 2006, figures 3 to 5: d = 5 min, R = 10 min, M = 24 h, 6 h, 15 min.
    for mtbf, young, daly in ((DAY, 120, 117), (6 * HOUR, 60, 57), (15 * MINUTE, 12.247, 9.1)):
        got = expect.number(learner.young_daly(5 * MINUTE, mtbf, "daly"), "tau") / MINUTE
        half = 0.5 if daly > 10 else 0.05  # of the last printed digit
        expect.between(got, daly - half, daly + half, f"minutes for M = {mtbf / MINUTE:.0f} min")
        first = expect.number(learner.young_daly(5 * MINUTE, mtbf, "young"), "tau") / MINUTE
        expect.close(first, young, "minutes, by Young", rtol=1e-4, atol=0)


@pytest.mark.core
@pytest.mark.hint("where the derivative of the wall time is zero; R makes every tau worse by the same factor")
@given(ratio=RATIO, mtbf=MTBF)
@example(ratio=1 / 3, mtbf=900)
@example(ratio=1e-6, mtbf=60)
def test_exact_optimum(learner, ratio, mtbf):
    """at the exact interval the wall time is stationary, and no other interval is better"""
    write = ratio * mtbf
    tau = expect.positive(learner.young_daly(write, mtbf, "exact"), "tau")
    expect.at_most(tau, mtbf, "tau, which is never above M")
    # Where tau is too small by more than the tolerance the derivative is negative, and where it is too large, positive.
    # It has the sign of tau / M - (1 - exp(-(tau + d) / M)), which grows with tau.
    low, high = (tau * (1 + off) / mtbf for off in (-RTOL_EXACT, RTOL_EXACT))
    expect.true(low + math.expm1(-low - ratio) <= 0, "a tau that is 0.01 % shorter is too short", got=tau)
    expect.true(high + math.expm1(-high - ratio) >= 0, "a tau that is 0.01 % longer is too long", got=tau)
    for factor in (0.5, 0.9, 1.1, 2):
        expect.at_most(
            wall_factor(tau, write, mtbf), wall_factor(factor * tau, write, mtbf), f"wall time, against {factor} tau"
        )


# --- goodput


@pytest.mark.core
@pytest.mark.hint("tau over the time that a segment takes on average, failures and restarts included")
@given(
    interval=strategies.magnitudes(1e-6, 25),
    write=strategies.magnitudes(1e-6, 20),
    restart=strategies.magnitudes(1e-3, 20),
    mtbf=MTBF,
)
@example(interval=0.2, write=0.02, restart=0.05, mtbf=11_100)
def test_goodput_of_a_segment(learner, interval, write, restart, mtbf):
    """a segment takes as long as its attempts do, one after the other"""
    # A segment of s seconds succeeds with p = exp(-s / M). Failed attempts are 1 / p - 1 on average, each of M - s p /
    # (1 - p) seconds, with a restart after each of them, for which the same holds.
    tau, d, r = interval * mtbf, write * mtbf, restart * mtbf
    up = mtbf * math.expm1(restart)  # seconds until a restart has succeeded
    failed = math.expm1(interval + write)
    segment = failed * (mtbf + up)
    got = learner.goodput(tau, d, r, mtbf)
    expect.close(got, tau / segment, "goodput", rtol=RTOL_GOODPUT, atol=0)


@pytest.mark.edge
@pytest.mark.hint("without failures only writing costs time; checkpoints that are free do not make failures free")
@given(interval=st.integers(1, 1000), write=st.integers(0, 1000), restart=st.integers(0, 1000))
def test_rare_failures(learner, interval, write, restart):
    """where failures are rare, goodput is tau / (tau + d)"""
    # With s = (tau + d) / M and r = R / M the rest is below s + r to first order: here at most 3e-6 / 1.
    mtbf = (interval + write) * 1e6
    r = restart / mtbf
    got = learner.goodput(interval, write, restart, mtbf)
    share = interval / (interval + write)
    expect.between(got, share * (1 - 2e-6 - 2 * r), share * (1 + 1e-6), "goodput")
    if write == 0:
        least = expect.number(learner.goodput(interval, 0, 0, interval), "goodput where tau = M, without writing")
        expect.close(least, 1 / math.expm1(1), "goodput where tau = M, without writing", rtol=RTOL_GOODPUT, atol=0)


@pytest.mark.core
@pytest.mark.hint("Llama 3's MTBF is that of the job: 54 days over 419 failures")
def test_llama_3(learner):
    """Llama 3: 419 failures in 54 days; with a checkpoint of a minute the best interval is 19 minutes"""
    # Dubey et al. 2024, section 3.3.4: 466 interruptions, 419 of them unexpected, on 16,384 GPUs.
    mtbf = expect.positive(learner.job_mtbf(54 * DAY / 419 * 16_384, 16_384), "MTBF of the job")
    expect.between(mtbf / HOUR, 3.08, 3.10, "hours between failures")
    tau = expect.positive(learner.young_daly(60, mtbf, "young"), "tau")
    expect.between(tau / MINUTE, 19.2, 19.3, "minutes, by Young")
    overhead = 1 / expect.positive(learner.goodput(tau, 60, 0, mtbf), "goodput") - 1
    expect.between(overhead, 0.105, 0.112, "overhead, to first order the root of 2 d / M = 0.1038")


# --- runs


@pytest.mark.core
@pytest.mark.hint(
    "live through it second by second: what runs at the moment of the failure, and since when is it unsaved?"
)
@given(run=runs())
@example(run=([7, 13], 10, 4, 1, 2))
@example(run=([5, 6], 8, 4, 1, 3))
@example(run=([10], 8, 4, 1, 3))
@example(run=([0, 2], 5, 3, 0, 2))
def test_run_second_by_second(learner, run):
    """a run is what it is when it is lived through second by second"""
    got = expect.instance(learner.simulate_run(*run), dict, "the run")
    for key, want in lived(*run).items():
        expect.equal(expect.number(got.get(key), key), want, f'seconds under "{key}"')


@pytest.mark.core
@pytest.mark.hint("every second is spent on one of four things")
@given(seed=strategies.seeds(), mtbf=st.integers(50, 400), interval=st.integers(10, 100), write=st.integers(1, 9))
def test_seconds_add_up(learner, seed, mtbf, interval, write):
    """useful work, checkpoints, lost work and restarts add up to the wall time"""
    failures = np.unique(np.random.default_rng(seed).exponential(mtbf, 60).cumsum().astype(int)).tolist()
    got = expect.instance(learner.simulate_run(failures, 1000, interval, write, 7), dict, "the run")
    parts = {key: expect.number(got.get(key), key) for key in ("useful", "checkpoint", "lost", "restart")}
    expect.equal(sum(parts.values()), expect.number(got.get("wall"), "wall"), "sum of the parts")
    expect.equal(parts["useful"], 1000, "useful work")
    expect.equal(parts["checkpoint"], write * math.ceil(1000 / interval), "seconds of finished checkpoints")
    expect.at_least(parts["lost"], 0, "lost seconds")


@pytest.mark.core
@pytest.mark.hint("the model is the average over such runs: compare lost work and restarts in both")
@pytest.mark.parametrize("interval", [1200, 2580, 7200])
def test_average_of_runs(learner, interval):
    """runs with random failures take as long as the model says, on average"""
    # 60 runs of a million seconds of work with M = 11,100, d = 300, R = 600. Each has 138 segments or more, with a
    # standard deviation below its mean, so a mean of 60 runs is off by 1.1 % or less (one sigma). The failures are the
    # same for everybody and always, and with them the right answer is off by less than 2 %.
    walls, work = [], interval * (10**6 // interval)
    for seed in range(60):
        failures = np.unique(np.random.default_rng(seed).exponential(11_100, 600).cumsum().astype(int)).tolist()
        got = expect.instance(learner.simulate_run(failures, work, interval, 300, 600), dict, "the run")
        walls.append(expect.positive(got.get("wall"), "wall"))
    share = work / (sum(walls) / len(walls))
    expect.close(learner.goodput(interval, 300, 600, 11_100), share, "goodput, against 60 runs", rtol=0.03, atol=0)


@pytest.mark.edge
@pytest.mark.hint("a run without failures has a checkpoint after each interval, and one at the end")
@given(work=st.integers(1, 10**6), pieces=st.integers(1, 100), write=st.integers(0, 100), late=st.integers(0, 5))
def test_no_failures(learner, work, pieces, write, late):
    """a run without failures only works and writes; failures after its end do not matter"""
    interval = max(1, work // pieces)
    wall = work + write * math.ceil(work / interval)
    want = {"wall": wall, "useful": work, "checkpoint": wall - work, "lost": 0, "restart": 0}
    for failures in ([], [wall + late, wall + late + 1]):
        got = expect.instance(learner.simulate_run(failures, work, interval, write, 5), dict, "the run")
        expect.equal({key: expect.number(got.get(key), key) for key in want}, want, "seconds")


@pytest.mark.edge
@pytest.mark.hint("three methods, and ValueError for any other")
@given(method=st.sampled_from(["", "Young", "optimal", "first"]))
def test_unknown_methods(learner, method):
    """an unknown method is an error"""
    expect.raises(ValueError, learner.young_daly, 60, 10_000, method)


# --- scale


@pytest.mark.scale
@pytest.mark.hint("go from event to event, not from second to second")
def test_long_runs(learner):
    """a run that is a hundred times as long, with as many events, takes no longer to play"""

    # 200 segments and 100 failures in 2 * 10^5 and in 2 * 10^7 seconds; going second by second takes 100 times as long.
    def run(unit):
        return [k * 20 * unit + unit // 3 for k in range(1, 100)], 2000 * unit, 10 * unit, unit, 2 * unit

    expect.growth(
        learner.simulate_run, run(100), run(10_000), at_most=12, what="time for a hundred times as many seconds"
    )
