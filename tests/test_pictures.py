"""Pictures: drawn with a learner's functions, and a clear word where that cannot be."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader import pictures
from grader.boundary.outcome import Stopped
from grader.catalog import load_course
from grader.cli import cli
from grader.errors import ContentError
from grader.model import Exercise, Verdict
from tests.fake_slot import FakeSlot
from tests.small_exercise import DOUBLE, make_exercise, submit

TOY = Path(__file__).parent / "toy_course"
PLOT = 'def draw(learner, axes):\n    """Twice\n    each n."""\n    axes.plot([learner.double(n) for n in range(9)])\n'
RED, BLUE = (PLOT.replace("range(9)]", f"range(9)], color='{colour}'") for colour in ("red", "blue"))


def exercise(folder: Path, picture: str) -> Exercise:
    """The small exercise with a picture."""
    made = make_exercise(folder, "")
    (made.folder / "picture.py").write_text(picture)
    return made


def draw(folder: Path, picture: str, source: str = DOUBLE, slot: FakeSlot | None = None) -> bytes:
    """Draw a picture with a learner's file."""
    return pictures.draw(exercise(folder, picture), submit(source), slot or FakeSlot())


def size(drawn: bytes) -> tuple[int, int]:
    """Width and height as a PNG's header has them."""
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", drawn[16:24])
    return width, height


def test_a_picture_shows_what_the_file_computes(tmp_path):
    """The PNG has 8 by 5 inches of 150 dots; it depends on picture and file, and on nothing else."""
    drawn = draw(tmp_path, PLOT)
    assert size(drawn) == (1200, 750)
    assert drawn == draw(tmp_path, PLOT) == draw(tmp_path, PLOT, "def double(n):\n    return n + n\n")
    assert len({drawn, draw(tmp_path, RED), draw(tmp_path, BLUE), draw(tmp_path, PLOT, "double = abs\n")}) == 4


def test_more_axes_and_no_child_left(tmp_path):
    """A picture may add axes to the figure; its child is closed afterwards, and warnings are kept quiet."""
    slot = FakeSlot()
    more = "    axes.figure.add_axes([0.7, 0.7, 0.2, 0.2]).plot([1, learner.double(1)])\n    axes.set_yscale('log')\n"
    assert size(draw(tmp_path, PLOT + more, slot=slot)) == (1200, 750)
    assert (slot.started, slot.open) == (1, 0)


def test_the_machine_has_no_style_of_its_own(tmp_path, monkeypatch):
    """What matplotlib was told elsewhere changes no picture, and a picture changes nothing elsewhere."""
    import matplotlib

    plain = draw(tmp_path, PLOT)
    monkeypatch.setitem(matplotlib.rcParams, "lines.linewidth", 9.0)
    assert draw(tmp_path, PLOT) == plain
    assert matplotlib.rcParams["lines.linewidth"] == 9.0


@pytest.mark.parametrize(
    ("picture", "told"),
    [
        ("def draw(learner, axes):\n    axes.plot(nothing)\n", "picture.py:2: NameError"),
        ("def draw(learner, axes):\n    learner.triple(1)\n", "picture.py:2: AttributeError: learner has no function"),
        ("1 / 0\n", "picture.py:1: ZeroDivisionError"),
        ("def draw(learner\n", "picture.py:1: SyntaxError"),
        ("def paint(learner, axes):\n    pass\n", "picture.py: AttributeError"),
        ("def draw(learner, axes):\n    axes.set_title('$^$')\n", "picture.py: ValueError"),
    ],
)
def test_a_fault_of_the_picture_is_told_with_its_line(tmp_path, picture, told):
    """An exception of picture.py is the course's, with file and line."""
    with pytest.raises(ContentError) as caught:
        draw(tmp_path, picture)
    assert told in caught.value.message and caught.value.remedy


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def double(n):\n    raise ValueError('no')\n", "double(0): raised ValueError: no"),
        ("def double(n):\n    raise NotImplementedError\n", "double(0): not written yet"),
        ("def triple(n):\n    return n\n", "small.py has no function double"),
    ],
)
def test_what_the_file_does_is_told_as_its_own(tmp_path, source, told):
    """A learner's exception, or a file that cannot be loaded, is no fault of the course: the call is named."""
    with pytest.raises(pictures.Undrawn) as caught:
        draw(tmp_path, PLOT, source)
    assert str(caught.value) == told


def test_a_limit_is_told(tmp_path):
    """A call that meets a limit ends the picture; a long call is named by its function alone."""
    slot = FakeSlot(lambda name, args: Stopped(Verdict.TIMEOUT, "your code used all of its CPU time."))
    with pytest.raises(pictures.Undrawn, match=r"^double\(…\): your code used all"):
        draw(tmp_path, "def draw(learner, axes):\n    learner.double('n' * 1000)\n", slot=slot)


def test_the_caption_is_the_docstring(tmp_path):
    """What draw says it draws; nothing where it says nothing."""
    assert pictures.caption(exercise(tmp_path, PLOT)) == "Twice\neach n."
    assert pictures.caption(exercise(tmp_path, "def draw(learner, axes):\n    pass\n")) == ""
    with pytest.raises(ContentError, match="has no picture"):
        pictures.caption(make_exercise(tmp_path / "bare", ""))


def test_nobody_else_waits_for_matplotlib():
    """The gate and the command line are imported without it; drawing leaves pyplot alone."""
    code = "import sys, grader.authoring, grader.cli.picture; print('matplotlib' in sys.modules)"
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, cwd=TOY.parent.parent, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
    assert "matplotlib.pyplot" not in sys.modules


# --- grade show


@pytest.fixture
def toy(tmp_path, monkeypatch) -> Path:
    """A copy of the toy course as the working folder."""
    shutil.copytree(TOY, tmp_path / "toy")
    monkeypatch.chdir(tmp_path / "toy")
    return tmp_path / "toy"


def show(*words: str) -> Result:
    """Run ``grade show`` in this process, at the level that needs no probing."""
    return CliRunner().invoke(cli, ["show", *words, "--isolation", "process"], prog_name="grade")


def test_show_writes_the_picture(toy):
    """The path and the caption are printed; the file bears the exercise's name, or the one that -o gives."""
    result = show("running_mean", "--using", "solutions")
    assert result.exit_code == 0, result.output
    path, caption = result.stdout.splitlines()
    assert size(Path(path).read_bytes()) == (1200, 750) and path == "running_mean.png"
    [exercise] = load_course(toy / "exercises", what=["running_mean"]).exercises
    assert caption == pictures.caption(exercise)
    assert show("running_mean", "--using", "solutions", "-o", "mine.png").stdout.startswith("mine.png\n")
    assert Path("mine.png").read_bytes() == Path(path).read_bytes()


def test_show_of_a_stub_is_not_yet(toy):
    """Where the file does not answer the reason is told, with exit code 1, and nothing is written."""
    result = show("running_mean")
    assert result.exit_code == 1 and "not yet: running_mean(" in result.stderr and "not written yet" in result.stderr
    assert not Path("running_mean.png").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("word_count",), "has no picture"),
        (("chapter1",), "Name one: running_mean."),
        (("nothing_like_it",), "there is no exercise"),
        (("running_mean", "-o", "nowhere/x.png"), "there is no folder nowhere"),
        (("running_mean", "--using", "exercises/chapter1/word_count"), "there is no running_mean.py"),
    ],
)
def test_wrong_usage_of_show(toy, words, told):
    """What cannot be drawn is told with exit code 2."""
    result = show(*words)
    assert result.exit_code == 2 and told in result.stderr
