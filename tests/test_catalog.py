"""The catalog: finding, loading and choosing, and what it says of a course that is not as it should be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader import catalog
from grader.errors import ContentError, UsageError
from grader.model import Course, FunctionSignature, Limits, Parameter

HERE = Path(__file__).parent
TOY = HERE / "toy_course" / "exercises"
REPO = HERE.parent / "exercises"

COURSE = """\
title: A course
order: [chapter2, chapter1]
objectives:
  1: know one thing
"""
CHAPTER = """\
title: A chapter
level: Beginner
prerequisites: [chapter2]
"""
EXERCISE = """\
title: An exercise
level: Beginner
path: core
minutes: 5
order: 1
objectives: [1]
needs: [numpy]
points: {core: 1}
"""


def write(path: Path, text: str = "") -> Path:
    """Writes a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def add_exercise(root: Path, id: str, text: str = EXERCISE) -> Path:
    """A small exercise with all its files."""
    chapter, slug = id.split("/")
    if not (root / chapter / "chapter.yaml").exists():
        write(root / chapter / "chapter.yaml", CHAPTER)
    for name in (f"{slug}.py", "checks.py", "README.md"):
        write(root / id / name)
    return write(root / id / "exercise.yaml", text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course of two chapters and three exercises, chapter2 first."""
    write(tmp_path / "exercises" / "course.yaml", COURSE)
    add_exercise(tmp_path / "exercises", "chapter1/adder", EXERCISE.replace("order: 1", "order: 2"))
    add_exercise(tmp_path / "exercises", "chapter1/sorter")
    add_exercise(tmp_path / "exercises", "chapter2/counter")
    return tmp_path / "exercises"


def ids(course: Course) -> list[str]:
    """The ids of a course in its order."""
    return [exercise.id for exercise in course.exercises]


# --- finding the course


def test_course_is_found_upwards_from_any_folder(root: Path) -> None:
    """From the repository, from its exercises, and from deep inside them the same course is found."""
    for start in (root.parent, root, root / "chapter1" / "adder"):
        assert catalog.find_course(start) == root


def test_course_beside_its_chapters_is_found(tmp_path: Path) -> None:
    """A folder that is the course itself, under another name, is found from within."""
    write(tmp_path / "kit" / "course.yaml", COURSE)
    add_exercise(tmp_path / "kit", "chapter1/adder")
    assert catalog.find_course(tmp_path / "kit" / "chapter1") == tmp_path / "kit"


def test_course_yaml_of_another_tool_is_passed_by(root: Path) -> None:
    """A course.yaml without chapters beside it is none of ours."""
    write(root.parent / "notes" / "course.yaml", "name: something else\n")
    assert catalog.find_course(root.parent / "notes") == root


def test_named_course_comes_first(root: Path, tmp_path: Path) -> None:
    """A course that is named outright is taken, as the folder itself or the one above."""
    assert catalog.find_course(TOY, course=root) == root
    assert catalog.find_course(TOY, course=root.parent) == root


def test_variable_is_used_where_nothing_is_above(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GRADE_COURSE names the course for a folder outside of any; inside of one it does not count."""
    monkeypatch.setenv(catalog.VARIABLE, str(root))
    assert catalog.find_course(tmp_path_factory.mktemp("elsewhere")) == root
    assert catalog.find_course(TOY) == TOY


def test_packaged_course_comes_last(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing else is to be found, the course that was installed with the grader is taken."""
    monkeypatch.delenv(catalog.VARIABLE, raising=False)
    monkeypatch.setattr(catalog, "PACKAGED", root)
    assert catalog.find_course(tmp_path_factory.mktemp("elsewhere")) == root


def test_no_course_is_a_usage_error_with_remedies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the folder, the remedy every way to name a course."""
    monkeypatch.delenv(catalog.VARIABLE, raising=False)
    monkeypatch.setattr(catalog, "PACKAGED", tmp_path / "nothing")
    with pytest.raises(UsageError) as caught:
        catalog.find_course(tmp_path)
    assert str(tmp_path) in caught.value.message
    assert "--course" in caught.value.remedy and catalog.VARIABLE in caught.value.remedy


@pytest.mark.parametrize("origin", ["--course", "GRADE_COURSE"])
def test_named_course_that_is_none_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: str
) -> None:
    """The remedy says who named the folder."""
    monkeypatch.setenv(catalog.VARIABLE, str(tmp_path))
    with pytest.raises(UsageError) as caught:
        catalog.find_course(tmp_path, course=tmp_path if origin == "--course" else None)
    assert origin in caught.value.remedy


# --- loading


@pytest.mark.parametrize("validate", [False, True])
def test_toy_course_is_read_as_written(validate: bool) -> None:
    """Every value of the yaml files arrives, the hidden mirror is attached, defaults are filled in."""
    course = catalog.load_course(TOY, validate=validate)
    assert (course.title, course.solutions) == ("Toy Course", TOY.parent / "solutions")
    assert course.objectives == {1: "Summarise a stream of numbers.", 2: "Count what is in a text."}
    mean, words = course.exercises
    assert (mean.id, mean.chapter, mean.slug) == ("chapter1/running_mean", "chapter1", "running_mean")
    assert (mean.title, mean.level, mean.path, mean.minutes) == ("Running Mean", "Beginner", "core", 5)
    assert (mean.points, mean.needs) == ({"core": 6, "edge": 2, "scale": 2}, ("numpy",))
    assert mean.limits == Limits(cpu_s=2, memory_mb=512)
    assert (words.needs, words.limits, words.equivalent) == ((), Limits(), {})
    assert mean.reference is not None and mean.hidden_checks is not None and mean.picture is not None
    assert (mean.given, words.given) == (None, TOY / "chapter1/word_count/given.py")
    assert len(mean.wheats) == 2 and len(mean.chaffs) >= 5


def test_repository_course_is_valid() -> None:
    """The real course.yaml loads: seven objectives, and chapters in the suggested order."""
    course = catalog.load_course(REPO, what=[])
    assert (course.title, sorted(course.objectives)) == ("Pretraining at Scale", list(range(1, 8)))
    chapters = [chapter.id for chapter in catalog.load_course(REPO).chapters]
    suggested = [f"chapter{number}" for number in (1, 2, 4, 3, 5, 6, 7, 8)]
    assert chapters == [name for name in suggested if name in chapters]
    assert catalog.terms_file(course) == REPO.parent / "question_bank" / "terms.yaml"


def test_chapters_follow_the_course_and_exercises_their_order(root: Path) -> None:
    """Chapters come as course.yaml lists them, exercises by `order` and then by name."""
    add_exercise(root, "chapter1/joiner")
    assert ids(catalog.load_course(root)) == [
        "chapter2/counter",
        "chapter1/joiner",
        "chapter1/sorter",
        "chapter1/adder",
    ]


def test_chapter_that_is_not_listed_comes_last(root: Path) -> None:
    """Adding a chapter edits no existing file: what course.yaml does not list follows by number."""
    for name in ("chapter10", "chapter9", "appendix"):
        add_exercise(root, f"{name}/extra")
    chapters = [chapter.id for chapter in catalog.load_course(root).chapters]
    assert chapters == ["chapter2", "chapter1", "appendix", "chapter9", "chapter10"]


def test_listed_chapter_without_folder_is_skipped(root: Path) -> None:
    """A chapter that is not written yet is no error, and one without exercises is there, empty."""
    write(root / "course.yaml", COURSE.replace("[", "[chapter7, chapter3, "))
    write(root / "chapter3" / "chapter.yaml", CHAPTER)
    chapters = catalog.load_course(root, validate=True).chapters
    assert [(chapter.id, len(chapter.exercises)) for chapter in chapters] == [
        ("chapter3", 0),
        ("chapter2", 1),
        ("chapter1", 2),
    ]


def test_only_what_is_named_is_read(root: Path) -> None:
    """A broken yaml in one exercise does not stop work on another, by slug, id or chapter."""
    write(root / "chapter1" / "adder" / "exercise.yaml", "title: [")
    assert ids(catalog.load_course(root, what=["sorter"])) == ["chapter1/sorter"]
    assert ids(catalog.load_course(root, what=["chapter2", "chapter1/sorter"])) == [
        "chapter2/counter",
        "chapter1/sorter",
    ]
    with pytest.raises(ContentError):
        catalog.load_course(root, what=["chapter1"])


def test_solutions_are_attached_where_they_are(root: Path, tmp_path: Path) -> None:
    """The sibling folder by default, another when named, none when None; some exercises have no mirror."""
    assert catalog.load_course(root).solutions is None
    write(tmp_path / "solutions" / "chapter1" / "adder" / "reference.py")
    write(tmp_path / "other" / "chapter1" / "sorter" / "reference.py")
    by_id = {exercise.id: exercise for exercise in catalog.load_course(root).exercises}
    assert by_id["chapter1/adder"].solution == tmp_path / "solutions" / "chapter1" / "adder"
    assert by_id["chapter1/sorter"].solution is None
    assert catalog.load_course(root, solutions=None).solutions is None
    other = catalog.load_course(root, solutions=tmp_path / "other")
    assert [exercise.solution is not None for exercise in other.exercises] == [False, True, False]


def test_folders_without_yaml_are_not_exercises(root: Path) -> None:
    """Caches, drafts and notes in the tree are passed by."""
    write(root / "chapter1" / "__pycache__" / "x.pyc")
    write(root / "chapter1" / "draft" / "draft.py")
    write(root / "notes" / "plan" / "README.md")
    assert len(ids(catalog.load_course(root, validate=True))) == 3


def test_commands_start_without_heavy_imports() -> None:
    """Loading a sound course imports neither jsonschema nor numpy: `grade` has to answer at once."""
    code = (
        "import sys; from pathlib import Path; from grader import catalog\n"
        f"catalog.load_course(Path({str(TOY)!r}))\n"
        "print({'jsonschema', 'numpy', 'torch', 'hypothesis', 'pytest'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "set()\n"


# --- faults in yaml files: one each

EXERCISE_FAULTS = {
    "no such key": ("minutes: 5", "minuts: 5", 1, "the key `minutes` is missing", "Add `minutes: …`"),
    "unknown key": ("path: core", "path: core\ncolour: red", 4, "colour: no such key", "Choose one of"),
    "misspelt key": ("points:", "limit: {}\npoints:", 8, "limit: no such key", "Did you mean `limits`?"),
    "wrong word": ("Beginner", "Beginer", 2, "level: 'Beginer' is not one of", "Did you mean `Beginner`?"),
    "yes for a word": ("path: core", "path: yes", 3, "path: 'yes' is not one of core, extra", "core, extra"),
    "text for a number": (
        "minutes: 5",
        "minutes: five",
        4,
        "minutes: must be a whole number",
        "whole number",
    ),
    "number for a text": ("An exercise", "12", 1, "title: must be text, not 12", "Write text"),
    "true for a number": ("minutes: 5", "minutes: true", 4, "must be a whole number, not True", "number"),
    "too small": ("minutes: 5", "minutes: 0", 4, "minutes: 0 is not at least 1", "at least 1"),
    "item of a list": ("[numpy]", "\n  - numpy\n  - tensorflow", 9, "needs[1]: 'tensorflow'", "numpy, torch"),
    "word for a list": ("needs: [numpy]", "needs: numpy", 7, "needs: must be a list", "Write a list"),
    "nested key": ("{core: 1}", "\n  core: 1\n  egde: 2", 10, "points.egde: no such key", "`edge`?"),
    "nothing": ("title: An exercise", "title:", 1, "title: must be text, not None", "Write text"),
    "not a mapping": (EXERCISE, "- title\n", 1, "must be keys with values", "keys with values"),
}

STRICT_FAULTS = {
    "twice in a list": ("[1]", "[1, 1]", 6, "objectives: an item stands twice", "Keep one"),
    "unknown objective": (
        "[1]",
        "\n  - 1\n  - 8",
        8,
        "objectives[1]: course.yaml has no objective 8",
        "1 to 1",
    ),
    "too long a limit": (
        "needs",
        "limits: {cpu_s: 1e4}\nneeds",
        7,
        "limits.cpu_s: 10000.0 is not at most",
        "600",
    ),
    "empty title": ("An exercise", '""', 1, "title: is empty or too short", "at least 1"),
    "short reason": ("needs", "equivalent: {a: b}\nneeds", 7, "equivalent.a: is empty or too short", "10"),
}


@pytest.mark.parametrize("validate", [False, True])
@pytest.mark.parametrize("fault", EXERCISE_FAULTS)
def test_fault_in_exercise_yaml_names_file_line_field_and_remedy(root: Path, fault: str, validate: bool) -> None:
    """With and without the full validation the same fault gets the same words."""
    old, new, line, message, remedy = EXERCISE_FAULTS[fault]
    path = write(root / "chapter1" / "adder" / "exercise.yaml", EXERCISE.replace(old, new))
    with pytest.raises(ContentError) as caught:
        catalog.load_course(root, validate=validate)
    assert caught.value.message.startswith(f"{path}:{line}: ")
    assert message in caught.value.message
    assert remedy in caught.value.remedy


@pytest.mark.parametrize("fault", STRICT_FAULTS)
def test_full_validation_finds_what_a_quick_look_lets_pass(root: Path, fault: str) -> None:
    """Bounds, patterns and references between files are checked by `grade check`."""
    old, new, line, message, remedy = STRICT_FAULTS[fault]
    path = write(root / "chapter1" / "adder" / "exercise.yaml", EXERCISE.replace(old, new))
    catalog.load_course(root)
    with pytest.raises(ContentError) as caught:
        catalog.load_course(root, validate=True)
    assert caught.value.message.startswith(f"{path}:{line}: ")
    assert message in caught.value.message
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("file", "text", "line", "message"),
    [
        ("course.yaml", COURSE.replace("order", "ordre"), 1, "the key `order` is missing"),
        ("course.yaml", COURSE.replace("chapter1]", "Chapter 1]"), 2, "order[1]: 'Chapter 1' does not match"),
        ("course.yaml", COURSE.replace("1: know", "one: know"), 3, "objectives: 'one' does not match"),
        ("chapter1/chapter.yaml", CHAPTER.replace("Beginner", "hard"), 2, "level: 'hard' is not one of"),
        (
            "chapter1/chapter.yaml",
            CHAPTER.replace("chapter2", "chapter12"),
            3,
            "prerequisites[0]: course.yaml",
        ),
    ],
)
def test_fault_in_course_or_chapter_yaml_is_named(root: Path, file: str, text: str, line: int, message: str) -> None:
    """The other two kinds of file are held against their schemas too."""
    path = write(root / file, text)
    with pytest.raises(ContentError) as caught:
        catalog.load_course(root, validate=True)
    assert caught.value.message.startswith(f"{path}:{line}: {message}")
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["README.md", "checks.py", "adder.py"])
def test_missing_file_of_an_exercise_is_named(root: Path, name: str) -> None:
    """Statement, checks and stub have to be there."""
    (root / "chapter1" / "adder" / name).unlink()
    with pytest.raises(ContentError, match=name):
        catalog.load_course(root, validate=True)


@pytest.mark.parametrize("file", ["chapter1/Adder-2/exercise.yaml", "chapter1/b/checks.py", "x/b/exercise.yaml"])
def test_overlooked_folder_is_named(root: Path, file: str) -> None:
    """A folder with a bad name, or without one of the yaml files, is never graded: the author is told."""
    path = write(root / file, EXERCISE)
    assert len(ids(catalog.load_course(root))) == 3
    assert len(ids(catalog.load_course(root, what=["chapter2"], validate=True))) == 1
    with pytest.raises(ContentError) as caught:
        catalog.load_course(root, validate=True)
    assert str(path.parent) in caught.value.message


# --- choosing


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["all"], ["chapter2/counter", "chapter1/sorter", "chapter1/adder"]),
        (["chapter1"], ["chapter1/sorter", "chapter1/adder"]),
        (["chapter1/"], ["chapter1/sorter", "chapter1/adder"]),
        (["exercises/chapter1"], ["chapter1/sorter", "chapter1/adder"]),
        (["adder"], ["chapter1/adder"]),
        (["chapter1/adder"], ["chapter1/adder"]),
        (["./exercises/chapter1/adder/"], ["chapter1/adder"]),
        (["exercises\\chapter1\\adder"], ["chapter1/adder"]),
        (["exercises/chapter1/adder/adder.py"], ["chapter1/adder"]),
        (["chapter1/adder.py"], ["chapter1/adder"]),
        (["adder.py"], ["chapter1/adder"]),
        (["adder", "counter", "chapter1/adder"], ["chapter2/counter", "chapter1/adder"]),
        (["adder", "all"], ["chapter2/counter", "chapter1/sorter", "chapter1/adder"]),
        ([], []),
    ],
)
def test_words_choose_exercises(root: Path, words: list[str], expected: list[str]) -> None:
    """Every form that a learner may type names its exercises, in the suggested order and each once."""
    course = catalog.load_course(root)
    assert [exercise.id for exercise in catalog.select(course, words)] == expected
    assert ids(catalog.load_course(root, what=words)) == expected


@pytest.mark.parametrize(
    ("word", "remedy"),
    [
        ("addr", "Did you mean adder?"),
        ("chapter1/conter", "Did you mean chapter2/counter?"),
        ("chapter2/adder", "Did you mean chapter1/adder?"),
        ("chaptr2", "Did you mean chapter2?"),
        ("al", "Did you mean all?"),
        ("xyzzy", "`grade list` shows what there is."),
        ("", "`grade list` shows what there is."),
        ("exercises/adder", "Did you mean adder?"),
    ],
)
def test_unknown_word_gets_a_close_match(root: Path, word: str, remedy: str) -> None:
    """A word that names nothing is a usage error, with the nearest name where one is near."""
    with pytest.raises(UsageError) as caught:
        catalog.select(catalog.load_course(root), [word])
    assert f"`{word}`" in caught.value.message
    assert caught.value.remedy.startswith(remedy)
    with pytest.raises(UsageError):
        catalog.load_course(root, what=[word])


def test_slug_in_two_chapters_is_ambiguous(root: Path) -> None:
    """Both are named, and either id works."""
    add_exercise(root, "chapter2/adder")
    course = catalog.load_course(root)
    with pytest.raises(UsageError) as caught:
        catalog.select(course, ["adder"])
    assert "chapter1/adder" in caught.value.message and "chapter2/adder" in caught.value.message
    assert [exercise.id for exercise in catalog.select(course, ["chapter2/adder"])] == ["chapter2/adder"]


# --- signatures and imports


def test_signatures_list_public_functions(tmp_path: Path) -> None:
    """Every kind of parameter is told apart; private and nested functions and classes do not count."""
    path = write(
        tmp_path / "stub.py",
        "import broken_module\n"
        "def f(a, /, b, c=1, *rest, d, e=None, **others): ...\n"
        "def g() -> int:\n    def inner(): ...\n"
        "def _private(): ...\n"
        "class C:\n    def method(self): ...\n"
        "h = 3\n",
    )
    found = catalog.signatures(path)
    assert list(found) == ["f", "g"]
    assert found["g"] == FunctionSignature("g", ())
    assert found["f"].parameters == (
        Parameter("a", "positional_only"),
        Parameter("b", "positional_or_keyword"),
        Parameter("c", "positional_or_keyword", has_default=True),
        Parameter("rest", "var_positional"),
        Parameter("d", "keyword_only"),
        Parameter("e", "keyword_only", has_default=True),
        Parameter("others", "var_keyword"),
    )


def test_signatures_of_broken_file_name_the_line(tmp_path: Path) -> None:
    """A stub that is not Python is a content error at its line."""
    path = write(tmp_path / "stub.py", "x = 1\ndef f(:\n")
    with pytest.raises(ContentError) as caught:
        catalog.signatures(path)
    assert caught.value.message.startswith(f"{path}:2: SyntaxError")


def test_stub_and_reference_of_the_toys_agree() -> None:
    """The toy course keeps the rule that `grade check` enforces."""
    for exercise in catalog.load_course(TOY).exercises:
        assert exercise.reference is not None
        assert catalog.signatures(exercise.stub) == catalog.signatures(exercise.reference)


def test_import_leaves_no_traces(tmp_path: Path) -> None:
    """No entry in sys.path, no .pyc, and an edit within the same second is seen."""
    path, before = write(tmp_path / "reference.py", "VALUE = 1\n"), list(sys.path)
    assert catalog.import_file(path, "toy_import_test").VALUE == 1
    path.write_text("VALUE = 2\n", encoding="utf-8")
    module = catalog.import_file(path, "toy_import_test")
    assert (module.VALUE, module.__file__, module.__name__) == (2, str(path), "toy_import_test")
    assert sys.path == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["reference.py"]
    del sys.modules["toy_import_test"]


def test_dataclasses_of_imported_file_work(tmp_path: Path) -> None:
    """A module's own name is known while it runs, as dataclasses with string annotations need it."""
    text = (
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Point:\n    x: int = 3\n"
    )
    module = catalog.import_file(write(tmp_path / "given.py", text), "toy_dataclass_test")
    assert module.Point().x == 3
    del sys.modules["toy_dataclass_test"]


def test_given_is_importable_while_a_file_is_imported(tmp_path: Path) -> None:
    """`import given` finds the exercise's own module and nothing afterwards; two files share one module."""
    given = write(tmp_path / "given.py", "ITEMS = []\n")
    path = write(tmp_path / "reference.py", "import given\nfrom given import ITEMS\n")
    first = catalog.import_file(path, "toy_given_test", given)
    second = catalog.import_file(path, "toy_given_test_2", given)
    assert first.ITEMS is first.given.ITEMS is second.ITEMS
    assert "given" not in sys.modules
    with catalog.given_in_place(given) as module:
        assert sys.modules["given"] is module is first.given
    assert "given" not in sys.modules
    del sys.modules["toy_given_test"], sys.modules["toy_given_test_2"]


def test_given_of_another_exercise_is_put_back(tmp_path: Path) -> None:
    """Exercises nest: the inner one's given hides the outer one's for its time only."""
    outer, inner = (write(tmp_path / name / "given.py", f"NAME = {name!r}\n") for name in ("outer", "inner"))
    with catalog.given_in_place(outer):
        with catalog.given_in_place(inner):
            assert sys.modules["given"].NAME == "inner"
        assert sys.modules["given"].NAME == "outer"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x = 1\n\ny = 1 / 0\n", 3, "ZeroDivisionError"),
        ("x = 1\nimport no_such_package\n", 2, "No module named 'no_such_package'"),
        ("x = (\n", 1, "SyntaxError"),
        ("import given\n", 1, "No module named 'given'"),
    ],
)
def test_import_of_broken_file_names_the_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    """A course file that does not run is a content error, and leaves no half-made module."""
    path = write(tmp_path / "reference.py", text)
    with pytest.raises(ContentError) as caught:
        catalog.import_file(path, "toy_broken_test")
    assert caught.value.message.startswith(f"{path}:{line}: ")
    assert message in caught.value.message
    assert "toy_broken_test" not in sys.modules


@pytest.mark.parametrize(
    ("line", "shown"), [("", False), ("show_hidden: true\n", True), ("show_hidden: false\n", False)]
)
def test_hidden_checks_are_shown_where_the_course_says_so(tmp_path, line, shown):
    """Whether learners see names of the checks at hand-in is the course's to say; without a word they do not."""
    course = shutil.copytree(TOY, tmp_path / "exercises")
    yaml = course / "course.yaml"
    yaml.write_text(yaml.read_text() + line)
    assert catalog.load_course(course, validate=True).show_hidden is shown
