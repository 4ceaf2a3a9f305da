"""Trace questions: the code that a learner reads is run, so that the expected output is what it prints."""

from __future__ import annotations

import subprocess
import sys

from grader.errors import ContentError
from grader.quiz.bank import broken
from grader.quiz.model import Question

TIMEOUT_S = 20.0


def lines(text: str) -> list[str]:
    """A printed text as it is compared: words in lines, however much white space lies between them."""
    return [" ".join(line.split()) for line in text.strip().splitlines() if line.strip()]


def fault(question: Question) -> ContentError | None:
    """Run the code of a trace question and compare what it prints; None where that is what is expected."""
    command = [sys.executable, "-I", "-c", question.code]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return broken(question, ("code",), f"runs for more than {TIMEOUT_S:g} s.", "Make it shorter.")
    if run.returncode:
        cause = (run.stderr.strip().splitlines() or ["no message"])[-1]
        return broken(question, ("code",), f"does not run: {cause}", "Correct the code: it must run as it stands.")
    if lines(run.stdout) != lines(question.expect):
        return broken(question, ("expect",), f"the code prints {run.stdout.strip()!r:.200}.", "Write what it prints.")
    return None
