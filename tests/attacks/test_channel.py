"""Attacks on the answer channel and on the worker itself: they cost the attacker the job, and nobody else anything."""

from __future__ import annotations

import time

import pytest

from grader.boundary.exchange import Exchange
from grader.boundary.outcome import Outcome, Raised, Returned, Stopped
from grader.boundary.sandbox import Job, Slot
from grader.boundary.wire import Opaque
from grader.model import FunctionSignature, Limits, Parameter, Place, Submission, Verdict

LIMITS = Limits(cpu_s=1.0, memory_mb=256, output_kb=64, idle_s=1.0)
FORGE = """
import os, struct, msgspec, sys
def frame(call, kind, tokens):
    header = msgspec.msgpack.encode([call, kind, tokens, []])
    return struct.pack("<I", len(header)) + header
"""
CHANNEL = {
    "writes before it is asked": FORGE
    + "os.write(3, frame(1, 'returned', [4, 3, 0, 42, None, 0, 0]))\ndef attack(): return 1\n",
    "writes a second answer": FORGE
    + "def attack():\n    os.write(3, frame(1, 'returned', [4, 3, 0, 42, None, 0, 0]))\n    return 1\n",
    "closes the channel": "import os\ndef attack():\n    os.close(3)\n    return 1\n",
    "replaces the channel": "import os\ndef attack():\n    os.dup2(os.open('/dev/null', os.O_RDWR), 3)\n    return 1\n",
    "writes garbage": "import os\ndef attack():\n    os.write(3, b'\\xff' * 4096)\n    return 1\n",
    "announces a huge frame": "import os, struct\ndef attack():\n    os.write(3, struct.pack('<I', 2**32 - 1))\n    return 1\n",
    "announces and stalls": "import os, struct, time\ndef attack():\n    os.write(3, struct.pack('<I', 1000))\n    while True: pass\n",
    "reads the next question away": "import os, fcntl\ndef attack():\n    fcntl.fcntl(3, 4, 2048)\n    os.read(3, 100)\n",
    "shuts it down": "import socket\ndef attack():\n    socket.socket(fileno=3).shutdown(2)\n    return 1\n",
    "forged confession": FORGE + "def attack():\n    os.write(3, frame(0, 'layout', [b'all good']))\n    os._exit(0)\n",
    "a flood of frames": FORGE + "def attack():\n    while True: os.write(3, frame(1, 'returned', [None]))\n",
    "exits inside": "import os\ndef attack():\n    os._exit(0)\n",
    "exits on import": "import os\nos._exit(0)\n",
    "aborts": "import os\ndef attack():\n    os.abort()\n",
    "segfaults": "import ctypes\ndef attack():\n    ctypes.string_at(0)\n",
    "kills itself": "import os, signal\ndef attack():\n    os.kill(os.getpid(), signal.SIGKILL)\n",
    "kills its group": "import os, signal\ndef attack():\n    os.killpg(0, signal.SIGTERM)\n",
    "overflows the C stack": "import ctypes, sys\ndef attack():\n    sys.setrecursionlimit(10**9)\n    f = lambda: [].sort(key=lambda _: 0) or f()\n    class A:\n        def __getattr__(self, n): return getattr(self, n + 'x')\n    A().b\n",
}
STOPPED = {Verdict.CRASH, Verdict.TIMEOUT, Verdict.FLOOD, Verdict.MEMORY}


def run(slot: Slot, source: str, *args: object) -> Outcome:
    """What ``attack(*args)`` comes to, called twice: a spoilt stream shows at the next question."""
    with slot.job(Submission("attack.py", source.encode()), LIMITS, None, {}) as job:
        first = job.call("attack", args, {})
        return first if isinstance(first, Stopped) else job.call("attack", args, {})


def assert_serves_the_next(slot: Slot) -> None:
    """The slot grades another file as if nothing had happened."""
    with slot.job(Submission("next.py", b"def attack(x): return [x, 'next']\n"), LIMITS, None, {}) as job:
        for number in range(3):
            assert job.call("attack", (number,), {}) == Returned([number, "next"], None, 0.0, None, 0)


def test_a_grader_that_hardly_runs_blames_nobody(slot: Slot, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine so busy that an answer is fetched in slow pieces, the file that gave it is not said to wait."""
    read = Exchange._read

    def late(self: Exchange, *args: object) -> int:
        time.sleep(0.5)
        return read(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Exchange, "_read", late)
    source = "def attack():\n    return bytes(1_500_000)\n"
    with slot.job(Submission("attack.py", source.encode()), LIMITS, None, {}) as job:
        outcome = job.call("attack", (), {})
    assert isinstance(outcome, Returned) and outcome.value == bytes(1_500_000)


@pytest.mark.parametrize("source", CHANNEL.values(), ids=CHANNEL)
def test_channel(slot: Slot, source: str) -> None:
    """Whoever breaks the channel or its own process is stopped, and the next submission gets its own answers."""
    outcome = run(slot, source)
    if isinstance(outcome, Raised):  # it noticed, and said so in time
        assert outcome.type in ("RecursionError", "MemoryError", "BlockingIOError")
    else:
        assert isinstance(outcome, Stopped) and outcome.verdict in STOPPED, outcome
        assert outcome.message
    assert_serves_the_next(slot)


RAISES = {
    "sys.exit": ("import sys\ndef attack(): sys.exit(0)\n", "SystemExit"),
    "exit": ("def attack(): raise SystemExit('fine')\n", "SystemExit"),
    "KeyboardInterrupt": ("def attack(): raise KeyboardInterrupt\n", "KeyboardInterrupt"),
    "subclass": ("class Mine(SystemExit): pass\ndef attack(): raise Mine\n", "Mine"),
    "generator exit": ("def attack(): raise GeneratorExit\n", "GeneratorExit"),
    "hostile message": (
        "class E(Exception):\n    def __str__(self): raise SystemExit\ndef attack(): raise E\n", "E"),
    "name as long as a book": ("E = type('E' * 10**6, (Exception,), {})\ndef attack(): raise E\n", "E" * 80),
    "deep recursion": ("def attack(): return attack()\n", "RecursionError"),
    "input": ("def attack(): return input()\n", "EOFError"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "name"), RAISES.values(), ids=RAISES)
def test_raises(slot: Slot, source: str, name: str) -> None:
    """Whatever is raised is an answer, the job lives, and the text is bounded."""
    outcome = run(slot, source)
    assert isinstance(outcome, Raised) and outcome.type == name
    assert len(outcome.message) <= 2_000
    assert_serves_the_next(slot)


OPAQUE = {
    "lying eq": "class A:\n    def __eq__(self, o): return True\n    __hash__ = None\ndef attack(): return A()\n",
    "lying float": "class F(float):\n    def __eq__(self, o): return True\ndef attack(): return F(1)\n",
    "lying int": "class F(int):\n    def __eq__(self, o): return True\ndef attack(): return F(1)\n",
    "lying list": "class L(list):\n    def __getitem__(self, i): return 42\ndef attack(): return L()\n",
    "array protocol": "import numpy as np\nclass A:\n    def __array__(self): return np.ones(3)\ndef attack(): return A()\n",
    "array subclass": "import numpy as np\nclass A(np.ndarray): pass\ndef attack(): return np.ones(3).view(A)\n",
    "object array": "import numpy as np\ndef attack(): return np.array([print], dtype=object)\n",
    "generator": "def attack(): return (i for i in range(3))\n",
    "lazy": "def attack(): return map(str, [1])\n",
    "function": "def attack(): return attack\n",
    "reduce": "import os\nclass R:\n    def __reduce__(self): return os.system, ('touch /tmp/pwned',)\ndef attack(): return R()\n",
    "class that pretends": "class A:\n    __class__ = int\ndef attack(): return A()\n",
    "dataclass": "import dataclasses\n@dataclasses.dataclass\nclass D:\n    x: int = 1\ndef attack(): return D()\n",
    "module": "import os\ndef attack(): return os\n",
}


@pytest.mark.parametrize("source", OPAQUE.values(), ids=OPAQUE)
def test_lying_objects(slot: Slot, source: str) -> None:
    """An object of its own type arrives as "not a plain value", whatever it claims to be."""
    outcome = run(slot, source)
    assert isinstance(outcome, Returned) and isinstance(outcome.value, Opaque), outcome


PATCHES = {
    "numpy": "import numpy as np\nnp.allclose = np.array_equal = lambda *a, **k: True\n",
    "builtins": "import builtins\nbuiltins.isinstance = lambda *a: True\nbuiltins.abs = lambda x: 0\n",
    "the codec": "import wire\nwire.encode_frame = lambda *a: [b'']\n",
    "the worker": "import worker\nworker.answer = lambda *a: None\nworker.describe = lambda *a: {}\n",
    "msgspec": "import msgspec\nmsgspec.msgpack.encode = lambda *a: b''\n",
    "frames": "import sys, gc\nfor f in sys._current_frames().values():\n    while f:\n        f.f_locals.clear()\n        f = f.f_back\n",
    "pytest": "import sys, types\nsys.modules['pytest'] = types.ModuleType('pytest')\n",
}


@pytest.mark.parametrize("patch", PATCHES.values(), ids=PATCHES)
def test_patching_helps_nobody(slot: Slot, patch: str) -> None:
    """Patching everything within reach changes at most the attacker's own answers; the next file is graded as it is."""
    outcome = run(slot, patch + "def attack():\n    return 5\n")
    if isinstance(outcome, Returned):
        assert outcome.value == 5
    else:
        assert isinstance(outcome, Raised) or outcome.verdict in {*STOPPED, Verdict.LAYOUT}
    assert_serves_the_next(slot)


def test_values_have_no_depth_to_drown_in(slot: Slot) -> None:
    """A list nested 100,000 deep, a list that holds itself and a value of 1 GB arrive as an opaque word or an error."""
    for body in (
        "x = []\n    for _ in range(100_000): x = [x]\n    return x",
        "x = []\n    x.append(x)\n    return x",
        "return [b'x' * (1 << 20)] * 1000",
        "import numpy as np\n    return np.broadcast_to(np.float64(1), (1 << 40,))",
    ):
        outcome = run(slot, f"def attack():\n    {body}\n")
        assert isinstance(outcome, Raised) or (isinstance(outcome, Returned) and isinstance(outcome.value, Opaque)), (
            outcome
        )


def test_views_do_not_change_later(slot: Slot) -> None:
    """What was returned stays what it was when it was returned, whatever a thread does to the buffer afterwards."""
    source = """
import threading, time
import numpy as np
buffer = np.zeros(4)
def later():
    time.sleep(0.05)
    buffer[:] = 9
def attack():
    threading.Thread(target=later, daemon=True).start()
    return buffer[:]
"""
    with slot.job(Submission("attack.py", source.encode()), LIMITS, None, {}) as job:
        first = job.call("attack", (), {})
        assert isinstance(first, Returned) and not first.value.any()


def test_arguments_are_fresh_bytes(slot: Slot) -> None:
    """A list that the learner empties is whole again in the next call, and the caller's is untouched."""
    items = [3, 1, 2]
    with slot.job(
        Submission("attack.py", b"def attack(x):\n    n = len(x)\n    x.clear()\n    return n\n"),
        LIMITS,
        None,
        {},
    ) as job:
        assert [getattr(job.call("attack", (items,), {}), "value", None) for _ in range(2)] == [3, 3]
        echoed = job.call("attack", (items,), {}, echo=True)
    assert isinstance(echoed, Returned) and echoed.arguments == (([],), {})
    assert items == [3, 1, 2]


LOOPS = {
    "python loop": "while True: pass",
    "GIL held in C": "10 ** 10 ** 10",
    "threads": "import threading\n    for _ in range(4): threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()\n    while True: pass",
    "child that burns": "import os\n    if os.fork() == 0:\n        while True: pass\n    os.wait()",
}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_endless(slot: Slot, body: str) -> None:
    """CPU time is limited however it is burnt."""
    outcome = run(slot, f"def attack():\n    {body}\n")
    assert isinstance(outcome, Stopped) and outcome.verdict is Verdict.TIMEOUT, outcome
    assert_serves_the_next(slot)


def test_sleeping(slot: Slot) -> None:
    """A sleeper is told that it waits, long before the backstop."""
    outcome = run(slot, "import time\ndef attack():\n    time.sleep(1000)\n")
    assert isinstance(outcome, Stopped) and outcome.verdict is Verdict.TIMEOUT
    assert "waits" in outcome.message


def test_endless_on_import(slot: Slot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that never finishes its import is stopped too."""
    monkeypatch.setattr("grader.boundary.exchange.LOAD_CPU_S", 0.5)
    outcome = run(slot, "while True: pass\n")
    assert isinstance(outcome, Stopped) and outcome.verdict is Verdict.TIMEOUT


def test_work_after_the_answer_counts(slot: Slot) -> None:
    """A thread that computes after the answer is on the clock of a measured call."""
    source = """
import threading, time
def work():
    end = time.thread_time() + 0.1
    while time.thread_time() < end: pass
def attack():
    threading.Thread(target=work).start()
    return 1
"""
    with slot.job(Submission("attack.py", source.encode()), LIMITS, None, {}) as job:
        outcome = job.call("attack", (), {}, measure=True)
    assert isinstance(outcome, Returned) and outcome.cpu_s >= 0.09


FUNCTIONS = {
    "attack": FunctionSignature(
        "attack", (Parameter("x", "positional_or_keyword"), Parameter("k", "keyword_only", True))
    )
}
LAYOUTS = {
    "no function": (b"x = 1\n", "attack is missing"),
    "not a function": (b"attack = 3\n", "not a function"),
    "wrong signature": (b"def attack(y): pass\n", "has no parameter x"),
    "too few parameters": (b"def attack(): pass\n", "has no parameter x"),
    "syntax error": (b"def attack(x:\n    pass\n", "line 1"),
    "indentation": (b"def attack(x, *, k=1):\npass\n", "line 2"),
    "UTF-16": ("def attack(x, *, k=1): pass\n".encode("utf-16"), "UTF-16"),
    "undeclared Latin-1": ("# é\ndef attack(x, *, k=1): pass\n".encode("latin-1"), "not UTF-8"),
    "NUL bytes": (b"def attack(x, *, k=1): pass\n\0", "NUL"),
    "empty file": (b"", "attack is missing"),
    "missing import": (b"import does_not_exist_anywhere\n", "does_not_exist_anywhere"),
    "raises on import": (b"1 / 0\n", "ZeroDivisionError"),
    "input on import": (b"n = input('n? ')\n", "asks for input"),
    "relative import": (b"from . import friend\n", "relative import"),
    "exits on import": (b"import sys\nsys.exit(1)\n", "SystemExit"),
    "keyboard interrupt on import": (b"raise KeyboardInterrupt\n", "KeyboardInterrupt"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "words"), LAYOUTS.values(), ids=LAYOUTS)
def test_layout(slot: Slot, source: bytes, words: str) -> None:
    """A file that cannot be used is ``layout``, with file, line and remedy."""
    with slot.job(Submission("attack.py", source), LIMITS, None, FUNCTIONS) as job:
        outcome = job.call("attack", (1,), {})
    assert isinstance(outcome, Stopped) and outcome.verdict is Verdict.LAYOUT, outcome
    assert words in outcome.message and outcome.message.startswith("attack.py, line ")


ACCEPTED = {
    "BOM": b"\xef\xbb\xbfdef attack(x, *, k=1): return x\n",
    "CRLF": b"def attack(x, *, k=1):\r\n    return x\r\n",
    "tabs": b"def attack(x, *, k=1):\n\treturn x\n",
    "coding cookie": "# -*- coding: latin-1 -*-\n# é\ndef attack(x, *, k=1): return x\n".encode("latin-1"),
    "main block": b"def attack(x, *, k=1): return x\nif __name__ == '__main__':\n    input()\n",
    "prints": b"print('hello')\ndef attack(x, *, k=1):\n    print(x)\n    return x\n",
    "own class": b"class A:\n    def f(self, x): return x\ndef attack(x, *, k=1): return A().f(x)\n",
    "decorated": b"import functools\n@functools.cache\ndef attack(x, *, k=1): return x\n",
    "more parameters": b"def attack(x, more=3, *, k=1, l=2): return x\n",
    "anything": b"def attack(*args, **kwargs): return (args + (kwargs.get('x'),))[0]\n",
    "lambda": b"attack = lambda x, k=1: x\n",
    "dataclass": b"from dataclasses import dataclass\n@dataclass\nclass P:\n    v: int\ndef attack(x, *, k=1): return P(x).v\n",
    "future annotations": b"from __future__ import annotations\ndef attack(x: Nothing, *, k=1): return x\n",
}


@pytest.mark.parametrize("source", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(slot: Slot, source: bytes) -> None:
    """What Python accepts is graded as it stands."""
    with slot.job(Submission("attack.py", source), LIMITS, None, FUNCTIONS) as job:
        outcome = job.call("attack", (7,), {"k": 2})
    assert isinstance(outcome, Returned) and outcome.value == 7, outcome


def test_a_missing_file_starts_nothing(slot: Slot) -> None:
    """A submission without a source is ``layout`` with the words that were found for it."""
    job: Job = slot.job(Submission("a.py", None, fault="no file a.py in x: save it there."), LIMITS, None, FUNCTIONS)
    assert job.call("attack", (1,), {}) == Stopped(Verdict.LAYOUT, "no file a.py in x: save it there.")


def test_elsewhere_is_another_interpreter(slot: Slot) -> None:
    """Strings hash alike in all jobs of a slot, which share one parent, and differently in its second slot."""
    submission = Submission("a.py", b"def attack(): return [hash(str(i)) for i in range(4)]\n")
    answers = []
    for where in (slot, slot, slot.at(Place.ELSEWHERE)):
        with where.job(submission, LIMITS, None, {}) as job:
            outcome = job.call("attack", (), {})
            assert isinstance(outcome, Returned)
            answers.append(outcome.value)
    assert slot.level.single_use or answers[0] == answers[1]
    assert answers[0] != answers[2]


@pytest.mark.parametrize("end", ["while True: pass", "os._exit(0)", "return 1"])
def test_what_was_printed_survives_the_end(slot: Slot, end: str) -> None:
    """Output is there to be shown however the call ended."""
    source = f"import os\ndef attack():\n    print('so far')\n    {end}\n"
    with slot.job(Submission("attack.py", source.encode()), LIMITS, None, {}) as job:
        job.call("attack", (), {})
        assert job.output() == "so far\n"
