"""Zip and tar files from strangers, read in place: no member is ever written to disk under its own name.

A student's archive that tries something is refused as a whole; in the archive of a class it is the member's
student who is.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import struct
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any, Final

from grader.batch.readers.items import (
    MAX_ENTRIES,
    MAX_FILES,
    Item,
    clean,
    device_fault,
    link_fault,
    too_many,
)
from grader.catalog.submission import Unlucky, show

MIB: Final = 2**20
MAX_RATIO: Final = 200  # zlib cannot do better than 1032; source code stays under 20
BOMB_BYTES: Final = 8 * MIB  # below this no ratio hurts
CHUNK: Final = 2**18
BROKEN: Final = (
    *(tarfile.TarError, zipfile.BadZipFile, zipfile.LargeZipFile, OSError, EOFError, ValueError, struct.error),
    *(zlib.error, lzma.LZMAError, RuntimeError, NotImplementedError, MemoryError, OverflowError, KeyError, IndexError),
)
UNPACKERS: Final[dict[bytes, Callable[[IO[bytes]], Any]]] = {
    b"\x1f\x8b": gzip.open,
    b"BZ": bz2.open,
    b"\xfd7": lzma.open,
}


@dataclass(frozen=True)
class Caps:
    """What an archive may hold.

    Attributes:
        members: files and folders.
        unpacked: bytes of all of them.
        directory: bytes of a zip's own table of contents, which Python reads as a whole.
        shared: whether it is a whole class's: then a member's fault is its student's alone.
    """

    members: int
    unpacked: int
    directory: int
    shared: bool = False


STUDENT: Final = Caps(MAX_FILES, 64 * MIB, 2 * MIB)
CLASS: Final = Caps(MAX_ENTRIES, 8 * 1024 * MIB, 1024 * MIB, shared=True)


def open_archive(file: IO[bytes], where: str, caps: Caps, keep: ExitStack) -> Iterator[Item]:
    """What an archive holds, in its order.

    Raises:
        Unlucky: it is none, it is broken, or it is more than ``caps`` allow.
    """
    try:
        head = file.read(4)
        file.seek(0)
        if head[:2] == b"PK":
            yield from _zip(file, where, caps, keep)
        else:
            yield from _tar(_unpacked(file, head, where, caps, keep), where, caps, keep)
    except Unlucky:
        raise
    except BROKEN as error:
        why = str(error) or type(error).__name__
        raise Unlucky(f"{where} cannot be opened: {why.rstrip('.')}. Pack it again as a plain zip.") from None


def _zip(file: IO[bytes], where: str, caps: Caps, keep: ExitStack) -> Iterator[Item]:
    _check_directory(file, where, caps)
    archive = keep.enter_context(zipfile.ZipFile(file))
    infos = archive.infolist()
    _check_count(len(infos), where, caps)
    large = {id(info) for info in infos if _swells(info)}
    if not caps.shared and (large or sum(info.file_size for info in infos) > caps.unpacked):
        raise _bomb(where)
    for info in infos:
        if not info.is_dir():
            shown = f"{where}:{show_name(info.filename)}"
            fault = str(_bomb(shown)) if id(info) in large else _zip_fault(info, shown)
            read = _zip_reader(archive, info)
            yield _member(info.filename, shown, info.file_size, _time(info.date_time), read, fault, caps)


def _swells(info: zipfile.ZipInfo) -> bool:
    return info.file_size > BOMB_BYTES and info.file_size > MAX_RATIO * max(info.compress_size, 1)


def _zip_fault(info: zipfile.ZipInfo, shown: str) -> str:
    if stat.S_ISLNK(info.external_attr >> 16):
        return link_fault(shown)
    return f"{shown} has a password. Pack it without one." if info.flag_bits & 1 else ""


def _check_directory(file: IO[bytes], where: str, caps: Caps) -> None:
    """Refuse a table of contents that would fill the memory, before Python reads it."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 2**16 - 22))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    file.seek(0)
    if at < 0 or len(tail) < at + 22:
        raise Unlucky(f"{where} is not a whole zip file. Pack it again.")
    (directory,) = struct.unpack_from("<I", tail, at + 12)
    if directory > caps.directory and not (caps.shared and directory == 0xFFFFFFFF):
        raise Unlucky(_crowd(where, caps))


def _zip_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        with archive.open(info) as member:
            return member.read(most + 1)

    return read


def _unpacked(file: IO[bytes], head: bytes, where: str, caps: Caps, keep: ExitStack) -> IO[bytes]:
    """The tar inside its compression, as far as the cap goes; in a nameless file where it is large."""
    unpacker = UNPACKERS.get(head[:2])
    if unpacker is None:
        return file
    target: IO[bytes] = keep.enter_context(tempfile.SpooledTemporaryFile(max_size=16 * MIB))  # noqa: SIM115
    packed = unpacker(file)
    size = 0
    while chunk := packed.read(CHUNK):
        size += len(chunk)
        if size > caps.unpacked:
            raise _bomb(where)
        target.write(chunk)
    target.seek(0)
    return target


def _tar(file: IO[bytes], where: str, caps: Caps, keep: ExitStack) -> Iterator[Item]:
    archive = keep.enter_context(tarfile.open(fileobj=file, mode="r:"))  # noqa: SIM115
    size = 0
    for count, member in enumerate(archive):
        _check_count(count, where, caps)
        size += member.size
        if size > caps.unpacked:
            raise _bomb(where)
        if member.isdir():
            continue
        shown = f"{where}:{show_name(member.name)}"
        fault = link_fault(shown) if member.issym() or member.islnk() else "" if member.isreg() else device_fault(shown)
        yield _member(member.name, shown, member.size, member.mtime, _tar_reader(archive, member), fault, caps)


def _tar_reader(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        taken = archive.extractfile(member)
        return taken.read(most + 1) if taken else b""

    return read


def _member(
    name: str, shown: str, size: int, modified_s: float, read: Callable[[int], bytes], fault: str, caps: Caps
) -> Item:
    parts, escapes = clean(name)
    if escapes:
        fault = f"{shown} points out of the archive. Pack your files without their full paths."
        if not caps.shared:
            raise Unlucky(fault)

    def safe(most: int) -> bytes:
        try:
            data = read(most)
        except BROKEN as error:
            raise Unlucky(f"{shown} cannot be read: {error}. Pack it again.") from None
        if len(data) > most:
            raise Unlucky(f"{shown} is too large: at most {most // MIB} MiB.")
        return data

    return Item(parts or ("?",), shown, size, float(modified_s), safe, fault, refuses=escapes)


def _check_count(count: int, where: str, caps: Caps) -> None:
    if count > caps.members:
        raise Unlucky(_crowd(where, caps))


def _crowd(where: str, caps: Caps) -> str:
    return str(too_many((), where).fault) if not caps.shared else f"{where} holds too many files."


def _bomb(where: str) -> Unlucky:
    return Unlucky(f"{where} unpacks to far more than it weighs. Hand in your solution alone.")


def _time(date: tuple[int, int, int, int, int, int]) -> float:
    try:
        return time.mktime((*date, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0


def show_name(name: str) -> str:
    """A member's name as text that is safe to print, shortened."""
    return show(PurePosixPath(name[:200]))
