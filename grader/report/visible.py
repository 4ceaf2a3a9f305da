"""Text from outside, made safe to print.

A learner's file decides what an exception says and what is printed. Such text may hold escape sequences that
repaint the screen, characters that turn the reading direction around, or ones that cannot be seen at all.
"""

from __future__ import annotations

TAB = "    "


def visible(text: str, lines: bool = False) -> str:
    """``text`` with every character that cannot be seen as itself written as its Python escape.

    What ``str.isprintable`` says no to: controls, escape sequences, format characters (those of reading
    direction among them), odd spaces, lone surrogates and unassigned code points. Inside a Python string
    literal the result still means the same.

    Args:
        text: anything.
        lines: keep line ends and show tabs as spaces, for text of many lines.
    """
    if lines:
        ended = text.replace("\r\n", "\n").replace("\t", TAB)
        return "\n".join(visible(line) for line in ended.split("\n"))
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    return ascii(char)[1:-1]


def clip(text: str, characters: int) -> str:
    """``text`` cut to a number of characters, saying so at its end."""
    return text if len(text) <= characters else f"{text[: characters - 1].rstrip()}…"


def middle_cut(lines: list[str], most: int) -> list[str]:
    """At most about ``most`` lines: from the beginning and the end, with a line between for the rest."""
    if len(lines) <= most + 1:
        return lines
    head = most // 2
    left_out = len(lines) - most
    return [
        *lines[:head],
        f"… {left_out} lines more; --json has them all",
        *lines[len(lines) - (most - head) :],
    ]
