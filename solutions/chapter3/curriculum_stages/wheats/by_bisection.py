"""Stage by stage with the formulas as they stand in the statement; what is exhausted when is found by bisection."""


def _check(stages):
    if len(stages) == 0:
        raise ValueError("no stage")
    for index, stage in enumerate(stages):
        if stage["sequence_length"] < 1 or stage["tokens"] < 1 or stage["tokens"] % stage["sequence_length"] != 0:
            raise ValueError(f"tokens of stage {index}")
        if stage["blend"] < 0 or stage["blend"] > stage["tokens"] or (index == 0 and stage["blend"] != 0):
            raise ValueError(f"blend of stage {index}")
        numbers = list(stage["mixture"].values())
        if any(number < 0 for number in numbers) or not any(numbers):
            raise ValueError(f"mixture of stage {index}")


def _sources(stages):
    names = set()
    for stage in stages:
        names.update(stage["mixture"])
    return sorted(names)


def _weight(stage, source):
    return stage["mixture"].get(source, 0) / sum(stage["mixture"].values())


def _find(stages, tokens_seen):
    """Index of the stage and tokens since its beginning."""
    begin = 0
    for index, stage in enumerate(stages):
        if begin <= tokens_seen < begin + stage["tokens"]:
            return index, tokens_seen - begin
        begin += stage["tokens"]
    raise ValueError(f"token {tokens_seen} of {begin}")


def stage_at(stages, tokens_seen):
    _check(stages)
    index, into = _find(stages, tokens_seen)
    length = stages[index]["sequence_length"]
    return [index, into // length, into % length]


def mixture_at(stages, tokens_seen):
    _check(stages)
    index, into = _find(stages, tokens_seen)
    stage = stages[index]
    if into >= stage["blend"]:
        return {source: _weight(stage, source) for source in _sources(stages)}
    x = into / stage["blend"]
    old = stages[index - 1]
    return {source: _weight(old, source) * (1 - x) + _weight(stage, source) * x for source in _sources(stages)}


def _drawn(stages, source, until):
    """Tokens of a source from the beginning of the plan."""
    total, begin = 0.0, 0
    for index, stage in enumerate(stages):
        into = min(until - begin, stage["tokens"])
        if into <= 0:
            break
        new, blend = _weight(stage, source), stage["blend"]
        if blend:
            old, y = _weight(stages[index - 1], source), min(into, blend)
            total += old * y + (new - old) * y * y / (2 * blend)
        total += new * max(into - blend, 0)
        begin += stage["tokens"]
    return total


def tokens_by_source(stages, start=0, stop=None):
    _check(stages)
    total = sum(stage["tokens"] for stage in stages)
    if stop is None:
        stop = total
    if start < 0 or stop < start or stop > total:
        raise ValueError("start, stop")
    return {source: _drawn(stages, source, stop) - _drawn(stages, source, start) for source in _sources(stages)}


def epochs_by_source(stages, sizes, start=0, stop=None):
    drawn = tokens_by_source(stages, start, stop)
    return {source: drawn[source] / sizes[source] for source in drawn}


def exhausted_at(stages, sizes, max_epochs):
    _check(stages)
    if max_epochs <= 0:
        raise ValueError("max_epochs")
    total = sum(stage["tokens"] for stage in stages)
    answer = {}
    for source in _sources(stages):
        allowed = max_epochs * sizes[source]
        low, high = 0.0, float(total)
        if _drawn(stages, source, high) < allowed:
            answer[source] = None
            continue
        for _ in range(100):
            middle = (low + high) / 2
            if _drawn(stages, source, middle) < allowed:
                low = middle
            else:
                high = middle
        answer[source] = high
    return answer
