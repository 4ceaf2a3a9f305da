"""One if after another, plain loops, counts kept by hand; n-grams as tuples; verdicts are lists."""

ENDS = set('.?!"')


def get_lines(text):
    out = []
    for raw in text.split("\n"):
        line = raw.strip()
        if line != "":
            out.append(line)
    return out


def gopher_quality(text):
    words = text.split()
    n = len(words)
    if n < 50:
        return [False, "too_few_words"]
    if n > 100000:
        return [False, "too_many_words"]
    letters = 0
    for word in words:
        letters += len(word)
    if letters / n < 3:
        return [False, "short_words"]
    if letters / n > 10:
        return [False, "long_words"]
    if text.count("#") / n > 0.1:
        return [False, "hashes"]
    if (text.count("...") + text.count("…")) / n > 0.1:
        return [False, "ellipses"]
    lines = get_lines(text)
    bullets = endings = 0
    for line in lines:
        if line[0] in "•-":
            bullets += 1
        if line[-3:] == "..." or line[-1] == "…":
            endings += 1
    if bullets / len(lines) > 0.9:
        return [False, "bullet_lines"]
    if endings / len(lines) > 0.3:
        return [False, "ellipsis_lines"]
    alphabetic = 0
    for word in words:
        for letter in word:
            if letter.isalpha():
                alphabetic += 1
                break
    if alphabetic / n < 0.8:
        return [False, "few_alphabetic"]
    found = 0
    for stop in "the be to of and that have with".split():
        if stop in words:
            found += 1
    if found < 2:
        return [False, "few_stop_words"]
    return [True, "kept"]


def gopher_repetition(text):
    words = text.split()
    if not words:
        return [False, "empty"]
    paragraphs, block = [], []
    for raw in [*text.split("\n"), ""]:
        if raw.strip():
            block.append(raw.strip())
        elif block:
            paragraphs.append("\n".join(block))
            block = []
    share = {}
    for name, pieces in (("line", get_lines(text)), ("paragraph", paragraphs)):
        seen, times, size = {}, 0, 0
        for piece in pieces:
            if piece in seen:
                times += 1
                size += len(piece)
            seen[piece] = True
        share[name] = (times / len(pieces), size / len(text))
    for name in ("line", "paragraph"):
        if share[name][0] > 0.3:
            return [False, f"duplicate_{name}s"]
    for name in ("line", "paragraph"):
        if share[name][1] > 0.2:
            return [False, f"duplicate_{name}_characters"]
    for n, limit in ((2, 0.2), (3, 0.18), (4, 0.16)):
        counts = {}
        for i in range(len(words) - n + 1):
            gram = tuple(words[i : i + n])
            counts[gram] = counts.get(gram, 0) + 1
        best = 0
        top = max(counts.values()) if counts else 0
        if top >= 2:
            for gram in counts:
                if counts[gram] == top:
                    best = max(best, top * (sum(len(word) for word in gram) + n - 1))
        if best / len(text) > limit:
            return [False, f"top_{n}_gram"]
    for n, limit in zip(range(5, 11), (0.15, 0.14, 0.13, 0.12, 0.11, 0.1), strict=True):
        seen, size, skip = set(), 0, 0
        for i in range(len(words) - n + 1):
            if skip:
                skip -= 1
                continue
            gram = " ".join(words[i : i + n])
            if gram in seen:
                size += len(gram) - (n - 1)
                skip = n - 1
            else:
                seen.add(gram)
        if size / len(text) > limit:
            return [False, f"duplicate_{n}_gram"]
    return [True, "kept"]


def c4_clean(text):
    banned = ["javascript", "terms of use", "privacy policy", "cookie policy", "uses cookies"]
    banned += ["use of cookies", "use cookies"]
    good = []
    for line in get_lines(text):
        words = line.split()
        if any(len(word) > 1000 for word in words) or len(words) < 5:
            continue
        if line[-1] not in ENDS or line.endswith("..."):
            continue
        if any(phrase in line.lower() for phrase in banned):
            continue
        good.append(line)
    return "\n".join(good)


def c4_filter(text):
    left = c4_clean(text)
    if left.lower().find("lorem ipsum") >= 0:
        return [False, "lorem_ipsum"]
    if left.find("{") >= 0:
        return [False, "curly_bracket"]
    sentences = 0
    for word in left.split():
        if word[-1] in ENDS:
            sentences += 1
    return [False, "too_few_sentences"] if sentences <= 2 else [True, "kept"]


def fineweb_filter(text):
    words = text.split()
    if len(words) == 0:
        return [False, "empty"]
    lines = get_lines(text)
    ended = short = size = again = 0
    seen = set()
    for line in lines:
        ended += line[-1] in ENDS
        short += len(line) <= 29
        size += len(line)
        if line in seen:
            again += len(line)
        seen.add(line)
    if ended / len(lines) <= 0.12:
        return [False, "line_punctuation"]
    if short / len(lines) >= 0.67:
        return [False, "short_lines"]
    if again / size >= 0.1:
        return [False, "duplicate_line_characters"]
    if text.count("\n") / len(words) > 0.3:
        return [False, "list"]
    return [True, "kept"]


def funnel(docs, stages):
    for stage in stages:
        if stage not in ("gopher_quality", "gopher_repetition", "c4", "fineweb", "exact_dedup"):
            raise ValueError(stage)
    rows, current = [], list(docs)
    for stage in stages:
        following, reasons, seen = [], {}, set()
        for doc in current:
            if stage == "exact_dedup":
                ok, why = (False, "duplicate") if doc in seen else (True, "")
                seen.add(doc)
            elif stage == "c4":
                ok, why = c4_filter(doc)
            elif stage == "fineweb":
                ok, why = fineweb_filter(doc)
            elif stage == "gopher_quality":
                ok, why = gopher_quality(doc)
            else:
                ok, why = gopher_repetition(doc)
            if not ok:
                reasons[why] = reasons.get(why, 0) + 1
                continue
            following.append(c4_clean(doc) if stage == "c4" else doc)
        current = following
        size = 0
        for doc in current:
            size += len(doc.encode("utf-8"))
        rows.append({"stage": stage, "documents": len(current), "bytes": size, "reasons": reasons})
    return rows
