"""Single keys from a terminal, and a screen to draw on that is left as it was found."""

from __future__ import annotations

import os
import select
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO

from rich.console import Console
from rich.text import Text

ESCAPE_S = 0.05  # the rest of an escape sequence follows its first byte at once
SEQUENCES = {
    b"\x1b[A": "up",
    b"\x1b[B": "down",
    b"\x1b[C": "right",
    b"\x1b[D": "left",
    b"\x1bOA": "up",
    b"\x1bOB": "down",
    b"\x1bOC": "right",
    b"\x1bOD": "left",
    b"\x1b[5~": "page up",
    b"\x1b[6~": "page down",
    b"\r": "enter",
    b"\n": "enter",
    b" ": "space",
    b"\x03": "interrupt",
    b"\x04": "end",
    b"\x1b": "escape",
}
ENTER_SCREEN, LEAVE_SCREEN = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"


class Keyboard:
    """A terminal that hands out keys one by one."""

    def __init__(self, colour: bool) -> None:
        self.fd = sys.stdin.fileno()
        self.colour = colour

    @contextmanager
    def raw(self) -> Iterator[None]:
        """While it lasts, keys come at once and unechoed, on a screen of their own."""
        import termios
        import tty

        before = termios.tcgetattr(self.fd)
        try:
            tty.setcbreak(self.fd)
            sys.stdout.write(ENTER_SCREEN)
            sys.stdout.flush()
            yield
        finally:
            sys.stdout.write(LEAVE_SCREEN)
            sys.stdout.flush()
            termios.tcsetattr(self.fd, termios.TCSADRAIN, before)

    def key(self, timeout_s: float | None = None) -> str:
        """The next key by name: ``up``, ``enter``, ``space``, or a character; "" after ``timeout_s``."""
        if not select.select([self.fd], [], [], timeout_s)[0]:
            return ""
        data = os.read(self.fd, 1)
        if not data:
            return "end"
        if data == b"\x1b":
            while select.select([self.fd], [], [], ESCAPE_S)[0]:
                data += os.read(self.fd, 1)
                if data in SEQUENCES or data[-1:].isalpha() or data.endswith(b"~"):
                    break
        elif data[0] >= 0xC0:  # the first byte of a character in UTF-8
            more = 1 if data[0] < 0xE0 else 2 if data[0] < 0xF0 else 3
            data += os.read(self.fd, more)
        return SEQUENCES.get(data, data.decode(errors="replace"))

    def draw(self, rows: Sequence[Text], focus: int, status: str) -> None:
        """Show rows with the one that ``focus`` counts in sight, and a line of keys at the bottom."""
        columns, lines = shutil.get_terminal_size()
        room = max(lines - 2, 3)
        first = min(max(focus - room // 2, 0), max(len(rows) - room, 0))
        shown = list(rows[first : first + room])
        above, below = first > 0, first + room < len(rows)
        more = (" ↑ more" if above else "") + (" ↓ more" if below else "")
        buffer = StringIO()
        console = Console(
            file=buffer,
            width=columns,
            force_terminal=True,
            color_system="standard" if self.colour else None,
            highlight=False,
            markup=False,
            emoji=False,
        )
        for row in shown:
            console.print(row, overflow="crop", no_wrap=True)
        console.print(Text((status + more)[:columns], "reverse"), overflow="crop", no_wrap=True, end="")
        sys.stdout.write("\x1b[H\x1b[2J" + buffer.getvalue())
        sys.stdout.flush()
