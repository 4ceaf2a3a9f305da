"""The ideal time is the one without idling on top, so it is the makespan.
Killed by: test_published_bubbles, test_bubble_of_played_schedules
"""

Pass = tuple[str, int, int]


def schedule(
    kind: str, stages: int, microbatches: int, f: float, b_input: float, b_weight: float, chunks: int = 1
) -> list[list[Pass]]:
    _require(kind, stages, microbatches, chunks)
    return [_device(kind, device, stages, microbatches, chunks) for device in range(stages)]


def _device(kind: str, device: int, stages: int, microbatches: int, chunks: int) -> list[Pass]:
    if kind == "zb-h1":
        return _zero_bubble(device, stages, microbatches)
    forwards, backwards = [], []
    group = stages if kind == "interleaved" else microbatches
    for first in range(0, microbatches, group):
        for chunk in range(chunks):
            forwards += [("F", k, chunk) for k in range(first, first + group)]
            backwards += [("B", k, chunks - 1 - chunk) for k in range(first, first + group)]
    warm_up = {
        "gpipe": microbatches,
        "1f1b": stages - 1 - device,
        "interleaved": 2 * (stages - 1 - device) + (chunks - 1) * stages,
    }[kind]
    return _alternate(min(warm_up, len(forwards)), forwards, backwards)


def _alternate(warm_up: int, forwards: list[Pass], backwards: list[Pass]) -> list[Pass]:
    steady = len(forwards) - warm_up
    pairs = [each for pair in zip(forwards[warm_up:], backwards[:steady], strict=True) for each in pair]
    return forwards[:warm_up] + pairs + backwards[steady:]


def _zero_bubble(device: int, stages: int, microbatches: int) -> list[Pass]:
    forward = min(stages - device, microbatches)
    weight = 0
    passes: list[Pass] = [("F", k, 0) for k in range(forward)]
    for k in range(microbatches):
        passes.append(("I", k, 0))
        if forward == microbatches or forward - weight == stages:
            passes.append(("W", weight, 0))
            weight += 1
        if forward < microbatches:
            passes.append(("F", forward, 0))
            forward += 1
    return passes + [("W", k, 0) for k in range(weight, microbatches)]


def bubble_fraction(
    kind: str,
    stages: int,
    microbatches: int,
    f: float,
    b_input: float,
    b_weight: float,
    chunks: int = 1,
    relative_to: str = "ideal",
) -> float:
    _require(kind, stages, microbatches, chunks)
    if relative_to not in ("ideal", "total"):
        raise ValueError("relative to what?")
    ideal = microbatches * (f + b_input + b_weight)
    if kind == "zb-h1":
        hidden = min(stages - 1, microbatches - 1)  # weight gradients that fill gaps
        bubble = (stages - 1) * (f + b_input) - hidden * b_weight
    else:
        bubble = (stages - 1) / chunks * (f + b_input + b_weight)
    return bubble / (ideal + bubble if relative_to == "ideal" else ideal)


def peak_in_flight(passes: list[Pass]) -> int:
    now = peak = 0
    for letter, _, _ in passes:
        now += {"F": 1, "B": -1, "I": 0, "W": -1}[letter]
        peak = max(peak, now)
    return peak


def _require(kind: str, stages: int, microbatches: int, chunks: int) -> None:
    if kind not in ("gpipe", "1f1b", "interleaved", "zb-h1"):
        raise ValueError("no such schedule")
    if (chunks < 2) if kind == "interleaved" else (chunks != 1):
        raise ValueError("several chunks belong to the interleaved schedule")
    if kind == "interleaved" and microbatches % stages:
        raise ValueError("micro-batches come in groups of as many as there are stages")
