"""What commands print: one door to stdout, for text and for JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def print_text(text: Text) -> None:
    """Print for a reader: in colour where stdout is a terminal that wants it, with no line end added."""
    console = _console()
    with console.capture() as captured:
        console.print(text, soft_wrap=True)
    sys.stdout.write(captured.get())
    sys.stdout.flush()


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object and a line end, in plain ASCII: it must survive every pipe."""
    sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return _console().width


def _console() -> Console:
    from rich.console import Console

    # NO_COLOR asks for no colour; bold and dim go with it, so that no escape sequence is left.
    plain = bool(os.environ.get("NO_COLOR"))
    return Console(highlight=False, markup=False, emoji=False, color_system=None if plain else "auto")
