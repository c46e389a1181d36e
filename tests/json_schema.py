"""A checker for the keywords of JSON Schema that ours uses; it refuses a schema with any other."""

import re
from collections.abc import Iterator
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float), "object": (dict,),
    "array": (list,),
}  # fmt: skip
ANNOTATIONS = {"$schema", "title", "description"}
KEYWORDS = {
    "type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "items", "properties",
    "required", "additionalProperties", "allOf", "if", "then", "else",
}  # fmt: skip


def is_valid(value: Any, schema: Any) -> bool:
    return not any(faults(value, schema))


def faults(value: Any, schema: Any, at: str = "$") -> Iterator[str]:
    """Yield where a value of plain JSON breaks a schema."""
    if isinstance(schema, bool):
        if not schema:
            yield f"{at}: nothing is allowed here"
        return
    unknown = set(schema) - ANNOTATIONS - KEYWORDS
    assert not unknown, f"keywords that this checker does not know: {sorted(unknown)}"
    if "type" in schema and not has_type(value, schema["type"]):
        yield f"{at}: not of type {schema['type']}"
    if "const" in schema and not same(value, schema["const"]):
        yield f"{at}: not {schema['const']!r}"
    if "enum" in schema and not any(same(value, option) for option in schema["enum"]):
        yield f"{at}: not one of {schema['enum']}"
    if isinstance(value, str):
        yield from of_text(value, schema, at)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{at}: out of range"
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from faults(item, schema.get("items", True), f"{at}[{index}]")
    if isinstance(value, dict):
        yield from of_object(value, schema, at)
    for part in schema.get("allOf", ()):
        yield from faults(value, part, at)
    if "if" in schema:
        yield from faults(value, schema.get("then" if is_valid(value, schema["if"]) else "else", True), at)


def has_type(value: Any, kind: str) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def same(value: Any, other: Any) -> bool:
    return bool(value == other) and isinstance(value, bool) is isinstance(other, bool)


def of_text(value: str, schema: Any, at: str) -> Iterator[str]:
    if "pattern" in schema and re.search(schema["pattern"], value) is None:
        yield f"{at}: does not match {schema['pattern']}"
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        yield f"{at}: length {len(value)}"


def of_object(value: dict[str, Any], schema: Any, at: str) -> Iterator[str]:
    known = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{at}: lacks {key}"
    for key, item in value.items():
        yield from faults(item, known.get(key, schema.get("additionalProperties", True)), f"{at}.{key}")
