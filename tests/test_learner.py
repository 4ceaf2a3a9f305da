"""The learner's functions as a check sees them: plain data in, plain data out, and what it cost."""

import numpy as np
import pytest

from grader.boundary import wire
from grader.boundary.outcome import RanksOutcome, Returned, Stopped
from grader.expect import LearnerError
from grader.model import Limits, Verdict
from grader.session.frozen import freeze
from grader.session.learner import Seat
from grader.session.pace import Enough, Pace
from grader.session.pace import Stopped as StoppedError
from grader.session.proxy import Proxy
from tests.fake_slot import FakeSlot
from tests.small_exercise import submit


def seated(source, slot=None, pace=None, names=("f",)):
    """A proxy for a learner's file, and its seat."""
    slot = slot or FakeSlot()
    seat = Seat(lambda place: slot.job(submit(source), Limits(), None, dict.fromkeys(names)), pace or Pace())
    learner = Proxy(names, "learner")
    learner.seat_ = seat
    return learner, seat


def test_a_child_starts_with_the_first_call_and_ends_with_the_seat():
    """No call, no child; closing ends it, and the next call starts another."""
    slot = FakeSlot()
    learner, seat = seated("seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)\n", slot)
    assert slot.started == 0
    assert [learner.f(1), learner.f(1)] == [1, 2]
    seat.close()
    assert learner.f(1) == 1
    assert slot.started == 2


def test_unknown_functions_are_told():
    """A check that names a function which the stub does not have is told which there are."""
    learner, _ = seated("def f():\n    pass\n")
    with pytest.raises(AttributeError, match="no function g: the stub has f"):
        _ = learner.g


def test_an_observation_holds_the_arguments_after_the_call():
    """Arguments come back as the call left them; those that were passed in stay as they were."""
    learner, _ = seated("def f(values, *, more):\n    values.append(3)\n    return len(values)\n")
    values = [1, 2]
    seen = learner.f.observe(values, more=True)
    assert (seen.value, seen.args, seen.kwargs) == (3, ([1, 2, 3],), {"more": True})
    assert values == [1, 2] and seen.cpu_s >= 0


def test_ranks_answer_one_by_one():
    """Each rank gets its arguments; the call shown is that of the rank whose answer is judged."""
    learner, seat = seated("def f(rank, by):\n    return [rank * by]\n")
    result = learner.f.on_ranks([(0,), (1,), (2,)], by=5)
    assert result.values == [[0], [5], [10]]
    assert result.wire_bytes is None and result.peak_mb is None
    [call] = seat.calls
    assert call.behind(result.values[2]).text == "f(2, by=5)  # rank 2 of 3"
    assert call.behind([10]) is None


def test_a_rank_that_raises_raises():
    """One rank's exception is the answer of all."""
    learner, _ = seated("def f(rank):\n    return 1 // rank\n")
    with pytest.raises(LearnerError, match="ZeroDivisionError"):
        learner.f.on_ranks([(1,), (0,)])


def test_a_rank_that_is_stopped_stops():
    """A limit that one of several outcomes tells is the answer of all."""

    class Job:
        def call_ranks(self, name, args_by_rank, kwargs):
            return RanksOutcome((Returned(1), Stopped(Verdict.TIMEOUT, "rank 1 waits")), 10)

    learner = Proxy(("f",), "learner")
    learner.seat_ = Seat(lambda place: Job(), Pace())
    with pytest.raises(StoppedError, match="rank 1 waits"):
        learner.f.on_ranks([(1,), (0,)])


def test_peaks_count_only_when_all_ranks_have_one():
    """Where the system cannot tell for one rank, it cannot tell."""

    class Job:
        peaks = (1.0, 2.0)

        def call_ranks(self, name, args_by_rank, kwargs):
            return RanksOutcome((Returned(1), Returned(2)), 10, self.peaks)

    learner = Proxy(("f",), "learner")
    learner.seat_ = Seat(lambda place: Job(), Pace())
    assert learner.f.on_ranks([(), ()]).peak_mb == [1.0, 2.0]
    Job.peaks = (1.0, None)
    assert learner.f.on_ranks([(), ()]).peak_mb is None


def test_switching_kernels_off_is_said_in_the_call():
    """The line shown is the plain call, with a remark that Python takes for a comment."""
    learner, seat = seated("def f(x):\n    return x\n")
    assert learner.f.without_kernels(3) == 3
    assert seat.calls[-1].text == "f(3)  # with Triton launches disabled"


def test_the_pace_stops_calls():
    """Calls end with the file's time; once a counterexample is at hand, with the calls for shrinking."""
    with pytest.raises(StoppedError, match="all checks together") as stopped:
        Pace(file_by_s=0.0, file_s=3).step()
    assert stopped.value.verdict is Verdict.TIMEOUT
    pace = Pace(shrink_calls=2)
    for _ in range(5):
        pace.step()
    pace.shrinking = True
    pace.step()
    pace.step()
    with pytest.raises(Enough):
        pace.step()


def test_what_ends_a_check_is_no_ordinary_exception():
    """Hypothesis would shrink an Exception."""
    assert not issubclass(Enough, Exception) and not issubclass(StoppedError, Exception)


def test_freezing_copies_what_can_change():
    """Arrays, lists and dicts are copied all the way down; the value stays the same."""
    array = np.arange(3)
    value = ({"a": [array, {1, 2}]}, "text", 1.5)
    frozen = freeze(value)
    assert wire.encode(frozen) == wire.encode(value)
    array[0] = 9
    value[0]["a"][1].add(3)
    assert frozen[0]["a"][0][0] == 0 and frozen[0]["a"][1] == {1, 2}
