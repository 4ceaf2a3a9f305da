"""Pure Python: walks the graph of pairs; a rolling polynomial hash per window, spans joined as they come."""

from collections import Counter, defaultdict

PRIME, BASE = 2**61 - 1, 1_234_567_890_123_457


def duplicate_clusters(pairs, n):
    if n < 0:
        raise ValueError("less than no documents")
    neighbours = defaultdict(list)
    for left, right in pairs:
        if min(left, right) < 0 or max(left, right) >= n:
            raise ValueError(f"no such document in {(left, right)}")
        neighbours[left].append(right)
        neighbours[right].append(left)
    labels = [-1] * n
    for doc in range(n):
        if labels[doc] >= 0:
            continue
        labels[doc], ahead = doc, [doc]
        while ahead:
            for other in neighbours[ahead.pop()]:
                if labels[other] < 0:
                    labels[other] = doc
                    ahead.append(other)
    return labels


def repeated_spans(tokens, min_length):
    if min_length <= 0:
        raise ValueError("an empty window")
    lead, value, hashes = pow(BASE, min_length, PRIME), 0, []
    for i, token in enumerate(tokens):
        value = (value * BASE + token + 2**32) % PRIME
        if i >= min_length:
            value = (value - lead * (tokens[i - min_length] + 2**32)) % PRIME
        if i >= min_length - 1:
            hashes.append(value)
    counts, spans = Counter(hashes), []
    for start, value in enumerate(hashes):
        if counts[value] < 2:
            continue
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], start + min_length)
        else:
            spans.append((start, start + min_length))
    return spans
