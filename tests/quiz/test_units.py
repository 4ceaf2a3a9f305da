"""Numbers with units as learners type them."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.quiz import units
from grader.quiz.units import UnreadableError

GOOD = [  # text, asked in, value in base units, read as
    ("112 GB", "GB", 112e9, "112 GB"),
    ("112", "GB", 112e9, "112 GB"),
    ("112gb", "GB", 112e9, "112 GB"),
    ("104.3 GiB", "GB", 104.3 * 2**30, "104.3 GiB"),
    ("1.5e21 FLOP", "FLOP", 1.5e21, "1.5e21 FLOP"),
    ("1.5 x 10^21", "FLOP", 1.5e21, "1.5e21 FLOP"),
    ("2 × 10^3 TFLOP/s", "FLOP/s", 2e15, "2,000 TFLOP/s"),
    ("$1,250.50", "$", 1250.5, "$1,250.5"),
    ("1250 USD", "$", 1250, "$1,250"),
    ("38 %", "%", 0.38, "38 %"),
    ("0.38", "%", 0.0038, "0.38 %"),
    ("70B", "none", 70e9, "7e10"),
    ("7 billion", "none", 7e9, "7e9"),
    ("1.4T tokens", "tok", 1.4e12, "1.4e12 tok"),
    ("0", "GB", 0, "0 GB"),
    ("-3", "none", -3, "-3"),
    ("−3", "none", -3, "-3"),
    ("90 min", "s", 5400, "90 min"),
    ("13 GPUs", "none", 13, "13"),
    (" 295 FLOP/B ", "FLOP/B", 295, "295 FLOP/B"),
]


@pytest.mark.parametrize(("text", "ask", "value", "shown"), GOOD)
def test_reads_what_people_type(text, ask, value, shown):
    """A number with a unit, with thousands, powers of ten or words, is read, and said back."""
    reading = units.read(text, ask)
    assert math.isclose(reading.value, value, rel_tol=1e-12)
    assert reading.text == shown


BAD = [
    ("112,5", "decimal point"),
    ("112 Gb", "means bits|mean bytes"),
    ("112 s", "time"),
    ("inf", "112.5 GB"),
    ("nan", "112.5 GB"),
    ("1e999", "1.5e21"),
    ("9**9**9**9", "112.5 GB"),
    ("", "112.5 GB"),
    ("GB", "112.5 GB"),
    ("1.2.3", "112.5 GB"),
    ("12 parsecs", "Known are"),
    ("__import__('os')", "112.5 GB"),
    ("1" * 65, "112.5 GB"),
]


@pytest.mark.parametrize(("text", "says"), BAD)
def test_refuses_what_is_not_clear(text, says):
    """What could be read in two ways, or is no finite number, is refused with a remedy."""
    with pytest.raises(UnreadableError) as refused:
        units.read(text, "GB")
    assert any(part in f"{refused.value.message} {refused.value.remedy}" for part in says.split("|"))


@given(st.floats(-1e30, 1e30).filter(lambda x: x == 0 or abs(x) > 1e-30), st.sampled_from(sorted(units.TABLE)))
@example(0.0, "none")
def test_what_is_shown_can_be_typed(number, unit):
    """A number as it is shown is read as the same number, to the digits shown."""
    if unit in ("$", "USD") and number < 0:
        return  # -$5 is never asked for
    reading = units.read(units.spell(number, unit), unit)
    assert math.isclose(reading.value, number * units.factor(unit), rel_tol=1e-5, abs_tol=1e-300)


@given(st.text(max_size=80))
def test_never_crashes(text):
    """Any text is a number or is refused; nothing else happens."""
    try:
        assert math.isfinite(units.read(text, "GB").value)
    except UnreadableError as error:
        assert error.remedy
