"""Strict YAML for files that people write: YAML 1.2 core scalars, each thing with its line.

YAML as PyYAML reads it turns ``no`` into False, ``010`` into 8, ``12:30`` into 750 and ``1e-3`` into text,
and lets the second of two equal keys win. Here a scalar is what the YAML 1.2 core schema says, and everything
that an author may not have meant is refused, with file, line and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import yaml

from grader.errors import ContentError

MAX_BYTES = 2**20
MAX_DEPTH = 32

Place = tuple[str | int, ...]

_TAG = "tag:yaml.org,2002:"
_SCALARS = (  # https://yaml.org/spec/1.2.2/#103-core-schema: tag, pattern, first characters
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("float", r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", list("-+.")),
)


class CoreLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """PyYAML's safe loader with the scalars of YAML 1.2 in place of those of YAML 1.1."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}  # not the parent's


for _name, _pattern, _first in _SCALARS:
    CoreLoader.add_implicit_resolver(_TAG + _name, re.compile(rf"(?:{_pattern})\Z"), _first)


@dataclass(frozen=True)
class YamlFile:
    """What a YAML file says, and where it says it.

    Attributes:
        path: the file.
        data: its content; keys of mappings are strings, as written.
        lines: the line of each key and item, by its place, e.g. ``("points", "core")``.
    """

    path: Path
    data: Any
    lines: Mapping[Place, int] = field(default_factory=dict)

    def line(self, place: Iterable[str | int]) -> int:
        """The line of what is at ``place``, or of the nearest thing around it."""
        at = tuple(place)
        while at and at not in self.lines:
            at = at[:-1]
        return self.lines.get(at, 1)

    def error(self, place: Iterable[str | int], message: str, remedy: str = "") -> ContentError:
        """A ContentError that names this file, the line and the field at ``place``."""
        at = tuple(place)
        name = f" {spell(at)}:" if at else ""
        return ContentError(f"{self.path}:{self.line(at)}:{name} {message}", remedy)


def spell(place: Place) -> str:
    """A place as people write it: ``points.core``, ``objectives[0]``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def read_yaml(path: Path) -> YamlFile:
    """The one document in ``path``, with the line of every key.

    Raises:
        ContentError: the file is missing, empty, too large, not UTF-8 or not YAML, or it holds several
            documents, equal keys, aliases, tags or too deep a nesting.
    """
    try:
        loader = CoreLoader(_read_text(path))
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(path, error) from None
    except yaml.YAMLError as error:
        raise ContentError(f"{path}: not YAML: {error}", "Remove the characters that YAML does not allow.") from None
    except RecursionError:
        raise ContentError(f"{path}: nested too deeply.", f"Use at most {MAX_DEPTH} levels.") from None
    if node is None:
        raise ContentError(f"{path}:1: the file is empty.", "Write its keys; CONTRIBUTING.md shows an example.")
    lines: dict[Place, int] = {}
    return YamlFile(path, _Reader(path, lines).value(node, ()), lines)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ContentError(f"{path}: no such file.", "Create it, or check the folder's name.") from None
    except OSError as error:
        raise ContentError(f"{path}: cannot be read: {error.strerror}.", "Make it a readable file.") from None
    if len(raw) > MAX_BYTES:
        raise ContentError(f"{path}: larger than {MAX_BYTES // 1024} KiB.", "Split it, or keep data elsewhere.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ContentError(f"{path}:{line}: not UTF-8 text.", "Save the file as UTF-8.") from None


def _syntax_error(path: Path, error: yaml.MarkedYAMLError) -> ContentError:
    mark = error.problem_mark or error.context_mark
    place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
    if "single document" in str(error.context):
        return ContentError(f"{place}: a second document starts here.", "Keep one document: remove the `---` line.")
    problem = ", ".join(str(part) for part in (error.context, error.problem) if part)
    return ContentError(f"{place}: not YAML: {problem}.", "Check indentation, colons, quotes and tabs near that line.")


@dataclass
class _Reader:
    """Turns YAML nodes into plain data, and writes down where each key stands."""

    path: Path
    lines: dict[Place, int]
    seen: set[int] = field(default_factory=set)

    def value(self, node: yaml.Node, place: Place) -> Any:
        """The plain data that ``node`` stands for."""
        if id(node) in self.seen:  # its marks are those of the anchor, so the key has to say where it is
            here = YamlFile(self.path, None, self.lines)
            raise here.error(place, "is an alias (*name).", "Write the value out in both places.")
        self.lines.setdefault(place, node.start_mark.line + 1)
        if len(place) > MAX_DEPTH:
            raise self.fault(node, "nested too deeply.", f"Use at most {MAX_DEPTH} levels.")
        self.seen.add(id(node))
        kind = node.tag.removeprefix(_TAG)
        if kind == "map" and isinstance(node, yaml.MappingNode):
            return self.mapping(node, place)
        if kind == "seq" and isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*place, index)) for index, item in enumerate(node.value)]
        if kind in _CONVERT and isinstance(node, yaml.ScalarNode):
            try:
                return _CONVERT[kind](node.value)
            except (ValueError, KeyError):
                raise self.fault(node, f"{node.value[:40]!r} is no {kind}.", "Correct it, or quote it.") from None
        raise self.fault(node, f"the tag {node.tag!r} is not allowed.", "Remove the tag; quote text if need be.")

    def mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        """A mapping whose keys are different words."""
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode) or id(key_node) in self.seen:
                raise self.fault(key_node, "a key must be one word or number.", "Write `key: value`.")
            self.seen.add(id(key_node))
            key = key_node.value
            if key in data:
                first = self.lines[(*place, key)]
                raise self.fault(key_node, f"the key `{key}` stands twice; first in line {first}.", "Keep one of them.")
            self.lines[(*place, key)] = key_node.start_mark.line + 1
            data[key] = self.value(value_node, (*place, key))
        return data

    def fault(self, node: yaml.Node, message: str, remedy: str) -> ContentError:
        mark = node.start_mark
        return ContentError(f"{self.path}:{mark.line + 1}:{mark.column + 1}: {message}", remedy)


def _integer(text: str) -> int:
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


def _real(text: str) -> float:
    if text.lower() == ".nan":
        raise ValueError  # equals nothing and passes every bound: nobody means it in a file
    return float(text.lower().replace(".inf", "inf"))


_CONVERT: dict[str, Any] = {
    "str": str,
    "null": lambda text: None,
    "bool": lambda text: {"true": True, "false": False}[text.lower()],
    "int": _integer,
    "float": _real,
}
