"""Archives among what was handed in: their files stand in for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from typing import Final

from grader.batch.readers.archives import MIB, STUDENT, open_archive
from grader.batch.readers.items import Item, is_junk
from grader.catalog.submission import Unlucky

ENDINGS: Final = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
NESTED_BYTES: Final = 16 * MIB  # of a student's archive as it lies there
DEPTH: Final = 3  # a class's archive, a student's in it, and one more that they made themselves


def ending(name: str) -> str:
    """What makes a file's name that of an archive, or ""."""
    return next((end for end in sorted(ENDINGS, key=len, reverse=True) if name.lower().endswith(end)), "")


def expand(items: Iterator[Item], keep: ExitStack, depth: int = DEPTH - 1) -> Iterator[Item]:
    """The same items, with those in an archive in its place; what is junk is left out.

    Args:
        items: in any order.
        keep: holds archives open until their items have been read.
        depth: how many archives may lie in one another.
    """
    for item in items:
        if is_junk(item.parts):
            continue
        end = ending(item.name)
        if not end or item.fault:
            yield item
        elif depth < 1:
            yield _refused(item, "lies in an archive in an archive. Unpack it before you hand it in.")
        else:
            yield from _student_archive(item, end, keep, depth)


def _student_archive(item: Item, end: str, keep: ExitStack, depth: int) -> Iterator[Item]:
    inside = (*item.parts[:-1], item.name[: -len(end)] or item.name)
    try:
        members = list(open_archive(BytesIO(item.read(NESTED_BYTES)), item.where, STUDENT, keep))
    except Unlucky as unlucky:
        yield Item((*inside, "?"), item.where, fault=str(unlucky), refuses=True)
        return
    placed = (
        Item((*inside, *each.parts), each.where, each.size, each.modified_s, each.read, each.fault, each.refuses)
        for each in members
    )
    yield from expand(placed, keep, depth - 1)


def _refused(item: Item, why: str) -> Item:
    return Item(item.parts, item.where, fault=f"{item.where} {why}", refuses=True)
