"""Linux system calls that Python 3.11 does not offer, and what is built from them: namespaces, capabilities, seccomp.

Runs inside the slot, before any learner's code: standard library only. Every function raises OSError where the kernel
says no; nothing here is best-effort unless its name says so.

Sources: unshare(2), setns(2), mount(2), prctl(2), capabilities(7), seccomp(2), user_namespaces(7), and the
system call tables of Linux (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h).
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
NAMESPACE_FLAGS = (
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET
)
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_SECCOMP = 1, 4, 8, 22
PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 24, 36, 38, 47
PR_CAP_AMBIENT_CLEAR_ALL, SECCOMP_MODE_FILTER = 4, 2
CAP_LAST = 63  # bits of the capability word; dropping one that the kernel does not know is EINVAL and ends the loop
CAPABILITY_VERSION_3 = 0x20080522
EPERM, ENOSYS, EINVAL = 1, 38, 22

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Move the calling process (for pids: its next children) into new namespaces."""
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def setns(fd: int, flags: int) -> None:
    """Join the namespace that ``fd`` refers to."""
    _check(_libc.setns(ctypes.c_int(fd), ctypes.c_int(flags)), "setns")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """mount(2)."""
    _check(
        _libc.mount(
            source.encode(),
            target.encode(),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            options.encode(),
        ),
        f"mount {target}",
    )


def unmount(target: str) -> None:
    """Detach what is mounted at ``target``."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def prctl(option: int, *args: int) -> int:
    """prctl(2) with integer arguments."""
    words = [ctypes.c_ulong(a) for a in (*args, 0, 0, 0, 0)[:4]]
    return _check(_libc.prctl(ctypes.c_int(option), *words), f"prctl {option}")


def set_capabilities(mask: int) -> None:
    """Make ``mask`` the effective and permitted set of this process, with nothing inheritable."""
    header = struct.pack("<Ii", CAPABILITY_VERSION_3, 0)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    _check(_libc.capset(header, struct.pack("<6I", low, low, 0, high, high, 0)), "capset")


def permitted_capabilities() -> int:
    """The permitted set of this process, as a bit mask."""
    header = struct.pack("<Ii", CAPABILITY_VERSION_3, 0)
    data = ctypes.create_string_buffer(24)
    _check(_libc.capget(header, data), "capget")
    words = struct.unpack("<6I", data.raw)
    return int(words[1] | words[4] << 32)


def drop_all_capabilities() -> None:
    """Give up every capability for good: bounding, ambient, effective, permitted, and no way to gain one by exec."""
    for capability in range(CAP_LAST + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno == EINVAL:  # past the last one that this kernel knows
                break
            if error.errno != EPERM or permitted_capabilities():
                raise
            break  # nothing to drop, and no right to: already without capabilities
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    set_capabilities(0)
    prctl(PR_SET_NO_NEW_PRIVS, 1)


# name: (x86_64, aarch64). What a solution never needs and an attack does: leaving or making namespaces, looking into
# other processes, kernel interfaces with a history of holes, and memory that no process' PSS shows (memfd, System V
# shared memory, message queues), which would pass the memory limit unseen.
DENIED = {
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "acct": (163, 89),
    "syslog": (103, 116),
    "personality": (135, 92),
}
SOCKET = (41, 198)
CLONE = (56, 220)
CLONE3 = (435, 435)
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000

_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def seccomp_program(machine: str, *, sockets: bool) -> bytes:
    """The BPF filter for ``machine`` ("x86_64" or "aarch64"): denied calls fail with EPERM, clone3 with ENOSYS.

    clone3 hides its flags behind a pointer, so glibc is made to fall back to clone, whose flags are seen.
    """
    column = list(AUDIT_ARCH).index(machine)
    numbers = [pair[column] for pair in DENIED.values()]
    if not sockets:
        numbers.append(SOCKET[column])
    program: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, 4),
        (_JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
    ]
    if machine == "x86_64":
        program += [(_JUMP_GREATER_EQUAL, 0, 1, X32_BIT), (_RETURN, 0, 0, _ERRNO | EPERM)]
    program += [(_JUMP_EQUAL, 0, 1, CLONE3[column]), (_RETURN, 0, 0, _ERRNO | ENOSYS)]
    for number in numbers:
        program += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | EPERM)]
    program += [
        (_JUMP_EQUAL, 0, 3, CLONE[column]),
        (_LOAD, 0, 0, 16),
        (_JUMP_ANY_BIT, 0, 1, NAMESPACE_FLAGS),
        (_RETURN, 0, 0, _ERRNO | EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def install_seccomp(*, sockets: bool) -> None:
    """Filter the system calls of this process and all its children from now on; needs no_new_privs."""
    machine = platform.machine()
    if machine not in AUDIT_ARCH:
        raise OSError(ENOSYS, f"no system call table for {machine}")
    program = ctypes.create_string_buffer(seccomp_program(machine, sockets=sockets))
    size = (len(program) - 1) // 8
    description = ctypes.create_string_buffer(struct.pack("@HP", size, ctypes.addressof(program)))
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(description))
