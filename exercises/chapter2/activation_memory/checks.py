"""Checks of activation_memory. Symbols: s length, b batch, h hidden, a heads, f ffn, t GPUs per layer, p stages.

The oracles add up the tensors of a layer one by one, go through the passes of 1F1B, and try all plans.
"""

import math
from itertools import accumulate, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect

MODES = ("none", "selective", "full")
SP = st.booleans()


def configs(most=4, widest=4):
    """Layers with the number of GPUs that share them, which divides heads, ffn and length."""

    def whole(drawn):
        tp, heads, width, ffn, length, batch, layers = drawn
        heads *= tp
        config = {"length": length * tp, "batch": batch, "hidden": heads * width, "heads": heads}
        return {**config, "ffn": ffn * tp, "layers": layers}, tp

    size = st.integers(1, most)
    return st.tuples(st.integers(1, widest), size, size, size, size, size, st.integers(1, 12)).map(whole)


SMALL = {"length": 4, "batch": 1, "hidden": 8, "heads": 2, "ffn": 16, "layers": 6}


# --- oracles


def tensors(config):
    """What a layer keeps: place, shape, bytes of one element; the list of Korthikanti et al., section 4.1."""
    stream = (config["length"], config["batch"], config["hidden"])
    scores = (config["batch"], config["heads"], config["length"], config["length"])
    wide = (config["length"], config["batch"], config["ffn"])
    return {
        "input of the first norm": ("outside", stream, 2),
        "input of query, key and value": ("outside", stream, 2),
        "query": ("inside", stream, 2),
        "key": ("inside", stream, 2),
        "softmax": ("core", scores, 2),
        "mask of the softmax": ("core", scores, 1),
        "softmax after dropout": ("core", scores, 2),
        "value": ("inside", stream, 2),
        "input of the output projection": ("inside", stream, 2),
        "mask after attention": ("outside", stream, 1),
        "input of the second norm": ("outside", stream, 2),
        "input of the MLP": ("outside", stream, 2),
        "input of GELU": ("inside", wide, 2),
        "input of the down projection": ("inside", wide, 2),
        "mask after the MLP": ("outside", stream, 1),
    }


def kept(config, tp, sp, recompute):
    """Bytes that one GPU keeps, tensor by tensor."""
    total = 0
    for name, (place, shape, size) in tensors(config).items():
        if recompute == "full" and name != "input of the first norm":
            continue
        if recompute == "selective" and place == "core":
            continue
        cut = tp if place != "outside" or sp else 1
        assert math.prod(shape) % cut == 0
        total += size * math.prod(shape) // cut
    return total


def most_in_flight(pp, stage, micro_batches):
    """Micro-batches that a stage has taken and not given back, at most: the passes of 1F1B in their order."""
    warm_up = min(pp - 1 - stage, micro_batches)
    passes = [1] * warm_up + [1, -1] * (micro_batches - warm_up) + [-1] * warm_up
    return max(accumulate(passes))


def least_cost(layers, budget, options):
    """Cost of the cheapest plan, from all plans at once; None where none fits."""
    none, selective = np.meshgrid(np.arange(layers + 1), np.arange(layers + 1), indexing="ij")
    counts = (none, selective, layers - none - selective)
    taken, cost = (sum(count * options[mode][i] for count, mode in zip(counts, MODES, strict=True)) for i in (0, 1))
    fits = (counts[2] >= 0) & (taken <= budget)
    return int(cost[fits].min()) if fits.any() else None


def judge_plan(plan, layers, budget, options, least):
    """A plan has the right number of layers, fits, and costs as little as any."""
    if least is None:
        expect.equal(plan, None, "the plan where none fits")
        return
    plan = expect.instance(plan, dict, "the plan")
    expect.true(set(plan) <= set(MODES), f"a plan has no keys but {', '.join(MODES)}", got=plan)
    counts = {mode: expect.number(count, f"layers with {mode!r}") for mode, count in plan.items()}
    whole = all(count in range(layers + 1) for count in counts.values())
    expect.true(whole and sum(counts.values()) == layers, f"whole numbers that add up to {layers}", got=plan)
    taken, cost = (sum(int(count) * options[mode][i] for mode, count in counts.items()) for i in (0, 1))
    expect.at_most(taken, budget, "bytes of the plan")
    expect.equal(cost, least, "cost of the plan")


# --- one layer


@pytest.mark.core
@pytest.mark.hint("which of the listed tensors are kept, by what is each divided, and has it one byte or two?")
@pytest.mark.parametrize("recompute", MODES)
@given(drawn=configs(), sp=SP)
@example(drawn=(SMALL, 1), sp=False)
@example(drawn=(SMALL, 2), sp=False)
@example(drawn=(SMALL, 2), sp=True)
def test_bytes_are_those_of_the_tensors(learner, recompute, drawn, sp):
    """a layer keeps what its tensors take"""
    config, tp = drawn
    expect.equal(learner.activation_bytes(config, tp, sp, recompute), kept(config, tp, sp, recompute), "bytes")


# Korthikanti et al. 2022, table 3 (b, h, a) with s = 2048, f = 4 h and t = 8; table 2 in bytes, row by row.
ROWS = ((1, False, "none"), (8, False, "none"), (8, True, "none"), (8, False, "selective"), (8, True, "selective"))
ROWS += ((8, False, "full"),)
PAPER = {
    "22B": ((4, 6144, 64), (7079985152, 1325400064, 884998144, 654311424, 213909504, 100663296)),
    "175B": ((1, 12288, 96), (2868903936, 578813952, 358612992, 327155712, 106954752, 50331648)),
    "530B": ((1, 20480, 128), (4110417920, 880803840, 513802240, 545259520, 178257920, 83886080)),
    "1T": ((1, 25600, 160), (5138022400, 1101004800, 642252800, 681574400, 222822400, 104857600)),
}


@pytest.mark.core
@pytest.mark.hint("sbh (34 + 5 as/h) on one GPU; with t of them sbh (10 + 24/t + 5 as/(ht))")
@pytest.mark.parametrize("model", PAPER)
def test_table_of_the_paper(learner, model):
    """the bytes per layer of table 2, for models of 22 billion to a trillion parameters"""
    (batch, hidden, heads), row = PAPER[model]
    config = {"length": 2048, "batch": batch, "hidden": hidden, "heads": heads, "ffn": 4 * hidden, "layers": 1}
    for (tp, sp, recompute), want in zip(ROWS, row, strict=True):
        got = learner.activation_bytes(config, tp, sp, recompute)
        expect.equal(got, want, f"bytes with tp={tp}, sp={sp}, {recompute!r}")


@pytest.mark.core
@pytest.mark.hint("with sequence parallelism nothing is kept twice, so t GPUs keep as much as one did")
@given(drawn=configs(most=60, widest=16), recompute=st.sampled_from(MODES))
def test_sequence_parallelism_divides_everything(learner, drawn, recompute):
    """with sequence parallelism t GPUs together keep what one would; without, they keep more"""
    config, tp = drawn
    alone = expect.number(learner.activation_bytes(config, 1, False, recompute), "bytes on one GPU")
    cut = expect.number(learner.activation_bytes(config, tp, True, recompute), "bytes with sequence parallelism")
    expect.equal(cut * tp, alone, "bytes of all GPUs together")
    whole = expect.number(learner.activation_bytes(config, tp, False, recompute), "bytes without it")
    twice = 2 if recompute == "full" else 10  # bytes per element of sbh that each GPU keeps whole
    stream = config["length"] * config["batch"] * config["hidden"]
    expect.equal((whole - cut) * tp, twice * stream * (tp - 1), "what is kept more than once")


@pytest.mark.core
@pytest.mark.hint("only the core of attention, 5 as²b, grows with the square of the length")
@given(drawn=configs(most=60, widest=16), sp=SP)
def test_twice_the_length(learner, drawn, sp):
    """more recomputation keeps less; at twice the length the core takes four times as much, the rest twice"""
    config, tp = drawn
    once, twice = (
        [expect.number(learner.activation_bytes({**config, "length": length}, tp, sp, mode), mode) for mode in MODES]
        for length in (config["length"], 2 * config["length"])
    )
    for less, more in ((1, 0), (2, 1)):
        expect.at_most(once[less], once[more], f"bytes with {MODES[less]!r} against {MODES[more]!r}")
    expect.equal(twice[0] - twice[1], 4 * (once[0] - once[1]), "bytes that selective recomputation saves")
    for place in (1, 2):
        expect.equal(twice[place], 2 * once[place], f"bytes with {MODES[place]!r} at twice the length")


# --- a pipeline stage


@pytest.mark.core
@pytest.mark.hint("how many micro-batches has the stage taken when the first one comes back from the stages behind it?")
@given(
    drawn=configs(most=3, widest=2),
    sp=SP,
    recompute=st.sampled_from(MODES),
    pp=st.integers(1, 5),
    place=st.integers(0, 4),
    micro_batches=st.integers(1, 8),
)
@example(drawn=(SMALL, 2), sp=False, recompute="none", pp=3, place=1, micro_batches=8)
def test_stage_keeps_what_is_in_flight(learner, drawn, sp, recompute, pp, place, micro_batches):
    """a stage keeps its layers' activations for each micro-batch that 1F1B has in flight there"""
    (config, tp), stage = drawn, place % pp
    config = {**config, "layers": config["layers"] * pp}
    got = learner.stage_activation_bytes(config, tp, sp, recompute, pp, stage, micro_batches)
    layers = config["layers"] // pp
    want = layers * most_in_flight(pp, stage, micro_batches) * kept(config, tp, sp, recompute)
    expect.equal(got, want, f"bytes of stage {stage} of {pp}")


@pytest.mark.core
@pytest.mark.hint("p micro-batches are in flight in the first stage, and it has L/p layers")
@given(drawn=configs(), sp=SP, recompute=st.sampled_from(MODES), more=st.integers(0, 100))
def test_first_stage_keeps_all_layers(learner, drawn, sp, recompute, more):
    """with enough micro-batches the first stage keeps L layers' worth for any number of stages, the last one L/p"""
    config, tp = drawn
    config = {**config, "layers": 24}
    layer = kept(config, tp, sp, recompute)
    for pp in (1, 2, 3, 8, 24):
        first, last = (
            learner.stage_activation_bytes(config, tp, sp, recompute, pp, stage, pp + more) for stage in (0, pp - 1)
        )
        expect.equal(first, 24 * layer, f"bytes of the first of {pp} stages")
        expect.equal(last, 24 // pp * layer, f"bytes of the last of {pp} stages")


# --- what to recompute


def option_sets(most=12, dearest=9):
    """Bytes that never grow and costs that never fall, from none to full."""

    def ordered(drawn):
        sizes, costs = (sorted(each) for each in drawn)
        return dict(zip(MODES, zip(sizes[::-1], costs, strict=True), strict=True))

    three = [st.lists(st.integers(0, top), min_size=3, max_size=3) for top in (most, dearest)]
    return st.tuples(*three).map(ordered)


EXAMPLE = {"none": (10, 0), "selective": (6, 2), "full": (1, 8)}


@pytest.mark.core
@pytest.mark.hint("a plan is three counts that add up to the number of layers; try them all")
@given(layers=st.integers(0, 5), budget=st.integers(0, 40), options=option_sets())
@example(layers=4, budget=33, options=EXAMPLE)
@example(layers=4, budget=13, options=EXAMPLE)  # one layer that keeps everything beats one that is selective
@example(layers=4, budget=32, options=EXAMPLE)
@example(layers=4, budget=3, options=EXAMPLE)
@example(layers=1, budget=10, options=EXAMPLE)
@example(layers=3, budget=15, options={"none": (9, 0), "selective": (6, 4), "full": (3, 5)})
def test_no_plan_is_better(learner, layers, budget, options):
    """the plan fits, and no choice for each layer costs less"""
    plans = product(options.values(), repeat=layers)
    costs = [sum(cost for _, cost in plan) for plan in plans if sum(size for size, _ in plan) <= budget]
    plan = learner.best_recompute(layers, budget, options)
    judge_plan(plan, layers, budget, options, min(costs, default=None))


@pytest.mark.edge
@pytest.mark.hint("a plan that takes the whole budget fits; one byte less and it does not")
@given(layers=st.integers(1, 40), options=option_sets(most=10**12, dearest=10**12))
def test_just_enough(learner, layers, options):
    """memory that is just enough for a mode everywhere is enough, one byte less than full everywhere is not"""
    for mode in MODES:
        budget = layers * options[mode][0]
        plan = learner.best_recompute(layers, budget, options)
        judge_plan(plan, layers, budget, options, least_cost(layers, budget, options))
    if options["full"][0]:
        less = layers * options["full"][0] - 1
        expect.equal(learner.best_recompute(layers, less, options), None, "the plan with one byte less")


@pytest.mark.scale
@pytest.mark.hint("layers are alike: count how many take each option instead of choosing for each layer")
@pytest.mark.parametrize("length", [2048, 8192])
def test_sixty_layers(learner, length):
    """sixty layers are planned at once, though there are 3**60 ways to choose"""
    config = {"length": length, "batch": 1, "hidden": 8192, "heads": 64, "ffn": 32_768}
    # Appendix A of the paper: FLOPs of the products with K and with V, and of a whole forward pass; in millions.
    core = 4 * length**2 * config["hidden"] // 10**6
    whole = core + 24 * length * config["hidden"] ** 2 // 10**6
    options = {mode: (kept(config, 1, False, mode), cost) for mode, cost in zip(MODES, (0, core, whole), strict=True)}
    for percent in (1, 7, 30, 65, 99, 120):
        budget = percent * 60 * options["none"][0] // 100
        plan = learner.best_recompute(60, budget, options)
        judge_plan(plan, 60, budget, options, least_cost(60, budget, options))


# --- errors


@pytest.mark.edge
@pytest.mark.hint("raise ValueError where tp, pp, stage or recompute cannot be what it is said to be")
@given(drawn=configs(), pp=st.integers(1, 5))
def test_impossible_arguments(learner, drawn, pp):
    """what cannot be divided evenly, and stages and modes that do not exist, are errors"""
    config, tp = drawn
    config = {**config, "layers": config["layers"] * pp}
    wrong = [({**config, key: 4 * tp * config[key] + 1}, 2 * tp, key == "length", "none") for key in ("ffn", "length")]
    heads = 4 * tp * config["heads"] + 1
    wrong.append(({**config, "heads": heads, "hidden": 2 * tp * heads}, 2 * tp, False, "full"))
    wrong += [(config, tp, False, mode) for mode in ("all", "", "half")]
    for args in wrong:
        expect.raises(ValueError, learner.activation_bytes, *args)
        expect.raises(ValueError, learner.stage_activation_bytes, *args, 1, 0, 4)
    for stages, stage in ((pp, pp), (pp, -1), (config["layers"] + 1, 0)):
        expect.raises(ValueError, learner.stage_activation_bytes, config, tp, False, "none", stages, stage, 4)
