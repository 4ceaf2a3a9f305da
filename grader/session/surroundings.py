"""Holds away from the checks what the process and the learner's folder would bring in.

The same seed must draw the same inputs on every machine: whatever ``CI`` says, whatever else is imported,
whatever pytest is told by environment variables.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, configuration
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from platformdirs import user_cache_path

OVERRULED: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
PROFILE: Final = "grader"
MAX_EXAMPLES: Final = 40  # a check's own @settings may say otherwise

_HOME: Final = "__hypothesis_home_directory"
_profile = hypothesis.settings(
    # Every field: what is left out is inherited, and under CI=1 that is derandomize, above any seed.
    max_examples=MAX_EXAMPLES,
    derandomize=False,
    database=None,
    verbosity=Verbosity.quiet,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    stateful_step_count=50,
    report_multiple_bugs=False,
    suppress_health_check=(HealthCheck.too_slow,),
    deadline=None,
    print_blob=False,
    backend="hypothesis",
)


@contextmanager
def undisturbed(folders: Iterable[Path]) -> Iterator[None]:
    """While it lasts, pytest and Hypothesis see the checks in ``folders`` and nothing around them."""
    with ExitStack() as stack:
        stack.enter_context(_environment())
        stack.enter_context(_hypothesis())
        stack.enter_context(_modules(tuple(folders)))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _environment() -> Iterator[None]:
    before = {name: os.environ.pop(name) for name in OVERRULED if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(before)


@contextmanager
def _hypothesis() -> Iterator[None]:
    profile = hypothesis.settings.get_current_profile_name()
    home = getattr(configuration, _HOME)
    constants: Any = providers._get_local_constants
    none = Constants()
    hypothesis.settings.register_profile(PROFILE, _profile)
    hypothesis.settings.load_profile(PROFILE)
    if home is None and "HYPOTHESIS_STORAGE_DIRECTORY" not in os.environ:
        # Its tables of characters would otherwise lie in the learner's folder.
        configuration.set_hypothesis_home_dir(user_cache_path("pretraining-grader") / "hypothesis")
    # Hypothesis draws from the constants of all imported local modules: one module more, and draws differ.
    providers._get_local_constants = lambda: none
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        yield
    finally:
        providers._get_local_constants = constants
        providers.CONSTANTS_CACHE.cache.clear()
        configuration.set_hypothesis_home_dir(home)
        hypothesis.settings.load_profile(profile)


@contextmanager
def _modules(folders: tuple[Path, ...]) -> Iterator[None]:
    """Check files are imported anew each time: pytest takes what has their name in ``sys.modules``."""
    hidden: dict[str, ModuleType] = {
        name: sys.modules.pop(name) for name in ("checks", "hidden_checks") if name in sys.modules
    }
    before, bytecode = set(sys.modules), sys.dont_write_bytecode
    # pytest would keep rewritten checks beside them, and take them for current within the same second.
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = bytecode
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and any(Path(file).is_relative_to(folder) for folder in folders):
                del sys.modules[name]
        sys.modules.update(hidden)
