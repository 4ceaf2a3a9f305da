"""Python as a stream of tokens in which names, comments and layout do not count. Nothing is parsed or run.

A learner's file need not be Python at all: a lexer made of one regular expression takes anything, in one pass. A
text that does not end takes what is left, and nothing is tried twice: the loops in it give nothing back.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from typing import Final

MAX_TOKENS: Final = 50_000  # of one file; a long solution has two thousand
NAME: Final = "n"
TEXT: Final = "s"
KEPT: Final = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))
_TOKEN: Final = re.compile(
    r"""(?P<skip>\s+|\#[^\n]*|\\\n)
    |(?P<text>[A-Za-z]{0,2}(?:
        \"{3}(?:[^\\"]|\\.?|\"(?!\"\"))*+(?:\"{3}|\Z) | '{3}(?:[^\\']|\\.?|'(?!''))*+(?:'{3}|\Z)
        |"(?:[^\\\n"]|\\.?)*+(?:"|(?=\n)|\Z) | '(?:[^\\\n']|\\.?)*+(?:'|(?=\n)|\Z) ))
    |(?P<number>\d[\w.]*)
    |(?P<name>[^\W\d]\w*)
    |(?P<sign>->|:=|\*\*=?|//=?|<<=?|>>=?|[-+*/%@&|^<>=!]=|.)""",
    re.VERBOSE | re.DOTALL,
)


def tokens(source: bytes) -> list[str]:
    """The tokens of a file: names of the learner's own are one token, so are texts; comments are none.

    What a name after a dot says is kept (``np.argsort`` is not ``np.sort``), and so are keywords and built-in names.
    A text that stands alone, as a docstring does, is a comment.
    """
    found: list[str] = []
    for kind, text in _lexed(source.decode("utf-8", "replace")):
        if kind == "name" and text not in KEPT and found[-1:] != ["."]:
            text = NAME
        elif kind == "text":
            text = TEXT
        found.append(text)
        if len(found) >= MAX_TOKENS:
            break
    return found


def _lexed(text: str) -> Iterator[tuple[str, str]]:
    """Kinds and texts, without what is skipped and without texts that are statements."""
    begins, held = True, ""
    for match in _TOKEN.finditer(text):
        kind, one = match.lastgroup or "", match[0]
        if kind == "skip":
            if "\n" in one:
                begins, held = True, ""
            continue
        if held:
            yield "text", held
            held = ""
        if kind == "text" and begins:
            held = one  # said only when something follows it on its line
        else:
            yield kind, one
        begins = False


def shingles(found: list[str], size: int) -> set[str]:
    """All runs of ``size`` tokens; of a shorter file, all of it."""
    if not found:
        return set()
    return {" ".join(found[at : at + size]) for at in range(max(len(found) - size, 0) + 1)}
