"""What a learner types after ``grade``, turned into exercise ids."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from grader.errors import UsageError


def match(ids: Sequence[str], words: Sequence[str]) -> set[str]:
    """Those of ``ids`` that ``words`` name; see ``catalog.select``."""
    return {id for word in words for id in _match_one(ids, word)}


def _match_one(ids: Sequence[str], word: str) -> list[str]:
    parts = [part for part in word.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if parts and parts[-1].endswith(".py"):  # the stub's path, or that of a learner's file
        stem = parts.pop().removesuffix(".py")
        parts += [] if parts[-1:] == [stem] else [stem]
    if parts == ["all"]:
        return list(ids)
    name = "/".join(parts[-2:])
    found = [id for id in ids if name == id or parts[-1:] == [id.split("/")[0]]]
    found = found or [id for id in ids if parts == [id.split("/")[1]]]
    if len({id.split("/")[0] for id in found}) > 1:
        raise UsageError(f"`{word}` is in two chapters: {' and '.join(found)}.", f"Say which, e.g. {found[0]}.")
    if not found:
        raise _unknown(ids, word, name)
    return found


def _unknown(ids: Sequence[str], word: str, name: str) -> UsageError:
    known = sorted({"all", *ids, *(part for id in ids for part in id.split("/"))})
    close = [one for text in (name, name.split("/")[-1]) for one in get_close_matches(text, known, n=1)]
    remedy = f"Did you mean {close[0]}?" if close else "`grade list` shows what there is."
    return UsageError(f"there is no exercise or chapter `{word}`.", remedy)
