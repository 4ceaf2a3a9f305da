"""The untrusted side: loads one learner's file and answers calls to its functions with values.

Runs inside the slot in a confined process. Whatever a learner's file does to this module, to numpy or to the
interpreter, it can only change what value is sent; the other side decodes it as data and judges it there.
It never sees checks, expected values or the reference. Standard library and ``wire`` only.
"""

from __future__ import annotations

import builtins
import functools
import gc
import importlib
import importlib.util
import inspect
import os
import socket
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any

import wire

MAX_MESSAGE = 2_000  # characters of an exception's text that are sent
MAX_FRAMES = 6  # of the learner's own frames in a traceback
RANK_TIMEOUT_S = 8.0  # of a gloo operation: a ring that waits this long is deadlocked
TORCH_WORDS = ("torch", "triton", "gpu")
# What files commonly import, and numpy imports late: paid once per slot, not once per check (20 ms).
STANDARD = ("bisect", "collections", "dataclasses", "decimal", "fractions", "hashlib", "heapq", "itertools", "json",
            "math", "operator", "random", "re", "statistics", "string", "typing", "unicodedata", "zlib")  # fmt: skip
NUMPY_PARTS = ("numpy", "numpy.random", "numpy.linalg", "numpy.fft", "numpy.polynomial")
COLLECTIVES = ("all_reduce", "all_gather", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single",
               "all_to_all", "broadcast", "barrier")  # fmt: skip


def preload(name: str) -> None:
    """Import what the exercise needs, once, with one thread: a forked child of a threaded parent can hang."""
    if name in TORCH_WORDS:
        import torch
        import torch.distributed

        torch.set_num_threads(1)
    if name in ("triton", "gpu"):
        import triton
        import triton.language
        import triton.runtime.interpreter  # noqa: F401
    modules = () if name == "none" else NUMPY_PARTS
    for module in (*STANDARD, *modules):
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # a child that collects would copy all of these pages: 100 ms with torch


class Layout(Exception):
    """The learner's file is not what the exercise asks for; worded for the learner, remedy included."""


class Learner:
    """The learner's module, loaded from source."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.path = os.path.join(os.getcwd(), order["name"])
        self.name: str = order["name"]
        if order["given"] is not None:
            self._execute("given", os.path.join(os.getcwd(), "given.py"), order["given"])
        self.module = self._load(order["source"])
        for name, parameters in order["functions"].items():
            self._require(name, parameters)

    def _execute(self, name: str, path: str, source: bytes) -> types.ModuleType:
        with open(path, "wb") as file:
            file.write(source)
        module = types.ModuleType(name)
        module.__file__ = path
        sys.modules[name] = module
        text = importlib.util.decode_source(source)  # as a file is read: compile(bytes) lets bad bytes in comments pass
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
        return module

    def _load(self, source: bytes) -> types.ModuleType:
        stem = self.name.rsplit(".", 1)[0]
        name = stem if stem.isidentifier() and stem not in sys.modules else "submission"
        try:
            return self._execute(name, self.path, source)
        except SyntaxError as error:
            raise Layout(self._syntax(error, source)) from None
        except (UnicodeDecodeError, ValueError) as error:
            if self._line(error) is not None:
                raise Layout(self._import_failed(error)) from None
            raise Layout(self._bytes_problem(source, error)) from None
        except (ModuleNotFoundError, ImportError) as error:
            raise Layout(self._import_problem(error)) from None
        except EOFError as error:
            raise Layout(
                f"{self._at(error)} asks for input while it is imported; there is nobody to answer. "
                "Put the input() call under: if __name__ == '__main__':"
            ) from None
        except MemoryError:
            raise
        except BaseException as error:
            raise Layout(self._import_failed(error)) from None

    def _import_failed(self, error: BaseException) -> str:
        if isinstance(error, SystemExit):
            return (
                f"{self._at(error)} ends the program (SystemExit) while it is imported. "
                "Remove the exit call, or put it under: if __name__ == '__main__':"
            )
        return (
            f"{self._at(error)} raises {type(error).__name__}: {text_of(error)} while it is imported. "
            "Importing the file must succeed: try  python -c 'import " + self.name.rsplit(".", 1)[0] + "'"
        )

    def _import_problem(self, error: ImportError) -> str:
        if "relative import" in str(error):
            return (
                f"{self._at(error)} uses a relative import; the file is graded alone. "
                "Put what it needs into the file itself."
            )
        missing = getattr(error, "name", None) or "a module"
        return (
            f"{self._at(error)} imports {missing!r}: {text_of(error)}. "
            "Use the standard library and what the exercise names, or fix the spelling."
        )

    def _syntax(self, error: SyntaxError, source: bytes) -> str:
        if b"\0" in source or "encod" in str(error.msg) or "decode" in str(error.msg):
            return self._bytes_problem(source, error)
        line = (error.text or "").strip()
        where = f"{self.name}, line {error.lineno}"
        shown = f": {line[:80]!r}" if line else ""
        return f"{where} is not valid Python ({error.msg}){shown}. Fix the line, then grade again."

    def _bytes_problem(self, source: bytes, error: BaseException) -> str:
        where = f"{self.name}, line {getattr(error, 'lineno', None) or 1}"
        if source[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return f"{where}: the file is encoded as UTF-16. Save it as UTF-8."
        if b"\0" in source:
            line = source[: source.index(b"\0")].count(b"\n") + 1
            return f"{self.name}, line {line}: the file contains a NUL byte. Save it as plain UTF-8 text."
        try:
            source.decode("utf-8")
        except UnicodeDecodeError as fault:
            line = source[: fault.start].count(b"\n") + 1
            return (
                f"{self.name}, line {line}: a byte that is not UTF-8, and no encoding is declared. "
                "Save the file as UTF-8, or declare its encoding in the first line: # -*- coding: latin-1 -*-"
            )
        return f"{where}: {text_of(error)}. Save the file as UTF-8 text."

    def _line(self, error: BaseException) -> int | None:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == self.path]
        return lines[-1] if lines else None

    def _at(self, error: BaseException) -> str:
        return f"{self.name}, line {self._line(error) or 1}"

    def _require(self, name: str, parameters: list[tuple[str, str, bool]]) -> None:
        """Refuse a file in which ``name`` cannot be called as the stub promises."""
        function = getattr(self.module, name, None)
        if function is None:
            raise Layout(
                f"{self.name}, line 1: the function {name} is missing. "
                f"Define it at the top level of the file, as in the stub: def {name}({shown(parameters)})"
            )
        if not callable(function):
            raise Layout(
                f"{self.name}, line 1: {name} is a {type(function).__name__}, not a function. "
                f"Define it as in the stub: def {name}({shown(parameters)})"
            )
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return  # a built-in without a signature: calling it will tell
        problem = mismatch(signature, parameters)
        if problem:
            line = getattr(getattr(inspect.unwrap(function), "__code__", None), "co_firstlineno", 1)
            raise Layout(
                f"{self.name}, line {line}: {name}{signature} {problem}. The stub has: def {name}({shown(parameters)})"
            )


def shown(parameters: list[tuple[str, str, bool]]) -> str:
    """The parameter list as one would write it, without annotations."""
    words, star = [], False
    for name, kind, optional in parameters:
        if kind == "keyword_only" and not star:
            words.append("*")
            star = True
        words.append(f"{name}=…" if optional else name)
    return ", ".join(words)


def mismatch(signature: inspect.Signature, parameters: list[tuple[str, str, bool]]) -> str:
    """Why ``signature`` cannot take what the stub's parameters promise to callers, or ""."""
    takes_any_keyword = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    for name, kind, _ in parameters:
        found = signature.parameters.get(name)
        positional_only = found is not None and found.kind is found.POSITIONAL_ONLY
        if kind != "positional_only" and (found is None or positional_only) and not takes_any_keyword:
            return f"has no parameter {name}"
    for only_required in (True, False):
        chosen = [p for p in parameters if not (only_required and p[2])]
        args = [None for _, kind, _ in chosen if kind != "keyword_only"]
        kwargs = {name: None for name, kind, _ in chosen if kind == "keyword_only"}
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            return f"cannot be called as in the stub ({error})"
    names = [p for p in signature.parameters if p in {name for name, _, _ in parameters}]
    if not takes_any_keyword and names != [name for name, _, _ in parameters]:
        return "has its parameters in another order"
    return ""


def text_of(error: BaseException) -> str:
    """The exception's message, bounded, whatever its ``__str__`` does."""
    try:
        text: str = str.__str__(str(error))
        return text[:MAX_MESSAGE]
    except BaseException:
        return "(its message cannot be shown)"


class Kernels:
    """Counts Triton launches, and can turn them into no-ops: "did a kernel do the work?"."""

    def __init__(self) -> None:
        self.launches = 0
        self.enabled = True
        interpreter = sys.modules.get("triton.runtime.interpreter")
        if interpreter is not None:
            self._wrap(interpreter.GridExecutor, "__call__")
        jit = sys.modules.get("triton.runtime.jit")
        if jit is not None:
            self._wrap(jit.JITFunction, "run")

    def _wrap(self, owner: type, method: str) -> None:
        inner: Callable[..., Any] = getattr(owner, method)

        def launch(executor: Any, *args: Any, **kwargs: Any) -> Any:
            if kwargs.get("warmup"):
                return inner(executor, *args, **kwargs)
            self.launches += 1
            return inner(executor, *args, **kwargs) if self.enabled else None

        setattr(owner, method, launch)


def join_group(rank: int, ranks: int) -> None:
    """Make this worker one rank of a gloo group over the job's own loopback."""
    from datetime import timedelta

    import torch.distributed as dist

    dist.init_process_group(
        "gloo",
        init_method=f"file://{os.getcwd()}/.rendezvous",
        rank=rank,
        world_size=ranks,
        timeout=timedelta(seconds=RANK_TIMEOUT_S),
    )
    watch_operations(dist)


def watch_operations(dist: Any) -> None:
    """Show the operation in hand as the thread's name (15 characters), which the trusted side can read from /proc.

    The wrappers replace the originals in the defining module too: P2POp compares what it is given with those.
    """

    def named(label: str, inner: Callable[..., Any], peer: str) -> Callable[..., Any]:
        @functools.wraps(inner)
        def operation(*args: Any, **kwargs: Any) -> Any:
            other = kwargs.get(peer, kwargs.get(f"group_{peer}", args[1] if len(args) > 1 else None)) if peer else None
            name_thread(f"{label} {other}" if isinstance(other, int) else label)
            return inner(*args, **kwargs)

        return operation

    for name, label, peer in (
        ("send", "send to", "dst"),
        ("isend", "send to", "dst"),
        ("recv", "recv from", "src"),
        ("irecv", "recv from", "src"),
        *((name, name.removesuffix("_tensor"), "") for name in COLLECTIVES),
    ):
        operation = named(label, getattr(dist, name), peer)
        for module in (dist, dist.distributed_c10d):
            setattr(module, name, operation)


doing = ""  # the operation in hand, for the message of one that never ended


def name_thread(label: str) -> None:
    """Set the calling thread's name; does nothing where there is no /proc."""
    global doing
    doing = label
    try:
        with open("/proc/thread-self/comm", "w") as file:
            file.write(label[:15])
    except OSError:
        return


def serve(channel: socket.socket) -> int:
    """Load what the first frame orders, then answer one frame per call until the channel closes."""
    frame = wire.recv_frame(channel)
    if frame is None:
        return 0
    order = frame.value
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # what a stopped call printed is shown
    try:
        if order["ranks"]:
            join_group(order["rank"], order["ranks"])
        kernels = Kernels()
        learner = Learner(order)
    except Layout as fault:
        wire.send_frame(channel, frame.call, "layout", str(fault)[:MAX_MESSAGE])
        return 0
    except BaseException as error:
        wire.send_frame(channel, frame.call, "raised", describe(error, ""))
        return 0
    wire.send_frame(channel, frame.call, "loaded", None)
    while True:
        try:
            frame = wire.recv_frame(channel)
        except OSError:
            return 0
        if frame is None:
            return 0
        answer(channel, frame, learner, kernels)


def answer(channel: socket.socket, frame: Any, learner: Learner, kernels: Kernels) -> None:
    """Call one function and send what it returned or raised."""
    name, args, kwargs, options = frame.value
    reply: Any
    if options["gpu"]:
        args, kwargs = on_device(args), on_device(kwargs)
    kernels.launches, kernels.enabled = 0, options["kernels"]
    try:
        value = getattr(learner.module, name)(*args, **kwargs)
        if options["gpu"]:
            sys.modules["torch"].cuda.synchronize()  # an error of a kernel belongs to this call
        echoed = (args, kwargs) if options["echo"] else None
        kind, reply = "returned", (value, echoed, kernels.launches)
    except BaseException as error:
        kind, reply = "raised", describe(error, learner.path)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            continue
    try:
        parts = wire.encode_frame(frame.call, kind, reply)
    except (wire.WireError, MemoryError) as error:
        opaque = wire.Opaque(f"value that cannot be sent: {error}"[:80])
        parts = wire.encode_frame(frame.call, "returned", (opaque, None, kernels.launches))
    channel.sendall(b"".join(parts))


def on_device(value: Any) -> Any:
    """The same value with its tensors on the first CUDA device."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(on_device, value))
    if isinstance(value, dict):
        return {key: on_device(item) for key, item in value.items()}
    return value.cuda() if type(value).__name__ == "Tensor" else value


def describe(error: BaseException, path: str) -> dict[str, Any]:
    """An exception as plain data: its type, the names of its base classes, its text, and the learner's own frames."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    lines = [f"  line {f.lineno}, in {f.name}\n    {f.line or ''}".rstrip() for f in frames[-MAX_FRAMES:]]
    return {
        "type": type(error).__name__[:80],
        "types": [c.__name__[:80] for c in type(error).__mro__[:20] if c is not object],
        "builtin": type(error).__module__ == builtins.__name__,
        "message": text_of(error),
        "traceback": "\n".join(lines)[:4_000],
        "line": frames[-1].lineno if frames else None,
        "doing": doing[:40],
    }
