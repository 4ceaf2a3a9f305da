"""How every format spells the same things: numbers without exponents, cells that no spreadsheet runs, file names."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

from grader.report.visible import visible

DIGITS: Final = 4  # after the point: a third of a point summed over a hundred exercises stays exact to 0.01
FORMULA: Final = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "|",
    "%",
)  # https://owasp.org/www-community/attacks/CSV_Injection
MAX_NAME: Final = 60  # characters of a file name; 255 bytes is what file systems take


def plain(number: float | None, digits: int = DIGITS) -> str:
    """A number as a plain decimal: no exponent, no zeros that say nothing; "" for None."""
    if number is None:
        return ""
    text = format(Decimal(repr(float(number))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN), "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def guarded(text: str) -> str:
    """A cell that a spreadsheet takes for text: what would begin a formula gets an apostrophe before it."""
    shown = visible(text)
    return f"'{shown}" if shown.startswith(FORMULA) or text.startswith(FORMULA) else shown


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV (RFC 4180), with line ends that every system reads."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def file_name(key: str) -> str:
    """A name for a student's file: readable, safe on every system, and no other student's."""
    safe = re.sub(r"[^\w.-]+", "_", key, flags=re.ASCII).strip("._-")[:MAX_NAME]
    if safe and safe == key and key == key.lower() and not re.fullmatch(r"con|prn|aux|nul|com\d|lpt\d|index", safe):
        return safe
    return f"{safe or 'student'}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
