"""Plays the pipeline: every free device chooses, weights where memory is full, then backward, then forward."""

import heapq


def _limits(kind, p, m, v):
    if kind == "gpipe":
        return [m] * p
    if kind == "1f1b":
        return [min(m, p - d) for d in range(p)]
    return [min(m, p)] * p


def _played(kind, p, m, f, b_input, b_weight):
    limits = _limits(kind, p, m, 1)
    forward, first, second = [0] * p, [0] * p, [0] * p
    free = [0.0] * p
    ended = {}
    orders = [[] for _ in range(p)]
    split = kind == "zb-h1"
    moments = [0.0]
    while any(done < m for done in second):
        now = heapq.heappop(moments)
        for d in range(p):
            if free[d] > now:
                continue
            k, j = forward[d], first[d]
            behind = d == p - 1 or ended.get(("I", d + 1, j), float("inf")) <= now
            before = k < m and (d == 0 or ended.get(("F", d - 1, k), float("inf")) <= now)
            may_turn = kind != "gpipe" or k == m
            room = k - second[d] < limits[d] and k < m
            due = split and second[d] < j and not room and (j == m or orders[d][-1][0] == "I")
            # As in 1F1B, p - d more forward passes have begun than backward passes, as long as there are any.
            if due:
                letter, index, cost = "W", second[d], b_weight
                second[d] += 1
            elif j < k and behind and may_turn and (k >= min(m, p - d + j) or not split):
                letter, index = ("I" if split else "B"), j
                cost = b_input if split else b_input + b_weight
                first[d] += 1
                if not split:
                    second[d] += 1
            elif before and room and (k < p - d + j or not split):
                letter, index, cost = "F", k, f
                forward[d] += 1
            else:
                continue
            free[d] = now + cost
            ended[("I" if letter == "B" else letter), d, index] = free[d]
            orders[d].append((letter, index, 0))
            heapq.heappush(moments, free[d])
    return orders


def _interleaved(p, m, v):
    def place(n, back):
        """Micro-batch and chunk of the n-th pass of a device."""
        group, within = divmod(n, p * v)
        chunk, k = divmod(within, p)
        return group * p + k, v - 1 - chunk if back else chunk

    orders = []
    for d in range(p):
        ahead = min(m * v, (v + 1) * p - 2 * (d + 1))
        order = [["F", *place(n, False)] for n in range(ahead)]
        for n in range(m * v):
            if n + ahead < m * v:
                order.append(["F", *place(n + ahead, False)])
            order.append(["B", *place(n, True)])
        orders.append(order)
    return tuple(orders)


def _check(kind, stages, microbatches, chunks):
    if kind not in {"gpipe", "1f1b", "interleaved", "zb-h1"}:
        raise ValueError(kind)
    if (kind == "interleaved") != (chunks >= 2) or chunks < 1:
        raise ValueError(chunks)
    if kind == "interleaved" and microbatches % stages != 0:
        raise ValueError(microbatches)


def schedule(kind, stages, microbatches, f, b_input, b_weight, chunks=1):
    _check(kind, stages, microbatches, chunks)
    if kind == "interleaved":
        return _interleaved(stages, microbatches, chunks)
    return _played(kind, stages, microbatches, f, b_input, b_weight)


def bubble_fraction(kind, stages, microbatches, f, b_input, b_weight, chunks=1, relative_to="ideal"):
    _check(kind, stages, microbatches, chunks)
    work = f + b_input + b_weight
    makespan = {
        "gpipe": (microbatches + stages - 1) * work,
        "1f1b": (microbatches + stages - 1) * work,
        "interleaved": (microbatches + (stages - 1) / chunks) * work,
        "zb-h1": (microbatches + stages - 1) * (f + b_input) + max(1, microbatches - stages + 1) * b_weight,
    }[kind]
    if relative_to == "ideal":
        return makespan / (microbatches * work) - 1
    if relative_to == "total":
        return 1 - microbatches * work / makespan
    raise ValueError(relative_to)


def peak_in_flight(passes):
    kept, most = set(), 0
    for letter, micro_batch, chunk in passes:
        if letter == "F":
            kept.add((micro_batch, chunk))
        elif letter in ("B", "W"):
            kept.remove((micro_batch, chunk))
        most = max(most, len(kept))
    return most
