"""The command line, in this process and as a real one, on the toy course."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from grader import cli as command_line
from grader import logbook
from grader.boundary import isolation
from grader.catalog.schema import read_schema
from grader.cli import cli
from grader.grading import IMPORTED, preload

HERE = Path(__file__).parent
TOY = HERE / "toy_course"
REPO = HERE.parent

RIGHT = (TOY / "solutions/chapter1/running_mean/reference.py").read_text()
WRONG = "def running_mean(values):\n    print('got', values)\n    return [values[0]] * len(values)\n"
HANGING = "def running_mean(values):\n    while True:\n        pass\n"


@pytest.fixture
def toy(tmp_path, monkeypatch) -> Path:
    """A copy of the toy course as the working folder; the log goes to a folder of this test."""
    shutil.copytree(TOY, tmp_path / "toy")
    monkeypatch.chdir(tmp_path / "toy")
    monkeypatch.setattr(logbook, "log_path", lambda: tmp_path / "grade.log")
    return tmp_path / "toy"


def grade(*words: str, **options: object) -> Result:
    """Run ``grade`` in this process, at the level that needs no probing."""
    return CliRunner(**options).invoke(cli, list(words), prog_name="grade")


def quick(*words: str) -> Result:
    return grade(*words, "--isolation", "process")


def run(*words: str, cwd: Path = TOY, timeout_s: float = 120, **env: str) -> subprocess.CompletedProcess[str]:
    """Run ``grade`` as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "grader", *words],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(REPO)} | env,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def valid(document: object, schema: str) -> bool:
    Draft202012Validator(read_schema(schema)).validate(document)
    return True


def test_references_pass(toy):
    """with --using solutions every check of every exercise passes, with exit code 0"""
    result = quick("all", "--using", "solutions")
    assert result.exit_code == 0, result.output
    assert "20 of 20 points" in result.stdout
    assert "chapter1/word_count    pass" in result.stdout


def test_stubs_are_not_yet(toy):
    """the course's own stubs are graded where there are no other files, with exit code 1"""
    result = quick("running_mean")
    assert result.exit_code == 1
    assert "not written yet" in result.stdout
    assert "exercises/chapter1/running_mean/running_mean.py" in result.stdout


def test_wrong_file_shows_what_was_called_and_printed(toy, tmp_path):
    """a wrong file gets call, expected, got, its own output, and a command that repeats the folder"""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "running_mean.py").write_text(WRONG)
    result = quick("running_mean", "--using", str(mine), "-k", "last")
    assert result.exit_code == 1
    assert "  called    running_mean([" in result.stdout
    assert "  printed   | got" in result.stdout
    assert f"-k last_is_the_mean --using {mine} --isolation process" in result.stdout
    assert "only checks that match -k last" in result.stdout


def test_working_folder_comes_before_the_stubs(toy, tmp_path, monkeypatch):
    """a file in the working folder is graded; the course is found by GRADE_COURSE from anywhere"""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "running_mean.py").write_text(RIGHT)
    monkeypatch.chdir(mine)
    monkeypatch.setenv("GRADE_COURSE", str(toy))
    result = quick("running_mean")
    assert result.exit_code == 0, result.output
    assert "  file      running_mean.py" in result.stdout
    assert "  next      grade word_count" in result.stdout


def test_unreadable_file_in_the_working_folder_is_not_passed_over(toy, tmp_path, monkeypatch):
    """a folder that bears the file's name is told of; the stub is not graded in its stead"""
    (tmp_path / "mine" / "running_mean.py").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "mine")
    result = quick("running_mean", "--course", str(toy))
    assert result.exit_code == 1
    assert "is a folder" in result.stdout.replace("\n            ", " ")


def test_json_is_one_valid_object(toy):
    """--json prints one object and nothing else, valid by its schema, with the seed that was asked for"""
    result = quick("all", "--json", "--seed", "7")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert valid(document, "report")
    assert document["seed"] == "7" and document["isolation"] == "process"
    assert [exercise["id"] for exercise in document["exercises"]] == [
        "chapter1/running_mean",
        "chapter1/word_count",
    ]
    assert {check["verdict"] for exercise in document["exercises"] for check in exercise["checks"]} == {"not yet"}


def test_same_seed_same_counterexample(toy, tmp_path):
    """a seed replays a run: the same calls fail in the same way"""
    (toy / "running_mean.py").write_text(WRONG)
    first, second = (json.loads(quick("running_mean", "--json", "--seed", "3").stdout) for _ in range(2))
    for document in (first, second):
        for check in document["exercises"][0]["checks"]:
            check["duration_s"] = 0
        document["exercises"][0]["duration_s"] = 0
    kept = [{k: v for k, v in c.items() if c["tier"] != "scale"} for c in first["exercises"][0]["checks"]]
    again = [{k: v for k, v in c.items() if c["tier"] != "scale"} for c in second["exercises"][0]["checks"]]
    assert kept == again


def test_several_words_and_repeats(toy):
    """several exercises can be named, each is graded once, in the suggested order"""
    result = quick("word_count", "chapter1/running_mean", "word_count", "--json")
    ids = [exercise["id"] for exercise in json.loads(result.stdout)["exercises"]]
    assert ids == ["chapter1/running_mean", "chapter1/word_count"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["runing_mean"], "Did you mean running_mean?"),
        (["lst"], "Did you mean the command `grade list`?"),
        (["--json", "list"], "Did you mean the command `grade list`?"),
        (["chapter8"], "Did you mean chapter1?"),
        (["running_mean", "-k", "nothing"], "-k nothing matches no check"),
        (["running_mean", "-k", "(("], "-k ((:"),
        (["running_mean", "--inline", "--json"], "--inline goes with neither"),
        (["running_mean", "--using", "nowhere"], "Path 'nowhere' does not exist"),
        (["running_mean", "--usin", "x"], "Try 'grade --help' for help."),
        (["running_mean", "--isolation", "none"], "'none' is not one of"),
        (["list", "--bogus"], "No such option"),
        (["new", "chapter1"], "is no exercise's name"),
        (["check", "runing_mean"], "Did you mean running_mean?"),
    ],
)
def test_wrong_usage(toy, words, told):
    """a word or option that cannot be meets exit code 2, the reason on stderr, and nothing on stdout"""
    result = grade(*words)
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output


def test_no_words_is_a_request_for_help(toy):
    """grade alone shows the help, with exit code 2"""
    result = grade()
    assert result.exit_code == 2
    assert "Usage: grade [OPTIONS] WHAT..." in result.output


def test_no_course(tmp_path, monkeypatch):
    """outside of any course the message says where to go"""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADE_COURSE", raising=False)
    result = grade("list")
    assert result.exit_code == 2
    assert "there is no course" in result.stderr and "GRADE_COURSE" in result.stderr


def test_faulty_course(toy):
    """a course file that is wrong meets exit code 3, with file, line and remedy"""
    yaml = toy / "exercises/chapter1/running_mean/exercise.yaml"
    yaml.write_text(yaml.read_text().replace("minutes: ", "minuets: "))
    result = grade("list")
    assert result.exit_code == 3
    assert result.stderr.startswith("course problem: ")
    assert "exercise.yaml:" in result.stderr and "minutes" in result.stderr


def test_check_with_a_fault_of_its_own(toy, tmp_path):
    """a check that breaks is a grader problem: exit code 3, no points lost, the traceback in the log only"""
    checks = toy / "exercises/chapter1/running_mean/checks.py"
    checks.write_text(checks.read_text() + "\n\n@pytest.mark.core\ndef test_broken(learner):\n    raise KeyError(3)\n")
    result = quick("running_mean", "--using", "solutions")
    assert result.exit_code == 3
    assert "grader problem" in result.stdout
    assert "Traceback" not in result.output
    assert "KeyError" in (tmp_path / "grade.log").read_text()


def test_unexpected_error_is_one_line(toy, tmp_path, monkeypatch):
    """whatever goes wrong inside is one line with the place of the log, and exit code 3"""

    def broken(**options: object) -> None:
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr(command_line, "_plan", broken)
    result = grade("running_mean")
    assert result.exit_code == 3
    assert result.stderr.startswith("grader problem: RuntimeError: first line second line (not your fault; ")
    assert str(tmp_path / "grade.log") in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" in (tmp_path / "grade.log").read_text()


def test_log_starts_anew_when_it_is_full(tmp_path, monkeypatch):
    """the log does not grow without end"""
    log = tmp_path / "grade.log"
    monkeypatch.setattr(logbook, "log_path", lambda: log)
    log.write_bytes(b"x" * (logbook.MAX_BYTES + 1))
    logbook.write_log("new")
    assert log.stat().st_size < 100


def test_unavailable_isolation(toy, monkeypatch):
    """strict where it cannot be had is refused with the way to get it"""
    monkeypatch.setattr(isolation, "bubblewrap", lambda: None)
    isolation.works.cache_clear()
    try:
        result = grade("running_mean", "--isolation", "strict")
    finally:
        isolation.works.cache_clear()
    assert result.exit_code == 2
    assert "apt-get install bubblewrap" in result.stderr


def test_without_bubblewrap_a_run_says_how_to_get_it(toy, monkeypatch):
    """where strict cannot be had a run still works, and says in one line how to get it"""
    monkeypatch.setattr(isolation, "bubblewrap", lambda: None)
    monkeypatch.setattr("grader.grading.bubblewrap", lambda: None)
    isolation.works.cache_clear()
    try:
        result = grade("running_mean")
    finally:
        isolation.works.cache_clear()
    assert result.exit_code == 1
    assert "graded at isolation process: apt-get install bubblewrap for strict" in result.stdout


def test_list(toy):
    """the list shows every exercise with minutes, points, path and needs, in the suggested order"""
    result = grade("list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    first, second = (next(line for line in lines if slug in line) for slug in ("running_mean", "word_count"))
    assert lines.index(first) < lines.index(second)
    for word in ("core", "5 min", "10 points", "Running Mean"):
        assert word in first
    assert max(map(len, lines)) <= 80


def test_list_as_json(toy):
    """grade list --json is valid by its schema"""
    document = json.loads(grade("list", "--json").stdout)
    assert valid(document, "list")
    assert [e["id"] for c in document["chapters"] for e in c["exercises"]] == [
        "chapter1/running_mean",
        "chapter1/word_count",
    ]


def test_doctor(toy, monkeypatch):
    """the doctor names each thing that a machine may lack, with its remedy, and the level in use"""
    result = grade("doctor")
    assert result.exit_code == 0
    for name in ("python", "numpy", "torch", "triton", "gpu", "bubblewrap", "process"):
        assert f"  {name}" in result.stdout
    assert "files are graded at isolation " in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    monkeypatch.setattr("grader.cli.doctor.installed", lambda name: None)
    assert "remedy: pip install numpy" in grade("doctor").stdout


def test_doctor_as_json(toy):
    """grade doctor --json is valid by its schema"""
    assert valid(json.loads(grade("doctor", "--json").stdout), "doctor")


def test_new_makes_an_exercise(toy):
    """grade new writes the files and says what to do next"""
    result = grade("new", "chapter1/median")
    assert result.exit_code == 0, result.output
    assert (toy / "exercises/chapter1/median/median.py").is_file()
    assert "grade check chapter1/median" in result.stdout


def test_check_proves_the_toy_course(toy):
    """grade check is at ease with the toy course, and its JSON is valid by its schema"""
    result = grade("check", "running_mean", "--json", "--isolation", "process")
    document = json.loads(result.stdout)
    assert valid(document, "check")
    assert result.exit_code == (0 if document["ok"] else 3)


@pytest.mark.parametrize(
    ("needs", "source", "wanted"),
    [
        ((), b"", "none"),
        ((), b"import os, numpy as np", "numpy"),
        (("numpy",), b"    from torch import nn", "torch"),
        (("numpy", "ranks"), b"", "torch"),
        (("torch",), b"import triton.language as tl", "triton"),
        (("numpy",), b"# import torch\nx = 'import torch'\nimport os  # torch", "numpy"),
        (("numpy",), None, "numpy"),
    ],
)
def test_slots_preload_what_is_needed(needs, source, wanted):
    """a slot has imported what the exercise needs and what the file names in an import, and no more"""
    from grader.catalog import load_course

    exercise = load_course(TOY / "exercises").exercises[0]
    object.__setattr__(exercise, "needs", needs)
    assert preload(exercise, source) == wanted


def test_looking_for_imports_takes_no_time():
    """a hostile file cannot make the look for its imports slow"""
    start_s = time.perf_counter()
    IMPORTED.findall(b"import " + b"a " * 500_000)
    IMPORTED.findall(b"\t" * 1_000_000)
    assert time.perf_counter() - start_s < 5


HEAVY = [
    "numpy",
    "torch",
    "triton",
    "pytest",
    "hypothesis",
    "rich",
    "yaml",
    "jsonschema",
    "msgspec",
    "asyncio",
]


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["--version"], ["running_mean", "--help"], ["list", "--help"]])
def test_help_imports_next_to_nothing(words):
    """help answers without numpy, torch, pytest or anything else that takes its time"""
    code = (
        "import sys\nfrom grader.cli import cli\n"
        f"try:\n    cli.main({words!r}, 'grade')\nfinally:\n"
        f"    found = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "    print('imported:', found, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "imported: []\n"


def test_help_is_fast():
    """grade --help takes under 0.3 s of CPU, Python's own start included"""
    used_s = []
    for _ in range(3):
        before = os.times()
        assert run("--help").returncode == 0
        after = os.times()
        spent = after.children_user - before.children_user + after.children_system - before.children_system
        used_s.append(spent)
    assert min(used_s) < 0.3


def test_numpy_only_exercises_import_no_torch():
    """grading an exercise that needs no torch imports it nowhere in the trusted process"""
    code = (
        "import sys\nfrom grader.cli import cli\n"
        "try:\n    cli.main(['running_mean', '--using', 'solutions', '--isolation', 'process'], 'grade')\n"
        "finally:\n    print({'torch', 'triton'} & set(sys.modules), file=sys.stderr)\n"
    )
    env = os.environ | {"PYTHONPATH": str(REPO)}
    done = subprocess.run([sys.executable, "-c", code], cwd=TOY, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "set()\n")


def test_real_process(tmp_path):
    """as a process: stdout holds the report, stderr nothing, no escape sequence without a terminal"""
    done = run("running_mean", "--isolation", "process")
    assert done.returncode == 1
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert done.stdout.startswith("chapter1/running_mean · Running Mean · not yet")


def test_ascii_terminal():
    """a terminal that knows ASCII only gets a report all the same"""
    done = run("running_mean", "--isolation", "process", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 1
    assert done.stdout.startswith("chapter1/running_mean \\xb7 Running Mean")


def test_warnings_are_no_trouble():
    """with warnings as errors the command line still works"""
    done = run("running_mean", "--using", "solutions", "--isolation", "process", PYTHONWARNINGS="error")
    assert (done.returncode, done.stderr) == (0, "")


def wait_for_work(pid: int, cpu_s: float = 0.8) -> None:
    """Wait until a descendant of the process has worked for longer than an import of numpy takes."""
    for _ in range(600):
        for child in psutil.Process(pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if sum(child.cpu_times()[:2]) > cpu_s:
                    return
        time.sleep(0.05)
    pytest.fail("the learner's code never ran")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("level", [["--isolation", "process"], []])
def test_ctrl_c(tmp_path, level):
    """Ctrl-C ends a run with exit code 130, without a traceback, and leaves no process behind"""
    (tmp_path / "running_mean.py").write_text(HANGING)
    with subprocess.Popen(
        [sys.executable, "-m", "grader", "running_mean", "--course", str(TOY), *level],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPO)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        wait_for_work(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        try:
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode in (130, -signal.SIGINT)  # a shell shows both as 130
    assert (out, err.strip()) == ("", "")
    time.sleep(0.5)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes")
@pytest.mark.parametrize("words", [["list"], ["list", "--json"], ["--help"]])
def test_broken_pipe_is_quiet(words):
    """a reader that goes away early causes no message"""
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "grader", *words],
            cwd=TOY,
            env=os.environ | {"PYTHONPATH": str(REPO)},
            stdout=gone,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_terminal_shows_colour_and_a_bar(toy):
    """on a terminal there is colour on stdout, and a bar on stderr while several exercises are graded"""
    import pty

    main, side = pty.openpty()
    env = os.environ | {"PYTHONPATH": str(REPO), "TERM": "xterm-256color", "COLUMNS": "80"}
    env.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", "all", "--isolation", "process"],
        cwd=toy,
        env=env,
        stdout=side,
        stderr=side,
    )
    os.close(side)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(main)
    assert process.wait() == 1
    assert b"\x1b[1;33mnot yet\x1b[0m" in shown
    assert b"100%" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX descriptors")
def test_inline_has_the_terminal(tmp_path):
    """--inline lets a breakpoint in the learner's file talk to the terminal, and grades as ever"""
    (tmp_path / "running_mean.py").write_text(RIGHT.replace("    total = 0.0\n", "    breakpoint()\n    total = 0.0\n"))
    done = subprocess.run(
        [sys.executable, "-m", "grader", "running_mean", "--inline", "-k", "refused", "--course", str(TOY)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPO)},
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "graded at isolation inline" in done.stdout
    broken = subprocess.run(
        [sys.executable, "-m", "grader", "running_mean", "--inline", "-k", "first", "--course", str(TOY)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPO)},
        input="p values\nc\n" + "c\n" * 400,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "(Pdb) [0.0]" in broken.stdout
