"""Checks of denoising_objectives. Symbols: B rows of T positions, V words in the vocabulary, L tokens of a document.

No generator is asked for. Laws hold for every draw; where chance decides, the band is so wide that a right
solution falls out of it once in 10**9 times.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

IGNORED, EOS = -100, 1
PROBABILITIES = st.sampled_from([0.0, 0.15, 0.3, 0.5, 0.9, 1.0])
DENSITIES = st.sampled_from([0.01, 0.1, 0.15, 0.25, 0.3, 0.5, 0.75, 0.95])
SPANS = st.sampled_from([1.0, 1.5, 2.0, 3.0, 5.0, 10.0])


def rows(seed, shape, vocab):
    """Tokens and which of them are special: the first and the last of each row, and a few more."""
    rng = np.random.default_rng(seed)
    tokens, special = rng.integers(0, vocab, shape), rng.random(shape) < 0.1
    special[:, :1] = special[:, -1:] = True
    return tokens, special


def masked(learner, tokens, special, vocab, mask_id, seed, p=0.15):
    """The learner's inputs and labels as arrays of the shape of tokens."""
    pair = expect.sequence(learner.mask_tokens(tokens, special, vocab, mask_id, seed, p), "(inputs, labels)")
    expect.length(pair, 2, "(inputs, labels)")
    if not tokens.size:
        return tokens, tokens
    return tuple(
        expect.array(part, name, shape=tokens.shape) for part, name in zip(pair, ("inputs", "labels"), strict=True)
    )


# --- masked language modelling


@pytest.mark.core
@pytest.mark.hint("labels are the tokens as they were before anything happened to them, and -100 where nothing can")
@given(
    seed=strategies.seeds(),
    shape=st.tuples(st.integers(0, 3), st.integers(1, 12)),
    vocab=st.integers(1, 30),
    p=PROBABILITIES,
)
def test_labels_are_the_original_tokens(learner, seed, shape, vocab, p):
    """a label is the original token or -100, and where it is -100 the input is the original token"""
    tokens, special = rows(seed, shape, vocab)
    inputs, labels = masked(learner, tokens, special, vocab, vocab // 2, seed, p)
    selected = labels != IGNORED
    expect.equal(labels[selected], tokens[selected], "labels that are not -100")
    expect.equal(inputs[~selected], tokens[~selected], "inputs where nothing is selected")
    if inputs.size:
        expect.between(inputs, 0, vocab - 1, "inputs")


@pytest.mark.core
@pytest.mark.hint("special tokens are out before the coin is thrown; p = 1 selects all others, p = 0 none")
@given(seed=strategies.seeds(), shape=st.tuples(st.integers(1, 3), st.integers(1, 12)), p=PROBABILITIES)
def test_special_tokens_are_never_selected(learner, seed, shape, p):
    """special tokens keep their place and have no label; with p = 1 all others have one"""
    tokens, special = rows(seed, shape, 30)
    inputs, labels = masked(learner, tokens, special, 30, 4, seed, p)
    expect.equal(labels[special], np.full(special.sum(), IGNORED), "labels of special tokens")
    expect.equal(inputs[special], tokens[special], "inputs at special tokens")
    if p in (0, 1):
        expect.equal((labels != IGNORED), ~special & (p == 1), f"what is selected with p = {p:g}")


WIDE = (200, 500)  # enough tokens for bands of a few percent, selected ones among themselves included


def masked_widely(learner, seed, p):
    """Selected positions, tokens and inputs of a large batch, and which of its tokens are special."""
    tokens, special = rows(seed, WIDE, 5000)
    tokens[tokens == 103] = 104  # [MASK] does not occur in texts
    inputs, labels = masked(learner, tokens, special, 5000, 103, seed, p)
    return labels != IGNORED, tokens, inputs, special


@pytest.mark.core
@pytest.mark.hint("every token that is not special has the same chance, whatever its place and its neighbours")
@pytest.mark.parametrize("p", [0.15, 0.4])
@settings(max_examples=2)
@given(seed=strategies.seeds())
def test_a_share_p_is_selected(learner, p, seed):
    """of the tokens that are not special a share p is selected, everywhere alike and one by one"""
    selected, _, _, special = masked_widely(learner, seed, p)
    expect.binomial_within(int(selected.sum()), int((~special).sum()), p, "selected tokens")
    for name, axis in (("quarter of the columns", 1), ("quarter of the rows", 0)):
        for part, free in zip(np.split(selected, 4, axis), np.split(~special, 4, axis), strict=True):
            expect.binomial_within(int(part.sum()), int(free.sum()), p, f"selected tokens of a {name}")
    free = (~special[:, ::2] & ~special[:, 1::2]).sum()
    both = (selected[:, ::2] & selected[:, 1::2]).sum()
    # Exactly a share p of each row makes p² smaller by 1/T of it, a tenth of the band.
    expect.binomial_within(int(both), int(free), p * p, "neighbours that are both selected")


@pytest.mark.core
@pytest.mark.hint("80, 10 and 10 percent of what is selected; after 80 percent are masked, half of the rest is random")
@pytest.mark.parametrize("p", [0.15, 0.4])
@settings(max_examples=2)
@given(seed=strategies.seeds())
def test_eighty_ten_ten(learner, p, seed):
    """of the selected tokens 80 % become [MASK], 10 % a random token, and 10 % stay"""
    selected, tokens, inputs, _ = masked_widely(learner, seed, p)
    after, before = inputs[selected], tokens[selected]
    counts = {
        "[MASK]": int((after == 103).sum()),
        "another token": int(((after != 103) & (after != before)).sum()),
        "the same token": int((after == before).sum()),
    }
    # A random id of 5000 is [MASK] or the same token so rarely that the band does not feel it.
    expect.same_distribution(counts, dict(zip(counts, (0.8, 0.1, 0.1), strict=True)), "what selected tokens become")


@pytest.mark.core
@pytest.mark.hint("ids go from 0 to V - 1, both included: does your generator include its upper end?")
@settings(max_examples=2)
@given(seed=strategies.seeds())
def test_random_tokens_are_any_tokens(learner, seed):
    """random tokens come from the whole vocabulary, each as often as the others"""
    tokens = np.full(WIDE, 5)
    inputs, _ = masked(learner, tokens, np.zeros(WIDE, dtype=bool), 12, 6, seed, 0.5)
    seen = Counter(inputs[(inputs != 5) & (inputs != 6)].astype(int).tolist())
    others = [token for token in range(12) if token not in (5, 6)]
    expect.same_distribution(seen, dict.fromkeys(others, 1 / len(others)), "random tokens, by id")


# --- span corruption


def document(seed, length, vocab=1000):
    """Random ids, none of them a sentinel or the end of sequence; repeats among them."""
    return np.random.default_rng(seed).integers(2, vocab - 300, length).tolist()


def budget(length, density, mean_span):
    """Tokens that are noise, and spans."""
    noise = min(max(round(length * density), 1), length - 1)
    return noise, min(max(round(noise / mean_span), 1), length - noise)


def corrupted(learner, tokens, seed, density, mean_span, vocab=1000):
    """The learner's inputs and targets as lists of integers, the end of sequence checked and taken off."""
    pair = expect.sequence(learner.span_corrupt(tokens, seed, density, mean_span, vocab, EOS), "(inputs, targets)")
    expect.length(pair, 2, "(inputs, targets)")
    sides = []
    for part, name in zip(pair, ("inputs", "targets"), strict=True):
        ids = [each if type(each) is int else expect.integer(each, name) for each in expect.sequence(part, name)]
        expect.equal(ids[-1:], [EOS], f"the end of {name}")
        sides.append(ids[:-1])
    return sides


def pieces(ids, sentinels):
    """Runs between sentinels: one more than there are sentinels."""
    runs = [[]]
    for token in ids:
        if token in sentinels:
            runs.append([])
        else:
            runs[-1].append(token)
    return runs


@pytest.mark.core
@pytest.mark.hint("put the spans back where their sentinels stand: is it the document?")
@given(seed=strategies.seeds(), length=st.integers(2, 60), density=DENSITIES, mean_span=SPANS)
def test_spans_put_back_make_the_document(learner, seed, length, density, mean_span):
    """inputs, with every sentinel replaced by what targets have behind it, are the document"""
    tokens = document(seed, length)
    inputs, targets = corrupted(learner, tokens, seed, density, mean_span)
    sentinels = set(range(700, 1000))
    names = [token for token in targets if token in sentinels]
    filling = dict(zip(names, pieces(targets, sentinels)[1:], strict=True))
    expect.equal([token for token in inputs if token in sentinels], names, "sentinels in inputs, against targets")
    whole = [each for token in inputs for each in filling.get(token, [token])]
    expect.equal(whole, tokens, "the document, put together again")


@pytest.mark.core
@pytest.mark.hint("one sentinel per span, not per token; the first is V - 1, and then they go down")
@given(
    seed=strategies.seeds(),
    length=st.integers(2, 60),
    density=DENSITIES,
    mean_span=SPANS,
    vocab=st.integers(1000, 1100),
)
def test_sentinels_go_down_from_the_last_id(learner, seed, length, density, mean_span, vocab):
    """sentinels are V - 1, V - 2, ... in this order, one per span, in inputs and in targets"""
    inputs, targets = corrupted(learner, document(seed, length), seed, density, mean_span, vocab)
    spans = budget(length, density, mean_span)[1]
    want = [vocab - 1 - span for span in range(spans)]
    for ids, name in ((inputs, "inputs"), (targets, "targets")):
        expect.equal([token for token in ids if token >= 700], want, f"sentinels in {name}")


@pytest.mark.core
@pytest.mark.hint("kept and noise take turns, kept first, noise last; no run of either is empty")
@given(seed=strategies.seeds(), length=st.integers(2, 60), density=DENSITIES, mean_span=SPANS)
@example(seed=0, length=10, density=0.15, mean_span=3.0)
@example(seed=0, length=30, density=0.15, mean_span=3.0)
@example(seed=0, length=50, density=0.25, mean_span=5.0)
def test_noise_has_an_exact_budget(learner, seed, length, density, mean_span):
    """exactly round(L · density) tokens are noise, in exactly so many spans, and runs are not empty"""
    inputs, targets = corrupted(learner, document(seed, length), seed, density, mean_span)
    noise, spans = budget(length, density, mean_span)
    kept_runs, noise_runs = (pieces(ids, range(700, 1000)) for ids in (inputs, targets))
    expect.equal([len(inputs), len(targets)], [length - noise + spans, noise + spans], "lengths without the end")
    expect.equal([kept_runs[-1], noise_runs[0]], [[], []], "what follows the last sentinel, what precedes the first")
    expect.at_least([len(run) for run in kept_runs[:-1]], 1, "kept tokens before each sentinel")
    expect.at_least([len(run) for run in noise_runs[1:]], 1, "tokens of each span")


@pytest.mark.core
@pytest.mark.hint("all ways to cut: choose the places of the cuts, all different, instead of the lengths of the runs")
@pytest.mark.parametrize(("length", "density", "mean_span", "spans"), [(9, 0.45, 2.0, 2), (8, 0.5, 4 / 3, 3)])
def test_all_ways_to_cut_are_equally_likely(learner, length, density, mean_span, spans):
    """over many seeds, every way to cut the kept tokens meets every way to cut the noise equally often"""
    tokens, seen = list(range(10, 10 + length)), Counter()
    for seed in range(700):
        sides = corrupted(learner, tokens, 1000 + 17 * seed, density, mean_span)
        runs = [tuple(map(len, pieces(ids, range(700, 1000)))) for ids in sides]
        seen[runs[0][:-1], runs[1][1:]] += 1
    noise = budget(length, density, mean_span)[0]
    ways = [(kept, cut) for kept in cuts(length - noise, spans) for cut in cuts(noise, spans)]
    expect.same_distribution(seen, dict.fromkeys(ways, 1 / len(ways)), "lengths of kept and of noise runs")


def cuts(total, count):
    """All ways to cut a total into so many runs, none of them empty."""
    if count == 1:
        return [(total,)]
    return [(first, *rest) for first in range(1, total) for rest in cuts(total - first, count - 1)]


# --- lengths


# T5's own helper, from its source and its unit tests: inputs, density, mean span -> document, targets
PUBLISHED = {
    (128, 0.15, 3.0): (141, 29),
    (256, 0.15, 3.0): (284, 58),
    (512, 0.15, 3.0): (568, 114),
    (1024, 0.15, 3.0): (1137, 229),
    (2048, 0.15, 3.0): (2274, 456),
    (512, 0.15, 2.0): (552, 126),
    (512, 0.15, 5.0): (581, 105),
    (512, 0.15, 10.0): (591, 99),
    (512, 0.25, 3.0): (614, 206),
    (64, 0.2, 2.0): (70, 22),
    (64, 0.2, 1.0): (63, 27),
}


@pytest.mark.core
@pytest.mark.hint("a sentinel per span and one end of sequence, in inputs and in targets; halves round to even")
@pytest.mark.parametrize("mean_span", [1.0, 2.0, 3.0, 5.0, 10.0])
def test_lengths_of_t5(learner, mean_span):
    """documents of 568 tokens fill an encoder of 512, with targets of 114, as in T5; and ten more of its cases"""
    for settings_of, want in PUBLISHED.items():
        if settings_of[2] == mean_span:
            expect.equal(learner.lengths(*settings_of), want, f"lengths{settings_of}")


@pytest.mark.core
@pytest.mark.hint("build it and count: one token more in the document must be too much")
@given(inputs_length=st.integers(3, 60), density=DENSITIES, mean_span=SPANS, seed=strategies.seeds())
def test_lengths_are_those_of_what_is_built(learner, inputs_length, density, mean_span, seed):
    """a document of L tokens fits the encoder, one of L + 1 does not, and targets are as long as was said"""
    pair = expect.sequence(learner.lengths(inputs_length, density, mean_span), "(tokens, targets)")
    expect.length(pair, 2, "(tokens, targets)")
    length, targets_length = (expect.integer(each, "a length") for each in pair)
    # A document never has more kept tokens than inputs_length, and they are a share 1 - density, within rounding.
    expect.between(length, 2, (inputs_length + 2) / (1 - density), "tokens of the document")
    for tokens, fits in ((length, True), (length + 1, False)):
        inputs, targets = corrupted(learner, document(seed, tokens), seed, density, mean_span)
        expect.true((len(inputs) + 1 <= inputs_length) == fits, f"{tokens} tokens fit: {fits}", got=len(inputs) + 1)
        if fits:
            expect.equal(len(targets) + 1, targets_length, "tokens of the targets")


# --- both


@pytest.mark.core
@pytest.mark.hint("make a generator from seed inside the function; a global one remembers earlier calls")
@settings(max_examples=15)
@given(seed=strategies.seeds(), step=st.integers(1, 1000))
def test_seed_decides(learner, seed, step):
    """one seed gives one answer, another seed another, and the arguments stay as they are"""
    tokens, special = rows(seed, (4, 64), 500)
    text, other = document(seed, 300), (seed + step) % 2**31
    for function, before, after in (
        (learner.mask_tokens, (tokens, special, 500, 3), ()),
        (learner.span_corrupt, (text,), (0.15, 3.0, 1000)),
    ):
        first = expect.unchanged(function, *before, seed, *after)
        expect.different(function(*before, other, *after), first, f"the answers for seeds {seed} and {other}")
        expect.equal(function(*before, seed, *after), first, "the same call again")


@pytest.mark.edge
@pytest.mark.hint(
    "something besides the arguments decides: hash() of a string, the clock, the number of the process, ..."
)
def test_processes_agree(learner):
    """two processes give one answer"""
    tokens, special = rows(1, (4, 64), 500)
    for name, function, arguments in (
        ("mask_tokens", learner.mask_tokens, (tokens, special, 500, 3, 7)),
        ("span_corrupt", learner.span_corrupt, (document(1, 300), 7, 0.15, 3.0, 1000)),
    ):
        here, there = function(*arguments), function.elsewhere(*arguments)
        expect.equal(there, here, f"{name}, the same call in another process")


@pytest.mark.edge
@pytest.mark.hint("leave the defaults of the stub as they are: 15 % and 1")
@settings(max_examples=5)
@given(seed=strategies.seeds(), eos=st.integers(0, 9))
def test_defaults(learner, seed, eos):
    """left to itself, p is 0.15; the end of sequence is 1, or what it is said to be"""
    tokens, special = rows(seed, (20, 50), 500)
    expect.equal(
        learner.mask_tokens(tokens, special, 500, 3, seed),
        learner.mask_tokens(tokens, special, 500, 3, seed, 0.15),
        "mask_tokens without p, and with 0.15",
    )
    text = list(range(10, 30))
    for ids in expect.sequence(learner.span_corrupt(text, seed, 0.3, 2.0, 100), "(inputs, targets)"):
        expect.equal(expect.sequence(ids, "ids")[-1:], [EOS], "the end of sequence")
    for ids in expect.sequence(learner.span_corrupt(text, seed, 0.3, 2.0, 100, eos), "(inputs, targets)"):
        expect.equal(expect.sequence(ids, "ids")[-1:], [eos], "the end of sequence")


@pytest.mark.edge
@pytest.mark.hint("at least one token is noise and at least one is kept, however short the document")
@given(seed=strategies.seeds(), density=DENSITIES, mean_span=SPANS, tokens=st.permutations([20, 21, 22]))
def test_shortest_documents(learner, seed, density, mean_span, tokens):
    """of two tokens the second is noise; of three the first is kept and the last is noise"""
    two = corrupted(learner, tokens[:2], seed, density, mean_span)
    expect.equal(two, [[tokens[0], 999], [999, tokens[1]]], "inputs and targets of two tokens")
    inputs, targets = corrupted(learner, tokens, seed, density, mean_span)
    middle = budget(3, density, mean_span)[0] == 1
    expect.equal(inputs, [tokens[0], *([tokens[1]] if middle else []), 999], "inputs of three tokens")
    expect.equal(targets, [999, *([] if middle else [tokens[1]]), tokens[2]], "targets of three tokens")


@pytest.mark.edge
@pytest.mark.hint("a share is between 0 and 1; a span has a token or more; a document has one to keep and one to lose")
@given(size=st.integers(0, 1), off=st.sampled_from([0.0, 0.5, 1.0]), short=st.integers(-1, 2))
def test_impossible_arguments(learner, size, off, short):
    """impossible arguments are errors"""
    text = document(3, 20)
    for density in (-off, 1 + off):
        expect.raises(ValueError, learner.span_corrupt, text, 0, density, 3.0, 1000)
        expect.raises(ValueError, learner.lengths, 64, density, 3.0)
    expect.raises(ValueError, learner.span_corrupt, text, 0, 0.15, off * 0.9, 1000)
    expect.raises(ValueError, learner.lengths, 64, 0.15, off * 0.9)
    expect.raises(ValueError, learner.span_corrupt, text[:size], 0, 0.15, 3.0, 1000)
    expect.raises(ValueError, learner.lengths, short, 0.15, 3.0)
    tokens, special = rows(4, (2, 5), 9)
    for p in (-0.1 - off, 1.1 + off):
        expect.raises(ValueError, learner.mask_tokens, tokens, special, 9, 2, 0, p)
