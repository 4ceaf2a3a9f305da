"""What a report was made with: versions of whatever may change a result. Nothing is imported to find out."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from grader import __version__

PACKAGES = ("numpy", "torch", "triton", "hypothesis")


def environment() -> dict[str, str | None]:
    """Versions by name; None for a package that is not installed."""
    found: dict[str, str | None] = {
        "grader": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
    return found | {name: installed(name) for name in PACKAGES}


def installed(package: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
