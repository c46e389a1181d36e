"""Models of records as tau2 has them, with pydantic where it is installed, else in plain Python.

A model is made of examples: the fields of a dict and the types of each. A dict with very many keys is a mapping.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Union

try:
    import pydantic
except ImportError:
    pydantic = None  # type: ignore[assignment]

FIELDS = 60
"""Names in the dicts of one place from which on they are the keys of a mapping and no fields."""

Shape = tuple[frozenset[type], Any]
"""The types of a value, and the shapes of what it holds: by field of a dict, one for all items of a list."""


class Model(Protocol):
    """What reads records of one kind, and writes them as plain values."""

    def read(self, record: Any) -> Any:
        """Return a record, validated; an error if it does not fit."""

    def dump(self, held: Any) -> Any:
        """Return what `read` returned as plain values."""


def model_of(examples: Sequence[Any]) -> Model:
    """Return a model that all examples fit."""
    found = shape(examples)
    return Plain(found) if pydantic is None else Typed(found)


class Typed:
    """A model of pydantic's."""

    def __init__(self, wanted: Shape) -> None:
        self._model: Any = pydantic.TypeAdapter(_annotation(wanted, "Record"))

    def read(self, record: Any) -> Any:
        return self._model.validate_python(record)

    def dump(self, held: Any) -> Any:
        return self._model.dump_python(held, exclude_unset=True)  # a field that was not there is not made up


class Plain:
    """A check of every field's type; what it holds is a copy."""

    def __init__(self, wanted: Shape) -> None:
        self._wanted = wanted

    def read(self, record: Any) -> Any:
        return validated(record, self._wanted, "the record")

    def dump(self, held: Any) -> Any:
        return copied(held)


def shape(values: Sequence[Any]) -> Shape:
    """Return the shape that all of some values have."""
    dicts = [value for value in values if isinstance(value, dict)]
    items = [item for value in values if isinstance(value, list) for item in value]
    inner: Any = None
    if dicts:
        names = dict.fromkeys(name for value in dicts for name in value)
        inner = {name: shape([value[name] for value in dicts if name in value]) for name in names}
    elif items:
        inner = shape(items)
    return frozenset(map(type, values)), inner


def _annotation(wanted: Shape, name: str) -> Any:
    """Return a shape as an annotation, with a model for every dict that is no mapping."""
    kinds, inner = wanted
    found = []
    for kind in sorted(kinds, key=lambda kind: kind.__name__):
        if kind is dict and len(inner) <= FIELDS:
            fields = {field: (_annotation(one, field) | None, None) for field, one in inner.items()}
            found.append(pydantic.create_model(name.title(), **fields))  # type: ignore[call-overload]
        elif kind is dict:
            found.append(dict[str, Any])
        elif kind is list:
            found.append(list[_annotation(inner, name)] if inner is not None else list[Any])  # type: ignore[misc]
        else:
            found.append(kind)
    return Union[tuple(found)] if found else Any  # noqa: UP007 - of a number of types that only running tells


def described(name: str, signature: inspect.Signature, doc: str) -> Any:
    """Return the models of a tool's parameters and result, made of its signature and docstring."""
    lines = dict(line.strip().partition(": ")[::2] for line in doc.split("\n") if ": " in line)
    if pydantic is None:
        return {part.name: (part.annotation, lines.get(part.name, "")) for part in signature.parameters.values()}
    fields: dict[str, Any] = {
        part.name: (
            Any,
            pydantic.Field(... if part.default is part.empty else part.default, description=lines.get(part.name)),
        )
        for part in signature.parameters.values()
    }
    return pydantic.create_model(name, **fields), pydantic.create_model(f"{name} returns", returns=(Any, ...))


def validated(value: Any, wanted: Shape, where: str) -> Any:
    """Return a copy of a value of a shape.

    Raises:
        TypeError: it has another.
    """
    kinds, inner = wanted
    if type(value) not in kinds:
        raise TypeError(f"{where} is of type {type(value).__name__}")
    if type(value) is dict:
        return {name: validated(item, inner[name], name) for name, item in value.items()}
    if type(value) is list and value:
        return [validated(item, inner, where) for item in value]
    return value


def copied(value: Any) -> Any:
    """Return a copy of plain values."""
    if isinstance(value, Mapping):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value
