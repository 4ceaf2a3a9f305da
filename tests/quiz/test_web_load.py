"""Many learners at once on one process, which is then killed: nobody gets an error, and no answer is lost."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("uvicorn")

from grader.quiz.log import AnswerLog
from tests.quiz.toy import make_course

REPO = Path(__file__).parent.parent.parent


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """``grade quiz serve`` as a process of its own, and its port; gone afterwards."""
    with subprocess.Popen(
        [sys.executable, "-m", "grader", "quiz", "serve", "--port", "0", "--log", str(folder / "quiz.jsonl"), *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(REPO), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            assert server.stdout
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", server.stdout.readline())
            assert found
            yield server, int(found[1])
        finally:
            server.kill()


class Learner(threading.Thread):
    """Answers questions until told to stop, or until the server is gone."""

    def __init__(self, port: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.stop = port, stop
        self.acknowledged = 0
        self.cookie = ""
        self.wrong: list[str] = []

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self.one_round()
        except (OSError, http.client.HTTPException) as error:
            if not self.stop.is_set():
                self.wrong.append(repr(error))

    def one_round(self) -> None:
        self.request("POST", "/start", {"words": "q2"})
        page = self.request("GET", "/q/1")
        ticket = re.search(r'name="ticket" value="(\w+)"', page)
        choice = re.search(r'name="choice" value="(\w+)"', page)
        if not (ticket and choice):
            self.wrong.append(page[:200])
            return
        reply = self.request("POST", "/q/1", {"ticket": ticket[1], "choice": choice[1]})
        if "canary-explain-2" in reply:
            self.acknowledged += 1
        else:
            self.wrong.append(reply[:200])

    def request(self, method: str, path: str, data: dict[str, str] | None = None) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        connection.request(method, path, urlencode(data) if data else None, headers)
        reply = connection.getresponse()
        if reply.status not in (200, 303):
            self.wrong.append(f"{method} {path}: {reply.status}")
        self.cookie = (reply.getheader("set-cookie") or self.cookie).split(";")[0]
        text = reply.read().decode()
        connection.close()
        return text

    @property
    def id(self) -> str:
        return self.cookie.removeprefix("quiz=").split(".")[0]


@pytest.mark.parametrize(
    ("learners", "duration_s"), [(25, 4), pytest.param(200, 60, marks=pytest.mark.nightly)], ids=["few", "200"]
)
def test_load_and_sudden_death(tmp_path, learners, duration_s):
    """No request fails; after SIGKILL in the middle of it, every answer that was replied to is in the log."""
    make_course(tmp_path)
    stop = threading.Event()
    with serving(tmp_path, "--many") as (server, port):
        crowd = [Learner(port, stop) for _ in range(learners)]
        for learner in crowd:
            learner.start()
        time.sleep(duration_s)
        assert server.poll() is None
        stop.set()  # from here on, a request may find nobody
        os.kill(server.pid, signal.SIGKILL)
    for learner in crowd:
        learner.join(timeout=70)
    assert not [wrong for learner in crowd for wrong in learner.wrong][:3]
    kept: dict[str, int] = {}
    for entry in AnswerLog(tmp_path / "quiz.jsonl").read():
        kept[entry.learner] = kept.get(entry.learner, 0) + 1
    assert all(learner.acknowledged >= 1 for learner in crowd)
    for learner in crowd:
        assert learner.acknowledged <= kept[learner.id] <= learner.acknowledged + 1
    print(f"{sum(kept.values())} answers of {learners} learners in {duration_s} s")


def test_a_taken_port_is_an_error(tmp_path):
    """A second server on the same port says so, and what to do."""
    make_course(tmp_path)
    with serving(tmp_path) as (_, port):
        second = subprocess.run(
            [sys.executable, "-m", "grader", "quiz", "serve", "--port", str(port)],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(REPO)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert second.returncode == 2 and "--port" in second.stderr
