"""Slots at every level of isolation, for the attacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from grader.boundary import isolation
from grader.boundary.sandbox import Slot

LEVELS = {
    "nested": isolation.NESTED,
    "nested-as-ordinary-user": replace(isolation.NESTED, user_namespace=True),
    "flat": isolation.FLAT,
    "process": isolation.PROCESS,
}


def slot_at(name: str) -> Iterator[Slot]:
    """A slot at that level, or a skip with the reason where this machine cannot give one."""
    level = LEVELS[name]
    reason = isolation.works(level)
    if reason:
        pytest.skip(f"{name}: {reason}")
    with Slot("numpy", level) as slot:
        yield slot


@pytest.fixture(scope="module", params=list(LEVELS))
def slot(request: pytest.FixtureRequest) -> Iterator[Slot]:
    """A warm numpy slot, at each level in turn."""
    yield from slot_at(request.param)


@pytest.fixture(scope="module", params=[name for name in LEVELS if name != "process"])
def strict_slot(request: pytest.FixtureRequest) -> Iterator[Slot]:
    """A warm numpy slot, at each strict level in turn."""
    yield from slot_at(request.param)
