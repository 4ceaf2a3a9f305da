"""The pytest plugin of a grading: the fixtures, and a run loop that goes through the checks once per file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import TextIOBase
from typing import Any, Final, Literal

import pytest

from grader.model import TIERS, CheckResult, Submission, Verdict
from grader.session.examiner import Examiner
from grader.session.judgement import Finding, grader_problem, told
from grader.session.proxy import Proxy
from grader.session.results import tier

MARKERS: Final = (
    "core: a check of the heart of an exercise",
    "edge: a check of the degenerate cases",
    "scale: a check of growth: time, memory, traffic",
    "hint(text): what to tell the learner when this check fails",
    "gpu: needs a CUDA GPU",
)


@dataclass
class Run:
    """What one ``pytest.main`` is to do, and what came of it."""

    examiner: Examiner
    submissions: Iterable[Submission]
    finish: Callable[[Submission, list[CheckResult]], None]
    has_gpu: bool = False
    faults: list[str] = field(default_factory=list)
    error: BaseException | None = None
    ran: bool = False
    deselected: list[str] = field(default_factory=list)
    results: list[CheckResult] = field(default_factory=list)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Hand this run to the hooks and fixtures, and declare the markers."""
        config.stash[RUN] = self
        for marker in MARKERS:
            config.addinivalue_line("markers", marker)

    def pytest_exception_interact(
        self, call: pytest.CallInfo[Any], report: pytest.CollectReport | pytest.TestReport
    ) -> None:
        """Note a check file that cannot be imported, with the line that cannot be run."""
        if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
            error = call.excinfo.value
            wrapped = isinstance(error, pytest.Collector.CollectError)  # around an error of syntax or of an import
            self.faults.append(told((error.__cause__ if wrapped else None) or error))
            logging.getLogger("grader").error("%s: %s", report.nodeid, report.longrepr)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Note the names that the keyword left out, to tell them should it leave out all."""
        self.deselected += [item.name for item in items]


RUN: Final = pytest.StashKey[Run]()


class _Nowhere(TextIOBase):
    """Swallows what the checks themselves print: a learner's output comes from the child."""

    def write(self, text: str, /) -> int:
        return len(text)


@pytest.fixture(scope="module")
def learner(request: pytest.FixtureRequest) -> Proxy:
    """The learner's file; each check calls it in a fresh child."""
    return request.config.stash[RUN].examiner.bench.learner


@pytest.fixture(scope="module")
def reference(request: pytest.FixtureRequest) -> Proxy:
    """The reference solution, in the trusted process, through the same codec."""
    return request.config.stash[RUN].examiner.bench.reference


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Go through the collected checks once for each file."""
    run = session.config.stash[RUN]
    try:
        run.faults += [
            f"{item.name} has no tier: mark it {', '.join(TIERS)}" for item in session.items if not tier(item)
        ]
        if session.items and not run.faults:
            run.ran = True
            for submission in run.submissions:
                run.finish(submission, _grade(run, session, submission))
    except BaseException as error:
        run.error = error  # pytest would report it as its own; the session raises it
    return True


def _grade(run: Run, session: pytest.Session, submission: Submission) -> list[CheckResult]:
    items = session.items
    run.results = []
    run.examiner.begin(submission)
    if submission.source is None:
        return _all(run, items, Finding(Verdict.LAYOUT, message=submission.fault))
    nowhere = _Nowhere()
    for item, following in zip(items, [*items[1:], None], strict=True):
        with redirect_stdout(nowhere), redirect_stderr(nowhere), run.examiner.seated():
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        last = run.results[-1]
        if last.verdict is Verdict.LAYOUT:
            session._setupstate.teardown_exact(None)
            return _all(run, items, Finding(Verdict.LAYOUT, message=last.message))
    results, run.results = run.results, []
    return results


def _all(run: Run, items: list[pytest.Item], finding: Finding) -> list[CheckResult]:
    run.results = []
    return [run.examiner.result(item, finding) for item in items]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a GPU where none is."""
    if item.get_closest_marker("gpu"):
        run = item.config.stash[RUN]
        if not run.has_gpu:
            pytest.skip("this machine has no CUDA GPU")
        if run.examiner.bench.isolation == "strict":
            pytest.skip("devices are out of reach at isolation strict: run it with --isolation process")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Run a check; whatever its outcome, pytest sees it pass."""
    run = pyfuncitem.config.stash[RUN]
    run.results.append(run.examiner.check(pyfuncitem))
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
    """Note what kept a check from running; pytest's own report would cost more than the check."""
    if call.excinfo is not None:
        run = item.config.stash[RUN]
        error = call.excinfo.value
        if call.when == "setup":
            run.results.append(run.examiner.failed_setup(item, error))
        elif call.when == "teardown":
            grader_problem(error, item.nodeid)  # logged; the check's verdict stands
    outcome: Literal["passed", "skipped"] = "skipped" if call.excinfo is not None else "passed"
    longrepr = (str(item.path), 0, "") if call.excinfo is not None else None
    when: Any = call.when
    return pytest.TestReport(
        item.nodeid, item.location, {}, outcome, longrepr, when, (), call.duration, call.start, call.stop
    )
