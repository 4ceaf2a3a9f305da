"""Numbers with units, as learners type them: ``112 GB``, ``1.5e21 FLOP``, ``38 %``, ``70B``.

An own small grammar and a table: general unit libraries read ``112 Gb`` as gilberts and ``112,5`` as 1125.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from grader.errors import GraderError

MAX_CHARACTERS = 64
NONE = "none"

_DECIMAL = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "Z": 1e21}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}
_COUNTS = {"k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def _table() -> dict[str, tuple[str, float]]:
    """Unit -> its dimension, and how many of the dimension's base unit it is."""
    found = {NONE: ("count", 1.0), "%": ("count", 0.01), "tok": ("tokens", 1.0), "tok/s": ("tokens per second", 1.0)}
    for dimension, base in (("bytes", "B"), ("bytes per second", "B/s")):
        found |= {prefix + base: (dimension, size) for prefix, size in (_DECIMAL | _BINARY).items()}
    for dimension, base in (("FLOP", "FLOP"), ("FLOP per second", "FLOP/s"), ("FLOP per byte", "FLOP/B")):
        found |= {prefix + base: (dimension, size) for prefix, size in _DECIMAL.items()}
    times = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0, "days": 86400.0}
    found |= {unit: ("time", size) for unit, size in times.items()}
    return found | {unit: ("money", 1.0) for unit in ("$", "USD")}


TABLE = _table()
# What else people write for a unit of the table.
_ALIASES = {
    "flops": "FLOP", "tokens": "tok", "token": "tok", "tokens/s": "tok/s", "tok/sec": "tok/s", "percent": "%",
    "bytes": "B", "byte": "B", "sec": "s", "seconds": "s", "second": "s", "minutes": "min", "hours": "h", "hour": "h",
    "d": "days", "dollars": "$", "usd": "$", "flops/byte": "FLOP/B", "flop/byte": "FLOP/B", "μs": "µs",
    "gpus": NONE, "gpu": NONE, "parameters": NONE, "params": NONE,
}  # fmt: skip

_NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][-+]?\d+)?"
_TEXT = re.compile(rf"(?P<dollar>\$\s*)?(?P<number>{_NUMBER})(?:\s*[x×*]\s*10\s*(?:\^|\*\*)\s*(?P<ten>[-+]?\d+))?"
                   r"\s*(?P<unit>[^\d\s,.+-][^\d]*)?")  # fmt: skip


class UnreadableError(GraderError):
    """An answer that is no number, or whose unit does not fit; it costs nothing, and is asked for again."""


@dataclass(frozen=True)
class Reading:
    """What an answer was read as.

    Attributes:
        value: in the base unit of its dimension.
        text: for the learner to see before it is scored.
    """

    value: float
    text: str


def factor(unit: str) -> float:
    """How many base units one ``unit`` is."""
    return TABLE[unit][1]


def dimension(unit: str) -> str:
    """What ``unit`` measures, in words."""
    return TABLE[unit][0]


def read(text: str, ask: str) -> Reading:
    """The number in ``text``; without a unit, it is read in ``ask``.

    Raises:
        UnreadableError: it is no finite number, or its unit measures something else.
    """
    shown = " ".join(text.replace("−", "-").split())
    match = _TEXT.fullmatch(shown) if len(shown) <= MAX_CHARACTERS else None
    if match is None or not any(sign.isdigit() for sign in match["number"]):
        raise UnreadableError(f"{shown[:MAX_CHARACTERS]!r} is not a number with a unit.", _example(shown, ask))
    try:
        number = float(match["number"].replace(",", "")) * 10.0 ** int(match["ten"] or 0)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UnreadableError(f"{shown!r} is too large a number.", f"Write it like 1.5e21 {_name(ask)}".rstrip() + ".")
    unit, scale = _unit((match["unit"] or "").strip(), "$" if match["dollar"] else "", ask)
    if dimension(unit) != dimension(ask):
        remedy = f"Answer in {_name(ask) or 'a plain number'}."
        raise UnreadableError(f"{unit} measures {dimension(unit)}; {dimension(ask)} is asked for.", remedy)
    return Reading(number * scale * factor(unit), spell(number * scale, unit))


def _unit(written: str, dollar: str, ask: str) -> tuple[str, float]:
    """The unit meant by ``written``, and a factor of thousands that may stand before it."""
    if dollar:
        word, scale = _magnitude(written)
        if word:
            raise UnreadableError(f"{written!r} beside a $ is not clear.", "Write one unit.")
        return dollar, scale
    word, scale = _magnitude(written) if written not in TABLE or dimension(ask) in ("count", "tokens") else (written, 1)
    if not word:
        return ask, scale
    return _known(word), scale


def _magnitude(written: str) -> tuple[str, float]:
    first, _, rest = written.partition(" ")
    for names in (_WORDS, _COUNTS):
        if first in names:
            return rest.strip(), names[first]
    return written, 1.0


def _known(word: str) -> str:
    if word in TABLE and word != NONE:
        return word
    if word.lower() in _ALIASES:
        return _ALIASES[word.lower()]
    if re.fullmatch(r"[kKMGTP]i?b(/s|ps)?", word):
        right = word.replace("b", "B", 1).replace("ps", "/s")
        raise UnreadableError(f"{word} means bits.", f"Write {right} if you mean bytes.")
    lower = [unit for unit in TABLE if unit.lower() == word.lower()]
    if len(lower) == 1 and word == word.lower():
        return lower[0]
    raise UnreadableError(f"the unit {word!r} is not known.", "Known are B, GB, GiB, FLOP, FLOP/s, tok, s, h, %, $ …")


def _example(text: str, ask: str) -> str:
    if re.search(r"\d,\d", text):
        return "Write a decimal point, and commas between thousands only: 112.5 or 1,125."
    return f"Write it like 112.5 {_name(ask)}".rstrip() + "."


def _name(unit: str) -> str:
    return "" if unit == NONE else unit


def spell(number: float, unit: str = NONE) -> str:
    """``112 GB``, ``$1,250``, ``1.2e+21 FLOP``: six digits, so that nothing that matters is lost."""
    digits = f"{number:.6g}"
    if "e" not in digits and abs(number) >= 1000:
        digits = f"{float(digits):,.6f}".rstrip("0").rstrip(".")
    if "e" in digits:
        mantissa, exponent = digits.split("e")
        digits = f"{mantissa}e{int(exponent)}"
    if unit in ("$", "USD"):
        return f"${digits}"
    return f"{digits} {_name(unit)}".rstrip()
