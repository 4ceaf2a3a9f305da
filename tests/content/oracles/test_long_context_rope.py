"""The reference of long_context_rope against transformers' rope utilities, published figures, and rotated vectors."""

import math
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "solutions" / "chapter3" / "long_context_rope"
REFERENCE = import_file(FOLDER / "reference.py", "reference_of_long_context_rope")


def of_transformers(method, dim, base, factor, length):
    """Frequencies and attention factor of transformers."""
    transformers = pytest.importorskip("transformers", reason="compares with transformers' rope utilities")
    pytest.importorskip("torch", reason="transformers computes with torch")
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    parameters = {"rope_type": method, "rope_theta": base, "factor": factor, "original_max_position_embeddings": length}
    if method == "llama3":
        parameters |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    config = transformers.LlamaConfig(
        hidden_size=dim,
        num_attention_heads=1,
        max_position_embeddings=int(length * factor),
        rope_parameters=parameters,
    )
    inverse, scale = ROPE_INIT_FUNCTIONS[method](config, "cpu")
    return inverse.double().numpy(), scale


MODELS = [
    (128, 10_000.0, 4096),
    (64, 10_000.0, 2048),
    (128, 500_000.0, 8192),
    (256, 1_000_000.0, 32_768),
    (96, 500.0, 128),
]


@pytest.mark.parametrize("method", ["linear", "yarn", "llama3"])
@pytest.mark.parametrize("factor", [2.0, 8.0, 32.0])
@pytest.mark.parametrize(("dim", "base", "length"), MODELS)
def test_frequencies_of_transformers(method, factor, dim, base, length):
    """Interpolation, YaRN and Llama 3 have transformers' frequencies and attention factors, in float32."""
    theirs, scale = of_transformers(method, dim, base, factor, length)
    ours = REFERENCE.rope_frequencies(dim, base, method, factor, length)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    assert REFERENCE.attention_factor(method, factor) == pytest.approx(scale, rel=1e-6)


@pytest.mark.parametrize(("factor", "base"), [(2, 20_221.2617), (4, 40_889.9424), (8, 82_684.6226)])
def test_ntk_is_another_base(factor, base):
    """The NTK-aware frequencies are plain ones of a larger base."""
    ours = REFERENCE.rope_frequencies(128, 10_000, "ntk", factor, 4096)
    np.testing.assert_allclose(ours, REFERENCE.rope_frequencies(128, base, "none", 1, 4096), rtol=1e-7)


def test_wavelengths():
    """The slowest pair's wavelength at bases of 10,000 and 500,000."""
    for base, tokens in ((10_000, 54_410.143), (500_000, 2_559_195.517)):
        slowest = REFERENCE.rope_frequencies(128, base, "none", 1, 4096)[-1]
        assert 2 * math.pi / slowest == pytest.approx(tokens, rel=1e-6)


def test_table_of_the_statement():
    """The statement's table: d = 128, b = 10,000, L = 4096, s = 4."""
    plain = REFERENCE.rope_frequencies(128, 10_000, "none", 4, 4096)
    table = {0: (0.25, 1, 1), 20: (0.25, 0.644, 1), 30: (0.25, 0.517, 0.712), 45: (0.25, 0.372, 0.279), 63: (0.25,) * 3}
    for column, method in enumerate(("linear", "ntk", "yarn")):
        ratios = REFERENCE.rope_frequencies(128, 10_000, method, 4, 4096) / plain
        assert all(abs(ratios[pair] - row[column]) < 6e-4 for pair, row in table.items())
    for factor, scale in ((4, 1.1386294), (16, 1.2772589), (32, 1.3465736)):
        assert REFERENCE.attention_factor("yarn", factor) == pytest.approx(scale, abs=1e-7)


def rotated(vectors, positions, frequencies, scale):
    """Pairs of dimensions as complex numbers, turned by position times frequency."""
    pairs = vectors[..., ::2] + 1j * vectors[..., 1::2]
    return scale * pairs * np.exp(1j * np.multiply.outer(positions, frequencies))


def test_interpolation_is_a_matter_of_positions():
    """Attention at s times the positions with interpolated frequencies is that at the positions with plain ones."""
    draw = np.random.default_rng(1)
    queries, keys = draw.standard_normal((2, 50, 64))
    positions = np.arange(50)
    plain, stretched = (REFERENCE.rope_frequencies(64, 10_000, method, 8, 2048) for method in ("none", "linear"))

    def logits(at, frequencies, scale=1.0):
        turned = [rotated(each, at, frequencies, scale) for each in (queries, keys)]
        return (turned[0] @ turned[1].conj().T).real

    np.testing.assert_allclose(logits(positions, plain), logits(8 * positions, stretched), atol=1e-9)
    scale = REFERENCE.attention_factor("yarn", 8)
    np.testing.assert_allclose(logits(positions, plain, scale), scale**2 * logits(positions, plain), atol=1e-9)


def test_picture_draws_something():
    """The picture of the reference has a curve for each method, and lines at 32, 4 and 1 turns."""
    matplotlib = pytest.importorskip("matplotlib", reason="draws")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    picture = import_file(ROOT / "exercises/chapter3/long_context_rope/picture.py", "picture_of_long_context_rope")
    axes = Figure(figsize=(9, 5)).add_subplot()
    picture.draw(REFERENCE, axes)
    assert len(axes.lines) == 7
    assert "1.208" in axes.get_legend().get_texts()[2].get_text()
