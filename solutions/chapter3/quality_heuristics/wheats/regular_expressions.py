"""Regular expressions, numpy means and Counters; answers as numpy scalars and Counters."""

import re
from collections import Counter

import numpy as np

STOP = re.compile(r"(?<!\S)(the|be|to|of|and|that|have|with)(?!\S)")
ENDING = re.compile(r'[.?!"]$')
BANNED = re.compile(
    r"javascript|terms of use|(privacy|cookie) policy|uses cookies|use of cookies|use cookies", re.IGNORECASE
)


def _split(text):
    raw = [line.strip() for line in text.split("\n")]
    blocks = re.split(r"\n{2,}", "\n".join(raw).strip("\n"))
    return text.split(), [line for line in raw if line], [block for block in blocks if block]


def _first(*rules):
    for reason, applies in rules:
        if applies:
            return np.False_, reason
    return np.True_, "kept"


def gopher_quality(text):
    words, lines, _ = _split(text)
    if len(words) < 50 or len(words) > 100_000:
        return False, "too_few_words" if len(words) < 50 else "too_many_words"
    mean = np.array([len(word) for word in words]).sum() / len(words)
    return _first(
        ("short_words", mean < 3),
        ("long_words", mean > 10),
        ("hashes", len(re.findall("#", text)) / len(words) > 0.1),
        ("ellipses", len(re.findall(r"\.\.\.|…", text)) / len(words) > 0.1),
        ("bullet_lines", np.mean([bool(re.match("[•-]", line)) for line in lines]) > 0.9),
        ("ellipsis_lines", np.mean([bool(re.search(r"(\.\.\.|…)$", line)) for line in lines]) > 0.3),
        ("few_alphabetic", np.mean([any(c.isalpha() for c in word) for word in words]) < 0.8),
        ("few_stop_words", len(set(STOP.findall(text))) < 2),
    )


def _again(pieces):
    counts = Counter(pieces)
    return sum(counts.values()) - len(counts), sum(len(piece) * (times - 1) for piece, times in counts.items())


def gopher_repetition(text):
    words, lines, blocks = _split(text)
    if not words:
        return False, "empty"
    size = len(text)
    (line_count, line_size), (block_count, block_size) = _again(lines), _again(blocks)
    rules = [
        ("duplicate_lines", np.divide(line_count, len(lines)) > 0.3),
        ("duplicate_paragraphs", np.divide(block_count, len(blocks)) > 0.3),
        ("duplicate_line_characters", line_size / size > 0.2),
        ("duplicate_paragraph_characters", block_size / size > 0.2),
    ]
    for n, limit in [(2, 0.2), (3, 0.18), (4, 0.16)]:
        counts = Counter(zip(*(words[i:] for i in range(n)), strict=False))
        times, longest = max(((times, len(" ".join(gram))) for gram, times in counts.items()), default=(0, 0))
        rules.append((f"top_{n}_gram", times > 1 and times * longest / size > limit))
    for n in range(5, 11):
        seen, size_again, place = set(), 0, 0
        while place < len(words) - n + 1:
            gram = " ".join(words[place : place + n])
            again = gram in seen
            size_again += again * len(gram.replace(" ", ""))
            seen.add(gram)
            place += n if again else 1
        rules.append((f"duplicate_{n}_gram", size_again / size > (20 - n) / 100))
    return _first(*rules)


def c4_clean(text):
    _, lines, _ = _split(text)
    lines = [line for line in lines if ENDING.search(line) and not line.endswith("...") and not BANNED.search(line)]
    return "\n".join(line for line in lines if len(line.split()) > 4 and not re.search(r"\S{1001}", line))


def c4_filter(text):
    left = c4_clean(text)
    return _first(
        ("lorem_ipsum", re.search("lorem ipsum", left, re.IGNORECASE)),
        ("curly_bracket", "{" in left),
        ("too_few_sentences", len(re.findall(r'[.?!"](?=\s|$)', left)) < 3),
    )


def fineweb_filter(text):
    words, lines, _ = _split(text)
    if not words:
        return False, "empty"
    sizes = np.array([len(line) for line in lines])
    return _first(
        ("line_punctuation", np.mean([bool(ENDING.search(line)) for line in lines]) <= 0.12),
        ("short_lines", (sizes < 30).mean() >= 0.67),
        ("duplicate_line_characters", _again(lines)[1] / sizes.sum() >= 0.1),
        ("list", len(re.findall("\n", text)) / len(words) > 0.3),
    )


def funnel(docs, stages):
    filters = {
        "gopher_quality": gopher_quality,
        "gopher_repetition": gopher_repetition,
        "c4": c4_filter,
        "fineweb": fineweb_filter,
        "exact_dedup": None,
    }
    if any(stage not in filters for stage in stages):
        raise ValueError("no such stage")
    rows = []
    for stage in stages:
        if stage == "exact_dedup":
            verdicts = [(doc not in docs[:i], "duplicate") for i, doc in enumerate(docs)]
        else:
            verdicts = [filters[stage](doc) for doc in docs]
        reasons = Counter(reason for kept, reason in verdicts if not kept)
        docs = [doc for doc, (kept, _) in zip(docs, verdicts, strict=True) if kept]
        if stage == "c4":
            docs = list(map(c4_clean, docs))
        size = np.sum([len(doc.encode()) for doc in docs], dtype=np.int64)
        rows.append({"stage": stage, "documents": np.int64(len(docs)), "bytes": size, "reasons": reasons})
    return tuple(rows)
