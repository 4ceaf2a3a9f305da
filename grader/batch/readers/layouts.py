"""How a class's files are laid out, found by looking: who handed in which of them, and which attempt it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from grader.batch.readers import systems
from grader.batch.readers.handins import Class, File, Handin, Names, gather
from grader.batch.readers.items import GIT, Item
from grader.batch.readers.names import CANVAS, attempt_of, meaning, split_attempt, stem_of
from grader.batch.records import Student


def sort_out(items: Sequence[Item], names: Names) -> Class:
    """Say who handed in what.

    Args:
        items: all files, junk left out.
        names: of exercises and chapters.
    """
    items = _unwrapped(items, names)
    tops = {item.parts[0] for item in items}
    if any(item.parts == (systems.METADATA,) for item in items):
        return systems.gradescope(items)
    matching = sum(bool(CANVAS.fullmatch(top)) for top in tops)
    if tops and matching * 2 > len(tops):
        return systems.canvas(items)
    clones = {item.parts[0] for item in items if item.parts[1:] == (GIT,)}
    items = [item for item in items if item.name != GIT]
    folders = {item.parts[0] for item in items if len(item.parts) > 1}
    if clones and len(clones) * 2 > len(folders):
        return systems.classroom(items, clones, names)
    if not folders - set(names.chapters) and _is_one_student(items, names):
        return Class("one student's files", [gather(names.whole, [(item, item.parts) for item in items])])
    return _folders_and_files(items, names)


def _unwrapped(items: Sequence[Item], names: Names) -> Sequence[Item]:
    """Without the one folder around everything, unless that is a student's."""
    tops = {item.parts[0] for item in items}
    if len(tops) != 1 or any(len(item.parts) < 2 for item in items) or tops & set(names.chapters):
        return items
    inner = [replace(item, parts=item.parts[1:]) for item in items]
    below = {item.parts[0] for item in inner if len(item.parts) > 1}
    own = any(item.parts[0] == GIT or _slug(item.parts) in names.slugs for item in inner if len(item.parts) == 1)
    return items if own or below & {*names.chapters, *names.slugs} else inner


def _slug(parts: tuple[str, ...]) -> str:
    return parts[-1].rpartition(".")[0]


def _is_one_student(items: Sequence[Item], names: Names) -> bool:
    return bool(items) and all(len(item.parts) > 1 or _slug(item.parts) in names.slugs for item in items)


def _folders_and_files(items: Sequence[Item], names: Names) -> Class:
    """A folder per student, a flat folder of files named after students, or both."""
    handins: dict[str, Handin] = {}
    left_over: list[Item] = []
    kinds: Counter[str] = Counter()
    for item in items:
        if len(item.parts) > 1:
            owner, parts = split_attempt(item.parts[0]), item.parts[1:]
            attempt = max(owner.attempt, *(attempt_of(part) for part in parts[:-1]), stem_of(parts[-1]).attempt)
            key = owner.text
        else:
            key, parts, attempt = *_flat_owner(item, names), stem_of(item.name).attempt
        if not key:
            left_over.append(item)
            continue
        kinds["a folder per student" if len(item.parts) > 1 else "files named after students"] += 1
        handins.setdefault(key, Handin(Student(key))).take(File(item, parts, attempt))
    layout = " and ".join(name for name, _ in kinds.most_common()) or "nothing"
    return Class(layout, list(handins.values()), left_over)


def _flat_owner(item: Item, names: Names) -> tuple[str, tuple[str, ...]]:
    """Whose file one is that lies among others, and what it would be called in their own folder."""
    name, _, end = item.name.rpartition(".")
    if end not in ("py", "ipynb") and not item.refuses:
        return "", ()
    found = meaning(item.name, names.slugs)
    if item.refuses or (names.only and found.slug != names.only):
        return stem_of(item.name).text, (f"{names.only or name}.{end}",)
    if not found.slug:
        return "", ()
    # The student as written, where the exercise can be cut off as written.
    text = stem_of(item.name).text
    for cut in (text.lower().rfind(found.slug), text.lower().rfind(found.slug.replace("_", "-"))):
        rest = (text[:cut] + text[cut + len(found.slug) :]).strip(" _.-") if cut >= 0 else ""
        if rest:
            return rest, (f"{found.slug}.{end}",)
    spelled = found.slug if found.rank < 2 else name
    return found.rest or names.whole, (f"{spelled}.{end}",)
