"""The reference of bpe_tokenizer against HF tokenizers, tiktoken and the corpora of Sennrich et al. 2016."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from grader.catalog import import_file

ROOT = Path(__file__).parents[3]
reference = import_file(ROOT / "solutions/chapter1/bpe_tokenizer/reference.py", "reference_bpe_tokenizer")
TOY = {b"low_": 5, b"lower_": 2, b"newest_": 6, b"widest_": 3}


def made_words(seed, letters=b"abcdef", words=60):
    """Random words with counts that seldom tie."""
    generator = np.random.default_rng(seed)
    made = {}
    for _ in range(words):
        word = bytes(generator.choice(list(letters), generator.integers(1, 9)).tolist())
        made[word] = int(generator.integers(50, 400))
    return made


def spell(merges):
    """The bytes of every token."""
    tokens = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    return tokens


def counts_of(words):
    """Pair counts of words as lists of symbols, with weights."""
    counts = Counter()
    for symbols, times in words:
        for pair in pairwise(symbols):
            counts[pair] += times
    return counts


def apply(symbols, pair):
    """The pair joined, from left to right, with spellings as symbols."""
    out, i = [], 0
    while i < len(symbols):
        if symbols[i : i + 2] == list(pair):
            out.append(pair[0] + pair[1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


def history(pairs, word_counts):
    """For merges given as pairs of spellings: how often each occurred at its turn, how often the most frequent did."""
    words = [([word[i : i + 1] for i in range(len(word))], times) for word, times in word_counts.items()]
    found = []
    for pair in pairs:
        counts = counts_of(words)
        most = max(counts.values())
        found.append((counts[pair], most, sum(count == most for count in counts.values())))
        words = [(apply(symbols, pair), times) for symbols, times in words]
    return found


def spelled_pairs(merges):
    """Merges as pairs of spellings."""
    tokens = spell(merges)
    return [(tokens[left], tokens[right]) for left, right in merges]


def test_toy_corpus_of_the_paper():
    """Algorithm 1's corpus: the counts of ten merges, whichever tie is taken, and the paper's first-seen merges."""
    merges = reference.train_bpe(TOY, 10)
    assert [count for count, _, _ in history(spelled_pairs(merges), TOY)] == [9, 9, 9, 7, 7, 6, 6, 6, 5, 3]
    assert len(reference.train_bpe(TOY, 100)) == 15
    first_seen = "e s|es t|est _|l o|lo w|n e|ne w|new est_|low _|w i"
    pairs = [tuple(part.encode() for part in pair.split()) for pair in first_seen.split("|")]
    assert all(count == most for count, most, _ in history(pairs, TOY))
    ids = {bytes([byte]): byte for byte in range(256)}
    listed = []
    for left, right in pairs:
        listed.append((ids[left], ids[right]))
        ids.setdefault(left + right, 255 + len(listed))
    tokens = spell(listed)
    cut = [tokens[token] for token in reference.encode(b"lowest_", listed)]
    assert cut == [b"low", b"est_"]  # section 3.2 segments lower the same way: low er_


def test_figure_of_the_paper():
    """Figure 1: from low, lowest, newer, wider the paper learns r_, lo, low, er_; each is a most frequent pair."""
    words = {b"low_": 1, b"lowest_": 1, b"newer_": 1, b"wider_": 1}
    pairs = [(b"r", b"_"), (b"l", b"o"), (b"lo", b"w"), (b"e", b"r_")]
    assert all(count == most == 2 for count, most, _ in history(pairs, words))
    # All of these are ties, so the reference may go elsewhere; what it takes must be most frequent as well.
    assert all(count == most for count, most, _ in history(spelled_pairs(reference.train_bpe(words, 4)), words))


@pytest.mark.parametrize("seed", range(6))
def test_counts_never_increase(seed):
    """No merge occurs more often than the one before it, and each is a most frequent pair."""
    words = made_words(seed, letters=b"ab" if seed % 2 else b"abcdef")
    found = history(spelled_pairs(reference.train_bpe(words, 40)), words)
    assert all(count == most for count, most, _ in found)
    assert all(after[0] <= before[0] for before, after in pairwise(found))


@pytest.mark.parametrize("seed", range(6))
def test_merges_are_those_of_hf_tokenizers(seed):
    """Up to the first tie the merges are those of HF's BpeTrainer."""
    tokenizers = pytest.importorskip("tokenizers", reason="trains with HF tokenizers")
    words = made_words(seed)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=6 + 40, show_progress=False)
    tokenizer.train_from_iterator([" ".join([word.decode()] * times) for word, times in words.items()], trainer)
    theirs = [tuple(map(str.encode, pair)) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
    ours = spelled_pairs(reference.train_bpe(words, 40))
    ties = [number for number, (_, _, equal) in enumerate(history(ours, words)) if equal > 1]
    alike = ties[0] if ties else 40
    assert alike >= 8  # else the corpus shows nothing
    assert ours[:alike] == theirs[:alike]


@pytest.mark.parametrize("seed", range(20))
def test_ids_are_those_of_hf_tokenizers(seed):
    """With the same merges HF's encoder cuts random words into the same tokens."""
    tokenizers = pytest.importorskip("tokenizers", reason="encodes with HF tokenizers")
    generator = np.random.default_rng(seed)
    merges, spellings = [], set()
    tokens = [bytes([byte]) for byte in range(256)]
    usable = list(b"abc")
    while len(merges) < 25:
        pair = tuple(int(token) for token in generator.choice(usable, 2))
        text = tokens[pair[0]] + tokens[pair[1]]
        if text not in spellings and len(text) < 9:  # HF names tokens by their spelling: one pair for each
            spellings.add(text)
            tokens.append(text)
            usable.append(256 + len(merges))
            merges.append(pair)
    vocab = {letter: number for number, letter in enumerate("abc")}
    vocab |= {text.decode(): 3 + number for number, text in enumerate(tokens[256:])}
    pairs = [(tokens[left].decode(), tokens[right].decode()) for left, right in merges]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, pairs))
    for _ in range(40):
        data = bytes(generator.choice(list(b"abc"), generator.integers(1, 40)).tolist())
        ours = reference.encode(data, merges)
        assert [tokens[token].decode() for token in ours] == tokenizer.encode(data.decode()).tokens
        assert reference.decode(ours, merges) == data


@pytest.mark.parametrize(
    ("spellings", "data", "ids"),
    [
        (["bc", "ab", "abc"], b"abc", [258]),
        (["bc", "ab", "abc"], b"abcbc", [258, 256]),
        (["ab", "bc", "cd", "abc", "bcd"], b"abcd", [256, 258]),
        (["aa"], b"aaaaa", [256, 256, 97]),
    ],
)
def test_ids_are_those_of_tiktoken(spellings, data, ids):
    """tiktoken with the same ranks gives the ids that the checks ask for."""
    tiktoken = pytest.importorskip("tiktoken", reason="encodes with tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {text.encode(): 256 + number for number, text in enumerate(spellings)}
    encoding = tiktoken.Encoding("made", pat_str=r"[\s\S]+", mergeable_ranks=ranks, special_tokens={})
    assert encoding.encode(data.decode()) == ids
    pairs = {"bc": (98, 99), "ab": (97, 98), "cd": (99, 100), "aa": (97, 97)}
    pairs |= {"abc": (97, 256) if spellings[0] == "bc" else (256, 99), "bcd": (257, 100)}
    assert reference.encode(data, [pairs[text] for text in spellings]) == ids


def test_merges_are_those_of_tiktokens_teacher():
    """Up to the first tie the merges are those of tiktoken's educational trainer, and so are the ids."""
    pytest.importorskip("tiktoken", reason="trains with tiktoken")
    from tiktoken._educational import bpe_encode, bpe_train

    words = made_words(11, words=25)
    text = " ".join(" ".join([word.decode()] * (times // 10)) for word, times in words.items())
    counted = Counter(word.encode() for word in text.split(" "))
    ranks = bpe_train(text, 256 + 20, pat_str=r"[a-f]+", visualise=None)
    ours = reference.train_bpe(counted, 20)
    ties = [number for number, (_, _, equal) in enumerate(history(spelled_pairs(ours), counted)) if equal > 1]
    alike = ties[0] if ties else 20
    assert alike >= 5
    assert [token for token, rank in sorted(ranks.items(), key=lambda item: item[1]) if rank >= 256][:alike] == spell(
        ours
    )[256 : 256 + alike]
    kept = {token: rank for token, rank in ranks.items() if rank < 256 + alike}
    for word in counted:
        assert reference.encode(word, ours[:alike]) == bpe_encode(kept, word, visualise=None)
