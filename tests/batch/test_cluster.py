"""The same batch on a dask.distributed cluster: same grades, dead workers included, and no zero for anybody."""

from __future__ import annotations

import os
import signal
import warnings

import pytest

from grader.batch.cluster import ClusterCrew
from grader.batch.station import Setup
from grader.batch.unit import circumstances, decode_report, unit_of
from grader.catalog import load_course
from grader.errors import UsageError
from grader.model import Submission, Verdict
from tests.batch.made import PLAIN_RIGHT, as_folder, plain_course
from tests.batch.test_batch import document, words

distributed = pytest.importorskip("distributed")
# A killed worker leaves sockets and processes for its nanny to find; dask says so in warnings of many kinds.
pytestmark = pytest.mark.filterwarnings("ignore")
RIGHT = PLAIN_RIGHT.encode()
WRONG = PLAIN_RIGHT.replace("max", "min").encode()


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes with one thread each, under nannies that start another when one dies."""
    with (
        warnings.catch_warnings(),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1", silence_logs=50
        ) as made,
    ):
        warnings.simplefilter("ignore")
        yield made


@pytest.fixture
def course(tmp_path):
    """A small course of this test's own."""
    return plain_course(tmp_path / "course")


def setup_of(course):
    loaded = load_course(course / "exercises")
    [exercise] = loaded.exercises
    setup = Setup(str(loaded.root), str(loaded.solutions), (exercise.id,), "s3cret", "process")
    return setup, circumstances(exercise, "s3cret", "process")


def test_the_command_on_a_cluster(tmp_path, course, cluster):
    """--cluster gives the grades that this machine gives, into the same ledger."""
    path = as_folder(
        {f"s{at}/sums.py": (WRONG if at % 2 else RIGHT) + b"#%d" % at for at in range(6)}, tmp_path / "class"
    )
    made = document(path, tmp_path / "out", course, "--cluster", cluster.scheduler_address)
    assert made["graded"] == 6
    assert {result for result, _ in words(tmp_path / "out").values()} == {"pass", "not yet"}
    assert document(path, tmp_path / "out", course)["graded"] == 0


def test_a_worker_that_dies_has_its_units_done_elsewhere(course, cluster):
    """One of two workers is killed in the middle: every unit is graded, once, as planted."""
    setup, around = setup_of(course)
    units = [unit_of(Submission("sums.py", (WRONG if at % 2 else RIGHT) + b"#%d" % at), around) for at in range(16)]
    with ClusterCrew(setup, cluster.scheduler_address) as crew:
        found = []
        for done in crew.grade(units):
            found.append(done)
            if len(found) == 3:
                pids = crew._client.run(os.getpid)
                os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert sorted(done.unit.key for done in found) == sorted(unit.key for unit in units)
    for done in found:
        wanted = Verdict.PASS if done.unit.source.startswith(RIGHT) else Verdict.NOT_YET
        assert decode_report(done.report).verdict is wanted


def test_a_unit_that_kills_workers_is_the_graders_problem(course, cluster, monkeypatch):
    """A unit of which every worker dies is given up, with a reason and without a report; others are graded."""
    checks = course / "exercises/chapter1/sums/checks.py"
    text = checks.read_text().replace("import pytest\n", "import os, psutil\nimport pytest\n", 1)
    # The station's parent is the worker: a bug of the course that takes the whole machine down would look like this.
    deadly = (
        "    if learner.total([4]) == 13:\n        psutil.Process().parent().kill()\n        os._exit(7)\n"
        "    expect.equal(learner.total([4]), 4)"
    )
    checks.write_text(text.replace("    expect.equal(learner.total([4]), 4)", deadly))
    setup, around = setup_of(course)
    bad = RIGHT.replace(b"sum(values)", b"13 if values == [4] else sum(values)")
    with ClusterCrew(setup, cluster.scheduler_address) as crew:
        [gone] = crew.grade([unit_of(Submission("sums.py", bad), around)])
        [fine] = crew.grade([unit_of(Submission("sums.py", RIGHT), around)])
    assert gone.report is None and "gave it up: KilledWorker" in gone.fault
    assert decode_report(fine.report).verdict is Verdict.PASS


def test_a_cluster_that_is_not_there(course, monkeypatch):
    """No scheduler, or no address: one line that says what to do."""
    monkeypatch.setattr("grader.batch.cluster.CONNECT_S", 1.0)
    setup, _ = setup_of(course)
    with pytest.raises(UsageError, match="no cluster answers"):
        ClusterCrew(setup, "tcp://127.0.0.1:1")
    with pytest.raises(UsageError, match="no address"):
        ClusterCrew(setup, "somewhere")
