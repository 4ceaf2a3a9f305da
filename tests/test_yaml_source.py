"""YAML as the course reads it: the scalars of YAML 1.2, and a place for every fault."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grader.catalog.schema import SCHEMAS, require_valid
from grader.catalog.yaml_source import MAX_BYTES, CoreLoader, read_yaml
from grader.errors import ContentError


def read(tmp_path: Path, text: str | bytes) -> Any:
    """The data that a text stands for."""
    path = tmp_path / "file.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_yaml(path).data


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, word) for word in ("yes", "no", "on", "off", "y", "n", "Yes", "NO", "nUll", "tRue")),
        *((word, word) for word in ("12:30:45", "2024-01-31", "2001-12-14t21:59:43.10-05:00", "1_000", "=")),
        *((word, word) for word in ("1e", "e3", ".", "+.e1", "0b11", "0o9", "0xg", "-0x10", "1.2.3")),
        ("010", 10),
        ("0o10", 8),
        ("0xFf", 255),
        ("-12", -12),
        ("+7", 7),
        ("1e-3", 1e-3),
        ("7e9", 7e9),
        ("6.7E+2", 670.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5e1", -5.0),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'5'", "5"),
        ('"true"', "true"),
        ("!!str 5", "5"),
        ("!!float 5", 5.0),
        ("'<<'", "<<"),
    ],
)
def test_scalars_are_those_of_the_core_schema(tmp_path: Path, text: str, value: Any) -> None:
    """Words stay words, numbers are read as people mean them, and types are exact."""
    got = read(tmp_path, f"key: {text}\n")["key"]
    assert (type(got), got) == (type(value), value)


def test_keys_are_text_as_written(tmp_path: Path) -> None:
    """`1:`, `no:` and `1e3:` are the keys "1", "no" and "1e3"; `<<` merges nothing."""
    assert read(tmp_path, "1: a\nno: b\n1e3: c\n<<: {d: e}\n") == {
        "1": "a",
        "no": "b",
        "1e3": "c",
        "<<": {"d": "e"},
    }


def test_text_may_begin_with_a_mark_and_end_lines_as_windows_does(tmp_path: Path) -> None:
    """A byte order mark and CRLF are no part of the data."""
    assert read(tmp_path, b"\xef\xbb\xbftitle: caf\xc3\xa9\r\nitems: [1,\r\n  2]\r\n") == {
        "title": "café",
        "items": [1, 2],
    }


def test_lines_are_known_for_every_key_and_item(tmp_path: Path) -> None:
    """A place leads to its line, and one that is not there to the nearest around it."""
    path = tmp_path / "file.yaml"
    path.write_text("# comment\na: 1\nb:\n  - x\n  - y:\n      2\nc: >-\n  long\n  text\nd: {e: 1}\n")
    source = read_yaml(path)
    places = [(), ("a",), ("b",), ("b", 0), ("b", 1), ("b", 1, "y"), ("c",), ("d", "e")]
    assert [source.line(place) for place in places] == [2, 2, 3, 4, 5, 5, 7, 10]
    assert source.line(("b", 7, "z")) == 3
    assert str(source.error(("b", 1, "y"), "is odd.")) == f"{path}:5: b[1].y: is odd."


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", ":1", "is empty"),
        ("# only a comment\n", ":1", "is empty"),
        ("a: 1\nb: 2\na: 3\n", ":3:1", "the key `a` stands twice; first in line 1"),
        ("a:\n  b: 1\n  'b': 2\n", ":3:3", "the key `b` stands twice; first in line 2"),
        ("1: a\n0x1: b\n1: c\n", ":3:1", "the key `1` stands twice; first in line 1"),
        ("a: 1\n---\nb: 2\n", ":2:1", "a second document"),
        ("a: &x [1]\nb: *x\n", ":2: b:", "is an alias"),
        ("a: &x\n  b: *x\n", ":2: a.b:", "is an alias"),
        ("a: &x k\n*x : 2\n", ":1:4", "a key must be one word"),
        ("a: *nowhere\n", ":1:4", "undefined alias"),
        ("a: [1\nb: 2\n", ":2:", "not YAML"),
        ("a:\n\tb: 1\n", ":2:1", "not YAML"),
        ("a: b: c\n", ":1:5", "not YAML"),
        ("a: 'open\n", ":2:1", "not YAML"),
        ("? [a, b]\n: c\n", ":1:3", "a key must be one word"),
        ("a: !!timestamp 2024-01-31\n", ":1:4", "tag"),
        ("a: !!python/object/apply:os.system [ls]\n", ":1:4", "tag"),
        ("a: !mine x\n", ":1:4", "tag"),
        ("a: !!set {x, y}\n", ":1:4", "tag"),
        ("a: !!int x\n", ":1:4", "'x' is no int"),
        ("a: .nan\n", ":1:4", "'.nan' is no float"),
        ("a: " + "9" * 5000 + "\n", ":1:4", "is no int"),
        ("a: " + "[" * 40 + "]" * 40 + "\n", ":1:", "nested too deeply"),
        ("a: " + "[" * 20000 + "]" * 20000 + "\n", "", "nest"),
        (b"a: \x00\n", "", "not YAML"),
        (b"a: 1\nb: caf\xe9\n", ":2", "not UTF-8"),
        ("a: 1\n".encode("utf-16"), ":1", "not UTF-8"),
        (b"#" * (MAX_BYTES + 1), "", "larger than 1024 KiB"),
    ],
)
def test_fault_names_file_line_and_column(tmp_path: Path, text: str | bytes, place: str, message: str) -> None:
    """Whatever is not plain, single and unambiguous is refused where it stands, with a remedy."""
    with pytest.raises(ContentError) as caught:
        read(tmp_path, text)
    assert caught.value.message.startswith(f"{tmp_path / 'file.yaml'}{place}")
    assert message in caught.value.message
    assert caught.value.remedy


def test_alias_bomb_is_refused_at_once(tmp_path: Path) -> None:
    """Aliases that would multiply to a billion items are not expanded."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    with pytest.raises(ContentError, match="alias"):
        read(tmp_path, "\n".join(rows))


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_file_that_cannot_be_read_is_a_content_error(tmp_path: Path, kind: str) -> None:
    """No file, and a folder of that name, are named with a remedy."""
    path = tmp_path / "file.yaml"
    if kind == "folder":
        path.mkdir()
    with pytest.raises(ContentError) as caught:
        read_yaml(path)
    assert str(path) in caught.value.message and caught.value.remedy


def test_loader_keeps_to_itself() -> None:
    """PyYAML's own loaders are as they were: only the subclass has the scalars of YAML 1.2."""
    import yaml

    assert yaml.safe_load("a: yes") == {"a": True}
    assert CoreLoader.yaml_implicit_resolvers is not yaml.SafeLoader.yaml_implicit_resolvers


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_schemas_are_valid_and_closed(path: Path) -> None:
    """Each is JSON Schema 2020-12, and no object in it takes keys that it does not name."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", ["course", "chapter", "exercise"])
def test_objects_of_course_schemas_are_closed(name: str) -> None:
    """A misspelt key is never passed by in silence."""

    def visit(part: Any) -> None:
        if isinstance(part, dict):
            if part.get("type") == "object":
                assert part.get("unevaluatedProperties") is False or "additionalProperties" in part
            for child in part.values():
                visit(child)

    visit(json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8")))


def test_quick_look_never_refuses_what_the_schema_allows(tmp_path: Path) -> None:
    """The quick look decides nothing by itself: a whole number written 5.0 is doubted, then allowed."""
    path = tmp_path / "file.yaml"
    path.write_text(
        "title: T\nlevel: Beginner\npath: core\nminutes: 5.0\norder: 1\nobjectives: [1]\nneeds: []\npoints: {core: 1}\n"
    )
    require_valid(read_yaml(path), "exercise", full=False)
    require_valid(read_yaml(path), "exercise", full=True)


def test_schema_may_lie_beside_its_files(tmp_path: Path) -> None:
    """A schema outside of the grader's own folder is named by its path."""
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "object", "properties": {"a": {"type": ["string", "null"]}}}')
    path = tmp_path / "file.yaml"
    path.write_text("a: 5\n")
    with pytest.raises(ContentError, match="a: must be text or nothing, not 5"):
        require_valid(read_yaml(path), schema)
