"""Who handed in what, in every layout that a class's work comes in."""

from __future__ import annotations

import os
import unicodedata

import pytest

from grader.batch.readers import read_class
from grader.batch.readers.names import attempt_of, meaning, split_attempt, stem_of
from grader.batch.records import Code
from grader.errors import UsageError
from tests.batch.made import COUNT, COURSE, EXERCISES, MEAN, WRONG, as_folder, notebook, tarred, zipped

SLUGS = ("running_mean", "word_count")


def read(path, only=None):
    exercises = [each for each in EXERCISES if only in (None, each.slug)]
    return read_class(path, COURSE, exercises)


def found(intake):
    """What was handed in: (student, slug) -> source."""
    return {
        (entry.student.key, entry.exercise.split("/")[1]): entry.submission.source
        for entry in intake.entries
        if not entry.missing
    }


def remarks(intake, student, slug="running_mean"):
    [entry] = [each for each in intake.entries if each.student.key == student and each.exercise.endswith(slug)]
    return {(remark.code, remark.text) for remark in entry.remarks}


def codes(intake, student, slug="running_mean"):
    return {code for code, _ in remarks(intake, student, slug)}


EXPECTED = {("ada", "running_mean"): MEAN, ("ada", "word_count"): COUNT, ("bo", "running_mean"): WRONG}
FOLDERS = {"ada/running_mean.py": MEAN, "ada/chapter1/word_count.py": COUNT, "bo/running_mean.py": WRONG}
FLAT = {"ada_running_mean.py": MEAN, "ada-word-count.py": COUNT, "running_mean_bo.py": WRONG}
JUNK = {
    "__MACOSX/ada/._running_mean.py": b"\0",
    "ada/.DS_Store": b"\0",
    ".DS_Store": b"\0",
    "ada/__pycache__/x.py": b"",
}


@pytest.mark.parametrize("files", [FOLDERS, FLAT, FOLDERS | JUNK], ids=["folders", "flat", "junk"])
@pytest.mark.parametrize("wrapped", ["", "Homework 1/"])
@pytest.mark.parametrize("form", ["folder", "zip", "tar.gz", "tar.bz2", "tar.xz", "tar"])
def test_layouts_are_found(tmp_path, files, wrapped, form):
    """Folders and flat files, with and without a folder around them, packed and unpacked, are the same class."""
    files = {wrapped + name: data for name, data in files.items()}
    if form == "folder":
        path = as_folder(files, tmp_path / "class")
    else:
        path = tmp_path / f"class.{form}"
        path.write_bytes(zipped(files) if form == "zip" else tarred(files, f"w:{form.partition('.')[2]}"))
    intake = read(path)
    assert found(intake) == EXPECTED
    assert not intake.remarks
    assert [student.key for student in intake.students] == ["ada", "bo"]


def test_students_may_hand_in_archives(tmp_path):
    """A student's zip or tar, in a folder or flat, is a folder of theirs."""
    files = {
        "ada.zip": zipped({"my work/running_mean.py": MEAN, "my work/word_count.py": COUNT}),
        "bo/solution.tar.gz": tarred({"running_mean.py": WRONG}),
    }
    assert found(read(as_folder(files, tmp_path))) == EXPECTED


def test_canvas(tmp_path):
    """Canvas' names give student, id and late mark; the highest number before the ending is the newest attempt."""
    files = {
        "lovelaceada_11_901_running_mean.py": b"old",
        "lovelaceada_11_905_running_mean-1.py": b"older",
        "lovelaceada_11_909_running_mean-2.py": MEAN,
        "bobo_LATE_12_902_running_mean.py": WRONG,
        "zipper_13_903_homework.zip": zipped({"hw/word_count.py": COUNT}),
    }
    intake = read(as_folder(files, tmp_path))
    assert intake.layout == "Canvas' download"
    assert found(intake) == {
        ("lovelaceada", "running_mean"): MEAN,
        ("bobo", "running_mean"): WRONG,
        ("zipper", "word_count"): COUNT,
    }
    assert {student.key: student.ids["ID"] for student in intake.students} == {
        "lovelaceada": "11", "bobo": "12", "zipper": "13"
    }  # fmt: skip
    assert [entry.late_mark for entry in intake.entries if entry.student.key == "bobo"] == [True, True]
    [(code, text)] = remarks(intake, "lovelaceada")
    assert code == Code.OLDER and "running_mean-1.py" in text and "running_mean.py" in text


METADATA = """
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0011'
    :email: ada@example.org
  - :name: Bo
    :sid:
    :email: bo@example.org
  :created_at: 2026-03-01 10:00:00.163000000 Z
  :score: 0.0
  :history:
  - :id: 7
    :created_at: 2026-02-27 10:00:00.163000000 Z
submission_2:
  :submitters:
  - :name: Bo
    :sid:
    :email: bo@example.org
  :created_at: 2026-03-02 10:00:00 Z
submission_3: !ruby/object:Nothing {}
"""


def test_gradescope(tmp_path):
    """The export's metadata gives names, ids and times; partners share a hand-in, the newest of each counts."""
    files = {
        "assignment_9_export/submission_metadata.yml": METADATA.encode(),
        "assignment_9_export/submission_1/running_mean.py": MEAN,
        "assignment_9_export/submission_2/running_mean.py": WRONG,
        "assignment_9_export/submission_3/word_count.py": COUNT,
    }
    path = tmp_path / "export.zip"
    path.write_bytes(zipped(files))
    intake = read(path)
    assert found(intake) == {
        ("0011", "running_mean"): MEAN,
        ("bo@example.org", "running_mean"): WRONG,
        ("submission_3", "word_count"): COUNT,
    }
    ada = next(entry for entry in intake.entries if entry.student.key == "0011")
    assert ada.student.name == "Ada Lovelace" and ada.student.ids["Email"] == "ada@example.org"
    assert ada.submitted_at.isoformat() == "2026-03-01T10:00:00.163000+00:00"
    assert Code.OLDER in codes(intake, "0011") and Code.OLDER in codes(intake, "bo@example.org")


def test_broken_metadata_is_said(tmp_path):
    """An export whose metadata is no YAML is the instructor's to mend."""
    path = as_folder({"submission_metadata.yml": b"a: [", "submission_1/running_mean.py": MEAN}, tmp_path)
    with pytest.raises(UsageError, match="submission_metadata"):
        read(path)


def test_github_classroom(tmp_path):
    """Clones are found by their .git, which is not entered; what their names share is the assignment."""
    files = {
        "hw1-submissions/hw1-ada-l/.git/HEAD": b"ref",
        "hw1-submissions/hw1-ada-l/running_mean.py": MEAN,
        "hw1-submissions/hw1-bo/.git/running_mean.py": b"no",
        "hw1-submissions/hw1-bo/src/running_mean.py": WRONG,
        "hw1-submissions/hw1-cy/.git/HEAD": b"ref",
    }
    as_folder(files, tmp_path)
    intake = read(tmp_path / "hw1-submissions")
    assert intake.layout == "GitHub Classroom's clones"
    assert found(intake) == {("ada-l", "running_mean"): MEAN, ("bo", "running_mean"): WRONG}
    assert [student.key for student in intake.students] == ["ada-l", "bo", "cy"]


def test_a_workspace_is_one_student(tmp_path):
    """A learner's own folder, in the course's layout, is a class of one."""
    path = as_folder({"chapter1/running_mean/running_mean.py": MEAN, "word_count.py": COUNT}, tmp_path / "ada")
    assert found(read(path)) == {("ada", "running_mean"): MEAN, ("ada", "word_count"): COUNT}


@pytest.mark.parametrize(
    "name",
    ["running-mean (1).py", "Running_Mean.py", "Copy of running_mean.py", "runing_mean.py", "ada_running_mean.py"],
)
def test_misnamed_files_are_graded_with_a_remark(tmp_path, name):
    """A name that is only nearly right is taken, and said."""
    intake = read(as_folder({f"ada/{name}": MEAN, "bo/running_mean.py": WRONG}, tmp_path))
    assert found(intake)["ada", "running_mean"] == MEAN
    assert (Code.MISNAMED, f"{name} was taken for running_mean.py") in remarks(intake, "ada")


def test_the_right_name_beats_one_that_is_like_it(tmp_path):
    """Nothing is taken for an exercise that is another exercise's, a test, or only like a file that is there."""
    files = {"ada/running_mean.py": MEAN, "ada/test_running_mean.py": b"no", "ada/runing_mean.py": b"no"}
    intake = read(as_folder(files | {"bo/word_count.py": COUNT}, tmp_path))
    assert found(intake) == {("ada", "running_mean"): MEAN, ("bo", "word_count"): COUNT}


def test_a_lone_file_is_taken_where_one_exercise_is_graded(tmp_path):
    """With one exercise to grade, a student's only Python file is it, in a folder or flat."""
    intake = read(as_folder({"ada/solution.py": MEAN, "bo/running_mean.py": WRONG}, tmp_path / "a"), "running_mean")
    assert found(intake) == {("ada", "running_mean"): MEAN, ("bo", "running_mean"): WRONG}
    assert codes(intake, "ada") == {Code.MISNAMED}
    intake = read(as_folder({"ada.py": MEAN, "bo.py": WRONG}, tmp_path / "b"), "running_mean")
    assert found(intake) == {("ada", "running_mean"): MEAN, ("bo", "running_mean"): WRONG}


def test_the_newest_attempt_is_graded(tmp_path):
    """Numbers in names, in folders and in student folders count attempts; else the newer file counts."""
    files = {
        "ada/attempt1/running_mean.py": b"old",
        "ada/attempt2/running_mean.py": MEAN,
        "bo/running_mean.py": b"old",
        "bo/running_mean (2).py": WRONG,
        "cy_attempt_1/running_mean.py": b"old",
        "cy_attempt_10/running_mean.py": MEAN,
        "di/a/running_mean.py": b"old",
        "di/b/running_mean.py": MEAN,
    }
    as_folder(files, tmp_path)
    os.utime(tmp_path / "di/a/running_mean.py", (1, 1))
    intake = read(tmp_path)
    assert found(intake) == {
        (name, "running_mean"): data for name, data in {"ada": MEAN, "bo": WRONG, "cy": MEAN, "di": MEAN}.items()
    }
    assert all(Code.OLDER in codes(intake, name) for name in ("ada", "bo", "cy", "di"))


def test_names_of_every_kind(tmp_path):
    """Spaces, accents in either form, backslashes and other scripts are the student's name."""
    files = {
        "Ada  L./running_mean.py": MEAN,
        unicodedata.normalize("NFD", "Zoë") + "/running_mean.py": MEAN,
        "李雷/running_mean.py": MEAN,
        "bo\\running_mean.py": WRONG,
    }
    path = tmp_path / "class.zip"
    path.write_bytes(zipped(files))
    assert {key for key, _ in found(read(path))} == {"Ada  L.", unicodedata.normalize("NFC", "Zoë"), "李雷", "bo"}


def test_links_pipes_and_unreadable_files_cost_their_student_alone(tmp_path):
    """A link is never followed and a pipe never opened: the student is told, the others are graded."""
    as_folder({"ada/running_mean.py": MEAN, "bo/notes.txt": b"", "cy/notes.txt": b"", "di/notes.txt": b""}, tmp_path)
    (tmp_path / "bo/running_mean.py").symlink_to(tmp_path / "ada/running_mean.py")
    os.mkfifo(tmp_path / "cy/running_mean.py")
    (tmp_path / "di/chapter1").symlink_to(tmp_path / "ada")
    intake = read(tmp_path)
    assert found(intake)["ada", "running_mean"] == MEAN
    faults = {e.student.key: e.submission.fault for e in intake.entries if e.exercise.endswith("running_mean")}
    assert "is a link" in faults["bo"] and "is a pipe or a device" in faults["cy"]
    assert "nothing was handed in" in faults["di"]


def test_what_belongs_to_nobody_is_named(tmp_path):
    """A file that no student can be told for is listed, not lost."""
    intake = read(as_folder(FLAT | {"grading notes.txt": b"", "solution.py": MEAN}, tmp_path))
    assert found(intake) == EXPECTED
    assert sorted(remark.text for remark in intake.remarks) == [
        "grading notes.txt belongs to no student or exercise",
        "solution.py belongs to no student or exercise",
    ]


def test_a_notebook_in_any_layout(tmp_path):
    """A notebook is taken where it bears the name or defines the function; a .py file goes first."""
    cells = notebook(MEAN.decode(), COUNT.decode())
    files = {
        "ada/chapter1.ipynb": cells,
        "bo/running_mean.ipynb": notebook(MEAN.decode()),
        "cy/work.ipynb": cells,
        "cy/word_count.py": COUNT,
    }
    intake = read(as_folder(files, tmp_path))
    assert set(found(intake)) == {
        ("ada", "running_mean"), ("ada", "word_count"), ("bo", "running_mean"), ("cy", "running_mean"),
        ("cy", "word_count"),
    }  # fmt: skip
    assert found(intake)["cy", "word_count"] == COUNT
    assert b"def running_mean" in found(intake)["ada", "running_mean"]
    assert b"count_words" not in found(intake)["ada", "running_mean"]
    assert (Code.NOTEBOOK, "taken from the cells of chapter1.ipynb") in remarks(intake, "ada")


def test_nothing_to_read_is_usage(tmp_path):
    """A path that is no folder and no archive, and an archive that is none, are told at once."""
    (tmp_path / "a.py").write_text("")
    (tmp_path / "b.zip").write_text("no zip")
    for name in ("a.py", "b.zip"):
        with pytest.raises(UsageError):
            read(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "slug", "rank", "rest"),
    [
        ("running_mean.py", "running_mean", 0, ""),
        ("running-mean (1).py", "running_mean", 1, ""),
        ("ada_running_mean.py", "running_mean", 1, "ada"),
        ("word_count-final.py", "word_count", 1, "final"),
        ("wordcount.py", "word_count", 2, ""),
        ("word_count_test.py", "", 9, ""),
        ("essay.py", "", 9, ""),
    ],
)
def test_what_a_name_means(name, slug, rank, rest):
    """Which exercise a file's name means, and what else it says."""
    found = meaning(name, SLUGS)
    if name == "word_count_test.py":
        assert found.rank > 0
    else:
        assert (found.slug, found.rank, found.rest) == (slug, rank, rest)


def test_attempts_in_names():
    """Numbers count attempts only where a word or a bracket says so."""
    assert (stem_of("a (3).py").text, stem_of("a (3).py").attempt) == ("a", 3)
    assert stem_of("adam-2.py").attempt == 0 and stem_of("adam-2.py", numbered=True).attempt == 2
    assert attempt_of("attempt 12") == 12 and attempt_of("7") == 7 and attempt_of("chapter3") == 0
    assert (split_attempt("ada-attempt2").text, split_attempt("ada-attempt2").attempt) == ("ada", 2)
    assert split_attempt("submission_12345678").text == "submission_12345678"
    assert split_attempt("agent_47").attempt == 0
