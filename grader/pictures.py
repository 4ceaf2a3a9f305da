"""Pictures of what a learner's file computes: ``picture.py`` draws them with the learner's own functions.

The picture's code is the course's and runs here; the functions that it calls run where every file of a learner's
runs, and hand over plain data.
"""

from __future__ import annotations

import ast
import io
import warnings
from collections.abc import Callable
from pathlib import Path

from grader.catalog import content_error, given_in_place, import_file, signatures
from grader.errors import ContentError
from grader.expect import LearnerError
from grader.model import Exercise, Submission, Verdict
from grader.session.bench import Bench
from grader.session.learner import Seat, SlotLike
from grader.session.pace import Stopped
from grader.session.proxy import Proxy

SIZE_INCHES = (8.0, 5.0)
DPI = 150
LONGEST_CALL = 200  # characters: two lines of a terminal


class Undrawn(Exception):
    """The learner's file raised, met a limit or is not written yet; the text says so for the learner."""


def caption(exercise: Exercise) -> str:
    """What the picture shows: the docstring of ``draw``; "" where there is none."""
    tree = ast.parse(_file(exercise).read_bytes())
    draws = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "draw")
    return next((ast.get_docstring(node) or "" for node in draws), "")


def draw(exercise: Exercise, submission: Submission, slot: SlotLike) -> bytes:
    """Draw the exercise's picture with the functions of one file.

    Args:
        exercise: one with a ``picture.py``.
        submission: the file.
        slot: where it runs, preloaded with what the exercise needs.

    Returns:
        a PNG of 1200 × 750 dots.

    Raises:
        Undrawn: the file could not be loaded, or one of its functions did not answer.
        ContentError: ``picture.py`` raised; the line is named.
    """
    path = _file(exercise)
    module = import_file(path, f"_picture_{exercise.slug}", exercise.given)
    bench = Bench(exercise, slot, signatures(exercise.stub))
    seat = bench.seat(submission)
    try:
        with bench.seated(seat), given_in_place(exercise.given), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a learner's NaN is no news for the terminal
            return _png(module.draw, bench.learner)
    except Stopped as stop:
        raise Undrawn(f"{'' if stop.verdict is Verdict.LAYOUT else _last(seat)}{stop.message}") from None
    except LearnerError as error:
        line = f" (line {error.line} of {submission.name})" if error.line else ""
        raise Undrawn(f"{_last(seat)}raised {error}{line}") from None
    except Exception as error:
        remedy = "Does the file pass? Then correct the picture. If it does not, correct the file first."
        raise ContentError(content_error(path, error).message, remedy) from error


def _last(seat: Seat) -> str:
    """The call that did not answer."""
    if not seat.calls:
        return ""
    text = seat.calls[-1].text
    return f"{text if len(text) <= LONGEST_CALL else f'{seat.calls[-1].name}(…)'}: "


def _file(exercise: Exercise) -> Path:
    if exercise.picture is None:
        raise ContentError(f"{exercise.id} has no picture.py.", "Write one, with a function draw(learner, axes).")
    return exercise.picture


def _png(draw: Callable[[Proxy, object], object], learner: Proxy) -> bytes:
    """Run ``draw`` over new axes: without pyplot, which keeps its figures, and in no style of this machine's."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        figure = Figure(figsize=SIZE_INCHES, dpi=DPI, layout="tight")
        draw(learner, figure.subplots())
        file = io.BytesIO()
        figure.savefig(file, format="png")  # always by Agg
    return file.getvalue()
