"""Laws of scoring: what may raise a score, what may lower it, and what must not matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import scoring
from grader.model import TIERS, CheckResult, Verdict

POINTS = st.fixed_dictionaries({tier: st.integers(0, 20) for tier in TIERS})


def check(verdict: Verdict, tier: str = "core", name: str = "test_x", hidden: bool = False) -> CheckResult:
    return CheckResult(name, tier, "a title", verdict, hidden=hidden)


CHECKS = st.lists(st.builds(check, st.sampled_from(Verdict), st.sampled_from(TIERS)), max_size=12)


@given(checks=CHECKS, points=POINTS)
def test_points_stay_within_their_bounds(checks, points):
    """Points are never below 0 and never above what can be reached."""
    score = scoring.score(checks, points)
    assert 0 <= score.points <= score.max_points <= sum(points.values())


@given(checks=CHECKS, points=POINTS, tier=st.sampled_from(TIERS))
def test_a_passing_check_never_lowers(checks, points, tier):
    """One more check that passes lowers neither the points nor the share of what can be reached."""
    before, after = scoring.score(checks, points), scoring.score([*checks, check(Verdict.PASS, tier)], points)
    assert after.points >= before.points
    lost = before.max_points - before.points
    assert after.max_points - after.points <= lost + 1e-9


@given(checks=CHECKS, points=POINTS, verdict=st.sampled_from([Verdict.SKIPPED, Verdict.GRADER_PROBLEM]))
def test_what_is_not_counted_never_costs(checks, points, verdict):
    """A check that is skipped or a grader problem scores as if it were not there."""
    for tier in TIERS:
        assert scoring.score([*checks, check(verdict, tier)], points) == scoring.score(checks, points)


@given(checks=CHECKS, points=POINTS)
def test_all_passed_is_full_marks(checks, points):
    """Where every check that counts passes, the points are all that can be reached, to the last bit."""
    passed = [check(Verdict.PASS, each.tier) for each in checks]
    score = scoring.score(passed, points)
    assert score.points == score.max_points


def test_points_are_shared_out_within_a_tier():
    """A tier's points are shared among its checks, whatever the other tiers have."""
    checks = [check(Verdict.PASS), check(Verdict.TIMEOUT), check(Verdict.PASS, "edge")]
    assert scoring.score(checks, {"core": 6, "edge": 2, "scale": 2}) == scoring.Score(5, 8)


@pytest.mark.parametrize(
    ("verdicts", "word"),
    [
        ([], Verdict.SKIPPED),
        ([Verdict.SKIPPED], Verdict.SKIPPED),
        ([Verdict.PASS, Verdict.SKIPPED], Verdict.PASS),
        ([Verdict.PASS, Verdict.GRADER_PROBLEM], Verdict.GRADER_PROBLEM),
        ([Verdict.GRADER_PROBLEM], Verdict.GRADER_PROBLEM),
        ([Verdict.PASS, Verdict.GRADER_PROBLEM, Verdict.CRASH], Verdict.NOT_YET),
        ([Verdict.LAYOUT, Verdict.LAYOUT], Verdict.LAYOUT),
    ],
)
def test_one_word_for_the_exercise(verdicts, word):
    """Layout comes before not yet, not yet before a grader problem, and only counted checks make a pass."""
    assert scoring.verdict([check(each) for each in verdicts]) is word


def test_a_misconception_takes_the_very_same_failures():
    """Only the exact set of failing visible checks points to a misconception."""
    known = {frozenset({"test_a", "test_b"}): "bands and rows swapped"}
    failing = [check(Verdict.NOT_YET, name="test_a"), check(Verdict.TIMEOUT, name="test_b")]
    passing, unseen = check(Verdict.PASS, name="test_c"), check(Verdict.NOT_YET, name="test_d", hidden=True)
    assert scoring.misconception([*failing, passing, unseen], known) == "bands and rows swapped"
    assert scoring.misconception(failing[:1], known) == ""
    assert scoring.misconception([passing], {frozenset(): "nothing"}) == ""


@given(checks=CHECKS, points=POINTS)
def test_shares_add_up_to_the_score(checks, points):
    """What each check brought, and could have brought, sums to the whole; cases of one check share its part."""
    checks = [*checks, check(Verdict.PASS, "core", "test_y[1]"), check(Verdict.NOT_YET, "core", "test_y[2]")]
    whole, parts = scoring.score(checks, points), scoring.shares(checks, points)
    assert len(parts) == len(checks)
    assert sum(part.points for part in parts) == pytest.approx(whole.points)
    assert sum(part.max_points for part in parts) == pytest.approx(whole.max_points)
    assert parts[-1].max_points == parts[-2].max_points
