"""The call that a learner is shown can be pasted: after the import of their file it gives what is shown."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from grader.model import Exercise, Verdict
from tests.content.course import IDS, ROOT, graded, load

SAMPLE = 6  # chaffs of an exercise
SEED = "0"  # the learners' own
NOT_PASTABLE = ("  # rank ", "  # with Triton launches disabled", "too large to write out")
KEPT_STATE = "keeps state"  # then the shown answer is not that of a fresh process

# A new Python, and for each line the learner's module anew. A report shows values by `show`, not by repr.
PASTE = """
import base64, json, sys, zlib
import numpy as np
from grader.expect import show

slug, *lines = json.loads(sys.argv[1])
answers = []
for line in lines:
    names = {"base64": base64, "zlib": zlib, "np": np}
    if "torch." in line:
        import torch
        names["torch"] = torch
    sys.modules.pop(slug, None)
    exec(f"from {slug} import *", names)
    try:
        answers.append(show(eval(line, names), 200))
    except Exception as error:
        answers.append(f"raises {type(error).__name__}: {error}"[:200].removesuffix(": "))
print(json.dumps(answers))
"""


def sample(exercise: Exercise) -> list[Path]:
    """A few chaffs, spread over all of them."""
    chaffs = exercise.chaffs
    return [chaffs[at * len(chaffs) // SAMPLE] for at in range(SAMPLE)] if len(chaffs) > SAMPLE else list(chaffs)


def paste(exercise: Exercise, file: Path, lines: Sequence[str], salt: int) -> list[str]:
    """What the lines give, each after ``from <slug> import *``, in one new process.

    The salt goes into the hashes of strings and into memory that nobody has written to.
    """
    with TemporaryDirectory() as folder:
        shutil.copy(file, Path(folder, exercise.stub.name))
        if exercise.given:
            shutil.copy(exercise.given, folder)
        salted = {"PYTHONHASHSEED": str(salt), "MALLOC_PERTURB_": str(salt)}
        environment = os.environ | salted | {"PYTHONPATH": str(ROOT), "TRITON_INTERPRET": "1"}
        command = [sys.executable, "-c", PASTE, json.dumps([exercise.slug, *lines])]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{file}: {done.stderr}"
    answers: list[str] = json.loads(done.stdout.splitlines()[-1])
    return answers


def is_pastable(check: dict[str, Any]) -> bool:
    """Whether a check shows a call that one process can make, and its answer."""
    shown = check["verdict"] == Verdict.NOT_YET and check["called"] and check["returned"]
    plain = not any(sign in check["called"] for sign in NOT_PASTABLE)
    return bool(shown) and plain and KEPT_STATE not in check["message"]


def compare(id: str) -> tuple[int, list[str]]:
    """How many calls were pasted, and which gave something else than what was shown."""
    exercise = load(id)
    files = sample(exercise)
    [reports] = graded(id, files, [SEED])
    count, wrong = 0, []
    for file, report in zip(files, reports, strict=True):
        checks = [check for check in report["checks"] if is_pastable(check)]
        lines = [check["called"] for check in checks]
        answers = paste(exercise, file, lines, 1) if lines else []
        again = paste(exercise, file, lines, 2) if answers != [check["returned"] for check in checks] else answers
        for check, answer, other in zip(checks, answers, again, strict=True):
            if answer != other:
                continue  # it depends on the process, which is what is wrong with it
            count += 1
            if answer != check["returned"]:
                wrong.append(f"{file.name}: {check['called']} gives {answer}, shown {check['returned']}")
    return count, wrong


@pytest.mark.parametrize("id", IDS)
def test_pasting_gives_what_is_shown(id, results):
    """For some chaffs, each call shown gives in a new process the answer shown beside it."""
    [(count, wrong)] = results(compare, id)
    assert not wrong, "\n".join(wrong)
    if not count:
        pytest.skip("all calls shown are made on ranks, too large to write out, or without kernels")
