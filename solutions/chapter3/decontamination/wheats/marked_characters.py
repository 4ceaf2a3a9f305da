"""Scans the text letter by letter, marks every character of the windows, and walks over the marks."""

PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def scan(text):
    pieces, start = [], None
    for i, letter in enumerate(text + " "):
        if letter.isspace():
            if start is not None:
                pieces.append((start, i))
                start = None
        elif start is None:
            start = i
    return pieces


def words_of(text):
    out = []
    for start, end in scan(text):
        word = "".join(letter for letter in text[start:end] if letter not in PUNCTUATION).lower()
        if word:
            out.append((word, start, end))
    return out


def ngram_hits(doc, benchmark, n):
    if n <= 0:
        raise ValueError("n")
    bad = set()
    for item in benchmark:
        words = [word for word, _, _ in words_of(item)]
        for i in range(n - 1, len(words)):
            bad.add("\n".join(words[i - n + 1 : i + 1]))
    words = words_of(doc)
    hits = []
    for last in range(n - 1, len(words)):
        first = last - n + 1
        if "\n".join(words[i][0] for i in range(first, last + 1)) in bad:
            hits.append([words[first][1], words[last][2]])
    return hits


def decontaminate(doc, benchmark, n=13, window=200, min_slice=200, max_pieces=10):
    if window < 0 or min_slice < 0 or max_pieces <= 0:
        raise ValueError("limits")
    hits = ngram_hits(doc, benchmark, n)
    pieces = scan(doc)
    if len(hits) == 0:
        return [doc[pieces[0][0] : pieces[-1][1]]] if pieces else []
    marks = bytearray(len(doc))
    for start, end in hits:
        low, high = max(start - window, 0), min(end + window, len(doc))
        marks[low:high] = b"x" * (high - low)
    slices, current = [], []
    for start, end in [*pieces, (0, 0)]:
        if marks.find(b"\0", start, end) >= 0:
            current.append((start, end))
        elif current:
            slices.append(doc[current[0][0] : current[-1][1]])
            current = []
    if len(slices) > max_pieces:
        return []
    return tuple(each for each in slices if not len(each) < min_slice)
