"""Checks of causal_lm_loss. Symbols: B rows of T positions, V words in the vocabulary, D numbers in a hidden state.

The oracles are loops over positions in float64, and the gradient's closed form, softmax minus one.
"""

import math

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader import expect, strategies

IGNORED = -100
ROWS, LENGTH, VOCAB, WIDTH = st.integers(1, 3), st.integers(1, 8), st.integers(1, 9), st.integers(1, 5)
DTYPES = st.sampled_from(["float32", "float64"])


def packed_rows(seed, rows, length, vocab=9):
    """Tokens and document ids: documents of random lengths, padding at the end of some rows."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(0, vocab, (rows, length))
    # Ids go down here and up there, so that only a comparison of neighbours finds the boundaries.
    doc_ids = (rng.random((rows, length)) < 0.3).cumsum(axis=1) * rng.choice([-1, 1], (rows, 1)) + 20
    doc_ids[np.arange(length) >= length - rng.integers(0, 3, (rows, 1))] = -1
    return torch.from_numpy(tokens), torch.from_numpy(doc_ids)


def next_tokens(tokens, doc_ids):
    """Labels by the definition, position by position."""
    tokens, doc_ids = tokens.tolist(), doc_ids.tolist()
    labels = [[IGNORED] * len(row) for row in tokens]
    for row in range(len(tokens)):
        for place in range(len(tokens[row]) - 1):
            if doc_ids[row][place] == doc_ids[row][place + 1] != -1:
                labels[row][place] = tokens[row][place + 1]
    return labels


def batch(seed, rows, length, vocab, dtype="float64", size=3.0, ignored=0.3):
    """Random logits (B, T, V) and labels, of which about so many are ignored."""
    rng = np.random.default_rng(seed)
    logits = torch.from_numpy(size * rng.standard_normal((rows, length, vocab))).to(getattr(torch, dtype))
    labels = np.where(rng.random((rows, length)) < ignored, IGNORED, rng.integers(0, vocab, (rows, length)))
    return logits, torch.from_numpy(labels)


def loss_of(row, label):
    """Minus the logarithm of the softmax, for one position."""
    highest = max(row)
    return highest + math.log(math.fsum(math.exp(x - highest) for x in row)) - row[label]


def mean_loss(logits, labels, ignored=IGNORED):
    """The mean over the positions that count, one by one; 0 where there is none."""
    pairs = zip(logits.double().flatten(0, 1).tolist(), labels.flatten().tolist(), strict=True)
    losses = [loss_of(row, label) for row, label in pairs if label != ignored]
    return math.fsum(losses) / max(len(losses), 1)


def rounding(logits, dtype=None):
    """What float arithmetic may add to a mean loss, whatever the order of operations, doubled for the oracle.

    With u the unit roundoff and M the largest logit: exp(x - max) is off by (|x - max| + 1)·u, and d·exp(-d)
    is at most 1, so the sum over V words is off by (2V + 1)·u relatively; then logarithm, maximum and label
    add 3·u·(2M + log V), and a mean over n positions adds n·u times the largest loss, 2M + log V.
    """
    vocab = logits.shape[-1]
    u = torch.finfo(dtype or logits.dtype).eps / 2
    largest = 2 * logits[logits.isfinite()].abs().max().item() + math.log(vocab)
    positions = logits.numel() // vocab
    return 2 * u * (2 * vocab + 1 + (positions + 3) * largest)


# --- labels


@pytest.mark.core
@pytest.mark.hint("position t predicts token t + 1, unless that one belongs to another document or to nobody")
@given(seed=strategies.seeds(), rows=ROWS, length=LENGTH)
def test_labels_are_the_next_tokens(learner, seed, rows, length):
    """a position predicts the next token of its own document"""
    tokens, doc_ids = packed_rows(seed, rows, length)
    got = learner.labels_for(tokens, doc_ids)
    expect.equal(got, next_tokens(tokens, doc_ids), "labels")


@pytest.mark.core
@pytest.mark.hint("which single position has the right to know the token at position t?")
@settings(max_examples=25)
@given(seed=strategies.seeds(), rows=ROWS, length=LENGTH, row=st.integers(0, 2), place=st.integers(0, 7))
def test_a_token_is_the_label_of_the_one_before(learner, seed, rows, length, row, place):
    """another token at position t changes the label of position t - 1, and no other"""
    row, place = row % rows, place % length
    tokens = packed_rows(seed, rows, length)[0]
    one_document = torch.zeros_like(tokens)
    labels = expect.array(learner.labels_for(tokens, one_document), "labels", shape=(rows, length))
    tokens[row, place] = 700
    changed = expect.array(learner.labels_for(tokens, one_document), "labels", shape=(rows, length))
    want = [[row, place - 1]] if place else []
    expect.equal(np.argwhere(changed != labels).tolist(), want, "[row, position] of labels that changed")


@pytest.mark.edge
@pytest.mark.hint("the last of a document has no next token, and neighbours of padding are padding or strangers")
def test_short_documents_and_padding(learner):
    """documents of one token, rows of one token, padding at either end and a whole row of it"""
    tokens = torch.arange(1, 16).reshape(3, 5)
    doc_ids = torch.tensor([[0, 1, 1, 0, 0], [-1, -1, 7, 7, -1], [-1] * 5])
    want = [[IGNORED, 3, IGNORED, 5, IGNORED], [IGNORED, IGNORED, 9, IGNORED, IGNORED], [IGNORED] * 5]
    expect.equal(learner.labels_for(tokens, doc_ids), want, "labels")
    expect.equal(learner.labels_for(tokens[:, :1], doc_ids[:, :1]), [[IGNORED]] * 3, "labels of rows of one token")


# --- loss


@pytest.mark.core
@pytest.mark.hint("divide the sum over the positions that count by their number, over the whole batch")
@given(seed=strategies.seeds(), rows=ROWS, length=LENGTH, vocab=VOCAB, dtype=DTYPES)
def test_loss_is_the_mean_over_what_counts(learner, seed, rows, length, vocab, dtype):
    """the loss is the mean of -log softmax over all positions that are not ignored"""
    logits, labels = batch(seed, rows, length, vocab, dtype)
    got = learner.causal_lm_loss(logits, labels)
    expect.close(got, mean_loss(logits, labels), "the loss", rtol=0, atol=rounding(logits))


@pytest.mark.core
@pytest.mark.hint("labels come shifted: logits[b, t] and labels[b, t] belong together as they are")
@settings(max_examples=20)
@given(seed=strategies.seeds(), rows=ROWS, length=LENGTH, vocab=VOCAB, place=st.integers(0, 23))
def test_only_its_own_logits_score_a_position(learner, seed, rows, length, vocab, place):
    """with one label in the batch, the loss is that of its position, whatever logits the others have"""
    logits, labels = batch(seed, rows, length, vocab, ignored=0)
    row, place = place % rows, place % length
    alone = torch.full_like(labels, IGNORED)
    alone[row, place] = labels[row, place]
    others = batch(seed + 1, rows, length, vocab)[0]
    others[row, place] = logits[row, place]
    want = loss_of(logits[row, place].tolist(), int(labels[row, place]))
    for each in (logits, others):
        expect.close(learner.causal_lm_loss(each, alone), want, "the loss", rtol=0, atol=rounding(each))


@pytest.mark.core
@pytest.mark.hint("equal logits leave every word equally likely; natural logarithms, and no other constant")
@settings(max_examples=20)
@given(vocab=st.integers(1, 300), level=st.integers(-50, 50), seed=strategies.seeds(), length=LENGTH)
def test_a_uniform_guess_costs_log_v(learner, vocab, level, seed, length):
    """a model that knows nothing has loss log V, as at step 0 of a run"""
    labels = batch(seed, 2, length, vocab, ignored=0)[1]
    logits = torch.full((2, length, vocab), float(level), dtype=torch.float64)
    got = learner.causal_lm_loss(logits, labels)
    expect.close(got, math.log(vocab), "the loss", rtol=0, atol=rounding(logits))


@pytest.mark.edge
@pytest.mark.hint("0 divided by 0 is NaN, and NaN in one loss is NaN in all weights")
@settings(max_examples=20)
@given(rows=ROWS, length=LENGTH, vocab=VOCAB, width=WIDTH, parts=st.integers(0, 3), seed=strategies.seeds())
def test_nothing_to_predict(learner, rows, length, vocab, width, parts, seed):
    """where every label is ignored, loss and gradient are 0"""
    logits, labels = batch(seed, rows, length, vocab, ignored=1)
    expect.equal(learner.causal_lm_loss(logits, labels), 0, "the loss")
    weight, micro_batches = hidden_batch(seed, [length] * parts, vocab, width, ignored=1)
    loss, gradient = answer(learner.accumulate(weight, micro_batches))
    expect.equal(loss, 0, "the loss")
    expect.equal(gradient, np.zeros((vocab, width)), "the gradient")


@pytest.mark.edge
@pytest.mark.hint("compare labels with ignore_index, not with -100 and not with zero")
@given(seed=strategies.seeds(), rows=ROWS, length=LENGTH, vocab=st.integers(2, 9), pick=st.integers(-3, 8))
def test_another_ignore_index(learner, seed, rows, length, vocab, pick):
    """any integer can be the label to ignore, one of the vocabulary's ids among them"""
    logits, labels = batch(seed, rows, length, vocab)
    ignored = min(pick, vocab - 1)
    labels[labels == IGNORED] = ignored
    got = learner.causal_lm_loss(logits, labels, ignored)
    expect.close(got, mean_loss(logits, labels, ignored), "the loss", rtol=0, atol=rounding(logits))


@pytest.mark.edge
@pytest.mark.hint("subtract the largest logit before you take exponents, or let log_softmax or logsumexp do it")
@pytest.mark.parametrize("size", [1e3, 6e4])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_large_logits(learner, dtype, size):
    """logits of thousands give finite losses, the right ones"""
    logits = torch.tensor([[[size, 0, -size], [0, size, size], [-size, -size, -size]]]).to(getattr(torch, dtype))
    labels = torch.tensor([[2, 1, 0]])
    expect.close(
        learner.causal_lm_loss(logits, labels),
        (2 * logits.max().item() + math.log(2) + math.log(3)) / 3,
        "the loss",
        rtol=0,
        atol=rounding(logits, torch.float64 if dtype == "float64" else torch.float32),
    )


@pytest.mark.edge
@pytest.mark.hint("0 times infinity is NaN: pick the label's logit out instead of multiplying by a one-hot vector")
@settings(max_examples=20)
@given(seed=strategies.seeds(), length=LENGTH, vocab=st.integers(1, 6), padding=st.integers(1, 6))
def test_ids_that_cannot_occur(learner, seed, length, vocab, padding):
    """words with a logit of minus infinity, a padded vocabulary's, change nothing"""
    logits, labels = batch(seed, 2, length, vocab)
    padded = torch.cat([logits, torch.full((2, length, padding), -math.inf, dtype=torch.float64)], dim=2)
    got = learner.causal_lm_loss(padded, labels)
    expect.close(got, mean_loss(logits, labels), "the loss", rtol=0, atol=rounding(padded))


@pytest.mark.edge
@pytest.mark.hint("widen the logits first: a sum in bfloat16 has two or three digits")
@settings(max_examples=20)
@given(seed=strategies.seeds(), dtype=st.sampled_from(["bfloat16", "float16"]), rows=ROWS, length=LENGTH)
def test_half_precision_is_widened(learner, seed, dtype, rows, length):
    """bfloat16 and float16 logits give the loss that float32 arithmetic makes of them"""
    logits, labels = batch(seed, rows, length, 50, dtype)
    got = learner.causal_lm_loss(logits, labels)
    expect.close(got, mean_loss(logits, labels), "the loss", rtol=0, atol=rounding(logits, torch.float32))


@pytest.mark.edge
@pytest.mark.hint("labels[-1] counts from the end in Python; a label that is no id should stop the run")
@settings(max_examples=25)
@given(rows=ROWS, length=LENGTH, vocab=VOCAB, place=st.integers(0, 23), wrong=st.sampled_from([-2, -1, 0, 1]))
def test_labels_that_are_no_ids(learner, rows, length, vocab, place, wrong):
    """a label under 0 or from V on is an error, not a guess"""
    logits, labels = batch(place, rows, length, vocab)
    labels[place % rows, place % length] = wrong if wrong < 0 else vocab + wrong
    expect.raises((ValueError, IndexError, RuntimeError), learner.causal_lm_loss, logits, labels)


# --- gradient


def hidden_batch(seed, sizes, vocab, width, dtype="float64", ignored=0.4):
    """Weight (V, D), and micro-batches of so many positions each: hidden states (n, D) and labels (n)."""
    rng = np.random.default_rng(seed)
    weight = torch.from_numpy(rng.standard_normal((vocab, width))).to(getattr(torch, dtype))
    micro_batches = []
    for size in sizes:
        hidden = torch.from_numpy(rng.standard_normal((size, width))).to(weight.dtype)
        # Some micro-batches have much to predict and some have little, as padding makes it.
        skipped = rng.random(size) < ignored + (1 - ignored) * rng.random()
        labels = np.where(skipped, IGNORED, rng.integers(0, vocab, size))
        micro_batches.append((hidden, torch.from_numpy(labels)))
    return weight, micro_batches


def answer(got):
    """Loss and gradient, whatever kind of pair they came as."""
    pair = expect.sequence(got, "(loss, gradient)")
    expect.length(pair, 2, "(loss, gradient)")
    return pair


def whole(micro_batches):
    """Hidden states and labels of all micro-batches, in one piece."""
    hidden, labels = zip(*micro_batches, strict=True)
    return torch.cat(hidden), torch.cat(labels)


def exact_gradient(weight, micro_batches):
    """(softmax - one at the label) times the hidden state, averaged over the positions that count."""
    hidden, labels = (part.double().numpy() for part in whole(micro_batches))
    counted = labels != IGNORED
    hidden, labels = hidden[counted], labels[counted].astype(int)
    logits = hidden @ weight.double().numpy().T
    slope = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-math.inf))
    slope /= slope.sum(axis=1, keepdims=True)
    slope[np.arange(len(labels)), labels] -= 1
    return slope.T @ hidden / max(len(labels), 1)


def allowed(weight, micro_batches):
    """Rounding of loss and gradient, whatever the order of operations, doubled for the oracle's own.

    With u the unit roundoff: a logit of D products is off by at most D·u·L, L the largest sum of their absolute
    values; the softmax by twice that plus (2V + 4 + 2L)·u, relatively, and it sums to 1; the mean over n
    positions adds (n + 2)·u; the largest hidden value scales it. A loss is at most 2L + log V, see ``rounding``.
    """
    hidden, _ = whole(micro_batches)
    u = torch.finfo(weight.dtype).eps / 2
    (vocab, width), positions = weight.shape, len(hidden)
    largest = (hidden.double().abs() @ weight.double().abs().T).max().item()
    slope = 2 * width * largest + 2 * vocab + 4 + 2 * largest + positions + 2
    loss = width * largest * 2 + 2 * vocab + 1 + (positions + 3) * (2 * largest + math.log(vocab))
    return 2 * u * loss, 2 * u * 2 * slope * max(1.0, hidden.abs().max().item())


SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=4)


@pytest.mark.core
@pytest.mark.hint("a mean of means is no mean: count the labels of all micro-batches before the first one")
@given(seed=strategies.seeds(), sizes=SIZES, vocab=VOCAB, width=WIDTH, dtype=DTYPES)
@example(seed=1, sizes=[6, 1], vocab=5, width=3, dtype="float64")
def test_micro_batches_add_up_to_the_batch(learner, seed, sizes, vocab, width, dtype):
    """loss and gradient are those of all positions together, whatever the micro-batches count"""
    weight, micro_batches = hidden_batch(seed, sizes, vocab, width, dtype)
    loss, gradient = answer(learner.accumulate(weight, micro_batches))
    hidden, labels = whole(micro_batches)
    logits = (hidden.double() @ weight.double().T)[None]
    loss_error, gradient_error = allowed(weight, micro_batches)
    expect.close(loss, mean_loss(logits, labels[None]), "the loss", rtol=0, atol=loss_error)
    expect.close(gradient, exact_gradient(weight, micro_batches), "the gradient", rtol=0, atol=gradient_error)


@pytest.mark.core
@pytest.mark.hint("what divides a micro-batch's sum must not depend on where the batch was cut")
@settings(max_examples=20)
@given(seed=strategies.seeds(), sizes=SIZES, vocab=VOCAB, width=WIDTH, cut=st.integers(1, 23))
def test_any_split_gives_the_same_gradient(learner, seed, sizes, vocab, width, cut):
    """however a batch is cut into micro-batches, loss and gradient are the same"""
    weight, micro_batches = hidden_batch(seed, sizes, vocab, width)
    hidden, labels = whole(micro_batches)
    pieces = [cut % len(hidden), len(hidden) - cut % len(hidden)]
    recut = list(zip(hidden.split(pieces), labels.split(pieces), strict=True))[0 if pieces[0] else 1 :]
    errors = allowed(weight, micro_batches)
    first, second = (answer(learner.accumulate(weight, cuts)) for cuts in (micro_batches, recut))
    for name, one, other, error in zip(("loss", "gradient"), first, second, errors, strict=True):
        expect.close(one, expect.array(other), f"the {name}, against another split", rtol=0, atol=error)


@pytest.mark.edge
@pytest.mark.hint("weight.requires_grad_() and weight.grad belong to a copy of yours: weight.detach().clone()")
@settings(max_examples=5)
@given(seed=strategies.seeds(), sizes=SIZES)
def test_arguments_stay(learner, seed, sizes):
    """tokens, logits, labels, weight and hidden states are as before after the call"""
    expect.unchanged(learner.labels_for, *packed_rows(seed, 2, 5))
    expect.unchanged(learner.causal_lm_loss, *batch(seed, 2, 5, 4))
    expect.unchanged(learner.accumulate, *hidden_batch(seed, sizes, 4, 3))


@pytest.mark.scale
@pytest.mark.hint("call backward for each micro-batch, not once for the sum: it frees what the forward pass kept")
def test_memory_does_not_grow_with_micro_batches(learner):
    """ten micro-batches need no more memory than two"""
    positions, vocab = 128, 8192
    logits_mb = positions * vocab * 4 / 2**20
    weight, micro_batches = hidden_batch(4, [positions] * 10, vocab, 2, "float32", ignored=0)
    peaks = []
    for count in (2, 2, 10):  # the first call also pays for what torch loads at its first backward pass
        seen = learner.accumulate.observe(weight, micro_batches[:count])
        loss, gradient = answer(seen.value)
        expect.shape(gradient, (vocab, 2), "the gradient")
        peaks.append(seen.peak_mb)
    hidden, labels = whole(micro_batches)
    want = torch.nn.functional.cross_entropy(hidden @ weight.T, labels)  # of ten; in float32, as is allowed for
    expect.close(loss, want, "the loss", rtol=0, atol=allowed(weight, micro_batches)[0])
    if None in peaks:
        pytest.skip("this system cannot tell the peak memory of a call")
    # Who keeps something of the size of the logits keeps eight times as much more.
    what = f"MiB that ten micro-batches need more than two, where the logits of one are {logits_mb:g} MiB"
    expect.at_most(peaks[2] - peaks[1], 4 * logits_mb, what)
