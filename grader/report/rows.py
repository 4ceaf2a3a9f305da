"""Lines of a terminal report: a label, and beside it a value: wrapped, pasteable or quoted as it stood."""

from __future__ import annotations

import textwrap

from rich.text import Text

from grader.report.visible import clip, middle_cut, visible

INDENT = 2
LABEL = 10  # the longest is "expected", and two spaces
GAP = 8  # between expected and got on one line
MAX_PROSE = 100  # characters of a line that is comfortable to read, however wide the terminal
MAX_VALUE = 800
MAX_CALL = 800  # ten lines: what a person may still want to copy from a screen
CUT_CALL = 240  # of a longer one: three lines
MAX_LINES = 20
MAX_LINE = 400

LABEL_STYLE = "dim"


def label(word: str) -> Text:
    """The left column, e.g. ``called``."""
    return Text(" " * INDENT).append(f"{word:<{LABEL}}", LABEL_STYLE)


def prose(word: str, value: str, width: int) -> list[Text]:
    """A value for reading: wrapped, its later lines under the first one."""
    room = min(width, MAX_PROSE) - INDENT - LABEL
    return _beside(word, wrapped(clip(value, MAX_VALUE), room))


def pasteable(word: str, code: str) -> list[Text]:
    """Python to be copied: nothing is put into it, the terminal breaks the line where it must."""
    shown = visible(code, lines=True)
    if len(shown) <= MAX_CALL:
        return _beside(word, shown.split("\n"))
    return _beside(word, [shown[:CUT_CALL], f"… {len(shown):,} characters; --json has the whole call"])


def quoted(word: str, text: str) -> list[Text]:
    """Lines as they stood in a traceback or in the output, behind a bar; both ends where there are many."""
    lines = visible(text.rstrip("\n"), lines=True).split("\n")
    return _beside(word, [f"| {clip(line, MAX_LINE)}".rstrip() for line in middle_cut(lines, MAX_LINES)])


def expected_and_got(expected: str, got: str, width: int) -> list[Text]:
    """Both on one line where they fit, so that the eye can compare them."""
    left, right = (visible(text, lines=True) for text in (expected, got))
    if left and right and "\n" not in left + right:
        used = INDENT + LABEL + len(left) + GAP + len("got  ") + len(right)
        if used <= min(width, MAX_PROSE):
            line = label("expected").append(left + " " * GAP)
            return [line.append("got", LABEL_STYLE).append(f"  {right}")]
    rows = prose("expected", expected, width) if expected else []
    return rows + (prose("got", got, width) if got else [])


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` characters; line ends in ``text`` stay."""
    found: list[str] = []
    for line in visible(text, lines=True).split("\n"):
        found += textwrap.wrap(line, max(width, 20), break_on_hyphens=False) or [""]
    return found


def _beside(word: str, lines: list[str]) -> list[Text]:
    return [label(word if at == 0 else "").append(line) for at, line in enumerate(lines)]
