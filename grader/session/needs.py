"""What an exercise needs and this machine may lack. Looked up, never imported: torch takes two seconds."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from grader.model import Exercise

_MODULES = {"numpy": "numpy", "torch": "torch", "triton": "triton", "ranks": "torch"}
_REMEDIES = {
    "numpy": "pip install numpy",
    "torch": "pip install torch",
    "triton": "pip install triton (there are packages for Linux only)",
    "ranks": "pip install torch",
}


def missing_needs(exercise: Exercise) -> str:
    """Why the exercise cannot be graded here and what to do about it, or "" where it can.

    A missing GPU is no reason: only the checks marked ``gpu`` are skipped then.
    """
    for need in exercise.needs:
        module = _MODULES.get(need)
        if module and find_spec(module) is None:
            return f"{module} is not installed here. To grade this exercise: {_REMEDIES[need]}"
    return ""


def has_gpu() -> bool:
    """Whether there is a CUDA device, as far as the file system tells."""
    return any(Path(device).exists() for device in ("/dev/nvidiactl", "/dev/dxg"))
