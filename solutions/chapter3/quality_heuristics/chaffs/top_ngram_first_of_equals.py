"""Of equally frequent n-grams, the first one counts.
Killed by: test_repeated_words
"""

from collections import Counter

STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")
POLICIES = ("terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies")
TOP_NGRAMS = {2: 0.20, 3: 0.18, 4: 0.16}
DUPLICATE_NGRAMS = {5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}
END_MARKS = (".", "?", "!", '"')
ELLIPSES = ("...", "…")


def gopher_quality(text: str) -> tuple[bool, str]:
    words, lines = text.split(), _lines(text)
    total = len(words)
    if total < 50:
        return False, "too_few_words"
    if total > 100_000:
        return False, "too_many_words"
    mean = sum(map(len, words)) / total
    rules = {
        "short_words": mean < 3,
        "long_words": mean > 10,
        "hashes": text.count("#") / total > 0.1,
        "ellipses": sum(map(text.count, ELLIPSES)) / total > 0.1,
        "bullet_lines": sum(line.startswith(("•", "-")) for line in lines) / len(lines) > 0.9,
        "ellipsis_lines": sum(line.endswith(ELLIPSES) for line in lines) / len(lines) > 0.3,
        "few_alphabetic": sum(any(map(str.isalpha, word)) for word in words) / total < 0.8,
        "few_stop_words": len(set(STOP_WORDS) & set(words)) < 2,
    }
    return _verdict(rules)


def gopher_repetition(text: str) -> tuple[bool, str]:
    words, lines, paragraphs = text.split(), _lines(text), _paragraphs(text)
    if not words:
        return False, "empty"
    twice, blocks = _duplicates(lines), _duplicates(paragraphs)
    rules = {
        "duplicate_lines": len(twice) / len(lines) > 0.3,
        "duplicate_paragraphs": len(blocks) / len(paragraphs) > 0.3,
        "duplicate_line_characters": sum(map(len, twice)) / len(text) > 0.2,
        "duplicate_paragraph_characters": sum(map(len, blocks)) / len(text) > 0.2,
    }
    for n, most in TOP_NGRAMS.items():
        rules[f"top_{n}_gram"] = _top_characters(words, n) / len(text) > most
    for n, most in DUPLICATE_NGRAMS.items():
        rules[f"duplicate_{n}_gram"] = _duplicate_characters(words, n) / len(text) > most
    return _verdict(rules)


def c4_clean(text: str) -> str:
    return "\n".join(line for line in _lines(text) if _c4_keeps(line))


def c4_filter(text: str) -> tuple[bool, str]:
    left = c4_clean(text)
    rules = {
        "lorem_ipsum": "lorem ipsum" in left.lower(),
        "curly_bracket": "{" in left,
        "too_few_sentences": sum(word.endswith(END_MARKS) for word in left.split()) < 3,
    }
    return _verdict(rules)


def fineweb_filter(text: str) -> tuple[bool, str]:
    words, lines = text.split(), _lines(text)
    if not words:
        return False, "empty"
    rules = {
        "line_punctuation": sum(line.endswith(END_MARKS) for line in lines) / len(lines) <= 0.12,
        "short_lines": sum(len(line) < 30 for line in lines) / len(lines) >= 0.67,
        "duplicate_line_characters": sum(map(len, _duplicates(lines))) / sum(map(len, lines)) >= 0.1,
        "list": text.count("\n") / len(words) > 0.3,
    }
    return _verdict(rules)


FILTERS = {
    "gopher_quality": gopher_quality,
    "gopher_repetition": gopher_repetition,
    "c4": c4_filter,
    "fineweb": fineweb_filter,
}


def funnel(docs: list[str], stages: list[str]) -> list[dict]:
    if not set(stages) <= {*FILTERS, "exact_dedup"}:
        raise ValueError(f"stages are {', '.join(FILTERS)} and exact_dedup")
    rows = []
    for stage in stages:
        docs, reasons = _run(docs, stage)
        sizes = [len(doc.encode()) for doc in docs]
        rows.append({"stage": stage, "documents": len(docs), "bytes": sum(sizes), "reasons": reasons})
    return rows


def _run(docs: list[str], stage: str) -> tuple[list[str], dict[str, int]]:
    if stage == "exact_dedup":
        left = list(dict.fromkeys(docs))
        return left, {"duplicate": len(docs) - len(left)} if len(left) < len(docs) else {}
    verdicts = [FILTERS[stage](doc) for doc in docs]
    left = [doc for doc, (kept, _) in zip(docs, verdicts, strict=True) if kept]
    reasons = Counter(reason for kept, reason in verdicts if not kept)
    return [c4_clean(doc) for doc in left] if stage == "c4" else left, dict(reasons)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _paragraphs(text: str) -> list[str]:
    stripped = "\n".join(line.strip() for line in text.split("\n"))
    return ["\n".join(_lines(block)) for block in stripped.split("\n\n") if block.strip()]


def _duplicates(pieces: list[str]) -> list[str]:
    seen: set[str] = set()
    return [piece for piece in pieces if piece in seen or seen.add(piece)]


def _verdict(rules: dict[str, bool]) -> tuple[bool, str]:
    return next(((False, reason) for reason, applies in rules.items() if applies), (True, "kept"))


def _top_characters(words: list[str], n: int) -> int:
    counts = Counter(" ".join(words[i : i + n]) for i in range(len(words) - n + 1))
    most = max(counts.values(), default=0)
    return most * len(counts.most_common(1)[0][0]) if most > 1 else 0


def _duplicate_characters(words: list[str], n: int) -> int:
    seen, characters, i = set(), 0, 0
    while i + n <= len(words):
        ngram = tuple(words[i : i + n])
        if ngram in seen:
            characters += sum(map(len, ngram))
            i += n
        else:
            seen.add(ngram)
            i += 1
    return characters


def _c4_keeps(line: str) -> bool:
    words, lower = line.split(), line.lower()
    return (
        max(map(len, words)) <= 1000
        and line.endswith(END_MARKS)
        and not line.endswith("...")
        and len(words) >= 5
        and not any(phrase in lower for phrase in ("javascript", *POLICIES))
    )
