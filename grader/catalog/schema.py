"""JSON Schema for what people write, with errors that say file, line, field and remedy.

The schemas under ``grader/schemas`` are the only place that says what a yaml file may hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from grader.catalog.yaml_source import Place, YamlFile

if TYPE_CHECKING:
    from jsonschema import ValidationError

SCHEMAS = Path(__file__).parent.parent / "schemas"
NO_KEY = "no such key."

Explained = tuple[Place, str, str]  # where, what is wrong, what to do


@cache
def read_schema(name: str | Path) -> dict[str, Any]:
    """The JSON Schema in a file, or the one under ``grader/schemas`` called ``name``."""
    path = name if isinstance(name, Path) else SCHEMAS / f"{name}.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def require_valid(source: YamlFile, schema: str | Path, full: bool = True) -> None:
    """See to it that ``source`` is as the JSON Schema called ``schema`` wants it.

    Args:
        source: what was read.
        schema: a name under ``grader/schemas``, without its ending, or a file.
        full: False for a quick look at types, keys and enumerations, which spares the 70 ms that importing
            jsonschema takes. Whatever the quick look doubts is put before jsonschema all the same.

    Raises:
        ContentError: the first thing that is wrong, by line.
    """
    if full or not _looks_right(source.data, read_schema(schema)):
        _validate(source, read_schema(schema))


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def _looks_right(data: Any, schema: Mapping[str, Any]) -> bool:
    if "enum" in schema:
        return data in schema["enum"]
    if "type" not in schema or type(data) not in _TYPES.get(schema["type"], ()):
        return False
    if schema["type"] == "array":
        return all(_looks_right(item, schema["items"]) for item in data)
    if schema["type"] != "object":
        return bool(data >= schema.get("minimum", data))
    known, other = schema.get("properties", {}), schema.get("additionalProperties")
    if any(key not in data for key in schema.get("required", ())):
        return False
    return all((key in known or other is not None) and _looks_right(data[key], known.get(key, other)) for key in data)


def _validate(source: YamlFile, schema: Mapping[str, Any]) -> None:
    from jsonschema import Draft202012Validator

    found = _causes([_explain(error) for error in Draft202012Validator(schema).iter_errors(source.data)])
    if found:
        place, message, remedy = min(found, key=lambda fault: (source.line(fault[0]), fault[1]))
        raise source.error(place, message, remedy)


def _causes(found: Sequence[Explained]) -> list[Explained]:
    """Without the keys that are called unknown only because something within them is wrong, in an `if … then`."""
    within = {place[:depth] for place, message, _ in found if message != NO_KEY for depth in range(len(place) + 1)}
    return [fault for fault in found if fault[1] != NO_KEY or fault[0] not in within]


def _explain(error: ValidationError) -> Explained:
    """Where one error is, what is wrong and what to do, in words of the file and not of the schema."""
    schema: Any = error.schema
    place, got = tuple(error.absolute_path), cast(Any, error.instance)
    rule: Any = cast(Any, error.validator_value)
    allowed = list(schema.get("properties", ()))
    match error.validator:
        case "required":
            missing = next(key for key in rule if key not in got)
            return place, f"the key `{missing}` is missing.", f"Add `{missing}: …`."
        case "unevaluatedProperties" | "additionalProperties":
            key = next(key for key in got if key not in allowed and repr(key) in error.message)
            return (*place, key), NO_KEY, _suggest(key, allowed)
        case "enum":
            return place, f"{got!r} is not one of {', '.join(map(str, rule))}.", _suggest(got, rule)
        case "type":
            names = " or ".join(_NAMES.get(name, name) for name in ([rule] if isinstance(rule, str) else rule))
            return place, f"must be {names}, not {got!r:.60}.", f"Write {names}."
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum":
            relation = _RELATIONS[error.validator]
            return place, f"{got!r} is not {relation} {rule}.", f"Choose a number {relation} {rule}."
        case "uniqueItems":
            return place, "an item stands twice.", "Keep one of them."
        case "minItems" | "minLength" | "minProperties":
            return place, "is empty or too short.", f"Write at least {rule}."
        case _:
            return place, f"{error.message:.200}.", schema.get("description", "Correct it.")


_NAMES = {
    "object": "keys with values",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}
_RELATIONS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}


def _suggest(word: object, allowed: Sequence[Any]) -> str:
    close = get_close_matches(str(word), [str(one) for one in allowed], n=1)
    if close:
        return f"Did you mean `{close[0]}`?"
    return f"Choose one of {', '.join(map(str, allowed))}."
