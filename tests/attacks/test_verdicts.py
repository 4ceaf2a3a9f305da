"""Hostile files against a real exercise, graded as the grader grades: right verdict, right next file, nothing changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader import session
from grader.boundary import isolation
from grader.boundary.sandbox import Slot
from grader.catalog import load_course, select
from grader.model import Exercise, Limits, Report, Submission, Verdict
from tests.attacks.conftest import slot_at

ROOT = Path(__file__).resolve().parents[2]
WORDS = {Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASH, Verdict.FLOOD, Verdict.NOT_YET}
CHEAT = """
def _answers():
    found = {}
    import os
    for folder, _, files in os.walk(ROOT):
        for name in files:
            if name in ("reference.py", "checks.py", "results.json"):
                found[os.path.join(folder, name)] = open(os.path.join(folder, name)).read()
    return found
"""
# What each does to the reference's own file: {name: (source after it, verdicts of which one must be that of the checks)}
ATTACKS: dict[str, tuple[str, set[Verdict]]] = {
    "endless loop": ("def zero_traffic(params, stage, dp):\n    while True: pass\n", {Verdict.TIMEOUT}),
    "GIL held in C": ("def zero_traffic(params, stage, dp):\n    return 10**10**10\n", {Verdict.TIMEOUT}),
    "exit inside": ("import os\ndef zero_traffic(params, stage, dp):\n    os._exit(0)\n", {Verdict.CRASH}),
    "exit on import": ("import os\nos._exit(0)\n", {Verdict.CRASH}),
    "sys.exit": ("import sys\ndef zero_traffic(params, stage, dp):\n    sys.exit(0)\n", {Verdict.NOT_YET}),
    "interrupt": ("def zero_traffic(params, stage, dp):\n    raise KeyboardInterrupt\n", {Verdict.NOT_YET}),
    "says equal to everything": (
        "class A(int):\n    def __eq__(self, o): return True\n    __hash__ = int.__hash__\n"
        "def zero_traffic(params, stage, dp):\n    return A(3)\n", {Verdict.NOT_YET}),
    "array that says so": (
        "import numpy as np\nclass A(np.ndarray):\n    def __eq__(self, o): return np.True_\n"
        "def zero_traffic(params, stage, dp):\n    return np.zeros(()).view(A)\n", {Verdict.NOT_YET}),
    "patches what it can reach": (
        "import sys, builtins, numpy\nnumpy.array_equal = numpy.allclose = lambda *a, **k: True\n"
        "for m in list(sys.modules.values()):\n    for n in ('assert_', 'equal', 'close', 'decode', 'answer'):\n"
        "        try: setattr(m, n, lambda *a, **k: True)\n        except Exception: pass\n"
        "def zero_traffic(params, stage, dp):\n    return -1\n", WORDS),
    "forged passes": (
        "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'{\"verdict\": \"pass\"}\\n' * 50)\n    except OSError: pass\n",
        {Verdict.CRASH}),
    "writes results": (
        "import os\nfor n in ('results.json', 'conftest.py', 'sitecustomize.py', 'torch.py', 'pytest.ini', 'usercustomize.py'):\n"
        "    open(n, 'w').write('raise SystemExit(0)')\nimport sys\nsys.exit = lambda *a: None\n"
        "def zero_traffic(params, stage, dp):\n    return 0\n", {Verdict.NOT_YET}),
    "reads answers": (
        CHEAT.replace("ROOT", repr(str(ROOT))) + "\ndef zero_traffic(params, stage, dp):\n    return len(_answers()) and 1/0 or -1\n",
        {Verdict.NOT_YET}),
    "walks the frames": (
        "import sys, gc\ndef zero_traffic(params, stage, dp):\n    f = sys._getframe()\n    seen = []\n    while f:\n"
        "        seen += [k for k in (*f.f_locals, *f.f_globals) if 'expected' in k or 'reference' in k]\n        f = f.f_back\n"
        "    seen += [o for o in gc.get_objects() if type(o).__name__ in ('Report', 'CheckResult', 'Book')]\n"
        "    return len(seen) or -1\n", {Verdict.NOT_YET}),
    "thirty gigabytes": (
        "def zero_traffic(params, stage, dp):\n    import numpy\n    return int(numpy.ones(4 * 10**9).sum())\n", {Verdict.MEMORY}),
    "five hundred children": (
        "import os, time\ndef zero_traffic(params, stage, dp):\n    for _ in range(500):\n        try:\n"
        "            if os.fork() == 0:\n                time.sleep(100)\n                os._exit(0)\n"
        "        except OSError: return -2\n    return -1\n", WORDS),
    "a gigabyte of print": (
        "def zero_traffic(params, stage, dp):\n    for _ in range(1000): print('x' * 10**6)\n", {Verdict.FLOOD}),
    "segfault": ("import ctypes\ndef zero_traffic(params, stage, dp):\n    ctypes.string_at(0)\n", {Verdict.CRASH}),
    "signals its parent": (
        "import os, signal\ndef zero_traffic(params, stage, dp):\n    os.kill(os.getppid(), signal.SIGKILL)\n    return -1\n",
        WORDS | {Verdict.GRADER_PROBLEM}),
    "state": (
        "_calls = 0\n_right = zero_traffic\ndef zero_traffic(params, stage, dp):\n    global _calls\n    _calls += 1\n"
        "    return _right(params, stage, dp) if _calls < 5 else -1\n", {Verdict.NOT_YET}),
    "times out once": (
        "import time\n_right = zero_traffic\n_slept = []\ndef zero_traffic(params, stage, dp):\n    if not _slept:\n"
        "        _slept.append(1)\n        while True: pass\n    return _right(params, stage, dp)\n", {Verdict.TIMEOUT}),
    "lazy": ("def zero_traffic(params, stage, dp):\n    return (x for x in [3])\n", {Verdict.NOT_YET}),
    "unpickles": (
        "import os\nclass R:\n    def __reduce__(self): return os.system, ('touch pwned',)\n"
        "def zero_traffic(params, stage, dp):\n    return R()\n", {Verdict.NOT_YET}),
}  # fmt: skip


@pytest.fixture(scope="module", params=["nested", "process"])
def level_slot(request: pytest.FixtureRequest) -> Iterator[Slot]:
    """A slot at the usual strict level, and one without walls."""
    yield from slot_at(request.param)


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    """A real exercise with patience for one second."""
    [found] = select(load_course(ROOT / "exercises"), ["zero_sharding"])
    return replace(found, limits=Limits(cpu_s=1.0, memory_mb=512, output_kb=64, processes=48, idle_s=1.0))


def snapshot() -> str:
    """A digest of what an attack on this exercise would want to change, and of the names in the working folder."""
    digest = hashlib.sha256()
    for folder in ("exercises/chapter2", "solutions/chapter2", "grader/boundary"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path).encode() + path.read_bytes())
    digest.update(repr(sorted(p.name for p in Path.cwd().iterdir())).encode())
    return digest.hexdigest()


def grade(exercise: Exercise, slot: Slot, sources: list[bytes]) -> list[Report]:
    """Grade the sources one after another, by the traffic checks."""
    files = [Submission(exercise.stub.name, source) for source in sources]
    return session.grade(exercise, files, slot=slot, seed="9", keyword="traffic or one_gpu")


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(level_slot: Slot, exercise: Exercise, name: str) -> None:
    """The attacker fails by the right word, the reference that comes next passes, and nothing outside has changed."""
    assert exercise.reference is not None
    honest = exercise.reference.read_bytes()
    attack, words = ATTACKS[name]
    if name == "reads answers" and not level_slot.level.strict:
        pytest.skip("isolation process does not hide files: grade batch refuses it unless asked")
    if name == "five hundred children" and not level_slot.level.strict:
        pytest.skip("isolation process does not bound processes")
    if name == "signals its parent" and not level_slot.level.strict:
        words = words | {Verdict.PASS}
    before = snapshot()
    attacked, following = grade(exercise, level_slot, [honest + b"\n\n" + attack.encode(), honest])
    assert following.verdict is Verdict.PASS, following
    verdicts = {check.verdict for check in attacked.checks}
    assert verdicts <= words | {Verdict.PASS} and verdicts & words, (verdicts, attacked)
    assert attacked.verdict is not Verdict.PASS
    assert snapshot() == before


def test_state_is_told(exercise: Exercise, level_slot: Slot) -> None:
    """Whose answers depend on earlier calls is told so."""
    assert exercise.reference is not None
    [report] = grade(exercise, level_slot, [exercise.reference.read_bytes() + ATTACKS["state"][0].encode()])
    assert any("state" in check.message for check in report.checks), report


def test_levels_agree_on_this_machine() -> None:
    """At least the level without walls works everywhere."""
    assert isolation.works(isolation.PROCESS) == ""
