"""The reference of denoising_objectives against T5's published lengths and masks, and transformers' collator."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

REFERENCE = import_file(
    Path(__file__).parents[3] / "solutions" / "chapter1" / "denoising_objectives" / "reference.py",
    "reference_of_denoising_objectives",
)

HELPER = {  # t5.data.preprocessors.random_spans_helper: inputs, density, mean span -> document, targets
    (128, 0.15, 3.0): (141, 29),
    (256, 0.15, 3.0): (284, 58),
    (512, 0.15, 3.0): (568, 114),
    (1024, 0.15, 3.0): (1137, 229),
    (2048, 0.15, 3.0): (2274, 456),
    (512, 0.15, 2.0): (552, 126),
    (512, 0.15, 5.0): (581, 105),
    (512, 0.15, 10.0): (591, 99),
    (512, 0.25, 3.0): (614, 206),
    (64, 0.2, 2.0): (70, 22),  # from T5's unit tests
    (64, 0.2, 1.0): (63, 27),
    (10, 0.15, 3.0): (10, 4),  # from axlearn's
}
MASK = [0] * 6 + [1] * 3 + [0] + [1] * 3 + [0] * 15 + [1] + [0] * 2 + [1]  # of T5's unit test, L = 32


@pytest.mark.parametrize(("settings", "want"), HELPER.items())
def test_lengths_of_the_helper(settings, want):
    """T5's length helper, in the cases that its source, its tests and its users publish."""
    assert REFERENCE.lengths(*settings) == want


def test_half_is_another_story():
    """At a density of one half T5 takes a token off, to make targets as long as inputs; we do not."""
    tokens, targets = REFERENCE.lengths(512, 0.5, 3.0)
    assert (tokens - 1, targets - 1) == (766, 512)


@pytest.mark.parametrize(
    ("length", "noise", "spans"),
    [(8, 1, 1), (10, 2, 1), (30, 4, 1), (31, 5, 2), (100, 15, 5), (128, 19, 6), (512, 77, 26), (568, 85, 28)],
)
def test_budget_of_t5(length, noise, spans):
    """So many noise tokens and spans has a document at T5's settings; halves round to even."""
    inputs, targets = REFERENCE.span_corrupt(list(range(2, 2 + length)), 3, 0.15, 3.0, 32_100)
    assert len(inputs) == length - noise + spans + 1
    assert len(targets) == noise + spans + 1


def test_runs_of_t5s_mask(monkeypatch):
    """With the mask of T5's unit test, inputs and targets are what its sentinel functions make of it."""
    runs = {24: [6, 1, 15, 2], 8: [3, 3, 1, 1]}
    monkeypatch.setattr(REFERENCE, "_runs", lambda total, count, rng: runs[total])
    tokens = list(range(100, 132))
    inputs, targets = REFERENCE.span_corrupt(tokens, 0, 0.25, 2.0, 1000)
    for got, noise in ((inputs, 1), (targets, 0)):
        want, sentinel = [], 1000
        for place, token in enumerate(tokens):
            if MASK[place] != noise:
                want.append(token)
            elif place == 0 or MASK[place - 1] != noise:
                sentinel -= 1
                want.append(sentinel)
        assert got == [*want, 1]


def test_every_mask_comes_up():
    """Nine tokens with four of noise in two spans have twelve masks, and all of them come up about equally often."""
    seen = Counter(
        tuple(REFERENCE.span_corrupt(list(range(10, 19)), seed, 0.45, 2.0, 100)[0]) for seed in range(12_000)
    )
    assert len(seen) == 4 * 3
    assert all(abs(count - 1000) < 6 * math.sqrt(1000) for count in seen.values())


def test_short_documents_are_not_random():
    """At T5's settings documents of up to 30 tokens have one span, at their end; from 31 on there are more."""
    for length in range(2, 31):
        made = {
            tuple(REFERENCE.span_corrupt(list(range(2, 2 + length)), seed, 0.15, 3.0, 100)[0]) for seed in range(20)
        }
        assert len(made) == 1
    assert len({tuple(REFERENCE.span_corrupt(list(range(2, 33)), seed, 0.15, 3.0, 100)[0]) for seed in range(20)}) > 1


def outcomes(tokens, special, inputs, labels):
    """Shares of what became of a batch: selected of all that may be, then masked, changed and kept of the selected."""
    selected = labels != -100
    assert not selected[special].any() and (labels[selected] == tokens[selected]).all()
    assert (inputs[~selected] == tokens[~selected]).all()
    masked = selected & (inputs == 4)
    changed = selected & ~masked & (inputs != tokens)
    parts = [part.sum() / selected.sum() for part in (masked, changed, selected & (inputs == tokens))]
    return np.array([selected.sum() / (~special).sum(), *parts])


def test_shares_agree_with_transformers():
    """DataCollatorForLanguageModeling selects, masks, changes and keeps in the same shares, up to chance."""
    transformers = pytest.importorskip("transformers", reason="compares with DataCollatorForLanguageModeling")
    tokenizers = pytest.importorskip("tokenizers", reason="the collator wants a tokenizer")
    torch = pytest.importorskip("torch", reason="the collator returns tensors")
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(995))]
    special = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    words = tokenizers.models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="[UNK]")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizers.Tokenizer(words), **special)
    torch.manual_seed(6)
    tokens = torch.randint(5, 1000, (600, 300))
    tokens[:, 0], tokens[:, -1] = 2, 3
    specials = tokens < 5
    collator = transformers.DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    theirs = collator.torch_mask_tokens(tokens.clone(), special_tokens_mask=specials.clone())
    arrays = tokens.numpy(), specials.numpy()
    ours = REFERENCE.mask_tokens(*arrays, 1000, 4, seed=7)
    shares = np.array([outcomes(*arrays, *(part.numpy() for part in theirs)), outcomes(*arrays, *ours)])
    wanted = np.array([0.15, 0.8, 0.1, 0.1])
    counts = np.array([specials.numel(), *[0.15 * specials.numel()] * 3])
    # Six standard errors; a random id of 1,000 is the same token or [MASK] in 2 of 10,000 selected.
    assert (abs(shares - wanted) < 6 * np.sqrt(wanted * (1 - wanted) / counts) + 2e-4).all()
