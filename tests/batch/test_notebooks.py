"""Notebooks as hand-ins: what their functions need, nothing that would run, and no cell that takes others with it."""

from __future__ import annotations

import json

import pytest

from grader.batch.readers.notebooks import Notebooks, defines, read_notebook
from grader.catalog.submission import Unlucky
from tests.batch.made import notebook

FUNCTIONS = ("f", "g")


def read(*cells, **options):
    return read_notebook(notebook(*cells, **options), "demo", FUNCTIONS)


def run(source):
    space = {}
    exec(compile(source, "demo.py", "exec"), space)
    return space


def test_what_the_functions_need_is_kept_and_nothing_else():
    """Imports, constants, helpers and classes come along; calls, plots and other functions do not."""
    made = read(
        "import math\nimport matplotlib.pyplot as plt",
        "TABLE = {}\nTABLE[1] = math.pi\nTABLE.update({2: 3})\nprint('hi')\nother = 1 / 0",
        "def helper(x):\n    return TABLE[x]\n\n@staticmethod\ndef unused():\n    pass",
        "def f(x):\n    return helper(x)",
        "f(3)\nassert f(1) == 2\nplt.plot([1])",
        "g = lambda x: f(x)",
    )
    assert made.found == ["f", "g"]
    assert run(made.source)["f"](2) == 3 and run(made.source)["g"](2) == 3
    for gone in ("matplotlib", "print", "1 / 0", "unused", "assert"):
        assert gone not in made.source
    assert "# cell 4\ndef f(x):" in made.source


def test_magics_and_shell_lines_are_dropped_and_reported():
    """Lines for IPython go, also inside an if; cells for other languages go; %%time keeps its cell."""
    made = read(
        "%matplotlib inline\n!pip install x\nimport math",
        "%%bash\nrm -rf /",
        "%%time\ndef f(x):\n    return math.sqrt(x)",
        "if True:\n    %autoreload 2\nfiles = !ls\nmath.sqrt?",
        "def g(x):\n    return '''\n%not a magic\n''' and x",
    )
    assert run(made.source)["f"](4) == 2 and run(made.source)["g"](4) == 4
    assert "%not a magic" in made.source
    said = "\n".join(made.remarks)
    assert "cell 1: left out %matplotlib inline, !pip install x" in said
    assert "cell 2 is for %%bash" in said


def test_one_broken_cell_does_not_lose_the_rest():
    """A cell that is no Python is left out and named."""
    made = read("def f(x:\n  return", "def f(x):\n    return 1", "def g(x): return )")
    assert run(made.source)["f"](0) == 1
    assert made.found == ["f"]
    assert len([text for text in made.remarks if "no Python" in text]) == 2


def test_the_last_definition_wins_unless_a_cell_is_tagged():
    """Of several cells with the function, the last one; a tag for the exercise goes before that."""
    cells = ("def f(x):\n    return 1", "def f(x):\n    return 2", "def f(x):\n    return 3")
    assert run(read(*cells).source)["f"](0) == 3
    assert run(read(*cells, tags={2: ["grade:demo"]}).source)["f"](0) == 2
    assert run(read(*cells, tags={1: ["solution"]}).source)["f"](0) == 1
    assert any("f is taken from cell 3; also defined in cell 1, 2" in text for text in read(*cells).remarks)


def test_odd_notebooks_are_read():
    """Doubled ids, missing metadata, text instead of lines, old versions and strange cells do not matter."""
    cell = {"cell_type": "code", "id": "same", "source": "def f(x):\n    return 5"}
    odd = {"cells": [cell, {"cell_type": "code", "id": "same", "source": 7}, "no cell", {"cell_type": "markdown"}]}
    assert run(read_notebook(json.dumps(odd).encode(), "demo", FUNCTIONS).source)["f"](0) == 5
    old = {
        "nbformat": 3,
        "worksheets": [{"cells": [{"cell_type": "code", "input": ["def f(x):\n", "    return 6"], "outputs": []}]}],
    }
    assert run(read_notebook(json.dumps(old).encode(), "demo", FUNCTIONS).source)["f"](0) == 6


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff\xfe", b'{"nbformat": 3, "worksheets": 7}', b"[" * 100_000])
def test_what_is_no_notebook_is_refused(data):
    """Anything else is one sentence for its student, and the next notebook is read."""
    with Notebooks() as notebooks:
        with pytest.raises(Unlucky, match=r"x\.ipynb is no notebook"):
            notebooks.read(data, "x.ipynb", "demo", FUNCTIONS)
        assert notebooks.read(notebook("def f(x): return 1"), "y.ipynb", "demo", FUNCTIONS).found == ["f"]


def test_a_cell_that_breaks_the_parser_costs_itself():
    """Nesting that no parser bears loses a cell, or at worst its notebook."""
    bombs = ("(" * 100_000, "-" * 200_000 + "1", "x = " + "[" * 5_000 + "]" * 5_000, "1" + "+1" * 100_000, "\0")
    with Notebooks() as notebooks:
        for bomb in bombs:
            try:
                made = notebooks.read(notebook(bomb, "def f(x): return 1"), "x.ipynb", "demo", FUNCTIONS)
                assert made.found == ["f"]
            except Unlucky as unlucky:
                assert "breaks Python's parser" in str(unlucky)
        assert notebooks.read(notebook("def f(x): return 1"), "y.ipynb", "demo", FUNCTIONS).found == ["f"]


def test_a_parser_that_dies_is_replaced(monkeypatch):
    """When the process that reads is gone, the notebook is refused and the next one is read by another."""
    with Notebooks() as notebooks:
        good = notebook("def f(x): return 1")
        assert notebooks.read(good, "a.ipynb", "demo", FUNCTIONS).found
        for process in notebooks._pool._processes.values():
            process.kill()
            process.join()
        with pytest.raises(Unlucky, match="breaks Python's parser"):
            notebooks.read(good, "b.ipynb", "demo", FUNCTIONS)
        assert notebooks.read(good, "c.ipynb", "demo", FUNCTIONS).found


def test_a_notebook_without_the_functions_makes_an_empty_file():
    """Nothing is made up: the file then lacks the function, and its learner is told so."""
    assert read("x = 1").source == "\n" and read("x = 1").found == []
    assert defines(notebook("def f(x): pass"), FUNCTIONS) and not defines(notebook("define = 1"), FUNCTIONS)
