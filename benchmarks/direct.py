"""The other side of the ratios: a pytest plugin that hands checks the learner's file as an imported module.

No slot, no codec, no case book: what an author's own pytest run would be. Used as ``-p direct --file FILE``,
or in a running process as ``pytest.main(..., plugins=[Direct(path)])``.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings

from grader.expect import LearnerError

OPTIONS = (
    *("-c", os.devnull, "--noconftest", "--disable-plugin-autoload", "-p", "no:cacheprovider"),
    *("--import-mode=importlib", "-q", "-p", "_hypothesis_pytestplugin", "--hypothesis-seed=0"),
)
MARKERS = ("core", "edge", "scale", "hint(text)", "gpu")

# The grader's own profile in what costs time: 40 examples, no database, no deadline, no explain phase.
settings.register_profile(
    "direct",
    max_examples=40,
    database=None,
    deadline=None,
    derandomize=False,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=(HealthCheck.too_slow,),
)


class Function:
    """A function of the file, with what checks ask of one."""

    def __init__(self, inner: Any, direct: Direct) -> None:
        self._inner, self._direct = inner, direct

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Its value; an exception as checks know it."""
        self._direct.calls += 1
        try:
            return self._inner(*args, **kwargs)
        except Exception as error:
            types = tuple(kind.__name__ for kind in type(error).__mro__)
            raise LearnerError(type(error).__name__, types, str(error), "", None) from error

    def observe(self, *args: Any, **kwargs: Any) -> SimpleNamespace:
        """Its value and the CPU time that it took."""
        start_s = time.process_time()
        value = self(*args, **kwargs)
        cpu_s = time.process_time() - start_s
        return SimpleNamespace(value=value, args=args, kwargs=kwargs, cpu_s=cpu_s, peak_mb=None, launches=0)

    elsewhere = __call__


class Direct:
    """The plugin, and what it saw.

    Attributes:
        calls: calls of the file's functions by checks.
        loop_s: seconds from before the first check to after the last.
        drawn_s: seconds of the checks that draw their inputs, by name.
        bodies_s: the part of those that went into the bodies of the checks, and not into drawing.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.calls, self.loop_s = path, 0, 0.0
        self.drawn_s: dict[str, float] = {}
        self.bodies_s = 0.0

    def pytest_configure(self, config: pytest.Config) -> None:
        """Declare the markers of checks, and load the profile."""
        for marker in MARKERS:
            config.addinivalue_line("markers", marker)
        settings.load_profile("direct")

    @pytest.fixture(scope="module")
    def learner(self, request: pytest.FixtureRequest) -> SimpleNamespace:
        """The file, imported."""
        return self._functions(request.path.parent)

    @pytest.fixture(scope="module")
    def reference(self, request: pytest.FixtureRequest) -> SimpleNamespace:
        """The file once more: here the reference grades itself."""
        return self._functions(request.path.parent)

    def _functions(self, visible: Path) -> SimpleNamespace:
        sys.path.insert(0, str(visible))  # for given.py
        try:
            spec = importlib.util.spec_from_file_location("direct_learner", self.path)
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(str(visible))
        public = {name: value for name, value in vars(module).items() if callable(value)}
        return SimpleNamespace(**{name: Function(value, self) for name, value in public.items()})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Iterator[None]:
        """Time all checks together."""
        start_s = time.perf_counter()
        try:
            return (yield)
        finally:
            self.loop_s = time.perf_counter() - start_s

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Function) -> Iterator[None]:
        """Time a check and, where it draws, its body by itself."""
        if not is_hypothesis_test(item.obj):
            return (yield)
        handle = item.obj.hypothesis
        inner, handle.inner_test = handle.inner_test, self._timed(handle.inner_test)
        start_s = time.perf_counter()
        try:
            return (yield)
        finally:
            self.drawn_s[item.name] = time.perf_counter() - start_s
            handle.inner_test = inner

    def _timed(self, inner: Any) -> Any:
        @functools.wraps(inner)
        def timed(*args: Any, **kwargs: Any) -> Any:
            start_s = time.perf_counter()
            try:
                return inner(*args, **kwargs)
            finally:
                self.bodies_s += time.perf_counter() - start_s

        return timed


def run(path: Path, checks: Path) -> Direct:
    """Run checks on a file in this process; the plugin tells what it saw."""
    seen = Direct(path)
    sys.modules.pop("checks", None)
    with open(os.devnull, "w") as nowhere:
        stdout, sys.stdout = sys.stdout, nowhere
        try:
            code = pytest.main([*OPTIONS, f"--rootdir={checks.parent}", str(checks)], plugins=[seen])
        finally:
            sys.stdout = stdout
    if code:
        sys.exit(f"{path} does not pass {checks} under plain pytest ({code!r})")
    return seen


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the file from the command line, where this module is the plugin."""
    parser.addoption("--file", type=Path, help="the learner's file")


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin proper, where this module is one."""
    config.pluginmanager.register(Direct(config.getoption("--file")))
