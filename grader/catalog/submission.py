"""Finds and reads a learner's file in a folder that nobody vouches for.

What stands in its way (no file, a directory of that name, a link that leads out of the folder, a pipe, 50 MB)
is no error: it comes back as a Submission without source, whose ``fault`` tells the learner what to do.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from pathlib import Path, PurePath

from grader.model import Exercise, Submission

MAX_BYTES = 2**20
MAX_NAMES = 1000

_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Unlucky(Exception):
    """Why a file cannot be taken, worded for the learner."""


def find_submission(exercise: Exercise, folder: Path) -> Submission:
    """The learner's file for ``exercise`` in ``folder``, as bytes; nothing in it is parsed or run.

    Looked for, in this order, as ``chapter3/minhash_lsh/minhash_lsh.py``, ``chapter3/minhash_lsh.py``,
    ``minhash_lsh.py`` and ``chapter3/minhash_lsh/reference.py`` (the solutions' tree). The first name that is
    there is taken, even when what bears it cannot be read. ``folder`` may also be a file: it is taken for the
    learner's, whatever its name.
    """
    if folder.suffix == ".py" and not folder.is_dir():
        try:
            return Submission(f"{exercise.slug}.py", read_inside(folder.parent, folder), str(folder))
        except Unlucky as unlucky:
            return Submission(f"{exercise.slug}.py", None, str(folder), str(unlucky))
    name = f"{exercise.slug}.py"
    places = [f"{exercise.id}/{name}", f"{exercise.chapter}/{name}", name, f"{exercise.id}/reference.py"]
    try:
        if not folder.is_dir():
            raise Unlucky(f"there is no folder {show(folder)}. Check the path after --using.")
        place = next((place for place in places if _is_there(folder / place)), None)
        if place is None:
            raise Unlucky(_missing(exercise, folder))
        found = folder / place
        return Submission(found.name, read_inside(folder, found), str(found))
    except Unlucky as unlucky:
        return Submission(name, None, str(folder), str(unlucky))


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise Unlucky(f"{show(path)} cannot be reached: {error.strerror}. Allow entry to it.") from None
    return True


def read_inside(folder: Path, path: Path) -> bytes:
    """The bytes of a regular file inside ``folder``; links are followed only as long as they stay inside."""
    try:
        root, target = folder.resolve(strict=True), path.resolve(strict=True)
    except (OSError, RuntimeError):  # Python 3.11 and 3.12 say RuntimeError for a link that leads to itself
        raise Unlucky(f"{show(path)} is a link to nothing. Put the file itself in its place.") from None
    if not target.is_relative_to(root):
        raise Unlucky(f"{show(path)} is a link out of the folder. Put the file itself in its place.")
    try:
        descriptor = _open(root, target.relative_to(root).parts)
        try:
            return _read_regular(descriptor, path)
        finally:
            os.close(descriptor)
    except OSError as error:
        remedy = "Make it a readable file (chmod u+r)."
        raise Unlucky(f"{show(path)} cannot be read: {error.strerror}. {remedy}") from None


def _open(root: Path, parts: tuple[str, ...]) -> int:
    """Opens step by step, following no link: what was resolved may have been swapped for one since."""
    if os.open not in os.supports_dir_fd:
        return os.open(root.joinpath(*parts), _FILE)
    at = os.open(root, _FOLDER)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FOLDER, dir_fd=at)
            os.close(at)
            at = below
        return os.open(parts[-1], _FILE, dir_fd=at)
    finally:
        os.close(at)


def _read_regular(descriptor: int, path: Path) -> bytes:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise Unlucky(f"{show(path)} is a folder. Put a Python file of that name in its place.")
    if not stat.S_ISREG(status.st_mode):
        raise Unlucky(f"{show(path)} is a pipe or a device. Put a plain Python file in its place.")
    chunks, size = [], 0
    while size <= MAX_BYTES and (chunk := os.read(descriptor, 2**16)):
        chunks.append(chunk)
        size += len(chunk)
    if size > MAX_BYTES:
        megabytes = max(status.st_size, size) / 1e6
        remedy = f"Keep code only: at most {MAX_BYTES // 2**20} MiB."
        raise Unlucky(f"{show(path)} is too large ({megabytes:.1f} MB). {remedy}")
    return b"".join(chunks)


def _missing(exercise: Exercise, folder: Path) -> str:
    name = f"{exercise.slug}.py"
    text = f"there is no {name} in {show(folder)}."
    near = _near_miss(name, folder)
    if near is None:
        return f"{text} Put it there, or in {exercise.id}/; or say where your files are with --using."
    return f"{text} Is it {show(near)}? Call it {name} and put it in {show(folder)} or {exercise.id}/."


def _near_miss(name: str, folder: Path) -> Path | None:
    """A file that may be meant: a browser's "minhash-lsh (1).py", or the right name in the wrong folder."""
    names: dict[str, Path] = {}
    for path in islice(_files(folder, depth=3), MAX_NAMES):
        names.setdefault(plain_name(path.name), path)
    close = get_close_matches(plain_name(name), names, n=1, cutoff=0.8)
    return names[close[0]].relative_to(folder) if close else None


def plain_name(name: str) -> str:
    """A file name without what browsers, editors and habits add to it."""
    stem = name.lower().split(".")[0]
    stem = re.sub(r"\(\d+\)|\bcopy( of)?\b|^copy of ", "", stem)
    return re.sub(r"[^a-z0-9]+", "_", stem).strip("_")


def _files(folder: Path, depth: int) -> Iterator[Path]:
    """Files in and under ``folder``, nearest first; links are not followed, and a crowd is not sorted out."""
    try:
        with os.scandir(folder) as entries:
            some = [entry for entry in islice(entries, MAX_NAMES) if not entry.name.startswith(".")]
        some.sort(key=lambda entry: entry.name)
        below = [entry for entry in some if entry.is_dir(follow_symlinks=False)]
        yield from (Path(entry.path) for entry in some if entry.is_file(follow_symlinks=False))
    except OSError:
        return
    if depth > 1:
        for entry in below:
            yield from _files(Path(entry.path), depth - 1)


def show(path: PurePath) -> str:
    """A path as text that is safe to print: a name from outside may hold control characters or bad UTF-8."""
    text = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
