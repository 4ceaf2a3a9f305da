"""Hostile archives: refused for their student alone, with a sentence that says why."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile

import pytest

from grader.batch.readers import read_class
from grader.batch.readers.items import MAX_FILES
from grader.batch.records import Code
from tests.batch.made import COURSE, EXERCISES, MEAN, as_folder, tarred, zipped

GOOD = {"running_mean.py": MEAN}


def zip_with(*members, **options):
    """A zip of (ZipInfo or name, data) pairs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for info, data in members:
            archive.writestr(info, data)
    return buffer.getvalue()


def tar_with(kind, name="running_mean.py", target="/etc/passwd"):
    """A tar with one member of a kind that is no plain file."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, target
        archive.addfile(member)
    return buffer.getvalue()


def linked():
    info = zipfile.ZipInfo("running_mean.py")
    info.external_attr = 0o120777 << 16
    return zip_with((info, "/etc/passwd"))


def lying():
    """A zip that says 10 bytes of a file of 20 MB."""
    data = zip_with(("running_mean.py", b"#" * 20_000_000))
    at = data.rfind(b"PK\x01\x02")
    return data[: at + 24] + struct.pack("<I", 10) + data[at + 28 :]


def directory_of(entries):
    """A zip that is nothing but a table of contents for one small file, many times over."""
    data = zip_with(("a.py", b""))
    at, end = data.rfind(b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    entry = data[at:end]
    table = entry * entries
    count = min(entries, 0xFFFF)
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(table), at, 0)
    return data[:at] + table + tail


def nested(levels):
    data = zipped(GOOD)
    for level in range(levels):
        data = zipped({f"inner{level}.zip": data})
    return data


HOSTILE = {
    "slip": ("zip", zip_with(("../../running_mean.py", MEAN)), "points out of the archive"),
    "absolute": ("zip", zip_with(("/running_mean.py", MEAN)), "points out of the archive"),
    "drive": ("zip", zip_with(("C:\\work\\running_mean.py", MEAN)), "points out of the archive"),
    "tar slip": ("tar.gz", tarred({"../running_mean.py": MEAN}), "points out of the archive"),
    "bomb": ("zip", zip_with(("running_mean.py", b"0" * 100_000_000)), "unpacks to far more"),
    "tar bomb": ("tar.gz", tarred({"running_mean.py": b"0" * 100_000_000}), "unpacks to far more"),
    "lying size": ("zip", lying(), "cannot be read|too large"),
    "crowd": ("zip", zipped({f"{at}.txt": b"" for at in range(MAX_FILES + 1)}), "more than 5000 files"),
    "tar crowd": ("tar.gz", tarred({f"{at}.txt": b"" for at in range(MAX_FILES + 2)}), "more than 5000 files"),
    "table": ("zip", directory_of(100_000), "more than 5000 files"),
    "zip link": ("zip", linked(), "is a link"),
    "tar link": ("tar.gz", tar_with(tarfile.SYMTYPE), "is a link"),
    "hard link": ("tar.gz", tar_with(tarfile.LNKTYPE), "is a link"),
    "device": ("tar.gz", tar_with(tarfile.CHRTYPE), "is a pipe or a device"),
    "pipe": ("tar.gz", tar_with(tarfile.FIFOTYPE), "is a pipe or a device"),
    "too deep": ("zip", nested(3), "an archive in an archive"),
    "no zip": ("zip", b"PK\x03\x04 nothing", "not a whole zip"),
    "no tar": ("tar.gz", b"\x1f\x8b nothing", "cannot be opened"),
    "text": ("zip", b"hello", "cannot be opened"),
    "empty": ("zip", b"", "cannot be opened"),
    "huge file": ("zip", zip_with(("running_mean.py", bytes(range(256)) * 8192)), "too large"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives_cost_their_student_alone(tmp_path, name):
    """The one who handed it in is told why; everybody else's files are read; nothing is written anywhere."""
    end, data, why = HOSTILE[name]
    as_folder({"good/running_mean.py": MEAN, f"bad/work.{end}": data}, tmp_path / "class")
    before = sorted(tmp_path.rglob("*"))
    intake = read_class(tmp_path / "class", COURSE, EXERCISES[:1])
    entries = {entry.student.key: entry for entry in intake.entries}
    assert entries["good"].submission.source == MEAN
    bad = entries["bad"]
    assert bad.submission.source is None
    import re

    assert re.search(why, bad.submission.fault), bad.submission.fault
    assert Code.REFUSED in {remark.code for remark in bad.remarks}
    assert sorted(tmp_path.rglob("*")) == before


def test_a_member_that_slips_costs_its_student_in_a_class_archive(tmp_path):
    """In the archive of a class a hostile member is its student's fault, and nobody else's."""
    path = tmp_path / "class.zip"
    path.write_bytes(zip_with(("good/running_mean.py", MEAN), ("bad/../../x.py", b""), ("bad/running_mean.py", MEAN)))
    entries = {e.student.key: e for e in read_class(path, COURSE, EXERCISES[:1]).entries}
    assert entries["good"].submission.source == MEAN
    assert "points out of the archive" in entries["bad"].submission.fault


def test_a_folder_with_too_many_files_costs_its_student(tmp_path):
    """Ten thousand files in a folder are not sorted out."""
    as_folder({"good/running_mean.py": MEAN, "bad/running_mean.py": MEAN}, tmp_path)
    for at in range(MAX_FILES + 1):
        (tmp_path / f"bad/{at}.txt").touch()
    entries = {e.student.key: e for e in read_class(tmp_path, COURSE, EXERCISES[:1]).entries}
    assert entries["good"].submission.source == MEAN
    assert "more than 5000 files" in entries["bad"].submission.fault


def test_a_zip_with_a_password_is_said(tmp_path):
    """A member with a password cannot be read, and its student hears so."""
    data = bytearray(zipped(GOOD))
    at = data.rfind(b"PK\x01\x02")
    data[at + 8] |= 1
    as_folder({"good/running_mean.py": MEAN, "bad.zip": bytes(data)}, tmp_path)
    entries = {e.student.key: e for e in read_class(tmp_path, COURSE, EXERCISES[:1]).entries}
    assert "password" in entries["bad"].submission.fault
