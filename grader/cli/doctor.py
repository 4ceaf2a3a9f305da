"""What this machine can do for the grader, and how to get the rest."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from grader.boundary import isolation
from grader.boundary.isolation import Fact
from grader.environment import environment, installed
from grader.report.rows import wrapped

SCHEMA = "doctor/1"
GPU_QUERY = ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
GPU_S = 10  # a driver that wakes up takes seconds
LABEL = 16


def facts() -> list[Fact]:
    """All that is worth knowing, the grader's needs first."""
    return [*_packages(), _gpu(), *isolation.probe()]


def level() -> str:
    """The isolation that a learner's file gets on this machine."""
    return isolation.best(remember=False).name


def _packages() -> list[Fact]:
    numpy, torch, triton, hypothesis = (installed(name) for name in ("numpy", "torch", "triton", "hypothesis"))
    missing = "not installed"
    return [
        Fact("python", True, f"{platform.python_version()} on {platform.platform()}"),
        Fact("numpy", bool(numpy), numpy or missing, "" if numpy else "pip install numpy"),
        Fact(
            "hypothesis",
            bool(hypothesis),
            hypothesis or missing,
            "" if hypothesis else "pip install hypothesis",
        ),
        Fact(
            "torch",
            bool(torch),
            torch or f"{missing}: its exercises are skipped",
            "" if torch else "pip install torch",
        ),
        Fact("triton", bool(triton), triton or f"{missing}: its exercises are skipped", _triton_remedy(triton)),
    ]


def _triton_remedy(found: str | None) -> str:
    if found:
        return ""
    return (
        "pip install triton"
        if sys.platform == "linux"
        else "Triton has no package for this system: use a Linux machine."
    )


def _gpu() -> Fact:
    """CUDA GPUs, asked of the driver's own tool: importing torch to find out would take seconds."""
    names = _gpu_names()
    if names:
        return Fact("gpu", True, ", ".join(names))
    return Fact("gpu", False, "none found: kernels run in Triton's interpreter and are not timed", "")


def _gpu_names() -> list[str]:
    if not shutil.which(GPU_QUERY[0]):
        return []
    try:
        answer = subprocess.run(GPU_QUERY, capture_output=True, text=True, timeout=GPU_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in answer.stdout.splitlines() if line.strip()]


def to_document(found: Sequence[Fact], used: str) -> dict[str, Any]:
    """What ``grade doctor --json`` prints, as ``grader/schemas/doctor.json`` describes it."""
    rows = [{"name": f.name, "ok": f.ok, "detail": f.detail, "remedy": f.remedy} for f in found]
    return {"schema": SCHEMA, "isolation": used, "environment": environment(), "facts": rows}


def render(found: Sequence[Fact], used: str, width: int = 80) -> Text:
    """The same for a terminal: ``yes`` or ``no``, what was found, and the remedy under it."""
    rows = []
    for fact in found:
        word, style = ("yes", "green") if fact.ok else ("no", "yellow")
        lead = Text().append(f"{word:<5}", style).append(f"{fact.name:<{LABEL}}")
        indent = lead.cell_len
        first, *rest = wrapped(fact.detail, width - indent)
        rows.append(lead.append(first))
        lines = [*rest, *(wrapped(f"remedy: {fact.remedy}", width - indent) if fact.remedy else [])]
        rows += [Text(" " * indent + line) for line in lines]
    return Text("\n").join([*rows, Text(), Text(f"files are graded at isolation {used}", "bold")])
