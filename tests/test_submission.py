"""A learner's file is found in any folder, and whatever stands in its way is told to the learner."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.catalog import find_submission, load_course, select
from grader.catalog.submission import MAX_BYTES, show
from grader.model import Exercise

TOY = Path(__file__).parent / "toy_course" / "exercises"
PLACES = [
    "chapter1/running_mean/running_mean.py",
    "chapter1/running_mean.py",
    "running_mean.py",
    "chapter1/running_mean/reference.py",
]
needs_links = pytest.mark.skipif(os.name == "nt", reason="making links needs a privilege on Windows")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@pytest.fixture
def exercise() -> Exercise:
    """The toy exercise whose file is looked for."""
    return select(load_course(TOY, what=["running_mean"]), ["running_mean"])[0]


def put(folder: Path, place: str, text: str = "x = 1\n") -> Path:
    """A file in the learner's folder."""
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def fault(exercise: Exercise, folder: Path, *words: str) -> str:
    """The fault of a submission that has no source; it holds ``words`` and ends as a sentence."""
    found = find_submission(exercise, folder)
    assert found.source is None
    for word in words:
        assert word in found.fault
    assert found.fault.endswith((".", "?"))
    assert found.name == "running_mean.py"
    return found.fault


@contextmanager
def at_once() -> Iterator[None]:
    """Fails a test that blocks for five seconds."""

    def stop(*_: object) -> None:
        raise TimeoutError("blocked")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(5)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("place", PLACES)
def test_file_is_found_in_each_layout(exercise: Exercise, tmp_path: Path, place: str) -> None:
    """Every layout is as good as another; bytes come as they are, and the path says where from."""
    path = put(tmp_path, place)
    path.write_bytes(b"\xef\xbb\xbfx = '\xe9'\r\n\0")
    found = find_submission(exercise, tmp_path)
    assert (found.source, found.fault) == (b"\xef\xbb\xbfx = '\xe9'\r\n\0", "")
    assert (found.path, found.name) == (str(path), path.name)


def test_first_place_wins(exercise: Exercise, tmp_path: Path) -> None:
    """Of several files the one in the most particular place is taken."""
    for place in reversed(PLACES):
        put(tmp_path, place, place)
        source = find_submission(exercise, tmp_path).source
        expected = PLACES[2] if place == PLACES[3] and (tmp_path / PLACES[2]).exists() else place
        assert source == expected.encode()


def test_solutions_hold_the_reference(exercise: Exercise) -> None:
    """`--using solutions` finds the references."""
    found = find_submission(exercise, TOY.parent / "solutions")
    assert exercise.reference is not None
    assert found.source == exercise.reference.read_bytes()


def test_exercises_hold_the_stubs(exercise: Exercise) -> None:
    """In the course itself the stub is the learner's file."""
    assert find_submission(exercise, TOY).source == exercise.stub.read_bytes()


def test_empty_file_is_source(exercise: Exercise, tmp_path: Path) -> None:
    """An empty file was found: that it is empty is for the layout check to say."""
    put(tmp_path, "running_mean.py", "")
    assert find_submission(exercise, tmp_path).source == b""


def test_file_at_the_cap_is_read_whole(exercise: Exercise, tmp_path: Path) -> None:
    """1 MiB is allowed, one byte more is not."""
    path = put(tmp_path, "running_mean.py")
    path.write_bytes(b"#" * MAX_BYTES)
    assert find_submission(exercise, tmp_path).source == b"#" * MAX_BYTES
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    fault(exercise, tmp_path, str(path), "too large (1.0 MB)", "at most 1 MiB")


def test_huge_file_is_not_read(exercise: Exercise, tmp_path: Path) -> None:
    """50 MB are refused with their size."""
    path = put(tmp_path, "running_mean.py")
    os.truncate(path, 50_000_000)
    fault(exercise, tmp_path, str(path), "too large (50.0 MB)")


def test_missing_file_names_the_places(exercise: Exercise, tmp_path: Path) -> None:
    """Without a file the learner reads where to put it."""
    text = fault(exercise, tmp_path, "there is no running_mean.py in", str(tmp_path), "chapter1/running_mean/")
    assert "--using" in text and "Is it" not in text


@pytest.mark.parametrize(
    "name",
    [
        "running-mean (1).py",
        "Running_Mean.PY",
        "running_mean.py.txt",
        "running_mean.ipynb",
        "running mean - Copy.py",
        "Copy of running_mean.py",
        "runing_mean.py",
        "week1/running_mean.py",
        "chapter1/running_mean/running_mean(2).py",
        "handin/chapter1/running_mean.py",
    ],
)
def test_misnamed_file_is_pointed_out(exercise: Exercise, tmp_path: Path, name: str) -> None:
    """What a browser, an editor or a habit made of the name is recognised, but not graded."""
    put(tmp_path, name)
    put(tmp_path, "notes.txt")
    fault(exercise, tmp_path, f"Is it {name}?", "Call it running_mean.py")


def test_other_files_are_not_pointed_out(exercise: Exercise, tmp_path: Path) -> None:
    """Another exercise's file, or a hidden one, is no near miss."""
    for name in ("word_count.py", "running.py", "mean.py", ".running_mean.py", ".git/running_mean.py"):
        put(tmp_path, name)
    assert "Is it" not in fault(exercise, tmp_path)


def test_crowded_folder_is_not_searched_for_long(exercise: Exercise, tmp_path: Path) -> None:
    """Thousands of files beside a missing one cost little."""
    for number in range(3000):
        (tmp_path / f"{number}.txt").touch()
    fault(exercise, tmp_path, "there is no running_mean.py")


@pytest.mark.parametrize("kind", ["missing", "file"])
def test_folder_that_is_none_is_named(exercise: Exercise, tmp_path: Path, kind: str) -> None:
    """A folder that does not exist, or is a file, is told with the option to correct."""
    folder = tmp_path / "nowhere"
    if kind == "file":
        folder.touch()
    fault(exercise, folder, f"there is no folder {folder}", "--using")


def test_directory_of_that_name(exercise: Exercise, tmp_path: Path) -> None:
    """A folder called running_mean.py is named as one, even with a good file in a later place."""
    (tmp_path / "chapter1" / "running_mean.py").mkdir(parents=True)
    put(tmp_path, "running_mean.py")
    fault(exercise, tmp_path, str(tmp_path / "chapter1" / "running_mean.py"), "is a folder", "Put a Python file")


def test_file_where_a_folder_may_be(exercise: Exercise, tmp_path: Path) -> None:
    """A file called chapter1 is no obstacle."""
    put(tmp_path, "chapter1")
    put(tmp_path, "running_mean.py")
    assert find_submission(exercise, tmp_path).source == b"x = 1\n"


@needs_links
@pytest.mark.parametrize("target", ["/etc/passwd", "../outside.py", "/dev/zero", "/proc/self/environ"])
def test_link_out_of_the_folder_is_refused(exercise: Exercise, tmp_path: Path, target: str) -> None:
    """Nothing outside of the learner's folder is read, whatever a link says."""
    put(tmp_path, "outside.py", "secret")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "running_mean.py").symlink_to(target)
    with at_once():
        text = fault(exercise, folder, str(folder / "running_mean.py"), "a link out of the folder")
    assert "secret" not in text


@needs_links
def test_linked_folder_out_of_the_folder_is_refused(exercise: Exercise, tmp_path: Path) -> None:
    """A link in the middle of the path counts as well as one at its end."""
    put(tmp_path, "outside/running_mean/running_mean.py")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "chapter1").symlink_to(tmp_path / "outside")
    fault(exercise, folder, "a link out of the folder")


@needs_links
def test_link_within_the_folder_is_followed(exercise: Exercise, tmp_path: Path) -> None:
    """A learner may keep a file elsewhere in the same folder, and the folder itself may be a link."""
    put(tmp_path, "folder/attempts/third.py", "y = 3\n")
    (tmp_path / "folder" / "running_mean.py").symlink_to("attempts/third.py")
    (tmp_path / "link").symlink_to("folder")
    assert find_submission(exercise, tmp_path / "folder").source == b"y = 3\n"
    assert find_submission(exercise, tmp_path / "link").source == b"y = 3\n"


@needs_links
@pytest.mark.parametrize("target", ["nowhere.py", "running_mean.py"])
def test_link_that_leads_nowhere(exercise: Exercise, tmp_path: Path, target: str) -> None:
    """A dangling link and one to itself are named."""
    (tmp_path / "running_mean.py").symlink_to(target)
    fault(exercise, tmp_path, "a link to nothing")


@needs_links
def test_link_swapped_in_after_the_look_is_not_followed(
    exercise: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between looking and opening a file may become a link: the open itself refuses it."""
    put(tmp_path, "outside.py", "secret")
    path = put(tmp_path, "folder/running_mean.py")
    resolve = Path.resolve

    def resolve_then_swap(self: Path, strict: bool = False) -> Path:
        found = resolve(self, strict=strict)
        if self == path:
            path.unlink()
            path.symlink_to(tmp_path / "outside.py")
        return found

    monkeypatch.setattr(Path, "resolve", resolve_then_swap)
    fault(exercise, tmp_path / "folder", "cannot be read")


@needs_pipes
def test_pipe_does_not_block(exercise: Exercise, tmp_path: Path) -> None:
    """A named pipe without a writer is refused at once."""
    os.mkfifo(tmp_path / "running_mean.py")
    with at_once():
        fault(exercise, tmp_path, "is a pipe or a device", "Put a plain Python file")


@needs_pipes
def test_device_is_refused(exercise: Exercise, tmp_path: Path) -> None:
    """A device that never ends is not read."""
    try:
        os.mknod(tmp_path / "running_mean.py", 0o020666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("making a device needs root")
    with at_once():
        fault(exercise, tmp_path, "running_mean.py")


@needs_pipes
def test_descriptors_are_closed(exercise: Exercise, tmp_path: Path) -> None:
    """Good and unlucky files alike leave no descriptor open."""
    put(tmp_path, "good/chapter1/running_mean/running_mean.py")
    (tmp_path / "folder" / "chapter1" / "running_mean.py").mkdir(parents=True)
    before = os.dup(0)
    os.close(before)
    for _ in range(20):
        find_submission(exercise, tmp_path / "good")
        find_submission(exercise, tmp_path / "folder")
    after = os.dup(0)
    os.close(after)
    assert after == before


def test_unreadable_file_is_named(exercise: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without read permission is told, with the command that gives it (acted: root reads all)."""
    path = put(tmp_path, "running_mean.py")

    def refuse(name: object, *_: object, **__: object) -> int:
        if str(name).endswith("running_mean.py"):
            raise PermissionError(13, "Permission denied")
        return opened(name, *_, **__)  # type: ignore[arg-type]

    opened = os.open
    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "supports_dir_fd", {*os.supports_dir_fd, refuse})
    fault(exercise, tmp_path, str(path), "cannot be read: Permission denied", "chmod u+r")


def test_unreachable_folder_is_named(exercise: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that may not be entered is told and not taken for a missing file."""

    def refuse(self: Path) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "lstat", refuse)
    fault(exercise, tmp_path, "cannot be reached: Permission denied")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_names_are_safe_to_print(exercise: Exercise, tmp_path: Path) -> None:
    """Escape sequences and broken UTF-8 in a file's name reach no terminal."""
    put(tmp_path, "running_mean\x1b[31m\n.py")
    text = fault(exercise, tmp_path)
    assert "\x1b" not in text and "\n" not in text
    assert show(Path("caf\udce9/é\x07")) == r"caf\udce9/é\x07"
