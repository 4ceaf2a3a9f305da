"""How a slot's process is started at each level of isolation, and what this machine supports.

``strict``: bubblewrap around the slot, and every job in namespaces of its own inside it (``nested``), or, where the
host forbids nesting, one bubblewrap per job (``flat``). ``process``: a plain subprocess with limits, no namespaces.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.errors import IsolationError

HERE = Path(__file__).resolve().parent
INSIDE = ("zygote.py", "worker.py", "kernel.py", "wire.py")  # all that the slot sees of the grader
PACKAGES = ("msgspec", "numpy", "torch", "triton")  # whose folders the slot sees
CODE = "/opt/grader"  # where INSIDE appears
PREFIX = "/opt/python"  # where a Python outside /usr appears: host paths say who and where one is
BWRAP_REMEDY = "Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap), or use --isolation process."


@dataclass(frozen=True)
class Level:
    """One way to start slots.

    Attributes:
        name: what reports call it: ``strict`` or ``process``.
        wrapped: inside bubblewrap.
        nested: each job in its own namespaces inside the slot.
        fork: jobs are forked from the zygote; otherwise the process of the slot becomes the job.
        single_use: the slot ends with its job.
        user_namespace: bubblewrap makes a user namespace (always so for ordinary users; root can do without).
    """

    name: str
    wrapped: bool
    nested: bool
    fork: bool
    single_use: bool = False
    user_namespace: bool = True

    @property
    def strict(self) -> bool:
        """Whether workers are confined by namespaces and a system call filter."""
        return self.wrapped


ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
NESTED = Level("strict", wrapped=True, nested=True, fork=True, user_namespace=not ROOT)
FLAT = Level("strict", wrapped=True, nested=False, fork=True, single_use=True, user_namespace=not ROOT)
LINUX = sys.platform == "linux"
PROCESS = Level("process", wrapped=False, nested=False, fork=LINUX, single_use=not LINUX)


def base_environment(preload: str, path: Sequence[str]) -> dict[str, str]:
    """The whole environment of a slot: nothing of the user's, single-threaded numerics, Triton on the CPU."""
    kept = {name: os.environ[name] for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ}
    return kept | {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": ":".join(path),
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        # glibc keeps what is freed for as long as it likes; fixed limits give it back, and peak memory means something.
        "MALLOC_MMAP_THRESHOLD_": "131072",
        "MALLOC_TRIM_THRESHOLD_": "131072",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo" if sys.platform == "linux" else "lo0",
        "TRITON_CACHE_DIR": "/tmp/.triton",
        **({"TRITON_INTERPRET": "1"} if preload == "triton" else {}),
    }


@cache
def package_folders() -> tuple[Path, ...]:
    """The folders from which numpy and the others are imported, each once."""
    folders: dict[Path, None] = {}
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec and spec.submodule_search_locations:
            folders[Path(next(iter(spec.submodule_search_locations))).resolve().parent] = None
    return tuple(folders)


SCRATCH = f"--perms 1777 --size {64 * 2**20} --tmpfs"  # where jobs have no /tmp and /dev/shm of their own


def bubblewrap_options(
    level: Level, environment: dict[str, str], secrets: Sequence[Path], packages: Sequence[str]
) -> list[str]:
    """The options of bwrap for one slot: read-only system, Python under a neutral path, nothing of the course."""
    options = "--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try --hostname slot".split()
    options += "--die-with-parent --new-session --clearenv --as-pid-1".split()
    if level.user_namespace:
        options += "--unshare-user --uid 0 --gid 0".split()
    if level.nested or not level.user_namespace:
        # Of the zygote, which runs no learner's code; its children give them up.
        options += ["--cap-add", "ALL"]
    binds = _python_binds(packages)
    options += [*_system(), *f"--perms 0755 --dir /opt --perms 0755 --dir {CODE}".split()]
    for source, target in binds:
        options += ["--ro-bind", source, target]
    for secret in secrets:
        for source, target in [("/usr", "/usr"), *binds]:
            if secret.is_relative_to(source):
                options += ["--tmpfs", str(Path(target, secret.relative_to(source)))]
    for name in INSIDE:
        options += ["--ro-bind", str(HERE / name), f"{CODE}/{name}"]
    options += ["--proc", "/proc", "--dev", "/dev"]
    options += f"{SCRATCH} /tmp {SCRATCH} /dev/shm --chdir / --remount-ro / --remount-ro /dev".split()
    for name, value in environment.items():
        options += ["--setenv", name, value]
    return options


def _system() -> list[str]:
    """What of the system is seen: programs and libraries, read-only."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            options += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    for name in ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"):
        options += ["--ro-bind-try", name, name]
    return options


def _python_binds(packages: Sequence[str]) -> list[tuple[str, str]]:
    base = Path(sys.base_prefix).resolve()
    binds = [] if base.is_relative_to("/usr") else [(str(base), PREFIX)]
    for source, target in zip(package_folders(), packages, strict=True):
        if target.startswith("/opt/packages"):
            binds.append((str(source), target))
    return binds


def inside_paths() -> tuple[str, list[str]]:
    """The interpreter and the package folders as the slot sees them."""
    base = Path(sys.base_prefix).resolve()
    executable = Path(sys.executable).resolve()
    python = str(executable)
    if not base.is_relative_to("/usr") and executable.is_relative_to(base):
        python = str(PREFIX / executable.relative_to(base))
    packages = []
    for number, folder in enumerate(package_folders()):
        if folder.is_relative_to("/usr"):
            packages.append(str(folder))
        elif folder.is_relative_to(base):
            packages.append(str(PREFIX / folder.relative_to(base)))
        else:
            packages.append(f"/opt/packages{number}")
    return python, packages


@dataclass(frozen=True)
class Fact:
    """One thing that ``grade doctor`` says about the machine."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


@cache
def bubblewrap() -> str | None:
    """Where bwrap is, or None."""
    return shutil.which("bwrap") if sys.platform == "linux" else None


@cache
def works(level: Level) -> str:
    """Start one slot and one job at ``level``; "" if that works, else why not."""
    from grader.boundary.sandbox import Slot
    from grader.errors import GraderError
    from grader.model import Limits, Submission

    if level.wrapped and not bubblewrap():
        return "bubblewrap (bwrap) is not installed"
    source = b"def answer():\n    return 42\n"
    try:
        with Slot("none", level) as slot, slot.job(Submission("probe.py", source), Limits(), None, {}) as job:
            outcome = job.call("answer", (), {})
    except (GraderError, OSError) as error:
        return str(error)
    return "" if getattr(outcome, "value", None) == 42 else f"a probe ended as {outcome}"


def best(*, remember: bool = True) -> Level:
    """The strongest level that works here: found by trying, then remembered until the next boot.

    Args:
        remember: whether what an earlier run found out counts.
    """
    names = {"nested": NESTED, "flat": FLAT, "process": PROCESS}
    note = _note()
    if remember and note is not None and note.is_file():
        known = names.get(note.read_text(errors="replace"))
        if known is not None:
            return known
    name = next((name for name in ("nested", "flat") if not works(names[name])), "process")
    if note is not None and name != "process":  # what was missing may be installed any minute
        try:
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(name)
        except OSError:
            pass  # a home without room: the next run tries again
    return names[name]


def _note() -> Path | None:
    """Where the outcome is kept: one file per boot, user, interpreter and bubblewrap."""
    found, boot = bubblewrap(), Path("/proc/sys/kernel/random/boot_id")
    if found is None or not boot.is_file():
        return None
    import platformdirs

    parts = (boot.read_text().strip(), os.geteuid(), sys.executable, found, os.stat(found).st_mtime_ns)
    name = hashlib.sha256(repr(parts).encode()).hexdigest()[:24]
    return Path(platformdirs.user_cache_dir("grade"), f"isolation-{name}")


def level_named(name: str | None) -> Level:
    """The level for ``--isolation``; the best one where none is named.

    Raises:
        IsolationError: ``strict`` was asked for and cannot be had; the message says why.
    """
    if name == "process":
        return PROCESS
    level = best()
    if name == "strict" and not level.strict:
        raise IsolationError(f"isolation strict is not available: {works(NESTED)}", BWRAP_REMEDY)
    return level


def probe() -> list[Fact]:
    """What this machine supports, for ``grade doctor``."""
    found = bubblewrap()
    version = ""
    if found:
        version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    nested, flat = works(NESTED), works(FLAT)
    facts = [
        Fact("bubblewrap", bool(found), version or "not found", "" if found else BWRAP_REMEDY),
        Fact(
            "strict, nested",
            not nested,
            nested or "every check in namespaces of its own, forked warm",
            "" if not nested else "Allow unprivileged user namespaces, or run where bubblewrap may nest them.",
        ),
        Fact("strict, flat", not flat, flat or "works; used where nesting does not", ""),
        Fact("process", not works(PROCESS), works(PROCESS) or "works; limits, but no namespaces", ""),
        Fact("memory limit", True, f"sampled from outside ({_cgroup_detail()})", ""),
    ]
    return facts


def _cgroup_detail() -> str:
    controllers = Path("/sys/fs/cgroup/cgroup.controllers")
    if controllers.is_file() and "memory" in controllers.read_text().split():
        return "cgroup v2 is present; its memory.max is not used"
    return "no cgroup v2 memory controller"


@dataclass(frozen=True)
class Command:
    """How to start a slot's process.

    Attributes:
        argv: the command line; ``{options}`` stands for the number of the descriptor that holds ``options``.
        environment: the whole environment.
        options: what bwrap reads from that descriptor, so that no process can read it from a command line.
    """

    argv: list[str]
    environment: dict[str, str]
    options: bytes | None = None


def command(level: Level, preload: str, secrets: Sequence[Path], control: int) -> Command:
    """The command that starts a slot's process, which finds its control socket at descriptor ``control``."""
    config = json.dumps(
        {
            "preload": preload,
            "nested": level.nested,
            "fork": level.fork,
            "strict": level.strict,
            "control": control,
        }
    )
    flags = [
        "-s",
        "-S",
        "-B",
        "-P",
    ]  # no user's packages, no .pth files, no bytecode, no working folder in the path
    if not level.wrapped:
        environment = base_environment(preload, [str(HERE), *map(str, package_folders())])
        return Command([sys.executable, *flags, str(HERE / "zygote.py"), config], environment)
    found = bubblewrap()
    if found is None:
        raise IsolationError("isolation strict needs bubblewrap, which is not installed", BWRAP_REMEDY)
    python, packages = inside_paths()
    environment = base_environment(preload, [CODE, *packages])
    if python.startswith(PREFIX):
        environment["LD_LIBRARY_PATH"] = f"{PREFIX}/lib"
    options = bubblewrap_options(level, environment, secrets, packages)
    argv = [found, "--args", "{options}", "--", python, *flags, f"{CODE}/zygote.py", config]
    return Command(argv, environment, b"".join(option.encode() + b"\0" for option in options))
