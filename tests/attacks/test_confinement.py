"""What hostile code can see and do from inside a strict slot: each test lets it try and reads what came of it.

The attack's own words are only believed where they are against its interest: it reports success as evidence, and the tests
look from outside wherever the outside can tell.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from grader.boundary import usage
from grader.boundary.outcome import Returned, Stopped
from grader.boundary.sandbox import Job, Slot
from grader.model import Limits, Submission, Verdict

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Limits(cpu_s=2.0, memory_mb=256, output_kb=64)
SEARCH = Limits(cpu_s=60.0, memory_mb=256, output_kb=64)  # to walk all that can be seen, torch's files included


def job(slot: Slot, source: str, limits: Limits = LIMITS) -> Job:
    """A job for the attack's source."""
    return slot.job(Submission("attack.py", source.encode()), limits, None, {})


def own_processes(slot: Slot) -> int:
    """How many processes a slot has between jobs: the zygote; its steward; holder and reaper of the next namespaces."""
    return 4 if slot.level.nested else 1


def value_of(slot: Slot, source: str, limits: Limits = LIMITS) -> object:
    """What the attack's ``attack()`` returns, in a fresh child."""
    with job(slot, source, limits) as child:
        outcome = child.call("attack", (), {})
    assert isinstance(outcome, Returned), outcome
    return outcome.value


def test_sees_no_course_and_no_host(strict_slot: Slot) -> None:
    """Neither the course, the solutions, the home of the user, nor the rest of the grader can be found from inside."""
    source = f"""
import os
def attack():
    found = []
    for folder, _, files in os.walk("/"):
        if folder.startswith(("/proc", "/usr", "/dev")):
            continue
        names = ("course.yaml", "exercise.yaml", "zero_sharding.py", "minhash_lsh.py", "casebook.py", "exchange.py")
        found += [os.path.join(folder, f) for f in files if f in names]
    found += [p for p in ({str(ROOT)!r}, {str(Path.home())!r}, "/home") if os.path.exists(p) and os.listdir(p)]
    if os.access("/opt/grader", os.R_OK):
        found += [f for f in os.listdir("/opt/grader") if f not in ("zygote.py", "worker.py", "kernel.py", "wire.py")]
    return found
"""
    assert value_of(strict_slot, source, SEARCH) == []


def test_environment_is_clean(strict_slot: Slot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the grader's environment is seen, and no command line of bubblewrap."""
    source = """
import os
def attack():
    lines = [open(f"/proc/{p}/cmdline").read() for p in os.listdir("/proc") if p.isdigit()]
    return [k for k in os.environ if "SECRET" in k], any("--ro-bind" in line or "--args" in line for line in lines[1:])
"""
    monkeypatch.setenv("MY_SECRET", "1")
    assert value_of(strict_slot, source) == ([], False)


def test_mountinfo_names_no_home(strict_slot: Slot) -> None:
    """The mount table does not tell where on the host the grader or its user live."""
    source = 'def attack():\n    return open("/proc/self/mountinfo").read()\n'
    text = value_of(strict_slot, source)
    assert isinstance(text, str)
    targets = [line.split()[4] for line in text.splitlines()]
    assert not [t for t in targets if t.startswith(("/root", "/home", str(ROOT)))]


def test_nothing_outside_scratch_is_writable(strict_slot: Slot) -> None:
    """Every folder but the job's own /tmp and /dev/shm refuses a new file."""
    source = """
import os
def attack():
    written = []
    for folder, folders, _ in os.walk("/"):
        if folder.startswith(("/proc", "/usr/share")):
            folders[:] = []
            continue
        try:
            path = os.path.join(folder, "planted")
            open(path, "w").close()
            written.append(folder)
        except OSError:
            pass
    return sorted(written)
"""
    assert set(value_of(strict_slot, source, SEARCH)) <= {"/tmp", "/dev/shm"}  # type: ignore[call-overload]


def test_nothing_stays_for_the_next_job(slot: Slot) -> None:
    """Files and shared memory that one job leaves are gone for the next."""
    plant = """
import os
def attack():
    for folder in (".", "/tmp", "/dev/shm"):
        try:
            open(folder + "/planted-by-a-job", "w").write("answer")
        except OSError:
            pass
    return True
"""
    look = 'import os\ndef attack():\n    return [f for f in os.listdir(".") if "planted" in f]\n'
    assert value_of(slot, plant) is True
    assert value_of(slot, look) == []
    for folder in ("/tmp", "/dev/shm"):
        Path(folder, "planted-by-a-job").unlink(missing_ok=True)  # isolation process may write there


def test_only_its_own_processes_are_visible(strict_slot: Slot) -> None:
    """/proc shows the job's own processes, and pid 1 of the job cannot be looked into or signalled to death."""
    source = """
import os, signal
def attack():
    pids = sorted(int(p) for p in os.listdir("/proc") if p.isdigit())
    opened = []
    for name in ("mem", "environ", "maps", "root", "cwd", "fd"):
        try:
            path = f"/proc/1/{name}"
            if (os.listdir if name in ("root", "cwd", "fd") else lambda p: open(p, "rb").read(1))(path):
                opened.append(name)  # an empty list of descriptors tells nothing
        except OSError:
            pass
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP):
        try:
            os.kill(1, number)
        except OSError:
            pass
    return len(pids), opened, os.getpid() != 1
"""
    count, opened, not_init = value_of(strict_slot, source)  # type: ignore[misc]
    assert count <= 3 and not_init
    assert opened == []


def test_no_way_up(strict_slot: Slot) -> None:
    """No capability, no new namespace, no mount, no ptrace, no device, no setuid program brings rights back."""
    source = """
import ctypes, os
def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    status = {l.split(":")[0]: l.split(":")[1].strip() for l in open("/proc/self/status")}
    tried = {
        "unshare user": libc.unshare(0x10000000), "unshare pid": libc.unshare(0x20000000),
        "mount": libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None), "umount": libc.umount2(b"/proc", 2),
        "chroot": libc.chroot(b"/tmp"), "ptrace": libc.ptrace(16, 1, 0, 0), "setuid": libc.setuid(0) if os.getuid() else -1,
        "clone3": libc.syscall(435, 0, 0), "memfd": libc.syscall(319, b"x", 0), "bpf": libc.syscall(321, 0, 0, 0),
        "keyctl": libc.syscall(250, 0, 0), "clone newuser": libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0),
        "mknod": libc.mknod(b"/tmp/sda", 0o060666, 8 << 8), "shmget": libc.syscall(29, 0, 1 << 20, 0o1666),
    }
    caps = [status[k] for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
    return caps, status["NoNewPrivs"], status["Seccomp"], sorted(k for k, v in tried.items() if v >= 0)
"""
    caps, no_new_privs, seccomp, worked = value_of(strict_slot, source)  # type: ignore[misc]
    assert caps == ["0" * 16] * 5
    assert (no_new_privs, seccomp, worked) == ("1", "2", [])


def test_no_network(strict_slot: Slot) -> None:
    """No socket can be made at all: neither to the outside, nor to loopback, nor to a path or an abstract name."""
    source = """
import socket
def attack():
    made = []
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
        try:
            socket.socket(family, socket.SOCK_STREAM if family != socket.AF_NETLINK else socket.SOCK_RAW)
            made.append(int(family))
        except OSError:
            pass
    return made
"""
    assert value_of(strict_slot, source) == []


def test_only_the_channel_is_open(slot: Slot) -> None:
    """A worker holds stdin, stdout, stderr and its channel, and no descriptor of the grader's."""
    source = """
import os
def attack():
    return sorted(int(f) for f in os.listdir("/proc/self/fd") if int(f) < 1000 and os.path.exists(f"/proc/self/fd/{f}"))[:8]
"""
    value = value_of(slot, source)
    assert isinstance(value, list) and set(value) <= {0, 1, 2, 3, 4}  # 4: the listing's own


def test_processes_are_bounded(strict_slot: Slot) -> None:
    """A job that forks 500 sleepers gets no further than its limit, and none of them outlives it."""
    source = """
import os, time
def attack():
    made = 0
    for _ in range(500):
        try:
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
            made += 1
        except OSError:
            break
    return made
"""
    if os.geteuid() == 0 and strict_slot.level.user_namespace:
        pytest.skip("the kernel does not limit uid 0, which root is here even inside a user namespace")
    assert value_of(strict_slot, source) <= 4 * LIMITS.processes  # type: ignore[operator]
    strict_slot.settle()
    assert strict_slot.level.single_use or len(usage.tree([strict_slot.pid])) <= own_processes(strict_slot)


def test_daemons_die_with_the_job(slot: Slot) -> None:
    """A double-forked daemon in a session of its own is gone when the job is closed."""
    source = """
import os, time
def attack():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    time.sleep(0.2)
    return True
"""
    assert value_of(slot, source) is True
    deadline = time.monotonic() + 5
    while (
        len(usage.tree([slot.pid])) > own_processes(slot) and time.monotonic() < deadline and not slot.level.single_use
    ):
        time.sleep(0.05)
    assert slot.level.single_use or len(usage.tree([slot.pid])) <= own_processes(slot)


@pytest.mark.parametrize(
    "grab",
    [
        "import numpy as np\n    keep = np.ones(4_000_000_000)",
        "keep = []\n    while True:\n        keep.append(bytearray(10_000_000))",
        "import mmap\n    keep = []\n    while True:\n        m = mmap.mmap(-1, 64 << 20)\n        keep.append(m)\n"
        "        for i in range(0, len(m), 4096):\n            m[i] = 1",
        "import os, time\n    for _ in range(8):\n        if os.fork() == 0:\n            x = bytearray(b'x') * (60 << 20)\n"
        "            time.sleep(600)\n    time.sleep(600)",
    ],
    ids=["30 GB at once", "list of buffers", "shared mappings", "eight children together"],
)
def test_memory_is_bounded(strict_slot: Slot, grab: str) -> None:
    """Whatever way memory is taken, the job ends as ``memory``, and the slot serves the next one."""
    with job(strict_slot, f"def attack():\n    {grab}\n    return 1\n") as child:
        outcome = child.call("attack", (), {})
    ran_out = isinstance(outcome, Stopped) and outcome.verdict is Verdict.MEMORY
    assert ran_out or getattr(outcome, "type", "").endswith(("MemoryError", "_ArrayMemoryError")), outcome
    assert value_of(strict_slot, "def attack():\n    return 7\n") == 7


def test_scratch_is_bounded(strict_slot: Slot) -> None:
    """Filling /tmp and /dev/shm meets the end of the device, long before the machine does."""
    source = """
def attack():
    written = 0
    for name in ("/tmp/fill", "/dev/shm/fill"):
        try:
            with open(name, "wb", buffering=0) as file:
                while True:
                    written += file.write(bytes(1 << 20))
        except OSError:
            pass
    return written >> 20
"""
    assert value_of(strict_slot, source) <= 130  # type: ignore[operator]


@pytest.mark.parametrize("stream", [1, 2])
def test_output_is_bounded(slot: Slot, stream: int) -> None:
    """1 GB of output ends the job as ``flood``."""
    source = f"import os\ndef attack():\n    for _ in range(1024):\n        os.write({stream}, bytes(1 << 20))\n"
    with job(slot, source) as child:
        outcome = child.call("attack", (), {})
    assert isinstance(outcome, Stopped) and outcome.verdict is Verdict.FLOOD


def test_what_the_zygote_is_stays_out_of_reach(strict_slot: Slot) -> None:
    """Signals to every process that can be named end nothing but the job itself."""
    source = """
import os, signal
def attack():
    for pid in list(range(2, 200)) + [os.getppid()]:
        if pid not in (0, os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
    return os.getppid()
"""
    value_of(strict_slot, source)
    assert value_of(strict_slot, "def attack():\n    return 7\n") == 7


def test_running_as_nobody_special(strict_slot: Slot) -> None:
    """Seen from the host, a worker of a nested slot never runs as root's uid 0 with a process limit that does not count."""
    if not strict_slot.level.nested or strict_slot.level.user_namespace:
        pytest.skip("only a slot of root's changes its user")
    with job(strict_slot, "def attack():\n    return 1\n") as child:
        child.call("attack", (), {})
        pids = [p for p in usage.children(strict_slot.pid) if p != strict_slot.steward]
        assert [os.stat(f"/proc/{pid}").st_uid for pid in pids] == [62000]


def test_nothing_outlives_the_grader(slot: Slot) -> None:
    """Where the trusted side is killed in the middle of a call, the job's endless loop ends with it."""
    level = slot.level
    script = f"""
import dataclasses, sys
from grader.boundary.isolation import Level
from grader.boundary.sandbox import Slot
from grader.model import Limits, Submission
slot = Slot("none", Level(**{asdict(level)!r}))
job = slot.job(Submission("a.py", b"def attack():\\n    while True: pass\\n"), Limits(cpu_s=60), None, {{}})
slot.start()
print(slot.pid, flush=True)
job.call("attack", (), {{}})
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        zygote = int(process.stdout.readline())
        deadline = time.monotonic() + 20
        while not usage.children(zygote) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        pids = usage.tree([zygote])
        process.kill()
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
