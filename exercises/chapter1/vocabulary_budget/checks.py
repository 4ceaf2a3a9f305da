"""Checks of vocabulary_budget. Symbols: V entries of the vocabulary, d width, N_nv parameters that are no embeddings.

The oracles encode real texts, multiply the probabilities of tokens, lay out matrices and count their elements, and
plant an optimum: they choose V first and make the model for which it is best.
"""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import expect, strategies

# The contract: 1 part in 10**9. A sum of some tens of terms in double precision makes less than 1e-14 of it.
PRECISION = 1e-9
# The contract: 1 part in 1000, or 1 entry. A search by values of the FLOPs cannot do better than a relative
# sqrt(2 eps / k), k being their relative curvature over ln V. Near the optimum of all models here k > 0.03: 2e-7.
OPTIMUM = {"rtol": 1e-3, "atol": 1.0}
# Tao et al. 2024: f(V) = a ln(V)**2 + b ln(V) + c.
PUBLISHED_FIT = (0.00639222, -0.15811069, 1.20470122)
LOWEST, HIGHEST = 256, 200_000

SCRIPTS = st.text(st.sampled_from("ab .éßя語한🙂"), max_size=12)
DOCUMENTS = st.lists(st.tuples(SCRIPTS, st.integers(0, 20)), min_size=1, max_size=6)


def number(got, what):
    """The learner's answer as a number."""
    return expect.number(got, what)


# --- bytes and tokens


@pytest.mark.core
@pytest.mark.hint("bytes are those of UTF-8, in which é has two; divide once, when both sums are there")
@given(documents=DOCUMENTS.filter(lambda documents: any(count for _, count in documents)))
@example(documents=[("The café is open.", 5), ("東京", 4)])
@example(documents=[("abc", 1)])
def test_bytes_per_token_of_a_corpus(learner, documents):
    """bytes per token are all UTF-8 bytes of the corpus over all its tokens"""
    texts, counts = (list(column) for column in zip(*documents, strict=True))
    size = 0
    for letter in "".join(texts):
        code = ord(letter)  # RFC 3629: 1 byte below 2**7, 2 below 2**11, 3 below 2**16, else 4
        size += 1 + (code >= 2**7) + (code >= 2**11) + (code >= 2**16)
    got = learner.bytes_per_token(texts, counts)
    expect.close(number(got, "bytes per token"), size / sum(counts), "bytes per token", rtol=PRECISION, atol=0)


@pytest.mark.core
@pytest.mark.hint("fewer bytes per token are more tokens; each epoch reads all of them once more")
@given(
    tokens=st.integers(1, 10**12),
    tenths=st.integers(1, 200),
    halves=st.integers(1, 80),
)
def test_budget_is_the_corpus_in_tokens(learner, tokens, tenths, halves):
    """a corpus made of so many tokens is that budget, times the epochs"""
    # tenths / 10 bytes per token; 10 times the tokens, so that the corpus has a whole number of bytes.
    got = learner.token_budget(tokens * tenths, tenths / 10, halves / 2)
    expect.close(number(got, "tokens"), 5 * tokens * halves, "tokens", rtol=PRECISION, atol=0)


@pytest.mark.edge
@pytest.mark.hint("a corpus that is read once, or by half, is a budget too")
@given(size=st.integers(1, 10**15), quarters=st.integers(1, 3))
def test_one_epoch_and_less(learner, size, quarters):
    """without epochs the corpus is read once; part of an epoch is part of the tokens"""
    once = number(learner.token_budget(size, 3.7), "tokens")
    expect.close(once, size / 3.7, "tokens of one epoch", rtol=PRECISION, atol=0)
    part = learner.token_budget(size, 3.7, quarters / 4)
    expect.close(number(part, "tokens"), once * quarters / 4, f"tokens of {quarters}/4 epochs", rtol=PRECISION, atol=0)


# --- bits per byte


def spell(seed, documents):
    """Made documents as lists of (probability of a token, bytes of a token)."""
    generator = np.random.default_rng(seed)
    return [
        [
            (float(p), int(size))
            for p, size in zip(generator.uniform(0.01, 0.9, n), generator.integers(1, 9, n), strict=True)
        ]
        for n in documents
    ]


def summary(documents):
    """Mean loss in nats, tokens and bytes of each document; the loss of one without tokens must not count."""
    losses = [-sum(math.log(p) for p, _ in tokens) / len(tokens) if tokens else 9.0 for tokens in documents]
    return losses, [len(tokens) for tokens in documents], [sum(size for _, size in tokens) for tokens in documents]


LENGTHS = st.lists(st.integers(0, 12), min_size=1, max_size=5).filter(any)


@pytest.mark.core
@pytest.mark.hint(
    "how many bits does a text of probability p need? What does a mean loss have to be multiplied by first?"
)
@given(seed=strategies.seeds(), lengths=LENGTHS)
def test_bits_are_those_of_the_probability(learner, seed, lengths):
    """bits per byte are -log2 of the probability of all texts, over their bytes"""
    documents = spell(seed, lengths)
    probability = math.prod(p for tokens in documents for p, _ in tokens)  # 60 tokens: not under 1e-120
    want = -math.log2(probability) / sum(size for tokens in documents for _, size in tokens)
    got = learner.bits_per_byte(*summary(documents))
    expect.close(number(got, "bits per byte"), want, "bits per byte", rtol=PRECISION, atol=0)


@pytest.mark.core
@pytest.mark.hint("a tokenizer with longer tokens has fewer of them and a higher loss for each; their product stays")
@given(seed=strategies.seeds(), lengths=LENGTHS, run=st.integers(2, 4))
def test_tokenizer_does_not_matter(learner, seed, lengths, run):
    """fusing tokens changes the loss per token, and not the bits per byte"""
    documents = spell(seed, lengths)
    # Every run of tokens becomes one token, as likely as the run was, with the bytes of all.
    fused = [
        [
            (math.prod(p for p, _ in tokens[i : i + run]), sum(size for _, size in tokens[i : i + run]))
            for i in range(0, len(tokens), run)
        ]
        for tokens in documents
    ]
    before, after = (number(learner.bits_per_byte(*summary(each)), "bits per byte") for each in (documents, fused))
    expect.close(after, before, f"bits per byte with runs of {run} tokens fused", rtol=PRECISION, atol=0)
    expect.true(before > 0, "bits per byte are more than 0", got=before)


@pytest.mark.edge
@pytest.mark.hint("one bit is ln 2 nats; who knows nothing needs 8 bits for a byte")
def test_known_bits(learner):
    """guessing among 256 bytes takes 8 bits per byte; a loss of 2.85 nats at 4.5 bytes per token takes 0.9137"""
    for losses, tokens, sizes, want in (
        ([math.log(256)], [1000], [1000], 8.0),
        ([2.85], [1000], [4500], 0.913707),
        ([3.0], [1000], [4200], 1.030496),
        ([9.0, 3.0], [0, 1000], [0, 4200], 1.030496),
        ([0.0], [7], [20], 0.0),
        ([math.log(2)], [1], [1], 1.0),
    ):
        got = number(learner.bits_per_byte(losses, tokens, sizes), "bits per byte")
        expect.close(got, want, f"bits per byte for losses {losses}", rtol=0, atol=5e-7)  # six digits


# --- parameters


@pytest.mark.core
@pytest.mark.hint("count the matrices: one if input and output share it, two if not; the share is of the whole model")
@given(
    vocab=st.integers(1, 60),
    width=st.integers(1, 30),
    others=st.lists(st.integers(1, 30), max_size=3),
    tied=st.booleans(),
)
def test_share_is_that_of_the_matrices(learner, vocab, width, others, tied):
    """the share is that of the embeddings' elements among all elements of the model"""
    embeddings = [np.empty((vocab, width)) for _ in range(1 if tied else 2)]
    hidden = [np.empty((width, out)) for out in others]
    elements = sum(matrix.size for matrix in embeddings)
    got = learner.embedding_share(vocab, width, sum(matrix.size for matrix in hidden), tied)
    want = elements / (elements + sum(matrix.size for matrix in hidden))
    expect.close(number(got, "share"), want, "share", rtol=PRECISION, atol=0)


MODELS = {  # V, d, N_nv, tied -> share; parameter counts of the published models
    "GPT-2": (50257, 768, 85_842_432, True, 0.31017),
    "Llama 2 7B": (32000, 4096, 6_476_271_616, False, 0.03890),
    "Llama 3 8B": (128256, 4096, 6_979_588_096, False, 0.13084),
    "Llama 3.2 1B": (128256, 2048, 973_146_112, True, 0.21255),
}


@pytest.mark.core
@pytest.mark.hint("Llama 3 8B has two matrices of 128,256 x 4,096; they are in its 8.03 billion parameters")
@pytest.mark.parametrize("name", MODELS)
def test_share_of_published_models(learner, name):
    """a third of GPT-2 is its vocabulary, an eighth of Llama 3 8B"""
    *arguments, want = MODELS[name]
    got = number(learner.embedding_share(*arguments), "share")
    expect.close(got, want, f"share of {name}", rtol=0, atol=5e-6)  # five digits


# --- the vocabulary with the fewest FLOPs


def flops(vocab, other_params, width, fit):
    """Training FLOPs per character."""
    x = np.log(vocab)
    return 6 * (other_params + np.multiply(vocab, float(width))) * (fit[0] * x**2 + fit[1] * x + fit[2])


def make_fit(top, bottom, vertex):
    """A parabola over ln V that falls from ``top`` at V = 256 to ``bottom`` at V = e**vertex, beyond the range."""
    a = (top - bottom) / (math.log(LOWEST) - vertex) ** 2
    return a, -2 * a * vertex, bottom + a * vertex**2


FITS = st.one_of(
    st.just(PUBLISHED_FIT),
    st.builds(
        make_fit,
        st.integers(40, 70).map(lambda hundredths: hundredths / 100),
        st.integers(15, 30).map(lambda hundredths: hundredths / 100),
        st.integers(123, 140).map(lambda tenths: tenths / 10),  # e**12.3 = 220,000
    ),
)
WIDTHS = st.integers(1, 20_000)


def optimal(learner, *arguments):
    """The learner's V, in range, of which e**ln(200,000) falls out by a rounding error."""
    got = number(learner.flop_optimal_vocabulary(*arguments), "V")
    expect.between(got, LOWEST - OPTIMUM["atol"], HIGHEST * (1 + OPTIMUM["rtol"]), "V")
    return got


@pytest.mark.core
@pytest.mark.hint("at the best V, an entry more costs as many FLOPs in the head as it saves in tokens")
@given(vocab=st.integers(300, 190_000), width=WIDTHS, fit=FITS)
@example(vocab=32_777, width=1024, fit=PUBLISHED_FIT)
def test_planted_vocabulary(learner, vocab, width, fit):
    """V is that for which the model was made"""
    # The derivative of (N_nv + V d) f(V) is d f + (N_nv + V d) f' with f' = (2 a ln V + b) / V: solve it for N_nv.
    x = math.log(vocab)
    tokens, slope = fit[0] * x**2 + fit[1] * x + fit[2], 2 * fit[0] * x + fit[1]
    other_params = vocab * width * (-tokens / slope - 1)
    # Rounding N_nv > V / 10 or so moves the optimum by less than an entry: d ln V / d ln N_nv is about 1.
    expect.close(optimal(learner, max(round(other_params), 1), width, fit), vocab, "V", **OPTIMUM)


@pytest.mark.core
@pytest.mark.hint("compare 6 (N_nv + V d) f(V) at your V with that at other V; does your f use the natural logarithm?")
@given(other_params=st.integers(1, 10**12), width=WIDTHS, fit=FITS)
def test_no_vocabulary_is_cheaper(learner, other_params, width, fit):
    """no V from 256 to 200,000 takes fewer FLOPs for the same text"""
    got = optimal(learner, other_params, width, fit)
    # An answer within the contract's tolerance of the optimum is cheaper than all that is three tolerances off.
    others = np.geomspace(LOWEST, HIGHEST, 301)
    far = others[abs(others - got) > 3 * (OPTIMUM["atol"] + OPTIMUM["rtol"] * got)]
    least = flops(far, other_params, width, fit).min()
    here = flops(got, other_params, width, fit)
    expect.at_most(here, least, f"FLOPs per character at V = {got:.6g}, against other V")


TABLE = {  # N_nv, d -> V; printed by approach2_derivative.py of Tao et al.
    (33_000_000, 512): 10_322.9,
    (85_000_000, 768): 15_939.2,
    (151_000_000, 768): 24_593.4,
    (302_000_000, 1024): 32_776.6,
    (631_000_000, 1536): 40_941.8,
    (1_130_000_000, 2048): 49_416.0,
    (2_870_000_000, 3200): 65_928.3,
}


@pytest.mark.core
@pytest.mark.hint("leave the default constants as they are, and return V, not V times d")
def test_published_vocabularies(learner):
    """with the published fit, models from 33 million to 2.87 billion parameters want 10,323 to 65,928 entries"""
    for (other_params, width), want in TABLE.items():
        expect.close(optimal(learner, other_params, width), want, f"V for N_nv = {other_params}", **OPTIMUM)


@pytest.mark.edge
@pytest.mark.hint("where the FLOPs rise from 256 on, or fall up to 200,000, the end of the range is the answer")
@given(width=WIDTHS, fit=FITS, percent=st.integers(1, 100))
@example(width=8192, fit=PUBLISHED_FIT, percent=100)
def test_ends_of_the_range(learner, width, fit, percent):
    """tiny models want bytes only, huge ones all that the fit covers"""
    # FLOPs rise at V where N_nv < V d (f / -V f' - 1), as in the planted models; f / -V f' is above 3 at V = 256.
    tiny = max(LOWEST * width * percent // 100, 1)
    expect.close(optimal(learner, tiny, width, fit), LOWEST, f"V for N_nv = {tiny}", **OPTIMUM)
    x = math.log(HIGHEST)
    most = HIGHEST * width * (fit[0] * x**2 + fit[1] * x + fit[2]) / -(2 * fit[0] * x + fit[1])
    huge = round(most * (1 + percent / 100))
    expect.close(optimal(learner, huge, width, fit), HIGHEST, f"V for N_nv = {huge}", **OPTIMUM)


@pytest.mark.edge
@pytest.mark.hint("lists that do not belong together, and sums of nothing, have no answer: raise ValueError")
@given(wrong=st.sampled_from([0, -1, -7]))
def test_impossible_arguments(learner, wrong):
    """what has no answer is an error"""
    for texts, counts in ((["a", "b"], [1]), (["a"], [1, 2]), (["ab"], [0]), ([], [])):
        expect.raises(ValueError, learner.bytes_per_token, texts, counts)
    for losses, counts, sizes in (
        ([1.0], [1, 1], [1]),
        ([1.0, 1.0], [1], [1]),
        ([1.0], [1], [1, 1]),
        ([1.0], [1], [0]),
    ):
        expect.raises(ValueError, learner.bits_per_byte, losses, counts, sizes)
    expect.raises(ValueError, learner.bits_per_byte, [], [], [])
    for arguments in ((wrong, 4.0, 1.0), (10, float(wrong), 1.0), (10, 4.0, float(wrong))):
        expect.raises(ValueError, learner.token_budget, *arguments)
    expect.raises(ValueError, learner.flop_optimal_vocabulary, wrong, 64)
    expect.raises(ValueError, learner.flop_optimal_vocabulary, 10**6, wrong)
