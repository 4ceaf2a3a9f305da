"""Files as they lie in a folder or an archive: a path, a size, a way to read them. Nothing is written anywhere.

Names come from strangers: they may hold backslashes, drives, ``..``, control characters, or be no text at all.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from grader.catalog.submission import MAX_BYTES, Unlucky, read_inside, show

MAX_FILES: Final = 5000  # of one student: a project of this course has thirty
MAX_DEPTH: Final = 12  # folders in folders; a chapter's exercise needs three
MAX_ENTRIES: Final = 5_000_000  # of a class: 100,000 students with fifty files
JUNK: Final = frozenset(
    "__MACOSX .DS_Store Thumbs.db desktop.ini __pycache__ .ipynb_checkpoints .venv venv node_modules .idea .vscode "
    ".pytest_cache .mypy_cache .ruff_cache .svn .hg".split()
)
GIT: Final = ".git"


@dataclass(frozen=True)
class Item:
    """One file of what was handed in.

    Attributes:
        parts: its path, in NFC, seen from the root of the whole.
        where: the path for people.
        size: bytes, as declared.
        modified_s: when it was last changed, in seconds since 1970; 0 where nobody knows.
        read: its bytes.
        fault: why it cannot be taken, worded for the learner.
        refuses: whether that fault refuses everything that this student handed in.
    """

    parts: tuple[str, ...]
    where: str
    size: int = 0
    modified_s: float = 0.0
    read: Callable[[int], bytes] = lambda _: b""
    fault: str = ""
    refuses: bool = False

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.parts[-1]


def clean(name: str) -> tuple[tuple[str, ...], bool]:
    """The parts of a path from outside, and whether it tries to leave its folder.

    Backslashes are taken for slashes: Windows' own zip tools have written them.
    """
    text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    slashed = unicodedata.normalize("NFC", text if text == name else text.replace("\\", "_")).replace("\\", "/")
    parts = [part.strip() for part in slashed.split("/")]
    escapes = slashed.startswith("/") or ".." in parts or (len(slashed) > 1 and slashed[1] == ":")
    kept = tuple(part for part in parts if part not in ("", ".", "..") and not part.endswith(":"))
    return kept, escapes or "\0" in name


def is_junk(parts: tuple[str, ...]) -> bool:
    """Whether a file is what systems and editors leave behind."""
    return any(part in JUNK or part.startswith("._") for part in parts) or GIT in parts[:-1]


def folder_items(root: Path) -> Iterator[Item]:
    """Everything in and under a folder; links are named, and never followed."""
    for count, item in enumerate(_walk(root, root, MAX_DEPTH)):
        if count > MAX_ENTRIES:
            return
        yield item


def _walk(root: Path, folder: Path, depth: int) -> Iterator[Item]:
    parts, _ = clean(str(folder.relative_to(root))) if folder != root else ((), False)
    try:
        with os.scandir(folder) as found:
            entries = sorted(islice(found, MAX_ENTRIES if folder == root else MAX_FILES + 1), key=lambda e: e.name)
    except OSError as error:
        where = show(folder.relative_to(root))
        yield Item((*parts, "?"), where, fault=f"{where} cannot be opened: {error.strerror}.")
        return
    if folder != root and len(entries) > MAX_FILES:
        yield too_many((*parts, "?"), show(folder.relative_to(root)))
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name == GIT:
            yield Item((*parts, GIT), show(path))
        elif entry.is_dir(follow_symlinks=False):
            if not is_junk((entry.name,)):
                yield from _below(root, path, depth)
        else:
            yield _file(root, path, entry)


def _below(root: Path, path: Path, depth: int) -> Iterator[Item]:
    if depth > 1:
        yield from _walk(root, path, depth - 1)
    else:
        parts, _ = clean(str(path.relative_to(root)))
        where = show(path.relative_to(root))
        yield Item((*parts, "?"), where, fault=f"{where} is nested too deeply: at most {MAX_DEPTH} folders.")


def _file(root: Path, path: Path, entry: os.DirEntry[str]) -> Item:
    inside = path.relative_to(root)  # a student who reads of a file is not told where their instructor keeps it
    where = show(inside)
    parts, _ = clean(str(inside))
    status = entry.stat(follow_symlinks=False)
    if entry.is_symlink():
        return Item(parts, where, fault=link_fault(where))
    if not entry.is_file(follow_symlinks=False):
        return Item(parts, where, fault=device_fault(where))

    def read(most: int) -> bytes:
        try:
            return read_inside(root, path) if most <= MAX_BYTES else _read_large(path, most)
        except Unlucky as unlucky:
            raise Unlucky(str(unlucky).replace(show(path), where)) from None

    return Item(parts, where, status.st_size, status.st_mtime, read)


def _read_large(path: Path, most: int) -> bytes:
    """An archive of a student: a plain file, looked at a moment ago; not through a link that took its place."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise Unlucky(f"{show(path)} cannot be read: {error.strerror}.") from None
    if len(data) > most:
        raise Unlucky(f"{show(path)} is too large: at most {most // 2**20} MiB.")
    return data


def link_fault(where: str) -> str:
    """What is said of a link."""
    return f"{where} is a link. Hand in the file itself."


def device_fault(where: str) -> str:
    """What is said of what is no plain file."""
    return f"{where} is a pipe or a device. Hand in a plain file."


def too_many(parts: tuple[str, ...], where: str) -> Item:
    """What stands for a crowd of files."""
    text = f"{where} holds more than {MAX_FILES} files. Hand in your solution alone."
    return Item(parts, where, fault=text, refuses=True)
