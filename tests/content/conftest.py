"""Work on the real course, both cores at a time: what the tests of this folder wait for runs side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

Work = Callable[..., Any]
Begun = dict[str, dict[str, list["Future[Any]"]]]


@pytest.fixture(scope="session")
def pool() -> Iterator[ThreadPoolExecutor]:
    """As many threads as there are cores; each waits for a process that does the work."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as threads:
        yield threads
        threads.shutdown(cancel_futures=True)


@pytest.fixture(scope="session")
def begun() -> Begun:
    """What the pool was given, by test and exercise."""
    return {}


@pytest.fixture
def results(pool: ThreadPoolExecutor, begun: Begun, request: pytest.FixtureRequest) -> Callable[..., list[Any]]:
    """Does this exercise's part of the work: one result per part.

    The first test of a name begins the work for all exercises that this test is selected for.
    """
    test = request.node.originalname

    def wait(work: Work, id: str, parts: Sequence[Any] = ()) -> list[Any]:
        if test not in begun:
            items = [item for item in request.session.items if getattr(item, "originalname", "") == test]
            ids = [item.callspec.params["id"] for item in items]
            begun[test] = {id: [pool.submit(work, id, part) for part in parts] for id in ids}
            if not parts:
                begun[test] = {id: [pool.submit(work, id)] for id in ids}
        return [future.result() for future in begun[test][id]]

    return wait
