"""The reference of vocabulary_budget against torch, the HF tokenizers library and the published tables."""

from math import log, log10
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
reference = import_file(ROOT / "solutions/chapter1/vocabulary_budget/reference.py", "reference_vocabulary_budget")
# approach2_derivative.py of Tao et al. 2024: Nnv, d and the V that it prints.
SEARCHED = (
    (33_000_000, 512, 10_322.9),
    (85_000_000, 768, 15_939.2),
    (151_000_000, 768, 24_593.4),
    (302_000_000, 1024, 32_776.6),
    (631_000_000, 1536, 40_941.8),
    (1_130_000_000, 2048, 49_416.0),
    (2_870_000_000, 3200, 65_928.3),
)


def test_bits_per_byte_is_torchs_cross_entropy():
    """A byte model's bits per byte are the cross entropy that torch computes, over ln 2."""
    torch = pytest.importorskip("torch", reason="compares with torch's cross entropy")
    torch.manual_seed(0)
    documents = [torch.randint(256, (n,)) for n in (1, 7, 300)]
    logits = [torch.randn(len(document), 256, dtype=torch.float64) for document in documents]
    pairs = list(zip(logits, documents, strict=True))
    losses = [float(torch.nn.functional.cross_entropy(*pair)) for pair in pairs]
    counts = [len(document) for document in documents]
    whole = torch.nn.functional.cross_entropy(torch.cat(logits), torch.cat(documents))
    assert reference.bits_per_byte(losses, counts, counts) == pytest.approx(float(whole) / log(2), rel=1e-12)


def test_bytes_per_token_of_a_trained_tokenizer():
    """Bytes per token are 1 for single bytes, and what the offsets of an HF byte-level tokenizer add up to."""
    tokenizers = pytest.importorskip("tokenizers", reason="counts tokens with HF tokenizers")
    texts = ["the cat sat on the mat, the cat ran", "naïve café, 東京 🙂", "", "the the the"]
    sizes = [len(text.encode()) for text in texts]
    for merges, below in ((0, 1.0), (20, None)):
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=256 + merges, initial_alphabet=alphabet, show_progress=False
        )
        tokenizer.train_from_iterator(texts, trainer)
        encodings = [tokenizer.encode(text) for text in texts]
        got = reference.bytes_per_token(texts, [len(encoding.ids) for encoding in encodings])
        # Byte level: each token is spelled with one character per byte.
        spelled = [sum(map(len, encoding.tokens)) for encoding in encodings]
        assert spelled == sizes
        assert got == sum(spelled) / sum(len(encoding.tokens) for encoding in encodings)
        assert got == below if below else got > 1.2


@pytest.mark.parametrize(
    ("vocab", "width", "total", "tied", "share"),
    [
        (50257, 768, 124_439_808, True, 0.31017),  # GPT-2
        (32000, 4096, 6_738_415_616, False, 0.03890),  # Llama 2 7B
        (32000, 8192, 68_976_648_192, False, 0.0076),  # Llama 2 70B, 0.8 % in the statement
        (128256, 4096, 8_030_261_248, False, 0.13084),  # Llama 3 8B
        (128256, 2048, 1_235_814_400, True, 0.21255),  # Llama 3.2 1B
    ],
)
def test_shares_of_published_models(vocab, width, total, tied, share):
    """The share is what torch's modules hold, of the published number of parameters."""
    torch = pytest.importorskip("torch", reason="counts the parameters of modules")
    with torch.device("meta"):
        modules = [torch.nn.Embedding(vocab, width), torch.nn.Linear(width, vocab, bias=False)]
    if tied:
        modules[1].weight = modules[0].weight
    embeddings = sum({id(weight): weight.numel() for module in modules for weight in module.parameters()}.values())
    got = reference.embedding_share(vocab, width, total - embeddings, tied)
    assert got == pytest.approx(embeddings / total, rel=1e-14)
    assert got == pytest.approx(share, abs=5e-5)


@pytest.mark.parametrize(("others", "width", "vocab"), SEARCHED)
def test_cheapest_vocabulary(others, width, vocab):
    """The cheapest V is the published one, and the least of all whole V by brute force."""
    got = reference.flop_optimal_vocabulary(others, width)
    assert got == pytest.approx(vocab, rel=1e-5)
    every = np.arange(256, 200_001)
    x = np.log(every)
    cost = (others + every * float(width)) * (0.00639222 * x**2 - 0.15811069 * x + 1.20470122)
    assert abs(every[cost.argmin()] - got) < 1


def test_growth_of_the_vocabulary():
    """Vocabulary parameters grow as a power between .82 and .85 of the others (Tao et al.: .8354)."""
    sizes = np.array([others for others, _, _ in SEARCHED], dtype=float)
    parameters = np.array([reference.flop_optimal_vocabulary(others, width) * width for others, width, _ in SEARCHED])
    x, y = np.log(sizes[1:] / sizes[0]), np.log(parameters[1:] / parameters[0])
    gamma = float(x @ y / (x @ x))
    assert gamma == pytest.approx(0.83314, abs=1e-4)
    assert 0.82 < gamma < 0.85


def test_figures_of_the_statement():
    """The statement's numbers: its examples, and what the wrong logarithm would make of f."""
    assert reference.bytes_per_token(["The café is open.", "東京"], [5, 4]) == pytest.approx(2.667, abs=5e-4)
    assert reference.bits_per_byte([2.0, 3.5], [5, 4], [18, 6]) == pytest.approx(1.443, abs=5e-4)
    assert reference.token_budget(10**13, 4.0, 1.5) == 3.75e12
    assert reference.bits_per_byte([3.0], [1000], [4500]) == pytest.approx(0.962, abs=5e-4)
    assert reference.bits_per_byte([2.85], [1000], [4000]) == pytest.approx(1.028, abs=5e-4)
    for v, tokens, cost in ((4096, 0.3318, 6.99e7), (10_323, 0.2894, 6.65e7), (32_768, 0.2518, 7.52e7)):
        f = 0.00639222 * log(v) ** 2 - 0.15811069 * log(v) + 1.20470122
        assert f == pytest.approx(tokens, abs=5e-5)
        assert 6 * (33e6 + v * 512) * f == pytest.approx(cost, rel=1e-3)
        assert 0.00639222 * log10(v) ** 2 - 0.15811069 * log10(v) + 1.20470122 > 0.6


def test_picture_draws():
    """The picture has a curve and the reference's answer for each model."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws with matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    picture = import_file(ROOT / "exercises/chapter1/vocabulary_budget/picture.py", "picture_vocabulary_budget")
    axes = Figure().subplots()
    picture.draw(reference, axes)
    dots = [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1]
    assert any(abs(float(x) - 10_322.9) < 1 for x in dots)
    assert len(axes.lines) >= 8
    assert "33 million" in " ".join(text.get_text() for text in axes.texts)
