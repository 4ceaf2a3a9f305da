"""The reference of causal_lm_loss against autograd, a causal model's gradients, and transformers' own loss."""

import math
from pathlib import Path

import pytest

from grader.catalog import import_file

torch = pytest.importorskip("torch", reason="the exercise is about tensors")

REFERENCE = import_file(
    Path(__file__).parents[3] / "solutions" / "chapter1" / "causal_lm_loss" / "reference.py",
    "reference_of_causal_lm_loss",
)
IGNORED = -100


def generator(seed):
    """Random numbers from a seed."""
    return torch.Generator().manual_seed(seed)


def micro_batches(seed, sizes, vocab=11, width=4):
    """A weight and micro-batches in float64, many labels ignored."""
    draw = generator(seed)
    weight = torch.randn(vocab, width, generator=draw, dtype=torch.float64)
    parts = []
    for size in sizes:
        labels = torch.randint(0, vocab, (size,), generator=draw)
        labels[torch.rand(size, generator=draw) < 0.5] = IGNORED
        parts.append((torch.randn(size, width, generator=draw, dtype=torch.float64), labels))
    return weight, parts


class Decoder:
    """One layer of causal attention over random embeddings, and an output embedding."""

    def __init__(self, seed, vocab=13, width=8):
        draw = generator(seed)
        self.table = torch.randn(vocab, width, generator=draw, dtype=torch.float64)
        self.qkv = torch.randn(3, width, width, generator=draw, dtype=torch.float64)

    def __call__(self, embedded):
        """Logits (B, T, V) of embedded tokens (B, T, D)."""
        q, k, v = (embedded @ each for each in self.qkv)
        attended = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return (embedded + attended) @ self.table.T


@pytest.mark.parametrize("place", range(6))
def test_the_future_has_no_influence(place):
    """The loss at position t has no gradient at later positions, and one at t itself and before."""
    model = Decoder(1)
    tokens = torch.randint(0, 13, (1, 6), generator=generator(2))
    labels = REFERENCE.labels_for(tokens, torch.zeros_like(tokens))
    labels[0, :place] = labels[0, place + 1 :] = IGNORED
    embedded = model.table[tokens].requires_grad_()
    REFERENCE.causal_lm_loss(model(embedded), labels).backward()
    touched = embedded.grad[0].abs().sum(dim=1) > 0
    assert touched.tolist() == [at <= place < 5 for at in range(6)]  # the last position predicts nothing


def test_memorising_a_text_leaves_no_loss():
    """Logits that name the next token of each document have loss 0 with these labels: nothing is shifted twice."""
    tokens = torch.randint(0, 13, (3, 9), generator=generator(3))
    doc_ids = torch.tensor([[4] * 3 + [2] * 5 + [-1], [0] * 9, [1, 0, 0, 0, 0, 7, 7, -1, -1]])
    labels = REFERENCE.labels_for(tokens, doc_ids)
    logits = torch.full((3, 9, 13), -1e4)
    logits[:, :-1].scatter_(2, tokens[:, 1:, None], 0.0)
    assert REFERENCE.causal_lm_loss(logits, labels) == 0
    assert (labels != IGNORED).sum() == (2 + 4) + 8 + (0 + 3 + 1)


def test_gradient_is_that_of_the_loss():
    """accumulate gives what autograd gives for causal_lm_loss over all positions at once."""
    weight, parts = micro_batches(4, [5, 1, 7, 3])
    leaf = weight.clone().requires_grad_()
    hidden, labels = (torch.cat(each) for each in zip(*parts, strict=True))
    whole = REFERENCE.causal_lm_loss((hidden @ leaf.T)[None], labels[None])
    whole.backward()
    loss, gradient = REFERENCE.accumulate(weight, parts)
    assert math.isclose(loss, whole.item(), rel_tol=1e-12)
    torch.testing.assert_close(gradient, leaf.grad, rtol=1e-12, atol=1e-14)


def test_loss_passes_gradcheck():
    """The loss is differentiable in its logits, and its derivative is that of finite differences."""
    logits = torch.randn(2, 4, 5, generator=generator(5), dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([[1, 4, IGNORED, 0], [IGNORED, 2, 2, IGNORED]])
    assert torch.autograd.gradcheck(lambda x: REFERENCE.causal_lm_loss(x, labels), logits)


def test_figures_of_the_statement():
    """log V of Llama 3's vocabulary, and the two micro-batches whose mean of means is wrong."""
    assert round(math.log(128_256), 2) == 11.76
    weight = torch.eye(4, dtype=torch.float64)  # a hidden state is its logits
    state = torch.tensor([4.0, 2.0, 1.0, 1.0], dtype=torch.float64).log()
    first = (state.repeat(3, 1), torch.tensor([0, 0, 0]))
    second = (state.repeat(3, 1), torch.tensor([IGNORED, 3, IGNORED]))
    loss, _ = REFERENCE.accumulate(weight, [first, second])
    means = [REFERENCE.causal_lm_loss(hidden[None], labels[None]).item() for hidden, labels in (first, second)]
    assert (round(loss, 3), round(sum(means) / 2, 3)) == (1.040, 1.386)


@pytest.fixture(scope="module")
def causal_loss():
    """The loss of transformers' causal models, which shifts labels by itself."""
    reason = "compares with transformers' loss"
    return pytest.importorskip("transformers.loss.loss_utils", reason=reason).ForCausalLMLoss


def test_same_loss_as_transformers(causal_loss):
    """Shifted labels here and unshifted ones there make the same loss, in float32 and from bfloat16."""
    tokens = torch.randint(0, 17, (3, 8), generator=generator(6))
    labels = REFERENCE.labels_for(tokens, torch.zeros_like(tokens))
    logits = torch.randn(3, 8, 17, generator=generator(7))
    for each in (logits, logits.bfloat16()):
        want = causal_loss(each, tokens, vocab_size=17)
        torch.testing.assert_close(REFERENCE.causal_lm_loss(each, labels), want, rtol=1e-6, atol=0)


def test_same_accumulation_as_transformers(causal_loss):
    """With num_items_in_batch of all micro-batches, transformers' losses and gradients add up to ours."""
    weight, parts = micro_batches(8, [6, 2, 9])
    count = sum(int((labels != IGNORED).sum()) for _, labels in parts)
    leaf = weight.float().requires_grad_()
    total = 0.0
    for hidden, labels in parts:
        logits = (hidden.float() @ leaf.T)[None]
        part = causal_loss(logits, None, vocab_size=11, num_items_in_batch=count, shift_labels=labels[None])
        part.backward()
        total += part.item()
    loss, gradient = REFERENCE.accumulate(weight, parts)
    assert math.isclose(loss, total, rel_tol=1e-5)
    torch.testing.assert_close(gradient.float(), leaf.grad, rtol=1e-4, atol=1e-6)
