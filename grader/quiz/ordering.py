"""Partial orders of steps: which must come before which, and how much of an answer is in a right order. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.quiz.model import Block


def longest_in_order(given: Sequence[str], blocks: Mapping[str, Block]) -> set[str]:
    """The ids of a longest part of ``given`` of which no two stand the wrong way round.

    Which must precede which is the transitive closure of ``after``. There are few blocks, so all parts are tried
    by branch and bound, from left to right.
    """
    before = ancestors(blocks)
    steps = [id for id in dict.fromkeys(given) if not blocks[id].distractor]
    best: list[str] = []

    def extend(at: int, part: list[str]) -> None:
        nonlocal best
        if len(part) > len(best):
            best = list(part)
        if len(part) + len(steps) - at <= len(best):
            return
        for next_at in range(at, len(steps)):
            if all(steps[next_at] not in before[id] for id in part):
                extend(next_at + 1, [*part, steps[next_at]])

    extend(0, [])
    return set(best)


def ancestors(blocks: Mapping[str, Block]) -> dict[str, set[str]]:
    """For each block all that must come before it, directly or not.

    Raises:
        ValueError: a block would have to come before itself.
    """
    found: dict[str, set[str]] = {}

    def visit(id: str, path: tuple[str, ...]) -> set[str]:
        if id in path:
            raise ValueError(" → ".join((*path, id)))
        if id not in found:
            direct = blocks[id].after
            found[id] = set(direct).union(*(visit(one, (*path, id)) for one in direct))
        return found[id]

    for id in blocks:
        visit(id, ())
    return found


def one_order(blocks: Sequence[Block]) -> list[str]:
    """A right order: each block as soon as all before it are there, as its author listed them."""
    before = ancestors({block.id: block for block in blocks})
    left = [block.id for block in blocks if not block.distractor]
    done: list[str] = []
    while left:
        following = next(id for id in left if before[id] <= set(done))
        done.append(following)
        left.remove(following)
    return done
