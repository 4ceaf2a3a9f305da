"""Expectations on a call: what it raises, whether it changes its arguments, how its costs grow."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from grader import expect
from grader.expect import LearnerError, Mismatch


class Function:
    """Stands for a function of the learner fixture: errors become LearnerError, costs are what a test says.

    Args:
        body: the learner's code.
        cost: gives the CPU seconds of a call from its arguments.
        peak_mb: the memory of any call.
    """

    def __init__(self, body, cost=lambda *args, **kwargs: 0.0, peak_mb=None):
        self.body, self.cost, self.peak_mb, self.calls = body, cost, peak_mb, 0

    def __call__(self, *args, **kwargs):
        try:
            return self.body(*args, **kwargs)
        except Exception as error:
            names = tuple(each.__name__ for each in type(error).__mro__)
            raise LearnerError(names[0], names, str(error)) from None

    def observe(self, *args, **kwargs):
        self.calls += 1
        args, kwargs = copy.deepcopy((args, kwargs))
        value = self(*args, **kwargs)
        cost = self.cost(*args, **kwargs)
        return SimpleNamespace(value=value, args=args, kwargs=kwargs, cpu_s=cost, peak_mb=self.peak_mb, launches=0)


def raiser(error):
    """A function of the learner that raises."""

    def body(*args, **kwargs):
        raise error

    return Function(body)


def test_raises_takes_the_error_and_its_subclasses():
    """The named error, a subclass of it, and any of several pass; the LearnerError comes back."""
    assert expect.raises(KeyError, raiser(KeyError("k")), 1, a=2).type == "KeyError"
    expect.raises(LookupError, raiser(KeyError("k")))
    expect.raises((TypeError, ValueError), raiser(UnicodeError("u")))


def test_raises_says_what_came_instead():
    """A value and another error are told apart, and the value is kept."""
    value = [1, 2]
    with pytest.raises(Mismatch, match=r"expected raises ValueError; got returned \[1, 2\]") as caught:
        expect.raises(ValueError, Function(lambda: value))
    assert caught.value.value is value
    with pytest.raises(Mismatch, match="expected raises TypeError or ValueError; got raised KeyError: 'k'"):
        expect.raises((TypeError, ValueError), raiser(KeyError("k")))


def test_a_stub_raises_nothing_that_was_asked_for():
    """NotImplementedError is a RuntimeError to Python, but no answer, unless it is asked for."""
    for error in (RuntimeError, Exception):
        with pytest.raises(Mismatch, match="got raised NotImplementedError"):
            expect.raises(error, raiser(NotImplementedError()))
    expect.raises(NotImplementedError, raiser(NotImplementedError()))


def test_raises_lets_other_exceptions_through():
    """What is not the learner's error, such as a fault of the grader, is never taken for it."""

    def broken(*args):
        raise ValueError("the grader's own")

    with pytest.raises(ValueError, match="own"):
        expect.raises(ValueError, broken)


def test_learner_error_reads_like_python():
    """Its text is the last line of a traceback, in one printable line."""
    assert str(LearnerError("ValueError", ["ValueError"], "no\n\x1bgood")) == "ValueError: no  good"
    assert str(LearnerError("ValueError", ["ValueError"], "")) == "ValueError"


PLAIN = [
    [1, [2.0, "a"], (None, b"b")],
    {"a": {1, 2}, "b": [float("nan")]},
    np.array([1.0, np.nan]),
    np.array(["a"]),
    np.zeros((0, 3)),
    np.arange(6).reshape(2, 3).T,
    np.arange(3, dtype=">i4"),
    torch.ones(3, dtype=torch.bfloat16),
    torch.tensor([float("nan")]),
    torch.arange(6).reshape(2, 3).T,
    np.float32(1.5),
    10**30,
]


@pytest.mark.parametrize("index", range(len(PLAIN)))
def test_unchanged_passes_what_is_left_alone(index):
    """Any plain argument that is left alone passes, by position and by name; the value comes back."""
    assert expect.unchanged(Function(lambda x, *, y: 7), PLAIN[index], y=PLAIN[index]) == 7


CHANGES = {
    "append": ([1], lambda x: x.append(2)),
    "sort": ([2, 1], lambda x: x.sort()),
    "type": ([1, 2], lambda x: x.__setitem__(0, 1.0)),
    "to tuple": ([[1]], lambda x: x.__setitem__(0, (1,))),
    "nested": ({"a": [1]}, lambda x: x["a"].clear()),
    "key": ({"a": 1}, lambda x: x.update(b=2)),
    "set": ({1}, lambda x: x.add(2)),
    "array": (np.ones(3), lambda x: x.__setitem__(1, 5)),
    "minus zero": (np.zeros(3), lambda x: np.negative(x, out=x)),
    "shape": (np.ones(4), lambda x: x.resize(2, 2, refcheck=False)),
    "tensor": (torch.ones(3), lambda x: x.add_(1)),
    "nan": (np.ones(2), lambda x: x.fill(np.nan)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_unchanged_finds_every_change(name):
    """A change anywhere in an argument is found, however small, and the argument is named."""
    argument, change = CHANGES[name]
    with pytest.raises(Mismatch, match="your function changed argument 2"):
        expect.unchanged(Function(lambda x, y: change(y)), 0, argument)
    with pytest.raises(Mismatch, match="your function changed argument y"):
        expect.unchanged(Function(lambda x, y: change(y)), 0, y=argument)


def test_unchanged_shows_the_change():
    """expected is the argument as it was, got as it is now."""
    with pytest.raises(Mismatch) as caught:
        expect.unchanged(Function(lambda x: x.sort()), [3, 1, 2])
    assert (caught.value.expected, caught.value.got) == ("[3, 1, 2]", "[1, 2, 3]")


def test_growth_passes_and_fails_by_the_ratio():
    """Linear time passes a limit of 6 for 4 times the input; quadratic time fails with the numbers."""
    small, large = ([0] * 100,), ([0] * 400,)
    linear = Function(len, cost=lambda x: 1e-3 * len(x))
    assert expect.growth(linear, small, large, at_most=6) == pytest.approx(4)
    quadratic = Function(len, cost=lambda x: 1e-6 * len(x) ** 2)
    with pytest.raises(Mismatch, match="it: time grew 16x for 4x the input; at most 6x") as caught:
        expect.growth(quadratic, small, large, at_most=6, what="it")
    assert str(caught.value).startswith("expected at most 6x the time for 4x the input; got 16x")


def test_growth_is_not_fooled_by_noise():
    """The least of five rounds counts: a machine that stalls four times out of five fails nobody."""
    rng = np.random.default_rng(0)
    stalls = Function(len, cost=lambda x: 1e-3 * len(x) * (1 + 9 * (rng.random() < 0.6)))
    for _ in range(20):
        assert expect.growth(stalls, ([0] * 100,), ([0] * 400,), at_most=50) <= 50
    late = Function(len, cost=lambda x: 1e-3 * len(x) * (10 if late.calls < 9 else 1))
    assert expect.growth(late, ([0] * 100,), ([0] * 400,), at_most=4.1) == pytest.approx(4)


def test_growth_never_fails_a_fast_solution():
    """Times under the clock's floor pass at once, whatever their ratio."""
    fast = Function(len, cost=lambda x: 1e-9 if len(x) < 2 else 9e-3)
    assert expect.growth(fast, ([0],), ([0] * 4,), at_most=5) == pytest.approx(4.5)
    assert fast.calls == 3  # one to warm up, one of each


def test_growth_stops_early_when_it_is_sure():
    """A clear pass takes two rounds; a fail takes five, or three where the calls are long."""
    args = ([0] * 10,), ([0] * 40,)
    for seconds, power, calls in [(0.01, 1, 5), (1e-4, 2, 11), (1e-2, 2, 7)]:
        function = Function(len, cost=lambda x, s=seconds, p=power: s * len(x) ** p)
        try:
            expect.growth(function, *args, at_most=6)
        except Mismatch:
            assert power == 2
        assert function.calls == calls


@pytest.mark.parametrize(
    ("small", "large", "text"),
    [
        ((10,), (40,), "4x the input"),
        ((np.ones((10, 10)), 5), (np.ones((10, 20)), 5), "2x the input"),
        (("ab", {}), ("ababab", {}), "3x the input"),
        ((None,), (None,), "the larger input"),
    ],
    ids=["number", "array", "string", "unknown"],
)
def test_growth_tells_how_much_larger_the_input_is(small, large, text):
    """The message names the factor of the argument that grew most, where that can be told."""
    times = iter([0.01, 0.01, 1.0] + [0.01, 1.0] * 4)
    with pytest.raises(Mismatch, match=f"time grew 100x for {text}; at most 6x"):
        expect.growth(Function(lambda *args: None, cost=lambda *args: next(times)), small, large, at_most=6)


def test_peak_memory():
    """A peak over the limit is a Mismatch; a system that cannot tell the peak fails nobody."""
    assert expect.peak_memory(Function(lambda x: x, peak_mb=10.0), (1,), 10, "it") == 10
    assert expect.peak_memory(Function(lambda x: x), (1,), 10, "it") is None
    with pytest.raises(Mismatch, match=r"expected a peak of at most 10 MiB of memory; got 12\.5 MiB"):
        expect.peak_memory(Function(lambda x: x, peak_mb=12.5), (1,), 10)
