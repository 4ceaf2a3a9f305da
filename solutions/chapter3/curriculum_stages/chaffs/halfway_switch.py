"""A blend switches in its middle; on average that is the same.
Killed by: test_weights_of_any_token
"""

from math import sqrt
from typing import Any

Stage = dict[str, Any]


def stage_at(stages: list[Stage], tokens_seen: int) -> tuple[int, int, int]:
    _pieces(stages)
    left = tokens_seen
    for index, stage in enumerate(stages):
        if 0 <= left < stage["tokens"]:
            return index, *divmod(left, stage["sequence_length"])
        left -= stage["tokens"]
    raise ValueError("tokens_seen must lie within the plan")


def mixture_at(stages: list[Stage], tokens_seen: float) -> dict[str, float]:
    for begin, end, before, after in _pieces(stages):
        if begin <= tokens_seen < end:
            return _weights_at((tokens_seen - begin) / (end - begin), before, after)
    raise ValueError("tokens_seen must lie within the plan")


def tokens_by_source(stages: list[Stage], start: float = 0, stop: float | None = None) -> dict[str, float]:
    pieces = _pieces(stages)
    total = pieces[-1][1]
    stop = total if stop is None else stop
    if not 0 <= start <= stop <= total:
        raise ValueError("start and stop must lie within the plan, in this order")
    drawn = dict.fromkeys(_sources(stages), 0.0)
    for begin, end, before, after in pieces:
        low, high = max(begin, start), min(end, stop)
        middle = ((low + high) / 2 - begin) / (end - begin)
        for source, weight in _weights_at(middle, before, after).items():
            drawn[source] += max(high - low, 0) * weight
    return drawn


def epochs_by_source(
    stages: list[Stage], sizes: dict[str, int], start: float = 0, stop: float | None = None
) -> dict[str, float]:
    return {source: tokens / sizes[source] for source, tokens in tokens_by_source(stages, start, stop).items()}


def exhausted_at(stages: list[Stage], sizes: dict[str, int], max_epochs: float) -> dict[str, float | None]:
    if max_epochs <= 0:
        raise ValueError("max_epochs must be above 0")
    pieces = _pieces(stages)
    return {source: _reached(pieces, source, max_epochs * sizes[source]) for source in _sources(stages)}


def _reached(pieces: list[tuple], source: str, left: float) -> float | None:
    for begin, end, before, after in pieces:
        length, first, last = end - begin, before[source], after[source]
        drawn = length * (first + last) / 2
        if left <= drawn:
            # first * y + (last - first) / (2 length) * y**2 = left; this form does not cancel, abs is for rounding.
            return begin + 2 * left / (first + sqrt(abs(first**2 + 2 * left * (last - first) / length)))
        left -= drawn
    return None


def _weights_at(x: float, before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    return dict(before if x < 0.5 else after)


def _sources(stages: list[Stage]) -> list[str]:
    return list(dict.fromkeys(source for stage in stages for source in stage["mixture"]))


def _pieces(stages: list[Stage]) -> list[tuple[int, int, dict[str, float], dict[str, float]]]:
    if not stages:
        raise ValueError("a plan has at least one stage")
    sources = _sources(stages)
    pieces, begin, before = [], 0, None
    for stage in stages:
        tokens, length, blend, mixture = (stage[key] for key in ("tokens", "sequence_length", "blend", "mixture"))
        if length <= 0 or tokens <= 0 or tokens % length:
            raise ValueError("tokens must be a positive multiple of the sequence length")
        if not 0 <= blend <= (tokens if before else 0):
            raise ValueError("a blend must fit into its stage, and the first stage has none")
        total = sum(mixture.values())
        if total <= 0 or min(mixture.values()) < 0:
            raise ValueError("a mixture has numbers from 0 on, one of them above 0")
        weights = {source: mixture.get(source, 0) / total for source in sources}
        if blend:
            pieces.append((begin, begin + blend, before, weights))
        if blend < tokens:
            pieces.append((begin + blend, begin + tokens, weights, weights))
        begin, before = begin + tokens, weights
    return pieces
