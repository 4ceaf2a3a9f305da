"""numpy; GPipe goes backward from the last micro-batch to the first; ZB-H1 joins halves into full passes."""

import numpy as np


def _numbers(count):
    return list(np.arange(count))


def _one_f_one_b(p, m, d):
    out, forward, backward = [], iter(_numbers(m)), iter(_numbers(m))
    for _ in range(min(p - d, m)):
        out.append(("F", next(forward), 0))
    for k in backward:
        out.append(("B", k, 0))
        following = next(forward, None)
        if following is not None:
            out.append(("F", following, 0))
    return out


def _interleaved(p, m, v, d):
    order = np.arange(m * v).reshape(m // p, v, p)
    chunk_of = np.broadcast_to(np.arange(v)[None, :, None], order.shape).ravel()
    batch_of = (np.arange(m // p)[:, None, None] * p + np.broadcast_to(np.arange(p), order.shape)).ravel()
    ahead = min(m * v, (p - d - 1) + (v - 1) * p)  # no time for sending: half of the usual skew will do
    out = []
    for n in range(m * v + ahead):
        if n < m * v:
            out.append(("F", batch_of[n], chunk_of[n]))
        if n >= ahead:
            out.append(("B", batch_of[n - ahead], v - 1 - chunk_of[n - ahead]))
    return out


def _zb_h1(p, m, d):
    """Weight gradients lag d micro-batches behind on device d, and catch up at the end."""
    out = [("F", k, 0) for k in range(min(p - d, m))]
    for k in range(m):
        out.append(("I", k, 0))
        late = k - d
        if k + p - d >= m:  # no forward pass is left
            late = k - min(d, max(m - (p - d), 0))
        if late >= 0:
            out.append(("W", late, 0))
        if k + p - d < m:
            out.append(("F", k + p - d, 0))
    done = {each[1] for each in out if each[0] == "W"}
    out += [("W", k, 0) for k in range(m) if k not in done]
    joined = []
    for each in out:
        if each[0] == "W" and joined[-1] == ("I", each[1], 0) and d == 0:
            joined[-1] = ("B", each[1], 0)
        else:
            joined.append(each)
    return joined


def _check(kind, stages, microbatches, chunks):
    if kind == "interleaved":
        if chunks < 2 or microbatches % stages:
            raise ValueError("interleaved")
    elif kind not in ("gpipe", "1f1b", "zb-h1") or chunks != 1:
        raise ValueError(f"{kind} with {chunks} chunks")


def schedule(kind, stages, microbatches, f, b_input, b_weight, chunks=1):
    _check(kind, stages, microbatches, chunks)
    p, m = stages, microbatches
    if kind == "gpipe":
        one = [("F", k, 0) for k in range(m)] + [("B", k, 0) for k in reversed(range(m))]
        return [one] * p
    if kind == "1f1b":
        return [_one_f_one_b(p, m, d) for d in range(p)]
    if kind == "interleaved":
        return [_interleaved(p, m, chunks, d) for d in range(p)]
    return [_zb_h1(p, m, d) for d in range(p)]


def bubble_fraction(kind, stages, microbatches, f, b_input, b_weight, chunks=1, relative_to="ideal"):
    _check(kind, stages, microbatches, chunks)
    if relative_to not in ("ideal", "total"):
        raise ValueError(relative_to)
    ideal = np.float64(microbatches) * (f + b_input + b_weight)
    skew = np.float64(stages - 1)
    if kind == "zb-h1":
        bubble = skew * (f + b_input) - min(skew, microbatches - 1) * b_weight
    elif kind == "interleaved":
        bubble = skew * (f + b_input + b_weight) / chunks
    else:
        bubble = skew * (f + b_input + b_weight)
    return bubble / ideal if relative_to == "ideal" else bubble / (bubble + ideal)


def peak_in_flight(passes):
    if not passes:
        return 0
    change = np.array([{"F": 1, "B": -1, "W": -1, "I": 0}[each[0]] for each in passes])
    return np.cumsum(change).max()
