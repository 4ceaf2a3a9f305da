"""What the documents name is there: paths, commands, options, and the blocks that CI runs."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from grader.catalog import exercise_ids
from grader.cli import cli

ROOT = Path(__file__).parent.parent
DOCS = sorted(f"docs/{path.name}" for path in ROOT.glob("docs/*.md"))
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "benchmarks/README.md", *DOCS)
ENDINGS = (".py", ".md", ".toml", ".yaml", ".yml", ".ini", ".txt", ".json")
PATH = re.compile(r"[\w.-]+(/[\w.-]+)*/?")
MARK = re.compile(r"^<!-- ci: (\w+) -->\n```\w*\n(.+?)^```$", re.MULTILINE | re.DOTALL)


def read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    """What stands in backticks in running text."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def lines(text: str) -> list[str]:
    """The lines of all blocks of code, without comments."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]


@cache
def existing() -> frozenset[str]:
    """Every path of the working tree that git would keep, with its folders, and every end of one."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    files = [Path(name) for name in names if (ROOT / name).exists()]
    whole = {path for file in files for path in (file, *file.parents)}
    return frozenset("/".join(path.parts[at:]) for path in whole for at in range(len(path.parts)))


def paths(text: str) -> Iterator[str]:
    """The words in backticks that are paths of this repository, by their look.

    Not absolute ones, nor those with a placeholder in them (capitals, braces), nor what a set-up makes.
    """
    for word in (word.split("=")[-1].rstrip(".,;:") for span in spans(text) for word in span.split()):
        looks = "/" in word or word.endswith(ENDINGS)
        if looks and PATH.fullmatch(word) and not word.isupper() and not word.startswith((".venv/", "..")):
            yield word


def is_there(word: str) -> bool:
    """Whether a path is there, or is where a learner's file for an exercise may be: chapter3/minhash_lsh.py."""
    return word.rstrip("/") in existing() or word.removesuffix(".py") in exercise_ids(ROOT / "exercises")


def commands(text: str) -> Iterator[list[str]]:
    """The words of each `grade …`, in a line of a block or in backticks; of several joined by &&, each."""
    for code in spans(text) + lines(text):
        for part in re.split(r"\s*(?:&&|;|\|)\s*", code):
            found = re.match(r"(?:[!$] )?(?:\S*/)?grade\s+(\S.*)", part)
            if found:
                yield shlex.split(found[1])


def fault(words: list[str]) -> str:
    """Why `grade` would not take these words, or "" where it would."""
    first = words[0]
    group = set(opts for param in cli.params for opts in param.opts) | {"--help", "-h"}
    if first.startswith("-"):
        named, rest = cli.commands[cli.default], words
    elif first in cli.commands:
        named, rest = cli.commands[first], words[1:]
    elif is_selection(first):
        named, rest = cli.commands[cli.default], words[1:]
    else:
        return f"{first} is no command and nothing to grade"
    if isinstance(named, click.Group):  # grade quiz stats; grade quiz --exam
        inner = rest[0] if rest and rest[0] in named.commands else named.default
        named, rest = named.commands[inner], rest[1:] if inner in rest[:1] else rest
    known = {opt for param in named.params if isinstance(param, click.Option) for opt in param.opts}
    unknown = [word.split("=")[0] for word in rest if re.match(r"--?[a-z]", word)]
    wrong = [word for word in unknown if word not in known | group]
    return f"{named.name} has no option {', '.join(wrong)}" if wrong else ""


def is_selection(word: str) -> bool:
    """Whether a word can be graded: an exercise, a chapter, all, or a placeholder in capitals."""
    ids = exercise_ids(ROOT / "exercises")
    names = {part for id in ids for part in (id, *id.split("/"))}
    return word == "all" or word in names or word.upper() == word


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_exist(document):
    """Every path that a document names is a file or folder of the repository, or the end of one's path."""
    missing = {word for word in paths(read(document)) if not is_there(word)}
    assert not missing, f"{document} names {', '.join(sorted(missing))}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_exist(document):
    """Every `grade …` in a document is a command with options that it has, or names something to grade."""
    faults = [f"grade {' '.join(words)}: {fault(words)}" for words in commands(read(document)) if fault(words)]
    assert not faults, "\n".join(faults)


def test_ci_runs_what_readme_shows():
    """Each block that .ci/run takes from README is there and not empty, and README marks no other."""
    [names] = re.findall(r"^for name in (.+?); do$", read(".ci/run"), flags=re.MULTILINE)
    marked = dict(MARK.findall(read("README.md")))
    assert set(marked) == set(names.split())
    assert all(block.strip() for block in marked.values())


def test_the_reader_finds_faults():
    """The rules above see a path, a command and an option that are not there."""
    text = "`docs/nowhere.md` and `gone.py`, not `N/D` or `/proc`; `grade frobnicate`, `grade list --fast`"
    assert [word for word in paths(text) if not is_there(word)] == ["docs/nowhere.md", "gone.py"]
    assert [bool(fault(words)) for words in commands(text)] == [True, True]
    assert not fault(["all", "--using", "DIR"]) and not fault(["WHAT"]) and not fault(["--help"])
