"""Encodes with a heap over a linked list, trains with a heap of counts, decodes with a stack; answers are tuples."""

import heapq
from itertools import pairwise


def train_bpe(word_counts, num_merges):
    if num_merges < 0:
        raise ValueError("negative")
    words = [(list(word), count) for word, count in word_counts.items()]
    counts, found_in = {}, {}
    for index, (ids, count) in enumerate(words):
        for pair in pairwise(ids):
            counts[pair] = counts.get(pair, 0) + count
            found_in.setdefault(pair, set()).add(index)
    heap = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    merges = []
    while heap and len(merges) < num_merges:
        negative, pair = heapq.heappop(heap)
        if counts.get(pair) != -negative:
            continue  # an entry from before its count changed
        new, touched = 256 + len(merges), set()
        merges.append(pair)
        for index in found_in.pop(pair):
            ids, count = words[index]
            for old in pairwise(ids):
                counts[old] -= count
                touched.add(old)
            i = 0
            while i < len(ids) - 1:
                if (ids[i], ids[i + 1]) == pair:
                    ids[i : i + 2] = [new]
                i += 1
            for fresh in pairwise(ids):
                counts[fresh] = counts.get(fresh, 0) + count
                found_in.setdefault(fresh, set()).add(index)
                touched.add(fresh)
        for each in touched:
            if counts[each]:
                heapq.heappush(heap, (-counts[each], each))
            else:
                del counts[each]
    return tuple(merges)


def encode(data, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    token, following = dict(enumerate(data)), {i: i + 1 for i in range(len(data))}
    before = {i: i - 1 for i in range(len(data) + 1)}
    heap = []

    def consider(i):
        j = following.get(i)
        pair = (token.get(i), token.get(j))
        if pair in rank:
            heapq.heappush(heap, (rank[pair], i, pair))

    for i in range(len(data)):
        consider(i)
    while heap:
        r, i, pair = heapq.heappop(heap)
        j = following.get(i)
        if (token.get(i), token.get(j)) != pair:
            continue
        token[i] = 256 + r
        del token[j]
        following[i] = following.pop(j)
        before[following[i]] = i
        consider(before[i])
        consider(i)
    return tuple(token[i] for i in sorted(token))


def decode(ids, merges):
    out, stack = bytearray(), [int(token) for token in reversed(list(ids))]
    while stack:
        token = stack.pop()
        if not 0 <= token < 256 + len(merges):
            raise ValueError(f"no token {token}")
        if token < 256:
            out.append(token)
        else:
            left, right = merges[token - 256]
            stack += [right, left]
    return bytes(out)
