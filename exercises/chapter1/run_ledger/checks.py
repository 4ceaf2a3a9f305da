"""Checks of run_ledger. Symbols: N parameters of the model, D training tokens, MFU model FLOPs utilization.

The oracles count the multiplications of small networks, choose the time first and make the machine that takes
it, fill steps one by one, and compare with published runs.
"""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect

# The contract: 1 part in 10**9. Some ten multiplications and divisions in double precision make at most
# 10 * 1.1e-16 = 1e-15 of it.
PRECISION = 1e-9
DAY = 86_400  # seconds
A_RUN = {  # the statement's example
    "params": 10**9,
    "tokens": 2 * 10**10,
    "gpus": 8,
    "peak_flops": 1e15,
    "mfu": 0.4,
    "batch_tokens": 2**19,
    "bytes_per_token": 2,
    "price_per_gpu_hour": 2.5,
}
ARGUMENTS = tuple(A_RUN)  # in the order of the stub
KEYS = ("flops", "days", "steps", "gpu_hours", "cost", "disk_bytes")

FRACTIONS = st.integers(1, 100).map(lambda percent: percent / 100)
PEAKS = st.integers(1, 5000).map(lambda teraflops: teraflops * 1e12)
PRICES = st.integers(0, 1000).map(lambda cents: cents / 100)
SIZES = st.one_of(st.sampled_from([2, 4]), st.integers(1, 80).map(lambda tenths: tenths / 10))
RUNS = st.fixed_dictionaries(
    {
        "params": st.integers(1, 10**13),
        "tokens": st.integers(1, 10**14),
        "gpus": st.integers(1, 10**6),
        "peak_flops": PEAKS,
        "mfu": FRACTIONS,
        "batch_tokens": st.integers(1, 10**8),
        "bytes_per_token": SIZES,
        "price_per_gpu_hour": PRICES,
    }
)


def values(run):
    """The arguments in the order of the stub; drawn dicts may have another."""
    return [run[argument] for argument in ARGUMENTS]


def plan(learner, run):
    """The learner's plan as a dict of numbers."""
    answer = expect.instance(learner.plan_run(*values(run)), dict, "the plan")
    expect.equal(set(answer), set(KEYS), "the keys of the plan")
    return {key: expect.number(answer[key], key) for key in KEYS}


def close(got, want, what):
    """Equal within what the contract allows."""
    expect.close(got, want, what, rtol=PRECISION, atol=0)


# --- work and time


@pytest.mark.core
@pytest.mark.hint(
    "a weight is multiplied and added once per token forward; how many products does the backward pass take?"
)
@given(widths=st.lists(st.integers(1, 300), min_size=2, max_size=5), tokens=st.integers(1, 10**6))
def test_flops_are_those_of_the_matrices(learner, widths, tokens):
    """the FLOPs are those of the three matrix products that training takes per layer"""
    params = flops = 0
    for fan_in, fan_out in pairwise(widths):
        params += fan_in * fan_out
        # An (m, k) by (k, n) product is m n dot products of length k: k multiplications and k additions each.
        forward, input_gradient, weight_gradient = (
            2 * m * k * n
            for m, k, n in ((tokens, fan_in, fan_out), (tokens, fan_out, fan_in), (fan_in, tokens, fan_out))
        )
        flops += forward + input_gradient + weight_gradient
    close(plan(learner, {**A_RUN, "params": params, "tokens": tokens})["flops"], flops, "FLOPs")


@pytest.mark.core
@pytest.mark.hint("how many FLOPs do all GPUs together do in a second, and how many seconds has a day?")
@given(run=RUNS, seconds=st.integers(1, 10**8))
def test_days_are_those_of_the_machine(learner, run, seconds):
    """a machine made to do the work in a given time takes that time"""
    work = 6 * run["params"] * run["tokens"]
    peak = work / (run["gpus"] * run["mfu"] * seconds)
    close(plan(learner, {**run, "peak_flops": peak})["days"], seconds / DAY, "days")


# Published runs: arguments that differ from A_RUN, and what was published. Where the throughput was published
# and not the MFU, the MFU is 6 N times tokens per GPU and second over the peak.
A100, H800, TPU_V4 = 312e12, 989.4e12, 275e12  # dense bf16
LLAMA = {"params": 65_200_000_000, "gpus": 2048, "peak_flops": A100, "mfu": 6 * 65.2e9 * 380 / A100}
# 180,000 GPU-hours per 10**12 tokens.
DEEPSEEK = {"params": 37 * 10**9, "gpus": 2048, "peak_flops": H800, "mfu": 6 * 37e9 * 1e12 / (180e3 * 3600) / H800}
# 140 and 163 * 10**12 FLOPs per second are with recomputation: 8 N D, of which 6 N D are the model's.
MEGATRON_GPT = {"params": 175 * 10**9, "gpus": 1024, "peak_flops": A100, "mfu": 140e12 * 6 / 8 / A100}
MEGATRON_1T = {"params": 1008 * 10**9, "gpus": 3072, "peak_flops": A100, "mfu": 163e12 * 6 / 8 / A100}
PALM = {"params": 540_350_000_000, "gpus": 6144, "peak_flops": TPU_V4, "mfu": 0.457}
PUBLISHED = {
    # Brown et al. 2020, table D.1
    "GPT-3": ({"params": 174_600_000_000, "tokens": 300 * 10**9}, {"flops": 3.14e23}),
    # Grattafiori et al. 2024, section 1
    "Llama 3 405B": ({"params": 405 * 10**9, "tokens": 156 * 10**11}, {"flops": 3.8e25}),
    # Narayanan et al. 2021, section 5.1
    "Megatron-LM, 175B": ({**MEGATRON_GPT, "tokens": 300 * 10**9}, {"days": 34}),
    "Megatron-LM, 1T": ({**MEGATRON_1T, "tokens": 450 * 10**9}, {"days": 84}),
    # Chowdhery et al. 2022, table 3 and appendix B: 45.7 % without attention, 238,300 tokens per second
    "PaLM, a day of it": ({**PALM, "tokens": 238_300 * DAY}, {"days": 1}),
    # Touvron et al. 2023, section 2.4 and table 15
    "LLaMA 65B": ({**LLAMA, "tokens": 14 * 10**11}, {"days": 21, "gpu_hours": 1_022_362}),
    # DeepSeek-AI 2024, section 1 and table 1
    "DeepSeek-V3, 10**12 tokens": ({**DEEPSEEK, "tokens": 10**12}, {"days": 3.7}),
    "DeepSeek-V3": (
        {**DEEPSEEK, "tokens": 148 * 10**11, "price_per_gpu_hour": 2.0},
        {"gpu_hours": 2.664e6, "cost": 5.328e6},
    ),
    # Biderman et al. 2023: 143,000 steps of 2,097,152 tokens
    "Pythia": ({"tokens": 299_892_736_000, "batch_tokens": 2_097_152}, {"steps": 143_000}),
}


@pytest.mark.core
@pytest.mark.hint("work it through for one of the statement's published runs, unit by unit")
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_runs(learner, name):
    """published runs come out within 2 %"""
    changed, published = PUBLISHED[name]
    got = plan(learner, {**A_RUN, **changed})
    for key, want in published.items():
        expect.close(got[key], want, f"{key} of {name}", rtol=0.02, atol=0)


# --- what follows from what


GROWTH = {  # argument: what is multiplied by k when it is, and what is divided by k
    "params": (("flops", "days", "gpu_hours", "cost"), ()),
    "tokens": (("flops", "days", "steps", "gpu_hours", "cost", "disk_bytes"), ()),
    "gpus": ((), ("days",)),
    "peak_flops": ((), ("days", "gpu_hours", "cost")),
    "mfu": ((), ("days", "gpu_hours", "cost")),
    "batch_tokens": ((), ("steps",)),
    "bytes_per_token": (("disk_bytes",), ()),
    "price_per_gpu_hour": (("cost",), ()),
}


@pytest.mark.core
@pytest.mark.hint("twice the GPUs take half the days, and as many GPU-hours: what else changes, and what must not?")
@pytest.mark.parametrize("argument", GROWTH)
@settings(max_examples=12)
@given(run=RUNS, batch=st.integers(1, 1000), batches=st.integers(1, 1000), k=st.integers(2, 9))
def test_scaling(learner, argument, run, batch, batches, k):
    """k times an argument changes what depends on it k-fold, and nothing else"""
    # Whole batches before and after, so that steps scale exactly.
    run = {**run, "batch_tokens": batch, "tokens": batch * batches * k}
    small = dict(run)
    if argument == "params":
        small["params"] = max(run["params"] // k, 1)  # k times as many are still in range
    if argument == "mfu":
        small["mfu"] = run["mfu"] / k
    before = plan(learner, small)
    after = plan(learner, {**small, argument: run["mfu"] if argument == "mfu" else small[argument] * k})
    grows, shrinks = GROWTH[argument]
    for key in KEYS:
        factor = k if key in grows else 1 / k if key in shrinks else 1
        close(after[key], before[key] * factor, f"{key}, {argument} being {k} times as large")


@pytest.mark.core
@pytest.mark.hint("GPU-hours are hours times GPUs; what is paid for is GPU-hours; what is stored is tokens")
@given(run=RUNS)
@example(run=A_RUN)
def test_books_balance(learner, run):
    """GPU-hours follow from days, the cost from GPU-hours, the bytes from tokens"""
    got = plan(learner, run)
    close(got["gpu_hours"], got["days"] * 24 * run["gpus"], "GPU-hours, against days and GPUs")
    close(got["cost"], got["gpu_hours"] * run["price_per_gpu_hour"], "cost, against GPU-hours")
    close(got["disk_bytes"], run["tokens"] * run["bytes_per_token"], "bytes on disk")


# --- steps


@pytest.mark.core
@pytest.mark.hint("fill one batch after the other until no token is left: when is a step begun?")
@given(tokens=st.integers(1, 300), batch=st.integers(1, 60))
def test_steps_use_up_the_tokens(learner, tokens, batch):
    """there are as many steps as batches can be begun"""
    steps, left = 0, tokens
    while left > 0:
        left -= batch
        steps += 1
    expect.equal(plan(learner, {**A_RUN, "tokens": tokens, "batch_tokens": batch})["steps"], steps, "steps")


@pytest.mark.edge
@pytest.mark.hint("one token more or less than whole batches: rounding to the nearest will not do")
@given(batch=st.integers(2, 10**8), batches=st.integers(1, 10**6 - 1))  # with one token more, still 10**14 at most
def test_last_batch(learner, batch, batches):
    """one token too many takes one more step, one too few takes none less"""
    for more, steps in ((-1, batches), (0, batches), (1, batches + 1)):
        run = {**A_RUN, "tokens": batch * batches + more, "batch_tokens": batch}
        expect.equal(plan(learner, run)["steps"], steps, f"steps for {batches} batches and {more} tokens")


@pytest.mark.edge
@pytest.mark.hint("work, time and disk are those of the tokens, not of full batches")
@given(run=RUNS, tokens=st.integers(1, 1000), more=st.integers(0, 10**6))
def test_batch_larger_than_the_run(learner, run, tokens, more):
    """a run of less than one batch takes one step, and the work of its own tokens"""
    got = plan(learner, {**run, "tokens": tokens, "batch_tokens": tokens + more})
    expect.equal(got["steps"], 1, "steps")
    close(got["flops"], 6 * run["params"] * tokens, "FLOPs")
    close(got["disk_bytes"], tokens * run["bytes_per_token"], "bytes on disk")


# --- the ends of the ranges


@pytest.mark.edge
@pytest.mark.hint("full utilization and a price of nothing are in range")
@given(seconds=st.integers(1, 10**6))
def test_smallest_run(learner, seconds):
    """one parameter, one token, one GPU at its peak, for nothing"""
    got = plan(
        learner,
        {
            "params": 1,
            "tokens": 1,
            "gpus": 1,
            "peak_flops": 6 / seconds,
            "mfu": 1,
            "batch_tokens": 1,
            "bytes_per_token": 0.25,
            "price_per_gpu_hour": 0,
        },
    )
    hours = seconds / 3600
    want = {"flops": 6, "days": hours / 24, "steps": 1, "gpu_hours": hours, "cost": 0, "disk_bytes": 0.25}
    for key in KEYS:
        close(got[key], want[key], key)


WRONG = [
    *((argument, value) for argument in A_RUN if argument != "price_per_gpu_hour" for value in (0, -1)),
    ("mfu", 1.001),
    ("mfu", 40.0),
    ("price_per_gpu_hour", -0.01),
]


@pytest.mark.edge
@pytest.mark.hint("look at the ranges of the arguments once more; an MFU of 40 is a percentage, not a fraction")
def test_impossible_arguments(learner):
    """an argument outside of its range is an error"""
    for argument, value in WRONG:
        expect.raises(ValueError, learner.plan_run, *values({**A_RUN, argument: value}))
