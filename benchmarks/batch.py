"""`grade batch` on a class of cheap files, half of whose checks fail, against a fresh pytest process for each file."""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
from measure import ROOT, print_table

sys.path.insert(0, str(ROOT))
from tests.batch.made import PLAIN_CASES, PLAIN_RIGHT, PLAIN_YAML, as_folder, plain_course

TARGETS = {"numpy": 5, "torch": 20}
SECONDS = {1: 0.12, 2: 0.06}  # a submission, on a machine where a fresh pytest takes 0.57 s
FAILING = PLAIN_RIGHT.replace("max(values)", "None").replace("sum(values)", "-1").replace("values[::-1]", "values[1:]")


def source(at: int, package: str) -> str:
    """A student's file: every second one fails every check, and each is another file."""
    return f"import {package}\n\n{FAILING if at % 2 else PLAIN_RIGHT}\n# {at}\n"


def make(folder: Path, count: int, package: str) -> tuple[Path, Path]:
    """A course and a class."""
    yaml = PLAIN_YAML.replace("needs: []", f"needs: [{package}]").replace("cpu_s: 1, memory_mb: 256", "cpu_s: 10")
    course = plain_course(folder / "course", **{"exercises/chapter1/sums/exercise.yaml": yaml})
    files = {f"s{at:04}/sums.py": source(at, package).encode() for at in range(count)}
    return course, as_folder(files, folder / "class")


def by_hand(folder: Path, count: int, package: str, jobs: int) -> float:
    """Seconds for what people do themselves: a folder with file and tests, and pytest in a process of its own."""
    lines = ["import sums"]
    for at in range(10):
        name, wanted = [("total", sum), ("turned", lambda v: v[::-1]), ("largest", max)][at % 3]
        values = list(PLAIN_CASES[at] or (4,))
        lines.append(f"def test_{at}():\n    assert sums.{name}({values}) == {wanted(values)!r}")
    for at in range(count):
        files = {"sums.py": source(at, package).encode(), "test_sums.py": "\n\n\n".join(lines).encode()}
        as_folder(files, folder / f"hand/{at}")

    def one(at: int) -> None:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "test_sums.py"]
        subprocess.run(command, cwd=folder / f"hand/{at}", capture_output=True, check=False)

    start_s = time.perf_counter()
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, range(count)))
    return time.perf_counter() - start_s


class Memory:
    """Watches what a process and its children take, by kind, every half second."""

    def __init__(self, process: psutil.Process) -> None:
        self.process, self.peaks, self.first = process, {}, {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._over.wait(0.5):
            try:
                sizes: dict[str, int] = {"command": self.process.memory_info().rss}
                for child in self.process.children(recursive=True):
                    kind = "station" if "grader.batch.post" in child.cmdline() else "slot"
                    sizes[kind] = max(sizes.get(kind, 0), child.memory_info().rss)
            except psutil.Error:
                continue
            for kind, size in sizes.items():
                self.first.setdefault(kind, []).append(size)
                self.peaks[kind] = max(self.peaks.get(kind, 0), size)

    def close(self) -> None:
        """Stop watching."""
        self._over.set()
        self._thread.join()

    def growth(self, kind: str) -> str:
        """The median of the second fifth of the run, and that of the last: flat memory says the same twice."""
        seen = self.first.get(kind, [0])
        fifth = max(1, len(seen) // 5)
        early, late = (sorted(part)[len(part) // 2] for part in (seen[fifth : 2 * fifth] or seen, seen[-fifth:]))
        return f"{early / 2**20:.0f} → {late / 2**20:.0f} MiB"


def batch(course: Path, path: Path, out: Path, jobs: int, isolation: str) -> tuple[dict, float, Memory]:
    """Run the command; what it says, its wall seconds, and its memory."""
    words = ["batch", path, "--out", out, "--course", course, "--jobs", jobs, "--isolation", isolation, "--json"]
    start_s = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", *map(str, words)], cwd=ROOT, stdout=subprocess.PIPE, env=dict(os.environ)
    )
    memory = Memory(psutil.Process(process.pid))
    printed, _ = process.communicate()
    memory.close()
    return json.loads(printed), time.perf_counter() - start_s, memory


def checks_s(out: Path) -> float:
    """How long a file took its station, on average: its checks, and what the session does around them."""
    from grader.batch.ledger import open_ledger

    with open_ledger(out) as ledger:
        keys = [key for _, key in ledger._latest_handins()]
        reports = ledger.reports(keys).values()
        return sum(report.duration_s for report in reports) / len(keys)


def size_of(out: Path) -> tuple[int, int]:
    """Bytes of the ledger, and grades in it."""
    base = sqlite3.connect(out / "ledger.sqlite")
    [count] = base.execute("SELECT count(*) FROM grades").fetchone()
    base.close()
    return (out / "ledger.sqlite").stat().st_size, count


def main() -> None:
    """Time both, print ratios, and what a grade costs in memory and on disk."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument(
        "--by-hand", type=int, default=200, help="how many of them plain pytest grades, too; 0 for none"
    )
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--packages", nargs="*", default=["numpy", "torch"])
    parser.add_argument("--isolation", default="strict")
    options = parser.parse_args()
    rows = []
    for package in options.packages:
        for jobs in options.jobs:
            with tempfile.TemporaryDirectory() as name:
                rows.append(measure(Path(name), package, jobs, options))
    heads = [
        "package",
        "jobs",
        "a file",
        "by hand",
        "ratio",
        "at least",
        "start",
        "in station",
        "station",
        "slot",
        "a grade",
    ]
    print_table(heads, rows)


def measure(folder: Path, package: str, jobs: int, options: argparse.Namespace) -> list[str]:
    """One row."""
    course, path = make(folder, options.submissions, package)
    made, wall_s, memory = batch(course, path, folder / "out", jobs, options.isolation)
    count = options.submissions
    assert made["exercises"]["chapter1/sums"] == {"pass": (count + 1) // 2, "not yet": count // 2}, made["exercises"]
    hand_s = by_hand(folder, options.by_hand, package, jobs) / options.by_hand if options.by_hand else 0.0
    size, grades = size_of(folder / "out")
    a_file_s = made["seconds"] / count
    return [
        package,
        str(jobs),
        f"{1000 * a_file_s:.0f} ms",
        f"{1000 * hand_s:.0f} ms",
        f"{hand_s / (wall_s / count):.1f}x",
        f"{TARGETS[package]}x",
        f"{wall_s - made['seconds']:.1f} s",
        f"{1000 * checks_s(folder / 'out'):.0f} ms",
        memory.growth("station"),
        memory.growth("slot"),
        f"{size / grades / 1024:.1f} KiB",
    ]


if __name__ == "__main__":
    main()
