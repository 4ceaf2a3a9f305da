"""The course's own Python files: what they declare, and how to import them. They are trusted.

A learner's file is never read here: it goes to the boundary.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import cast

from grader.errors import ContentError
from grader.model import FunctionSignature, Parameter

GIVEN = "given"


def signatures(path: Path) -> dict[str, FunctionSignature]:
    """The public top-level functions of the Python file at ``path``, in its order, without running it.

    Raises:
        ContentError: it is not Python.
    """
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError) as error:
        raise content_error(path, error) from None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return {node.name: FunctionSignature(node.name, _parameters(node.args)) for node in functions}


def _parameters(args: ast.arguments) -> tuple[Parameter, ...]:
    """Parameters as ``inspect`` would list them; kinds are the lower-case names of ``inspect.Parameter``."""
    plain = [*args.posonlyargs, *args.args]
    required = len(plain) - len(args.defaults)
    kinds = ["positional_only"] * len(args.posonlyargs) + ["positional_or_keyword"] * len(args.args)
    found = [Parameter(arg.arg, kind, at >= required) for at, (arg, kind) in enumerate(zip(plain, kinds, strict=True))]
    if args.vararg:
        found.append(Parameter(args.vararg.arg, "var_positional", False))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found.append(Parameter(arg.arg, "keyword_only", default is not None))
    if args.kwarg:
        found.append(Parameter(args.kwarg.arg, "var_keyword", False))
    return tuple(found)


def import_file(path: Path, name: str, given: Path | None = None) -> ModuleType:
    """Run the course file at ``path`` as the module ``name`` and hand it back.

    ``sys.path`` stays as it is and no ``.pyc`` is written, so that an edited file is always read anew and a
    read-only course works. The module stays in ``sys.modules`` under ``name``, where dataclasses look for it.

    Args:
        path: reference, wheat, given, picture or checks.
        name: a name that no other module has; a module that had it is replaced.
        given: the exercise's ``given.py``, importable as ``given`` while the file's top level runs.

    Raises:
        ContentError: the file does not run; file, line and cause are named.
    """
    spec = spec_from_file_location(name, path)
    assert spec is not None  # None is for endings that are no Python file's
    module, before = module_from_spec(spec), sys.modules.get(name)
    sys.modules[name] = module
    try:
        with given_in_place(given):
            exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        _put(name, before)
        raise content_error(path, error) from error
    return module


@contextmanager
def given_in_place(path: Path | None) -> Iterator[ModuleType | None]:
    """While it lasts, ``import given`` finds the module at ``path``; one module until the file changes."""
    if path is None:
        yield None
        return
    before = sys.modules.get(GIVEN)
    module = _load_given(path, path.stat().st_mtime_ns)
    sys.modules[GIVEN] = module
    try:
        yield module
    finally:
        _put(GIVEN, before)


@lru_cache(maxsize=256)
def _load_given(path: Path, mtime_ns: int) -> ModuleType:
    return import_file(path, GIVEN)


def _put(name: str, module: ModuleType | None) -> None:
    if module is None:
        sys.modules.pop(name, None)
    else:
        sys.modules[name] = module


def content_error(path: Path, error: Exception) -> ContentError:
    """Says where in ``path`` it went wrong: the deepest line of that file in the traceback."""
    line = cast(int | None, getattr(error, "lineno", None)) if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace and not isinstance(error, SyntaxError):
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    place = f"{path}:{line}" if line else str(path)
    return ContentError(f"{place}: {type(error).__name__}: {error}", "Correct the course file.")
