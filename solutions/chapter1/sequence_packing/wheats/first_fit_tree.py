"""First fit instead of best fit, with a tree of maxima over rows; plain lists instead of arrays."""


def pack(lengths, capacity):
    if capacity < 1 or any(length < 1 or length > capacity for length in lengths):
        raise ValueError("impossible lengths")
    leaves = 1
    while leaves < len(lengths):
        leaves *= 2
    tree = [capacity] * (2 * leaves)  # the most space that any row below a node has left
    rows = {}
    for length, document in sorted(((length, i) for i, length in enumerate(lengths)), reverse=True):
        node = 1
        while node < leaves:
            node *= 2
            if tree[node] < length:
                node += 1
        rows.setdefault(node, set()).add(document)
        tree[node] -= length
        while node > 1:
            node //= 2
            tree[node] = max(tree[2 * node], tree[2 * node + 1])
    return list(rows.values())


def build_row(docs):
    ids, labels, positions, edges, owners = [], [], [], [0], []
    for number, doc in enumerate(docs):
        if not doc:
            raise ValueError("an empty document")
        for place, token in enumerate(doc):
            ids.append(token)
            positions.append(place)
            labels.append(doc[place + 1] if place + 1 < len(doc) else -100)
            owners.append(number)
        edges.append(len(ids))
    total = range(len(ids))
    mask = [[owners[q] == owners[k] and k <= q for k in total] for q in total]
    return {"mask": mask, "cu_seqlens": edges, "positions": positions, "labels": labels, "ids": ids}
