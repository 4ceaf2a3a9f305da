"""A class of any size, every verdict planted: right, known-wrong, hostile and unlucky files, in every layout."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.batch.made import EXERCISES, as_folder, notebook, tarred, zipped

MEAN = next(each for each in EXERCISES if each.slug == "running_mean")
LAYOUTS = ("folders", "flat", "zip", "tar", "canvas", "gradescope", "classroom")
RIGHT = "def running_mean(values):\n    if not values:\n        raise ValueError\n" + (
    "    return [sum(values[: k + 1]) / (k + 1) for k in range(len(values))]\n"
)


@dataclass(frozen=True)
class Planted:
    """A file, and what its grade must be.

    Attributes:
        name: for messages.
        source: the bytes; each student's get a comment of their own.
        words: of the gradebook, one of which must come out.
        fails: checks that must not pass.
    """

    name: str
    source: bytes
    words: tuple[str, ...]
    fails: tuple[str, ...] = ()
    ending: str = "py"

    @property
    def is_slow(self) -> bool:
        """Whether its limits take ten seconds to run out."""
        return self.name in ("endless", "patches", "forks")


def attack(name: str, body: str, *words: str, before: str = "") -> Planted:
    """A file whose function has this body."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return Planted(name, f"{before}def running_mean(values):\n{lines}\n".encode(), words)


ATTACKS = (
    attack("endless", "while True: pass", "stopped"),
    attack("exit", "import os\nos._exit(0)", "stopped"),
    attack("exit on import", "return values", "stopped", before="import os\nos._exit(0)\n"),
    attack("sys.exit", "import sys\nsys.exit(0)", "not yet"),
    attack("interrupt", "raise KeyboardInterrupt", "not yet"),
    attack("equal to everything", "return A(values)", "not yet", before=(
        "class A(list):\n    def __eq__(self, other): return True\n    __hash__ = None\n")),
    attack("memory", "return [0.0] * 10**10", "stopped"),
    attack("flood", "while True: print('x' * 10**6)", "stopped"),
    attack("segfault", "import ctypes\nctypes.string_at(0)", "stopped"),
    attack("forks", "import os\nfor _ in range(300):\n    try:\n        if os.fork() == 0:\n            import time\n"
           "            time.sleep(50)\n    except OSError: return -1\nreturn -2", "not yet", "stopped"),
    attack("forged answers", "return values", "stopped", before=(
        "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'{\"verdict\": \"pass\"}' * 50)\n"
        "    except OSError: pass\n")),
    attack("reads the course", f"try: return len(open({str(MEAN.reference)!r}).read())\nexcept OSError: return -1",
           "not yet"),
    attack("pickle", "return R()", "not yet", before=(
        "import os\nclass R:\n    def __reduce__(self): return os.system, ('touch pwned',)\n")),
    attack("patches", "return -1", "not yet", "stopped", before=(
        "import sys\nfor m in list(sys.modules.values()):\n    for n in ('decode', 'encode', 'answer'):\n"
        "        try: setattr(m, n, lambda *a, **k: True)\n        except Exception: pass\n")),
    attack("lazy", "return (v for v in values)", "not yet"),
)  # fmt: skip
UNLUCKY = (
    Planted("empty", b"", ("not yet",)),
    Planted("syntax", b"def running_mean(values:\n", ("not yet",)),
    Planted("latin-1", "# Größe\ndef running_mean(values): return 1\n".encode("latin-1"), ("not yet",)),
    Planted("nulls", b"\0" * 100, ("not yet",)),
    Planted("misspelt", b"def runing_mean(values): return values\n", ("not yet",)),
    Planted("signature", b"def running_mean(): return []\n", ("not yet",)),
    Planted("nested", b"x = " + b"(" * 5000 + b")" * 5000 + b"\n", ("not yet",)),
    Planted("raises on import", b"1 / 0\n", ("not yet",)),
    Planted("stub", MEAN.stub.read_bytes(), ("not yet",)),
    Planted("BOM", codecs.BOM_UTF8 + MEAN.reference.read_bytes(), ("pass",)),
    Planted("CRLF", MEAN.reference.read_bytes().replace(b"\n", b"\r\n"), ("pass",)),
    Planted("too large", b"#" * (2**20 + 1), ("refused",)),
    Planted("notebook", notebook("%pip install x", "1 / 0", MEAN.reference.read_text()), ("pass",), ending="ipynb"),
    Planted("broken notebook", b"{", ("refused",), ending="ipynb"),
)


def killers(path: Path) -> tuple[str, ...]:
    """The checks that a known-wrong file names."""
    text = path.read_text().split("Killed by:")[1].split("\n")[0]
    return tuple(name.strip() for name in text.split(","))


def planted() -> tuple[Planted, ...]:
    """Every kind of file once."""
    right = [Planted(path.stem, path.read_bytes(), ("pass",)) for path in (MEAN.reference, *MEAN.wheats)]
    wrong = [Planted(path.stem, path.read_bytes(), ("not yet", "stopped"), killers(path)) for path in MEAN.chaffs]
    # Most of a class is neither hostile nor unlucky.
    return (*right, *wrong, *right, *wrong, *ATTACKS, *UNLUCKY)


def make(folder: Path, size: int, few: bool = False) -> tuple[dict[str, Path], dict[str, Planted]]:
    """Write a class; answers one path per layout, and what is planted for each student.

    Args:
        folder: where to.
        size: how many students.
        few: whether to do with the quicker kinds and with three layouts.
    """
    kinds = tuple(kind for kind in planted() if not (few and kind.is_slow))
    layouts = LAYOUTS[1::2] if few else LAYOUTS
    expected: dict[str, Planted] = {}
    files: dict[str, dict[str, bytes]] = {layout: {} for layout in LAYOUTS}
    order = list(range(size))
    Random(size).shuffle(order)
    for at in order:
        kind, layout = kinds[at % len(kinds)], layouts[(at + at // len(kinds)) % len(layouts)]
        student = f"s{at:04}"
        expected[student] = kind
        data = kind.source
        if kind.ending == "py" and kind.name not in ("empty", "nulls"):
            data = data.rstrip(b"\r\n") + (b"\r\n" if kind.name == "CRLF" else b"\n") + f"# {student}\n".encode()
        files[layout][_place(layout, at, student, kind.ending)] = data
    names = [name.split("/")[0] for name in files["gradescope"]]
    files["gradescope"]["submission_metadata.yml"] = "".join(
        f"{name}:\n  :submitters:\n  - :name: N\n    :sid: s{int(name[11:]):04}\n" for name in names
    ).encode()
    paths = {}
    for layout in layouts:
        paths[layout] = _write(layout, files[layout], folder)
    return paths, expected


def _place(layout: str, at: int, student: str, ending: str) -> str:
    name = f"running_mean.{ending}"
    return {
        "flat": f"{student}_{name}",
        "canvas": f"{student}_{at}_{90000 + at}_{name}",
        "gradescope": f"submission_{at}/{name}",
        "classroom": f"hw-{student}/{name}",
    }.get(layout, f"{student}/{name}")


def _write(layout: str, files: dict[str, bytes], folder: Path) -> Path:
    if layout in ("zip", "tar"):
        path = folder / f"class.{'zip' if layout == 'zip' else 'tar.gz'}"
        wrapped = {f"Homework 1/{name}": data for name, data in files.items()}
        path.write_bytes(zipped(wrapped) if layout == "zip" else tarred(wrapped))
        return path
    if layout == "classroom":
        files = files | {f"{name.split('/')[0]}/.git/HEAD": b"ref" for name in files}
    return as_folder(files, folder / layout)
