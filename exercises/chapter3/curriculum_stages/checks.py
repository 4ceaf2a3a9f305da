"""Checks of curriculum_stages.

Weights are linear between whole tokens, so the sum of the weights in the middle of every token is their integral: small
plans are drawn token by token. Large ones are compared with exact fractions.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect

SOURCES = ("web", "code", "math")
MIXTURES = st.dictionaries(st.sampled_from(SOURCES), st.integers(0, 4), min_size=1).filter(
    lambda mixture: any(mixture.values())
)


def build(parts):
    """A plan from (sequence length, sequences, mixture, sixths of the stage that are blended) of each stage."""
    plan = []
    for length, count, mixture, sixths in parts:
        blend = sixths * length * count // 6 if plan else 0
        plan.append({"tokens": length * count, "sequence_length": length, "mixture": mixture, "blend": blend})
    return plan


PLANS = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 3), MIXTURES, st.integers(0, 6)), min_size=1, max_size=4
).map(build)
SHARES = st.integers(0, 100)  # per cent of a plan's tokens
EXAMPLE = [  # the statement's
    {"tokens": 24, "sequence_length": 4, "mixture": {"web": 3, "code": 1}, "blend": 0},
    {"tokens": 16, "sequence_length": 4, "mixture": {"web": 1, "code": 1, "math": 2}, "blend": 8},
    {"tokens": 4, "sequence_length": 4, "mixture": {"code": 1, "math": 3}, "blend": 4},
    {"tokens": 32, "sequence_length": 16, "mixture": {"books": 1, "code": 1}, "blend": 0},
]


def length_of(plan):
    """Tokens of a plan."""
    return sum(stage["tokens"] for stage in plan)


def sources_of(plan):
    """All sources of a plan."""
    return {source for stage in plan for source in stage["mixture"]}


def share_of(stage, source):
    """A stage's own weight of a source, exactly."""
    return Fraction(stage["mixture"].get(source, 0)) / Fraction(sum(stage["mixture"].values()))


def pieces(plan, source):
    """(begin, end, weight at the beginning, weight at the end) of the parts on which a source's weight is linear."""
    begin = 0
    for number, stage in enumerate(plan):
        ramp, end, new = begin + stage["blend"], begin + stage["tokens"], share_of(stage, source)
        if ramp > begin:
            yield begin, ramp, share_of(plan[number - 1], source), new
        if end > ramp:
            yield ramp, end, new, new
        begin = end


def weight(plan, source, t):
    """The weight of a source at token t, exactly."""
    for begin, end, first, last in pieces(plan, source):
        if begin <= t < end:
            return first + (last - first) * (Fraction(t) - begin) / (end - begin)
    raise AssertionError("outside of the plan")


def drawn(plan, source, t):
    """Tokens of a source before token t, exactly."""
    total = Fraction(0)
    for begin, end, first, last in pieces(plan, source):
        x = min(Fraction(t), end) - begin
        if x > 0:
            total += x * first + (last - first) * x * x / (2 * (end - begin))
    return total


def read(answer, plan, what):
    """A dict of finite numbers for exactly the sources of a plan."""
    values = expect.instance(answer, dict, what)
    expect.true(set(values) == sources_of(plan), f"{what} are for the sources of the plan", got=values)
    return {source: expect.number(value, what) for source, value in values.items()}


def close(got, want, what):
    """Ask for the same numbers of each source, as precisely as the contract asks."""
    largest = max(abs(float(value)) for value in want.values())
    expect.close(got, {source: float(value) for source, value in want.items()}, what, rtol=1e-9, atol=1e-9 * largest)


# --- where


@pytest.mark.core
@pytest.mark.hint("take the stage's beginning off tokens_seen; whole sequences and the rest are a division")
@settings(max_examples=15)
@given(plan=PLANS)
@example(plan=EXAMPLE)
def test_every_token_has_its_place(learner, plan):
    """walking through a plan token by token gives stage, sequence and offset"""
    seen = 0
    for number, stage in enumerate(plan):
        for token in range(stage["tokens"]):
            place = number, token // stage["sequence_length"], token % stage["sequence_length"]
            got = [expect.integer(each, "stage, sequence, offset") for each in place_at(learner, plan, seen)]
            expect.equal(got, place, f"(stage, sequence, offset) after {seen} tokens")
            seen += 1


def place_at(learner, plan, tokens_seen):
    """The learner's stage, sequence and offset."""
    place = expect.sequence(learner.stage_at(plan, tokens_seen), "(stage, sequence, offset)")
    expect.length(place, 3, "(stage, sequence, offset)")
    return place


# --- weights


@pytest.mark.core
@pytest.mark.hint(
    "normalise each mixture; over the blend, go in a straight line from the last stage's weights to these"
)
@settings(max_examples=20)
@given(plan=PLANS, percent=st.integers(0, 99))
@example(plan=EXAMPLE, percent=36)
def test_weights_of_any_token(learner, plan, percent):
    """weights are the stage's own after its blend, and on the line from the last stage's during it"""
    begin = 0
    for stage in plan:
        for t in {begin, begin + stage["blend"] // 2, begin + stage["blend"], begin + stage["tokens"] * percent // 100}:
            if t < begin + stage["tokens"]:
                got = read(learner.mixture_at(plan, t), plan, "weights")
                want = {source: float(weight(plan, source, t)) for source in sources_of(plan)}
                expect.close(got, want, f"weights at token {t}", rtol=0, atol=1e-9)
        begin += stage["tokens"]


@pytest.mark.core
@pytest.mark.hint("at its first token a blend has the last stage's weights; it begins where the stage begins")
@settings(max_examples=15)
@given(plan=PLANS)
def test_blends_have_no_steps(learner, plan):
    """weights sum to 1, and where a stage is blended they do not jump"""
    begin, before = 0, None
    for number, stage in enumerate(plan):
        at = [read(learner.mixture_at(plan, begin + x), plan, "weights") for x in range(stage["tokens"])]
        for weights in at:
            expect.close(sum(weights.values()), 1, "the sum of the weights", rtol=1e-9, atol=0)
        if stage["blend"]:
            step = Fraction(1, stage["blend"])
            for one, two in zip([before, *at[:-1]], at, strict=True):
                largest = max(abs(one[source] - two[source]) for source in one)
                expect.at_most(largest, float(step) + 1e-9, f"change from one token to the next in stage {number}")
            expect.close(at[0], before, f"weights at the first token of stage {number}", rtol=0, atol=1e-9)
        before = {source: float(share_of(stage, source)) for source in sources_of(plan)}
        begin += stage["tokens"]


# --- tokens


@pytest.mark.core
@pytest.mark.hint(
    "over a blend the mean weight is the mean of those at its two ends; a part of a blend has its own ends"
)
@settings(max_examples=15)
@given(plan=PLANS, low=SHARES, high=SHARES)
@example(plan=EXAMPLE, low=0, high=100)
def test_tokens_are_the_sum_of_the_weights(learner, plan, low, high):
    """tokens of a source are its weights, added up token by token"""
    start, stop = (length_of(plan) * share // 100 for share in sorted((low, high)))
    got = read(learner.tokens_by_source(plan, start, stop), plan, "tokens")
    want = dict.fromkeys(sources_of(plan), 0.0)
    for token in range(start, stop):
        # Weights are linear within a token: the one in its middle is its mean.
        for source, each in read(learner.mixture_at(plan, token + 0.5), plan, "weights").items():
            want[source] += each
    close(got, want, f"tokens from {start} to {stop}, against your own weights")
    exact = {source: drawn(plan, source, stop) - drawn(plan, source, start) for source in sources_of(plan)}
    close(got, exact, f"tokens from {start} to {stop}")


@pytest.mark.core
@pytest.mark.hint(
    "a run that resumes in a blend goes on with the blend; start and stop count from the plan's beginning"
)
@settings(max_examples=20)
@given(plan=PLANS, cuts=st.lists(SHARES, max_size=3))
@example(plan=EXAMPLE, cuts=[34, 56])
def test_interrupted_runs_draw_the_same(learner, plan, cuts):
    """however often a run is interrupted, its parts draw what one run draws"""
    total = length_of(plan)
    points = [0, *sorted(cut * total / 100 for cut in cuts), total]
    whole = read(learner.tokens_by_source(plan), plan, "tokens")
    summed = dict.fromkeys(whole, 0.0)
    for start, stop in pairwise(points):
        part = read(learner.tokens_by_source(plan, start, stop), plan, "tokens")
        expect.close(sum(part.values()), stop - start, "tokens of all sources", rtol=1e-9, atol=1e-9 * total)
        for source in part:
            summed[source] += part[source]
    close(summed, whole, f"tokens of the parts at {points}, added up")


# --- epochs


@pytest.mark.core
@pytest.mark.hint("tokens that were drawn, over tokens that the source has")
@settings(max_examples=20)
@given(plan=PLANS, sizes=st.tuples(*[st.integers(1, 50)] * 3), low=SHARES, high=SHARES)
def test_epochs_are_tokens_over_sizes(learner, plan, sizes, low, high):
    """epochs are drawn tokens over the source's tokens, and sources outside of the plan are not mentioned"""
    has = dict(zip(SOURCES, sizes, strict=True)) | {"unused": 7}
    start, stop = (length_of(plan) * share / 100 for share in sorted((low, high)))
    got = read(learner.epochs_by_source(plan, has, start, stop), plan, "epochs")
    want = {
        source: (drawn(plan, source, stop) - drawn(plan, source, start)) / has[source] for source in sources_of(plan)
    }
    close(got, want, f"epochs from {start} to {stop}")
    whole = read(learner.epochs_by_source(plan, has), plan, "epochs")
    close(whole, {source: drawn(plan, source, length_of(plan)) / has[source] for source in whole}, "epochs of the plan")


def decided_by_rounding(plan, source, allowed):
    """Whether about as much as is allowed is drawn when the plan ends, or where the weight goes to or comes from 0."""
    borders = [length_of(plan)]
    for begin, end, first, last in pieces(plan, source):
        borders += [begin] * (first == 0) + [end] * (last == 0)
    return any(abs(drawn(plan, source, border) - allowed) < allowed / 100 for border in borders)


@pytest.mark.core
@pytest.mark.hint("find the part in which the allowance is used up; in a blend, tokens grow as a parabola")
@given(
    plan=PLANS,
    sizes=st.tuples(*[st.integers(1, 30)] * 3),
    max_epochs=st.sampled_from([0.25, 0.5, 1.0, 1.75]),
)
@example(plan=build([(4, 4, {"web": 1}, 0), (4, 4, {"code": 1}, 6)]), sizes=(20, 5, 1), max_epochs=1.0)
@example(
    plan=build([(4, 2, {"web": 1}, 0), (4, 2, {"code": 1}, 0), (4, 4, {"web": 1}, 6)]), sizes=(10, 4, 1), max_epochs=1
)
def test_allowance_is_used_up(learner, plan, sizes, max_epochs):
    """up to the answer just as much is drawn as is allowed, and not before; None where it is never reached"""
    has = dict(zip(SOURCES, sizes, strict=True))
    got = expect.instance(learner.exhausted_at(plan, has, max_epochs), dict, "answers")
    expect.true(set(got) == sources_of(plan), "there is an answer for each source of the plan", got=got)
    total = length_of(plan)
    for source in sorted(got):
        allowed = Fraction(max_epochs) * has[source]
        if decided_by_rounding(plan, source, allowed):
            continue
        if drawn(plan, source, total) < allowed:
            expect.equal(got[source], None, f"{source}, of which too little is drawn")
            continue
        at = expect.number(got[source], f"when {source} is used up")
        expect.between(at, 0, total, f"when {source} is used up")
        expect.close(
            float(drawn(plan, source, at)), float(allowed), f"tokens of {source} up to then", rtol=1e-9, atol=0
        )
        early = max(Fraction(at) - Fraction(total, 10**6), 0)
        expect.true(drawn(plan, source, early) < allowed, f"{source} is not used up before {float(early)}", got=at)


# --- edges


@pytest.mark.edge
@pytest.mark.hint("the end of a plan is no token of it; a plan may be summed up to its end and over nothing")
@settings(max_examples=20)
@given(plan=PLANS, beyond=st.integers(0, 5), before=st.integers(-5, -1))
def test_outside_of_the_plan(learner, plan, beyond, before):
    """points outside of a plan are errors; the whole plan and nothing of it are not"""
    total = length_of(plan)
    for t in (total + beyond, before):
        expect.raises(ValueError, learner.stage_at, plan, t)
        expect.raises(ValueError, learner.mixture_at, plan, t)
    for start, stop in ((before, total), (0, total + 1 + beyond), (total, 0)):
        expect.raises(ValueError, learner.tokens_by_source, plan, start, stop)
        expect.raises(ValueError, learner.epochs_by_source, plan, dict.fromkeys(SOURCES, 9), start, stop)
    for t in (0, total):
        nothing = read(learner.tokens_by_source(plan, t, t), plan, "tokens")
        expect.close(nothing, dict.fromkeys(nothing, 0), f"tokens from {t} to {t}", rtol=0, atol=1e-9)
    rest = read(learner.tokens_by_source(plan, 1), plan, "tokens")
    close(rest, {source: drawn(plan, source, total) - drawn(plan, source, 1) for source in rest}, "tokens from 1 on")


BROKEN = [
    {"tokens": 0},
    {"tokens": -4},
    {"tokens": 10},
    {"sequence_length": 0},
    {"sequence_length": -4},
    {"blend": -1},
    {"blend": 13},
    {"mixture": {}},
    {"mixture": {"web": 0, "code": 0}},
    {"mixture": {"web": 2, "code": -1}},
]


@pytest.mark.edge
@pytest.mark.hint("look at the whole plan before you answer, also at stages that come later")
@pytest.mark.parametrize("fault", range(len(BROKEN)))
def test_impossible_plans(learner, fault):
    """a plan with an impossible stage is an error for every function"""
    good = {"tokens": 12, "sequence_length": 4, "mixture": {"web": 1}, "blend": 0}
    refuse(learner, [good, good | BROKEN[fault]])


@pytest.mark.edge
@pytest.mark.hint("there is nothing before the first stage to blend from, and a plan has at least one stage")
def test_impossible_beginnings(learner):
    """no stage, a blend into the first stage, and no epochs at all are errors; a blend over a whole stage is none"""
    good = {"tokens": 12, "sequence_length": 4, "mixture": {"web": 1}, "blend": 0}
    refuse(learner, [])
    for blend in (1, 4, 12):
        refuse(learner, [good | {"blend": blend}, good])
    for max_epochs in (0, -1.0):
        expect.raises(ValueError, learner.exhausted_at, [good], {"web": 5}, max_epochs)
    plan = [good, good | {"mixture": {"code": 2}, "blend": 12}]
    close(read(learner.tokens_by_source(plan), plan, "tokens"), {"web": 18, "code": 6}, "tokens of a plan of a blend")


def refuse(learner, plan):
    """Ask every function to refuse a plan."""
    sizes = dict.fromkeys(SOURCES, 9)
    expect.raises(ValueError, learner.stage_at, plan, 0)
    expect.raises(ValueError, learner.mixture_at, plan, 0)
    expect.raises(ValueError, learner.tokens_by_source, plan, 0, 0)
    expect.raises(ValueError, learner.epochs_by_source, plan, sizes, 0, 0)
    expect.raises(ValueError, learner.exhausted_at, plan, sizes, 1.0)


# --- scale


BILLION = 10**9
LARGE = [  # the size and the stages of a published run, with mixtures of our own
    {
        "tokens": 14_800 * 2**30,
        "sequence_length": 8192,
        "mixture": {"web": 0.82, "code": 0.17, "math": 0.01},
        "blend": 0,
    },
    {
        "tokens": 600 * 2**30,
        "sequence_length": 8192,
        "mixture": {"web": 0.5, "code": 0.3, "math": 0.2},
        "blend": 150 * 2**30,
    },
    {
        "tokens": 800 * 2**30,
        "sequence_length": 131072,
        "mixture": {"books": 7, "web": 2, "code": 1},
        "blend": 37 * BILLION,
    },
    {"tokens": 40 * 2**30, "sequence_length": 131072, "mixture": {"math": 3, "code": 1}, "blend": 40 * 2**30},
]


@pytest.mark.scale
@pytest.mark.hint("nobody counts seventeen trillion tokens one by one: each part of a plan has a closed form")
def test_a_plan_of_trillions(learner):
    """a plan of seventeen trillion tokens is answered in a second per call, and as precisely as a small one"""
    total = length_of(LARGE)
    sizes = {"web": 9_000 * BILLION, "code": 700 * BILLION, "math": 72 * BILLION, "books": 140 * BILLION}
    rng = np.random.default_rng(4)
    points = [0, *sorted(rng.integers(total, size=6).tolist()), total - 50 * BILLION, total]
    for start, stop in pairwise(points):
        got = quick(learner.tokens_by_source, LARGE, start, stop)
        want = {source: drawn(LARGE, source, stop) - drawn(LARGE, source, start) for source in sources_of(LARGE)}
        close(read(got, LARGE, "tokens"), want, f"tokens from {start} to {stop}")
        weights = read(quick(learner.mixture_at, LARGE, start), LARGE, "weights")
        exact = {source: float(weight(LARGE, source, start)) for source in sources_of(LARGE)}
        expect.close(weights, exact, f"weights at {start}", rtol=0, atol=1e-9)
    ends = quick(learner.exhausted_at, LARGE, sizes, 4.0)
    for source, at in sorted(expect.instance(ends, dict, "answers").items()):
        allowed = 4 * sizes[source]
        if drawn(LARGE, source, total) < allowed:
            expect.equal(at, None, f"{source}, of which too little is drawn")
        else:
            at = expect.number(at, f"when {source} is used up")
            expect.close(
                float(drawn(LARGE, source, at)), float(allowed), f"tokens of {source} up to then", rtol=1e-9, atol=0
            )


def quick(function, *args):
    """The answer of a call that takes at most a second of CPU time."""
    seen = function.observe(*args)
    expect.at_most(seen.cpu_s or 0.0, 1.0, "CPU seconds of the call")
    return seen.value
