"""The process that a slot keeps warm: it has numpy, torch or triton imported and forks one child per check.

Runs inside the slot as a script: standard library, ``kernel`` and ``worker`` only. No learner's code ever runs in this
process; it runs in the children that it forks, after ``confine``.

Two processes, so that only one fork per child copies the page tables of a preloaded torch (8 ms each):

    zygote (preloaded, pid 1 of the slot)
      ├─ steward (forked before the imports, small)
      │    └─ holder ── reaper      one pair per job: its namespaces, of which the reaper is pid 1
      └─ worker(s)                  forked by the zygote into the reaper's namespaces, confined, then the learner's file

The control socket speaks ``u32 length + JSON``; descriptors come with the length (SCM_RIGHTS). Requests:
``start`` (descriptors: one channel per rank, then stdout and stderr) and ``end``.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import struct
import sys
from typing import Any, NoReturn

import kernel
import worker

SLOT_UID = 62000  # who the zygote becomes where the slot was started by root: no such user exists on a usual host
JOB_UID = 1000  # what a learner's code sees as its own uid
CHANNEL_FD = 3  # of a worker: the only descriptor beside 0, 1 and 2 that it keeps


def read_exactly(sock: socket.socket, size: int) -> bytes:
    """``size`` bytes, or b"" where the other side has gone."""
    data = b""
    while len(data) < size:
        more = sock.recv(size - len(data))
        if not more:
            return b""
        data += more
    return data


def receive(sock: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """The next request and its descriptors; None where the trusted side has gone."""
    head, fds, _, _ = socket.recv_fds(sock, 4, 16)
    if len(head) < 4:
        return None, fds
    return json.loads(read_exactly(sock, struct.unpack("<I", head)[0])), fds


def reply(sock: socket.socket, **fields: Any) -> None:
    """Answer the request in hand."""
    data = json.dumps(fields).encode()
    sock.sendall(struct.pack("<I", len(data)) + data)


class Steward:
    """Makes and ends the namespaces of a job, from a process small enough that its forks cost next to nothing.

    When it has ended a job's namespaces it makes those of the next one, which then need not be waited for.
    """

    def __init__(self, control: socket.socket) -> None:
        self._sock, far = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._sock.close()
                control.close()
                self._serve(far)
            finally:
                os._exit(1)
        far.close()

    def open(self, scratch_mb: int) -> int:
        """New namespaces with a private /proc, /tmp and /dev/shm; returns the pid of their holder."""
        self._sock.sendall(struct.pack("<I", scratch_mb))
        answer = json.loads(self._sock.recv(4096))
        if "error" in answer:
            raise OSError(answer["error"])
        return int(answer["holder"])

    def close(self) -> float:
        """End everything in the namespaces; returns the CPU seconds of what the reaper had reaped."""
        self._sock.sendall(struct.pack("<I", 0))
        return float(json.loads(self._sock.recv(4096))["cpu_s"])

    def _serve(self, sock: socket.socket) -> None:
        spare: tuple[int, int] | None = None
        last_mb = holder = reaper = 0
        while data := read_exactly(sock, 4):
            (scratch_mb,) = struct.unpack("<I", data)
            if scratch_mb:
                if spare is None or scratch_mb != last_mb:
                    spare = make_holder(sock, scratch_mb)
                (holder, ours), spare, last_mb = spare, None, scratch_mb
                answer = json.loads(os.read(ours, 4096) or b'{"error": "the holder of the namespaces died"}')
                os.close(ours)
                reaper = answer.get("reaper", 0)
                sock.sendall(json.dumps({**answer, "holder": holder}).encode())
            else:
                if reaper:
                    os.kill(reaper, signal.SIGKILL)
                _, _, usage = os.wait4(holder, 0)
                holder = reaper = 0
                sock.sendall(json.dumps({"cpu_s": usage.ru_utime + usage.ru_stime}).encode())
                spare = make_holder(sock, last_mb)


def make_holder(steward: socket.socket, scratch_mb: int) -> tuple[int, int]:
    """Fork the holder of new namespaces; its pid, and the pipe on which it says when they are there."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        steward.close()
        hold(theirs, scratch_mb)
    os.close(theirs)
    return pid, ours


def hold(report: int, scratch_mb: int) -> NoReturn:
    """Enter new namespaces, start their reaper, and stay until it is gone."""
    try:
        uid, gid = os.geteuid(), os.getegid()
        kernel.unshare(
            kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID | kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
        )
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{JOB_UID} {uid} 1"),
            ("gid_map", f"{JOB_UID} {gid} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ours)
            reap(theirs, scratch_mb)
        os.close(theirs)
        answer = json.loads(os.read(ours, 4096) or b'{"error": "the reaper died"}')
        os.write(report, json.dumps({**answer, "reaper": pid}).encode())
        os.close(report)
        os.waitpid(pid, 0)
        os._exit(0)
    except BaseException as error:
        os.write(report, json.dumps({"error": f"namespaces: {error}"}).encode())
        os._exit(1)


def reap(report: int, scratch_mb: int) -> NoReturn:
    """Be pid 1 of a job: mount what is private to it, give up every right, then collect orphans until killed."""
    try:
        size = f"mode=1777,size={scratch_mb}m"
        flags = kernel.MS_NOSUID | kernel.MS_NODEV
        kernel.mount("proc", "/proc", "proc", flags | kernel.MS_NOEXEC)
        kernel.mount("tmpfs", "/tmp", "tmpfs", flags, size)
        kernel.mount("tmpfs", "/dev/shm", "tmpfs", flags, size)
        with open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("0")
        kernel.drop_all_capabilities()
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # /proc/1 of the job is closed to the worker
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        os.write(report, b"{}")
    except BaseException as error:
        os.write(report, json.dumps({"error": f"reaper: {error}"}).encode())
        os._exit(1)
    os.closerange(0, 64)
    while True:
        signal.sigwaitinfo({signal.SIGCHLD})
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            continue


def join(holder: int) -> list[tuple[int, int]]:
    """Open the namespaces of ``holder``; the zygote's next child is born in its pid namespace."""
    kinds = (("user", kernel.CLONE_NEWUSER), ("mnt", kernel.CLONE_NEWNS), ("ipc", kernel.CLONE_NEWIPC))
    fds = [(os.open(f"/proc/{holder}/ns/{name}", os.O_RDONLY), flag) for name, flag in kinds]
    fds.append((os.open(f"/proc/{holder}/ns/uts", os.O_RDONLY), kernel.CLONE_NEWUTS))
    pid_fd = os.open(f"/proc/{holder}/ns/pid_for_children", os.O_RDONLY)
    kernel.setns(pid_fd, kernel.CLONE_NEWPID)
    os.close(pid_fd)
    return fds


def uncover_proc() -> None:
    """Unmount what bubblewrap put over parts of /proc: a nested mount of it fails otherwise."""
    with open("/proc/self/mountinfo") as file:
        covers = [line.split()[4] for line in file]
    for path in covers:
        if path.startswith("/proc/"):
            kernel.unmount(path)


def become_slot_user() -> None:
    """Where the slot was started by root: become a user without a name, keeping the capabilities.

    RLIMIT_NPROC is ignored for the kernel's uid 0, so no child may have it. The zygote needs its capabilities to put
    its children into their namespaces; it runs no learner's code, and the children give them up.
    """
    with open("/proc/self/uid_map") as file:
        mapped = file.read().split()
    if os.geteuid() != 0 or mapped != ["0", "0", "4294967295"]:
        return
    mask = kernel.permitted_capabilities()
    kernel.prctl(kernel.PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(SLOT_UID, SLOT_UID, SLOT_UID)
    os.setresuid(SLOT_UID, SLOT_UID, SLOT_UID)
    kernel.set_capabilities(mask)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)


def confine(job: dict[str, Any], channel: int, stdout: int, stderr: int) -> None:
    """Everything that separates a worker from the machine, in the order that makes it irrevocable.

    One function for all ways to start a worker: forked into namespaces, alone in its own slot, or bare (isolation
    ``process``, where only the limits and the descriptors apply).
    """
    null = os.open("/dev/null", os.O_RDWR)
    for target, source in enumerate((null, stdout, stderr)):
        os.dup2(source, target)
    os.dup2(channel, CHANNEL_FD)
    os.closerange(CHANNEL_FD + 1, 4096)
    for name, value in job["rlimits"].items():
        kind = getattr(resource, name, None)
        if kind is not None:
            _, hard = resource.getrlimit(kind)
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
    os.chdir(job["scratch"])
    if job["strict"]:
        become_slot_user()
        kernel.drop_all_capabilities()
        kernel.install_seccomp(sockets=job["sockets"])
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # its own /proc/self stays readable


def run_worker(job: dict[str, Any], channel: int, stdout: int, stderr: int) -> NoReturn:
    """Confine this process, then serve calls on its channel until it closes."""
    code = 70  # EX_SOFTWARE: the worker itself failed before the learner's file was loaded
    try:
        confine(job, channel, stdout, stderr)
        code = worker.serve(socket.socket(fileno=CHANNEL_FD))
    except BaseException as error:
        os.write(2, f"worker: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(code)


class Zygote:
    """Serves the control socket: starts and ends jobs, one at a time."""

    def __init__(self, control: socket.socket, config: dict[str, Any]) -> None:
        self.control = control
        self.nested = config["nested"]
        self.fork = config["fork"]
        self.steward: Steward | None = None
        if self.nested:
            uncover_proc()
            become_slot_user()
            self.home = os.open("/proc/self/ns/pid", os.O_RDONLY)
            self.steward = Steward(control)
        elif config["strict"]:
            kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # /proc/1 of a flat slot is closed to its worker
        elif sys.platform == "linux":
            kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)  # orphans of a bare worker come here to be ended
        self.pids: list[int] = []
        worker.preload(config["preload"])
        reply(control, ready=True, pid=os.getpid(), steward=self.steward.pid if self.steward else 0)

    def serve(self) -> None:
        """Answer requests until the trusted side closes the socket."""
        while True:
            request, fds = receive(self.control)
            if request is None:
                self.end()  # the trusted side is gone: nothing of the job may outlive it
                return
            try:
                if request["op"] == "start":
                    reply(self.control, pids=self.start(request, fds))
                else:
                    reply(self.control, **self.end())
            except OSError as error:
                reply(self.control, error=f"{type(error).__name__}: {error}")
            finally:
                for fd in fds:
                    os.close(fd)

    def start(self, job: dict[str, Any], fds: list[int]) -> list[int]:
        """Fork one worker per channel; their pids as this process sees them."""
        *channels, stdout, stderr = fds
        if not self.fork and len(channels) == 1:  # this process becomes the worker; its slot ends with it
            reply(self.control, pids=[os.getpid()])
            run_worker(job, channels[0], stdout, stderr)
        namespaces = join(self.steward.open(job["scratch_mb"])) if self.steward else []
        try:
            for channel in channels:
                pid = os.fork()
                if pid == 0:
                    try:
                        for fd, flag in namespaces:
                            kernel.setns(fd, flag)
                        os.setsid()  # killpg(0) would reach the zygote's group through any pid namespace
                        if sys.platform == "linux":
                            kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
                    except BaseException as error:
                        os.write(stderr, f"worker: {error}\n".encode())
                        os._exit(70)
                    run_worker(job, channel, stdout, stderr)
                self.pids.append(pid)
        finally:
            if self.steward:
                kernel.setns(self.home, kernel.CLONE_NEWPID)
            for fd, _ in namespaces:
                os.close(fd)
        return self.pids

    def end(self) -> dict[str, Any]:
        """Kill the job with everything that it started; exit statuses and CPU seconds of its workers."""
        statuses, cpu_s = [], 0.0
        for pid in self.pids:
            done, status, usage = os.wait4(pid, os.WNOHANG)  # how it ended by itself, before it is killed
            if not done:
                os.kill(pid, signal.SIGKILL)
                _, _, usage = os.wait4(pid, 0)
                status = -1
            statuses.append(status)
            cpu_s += usage.ru_utime + usage.ru_stime
        self.pids = []
        if self.steward:
            cpu_s += self.steward.close() if statuses else 0.0
        else:
            end_orphans()
        return {"statuses": statuses, "cpu_s": cpu_s}


def end_orphans() -> None:
    """Kill what a bare worker left behind; as subreaper, this process is its parent by now."""
    for _ in range(200):
        path = f"/proc/self/task/{os.getpid()}/children"
        if not os.path.exists(path):
            return
        with open(path) as file:
            children = [int(word) for word in file.read().split()]
        if not children:
            return
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            except (ProcessLookupError, ChildProcessError):
                continue


def main() -> None:
    """Serve the control socket, configured by the JSON in argv."""
    config = json.loads(sys.argv.pop())
    Zygote(socket.socket(fileno=config["control"]), config).serve()


if __name__ == "__main__":
    main()
