"""@tool methods: one definition gives the JSON schema, the argument check and the dispatch.

    @tool
    def lookup(self, state: State, rng: TurnRng, *, key: str, limit: int = 5) -> Turn[State]:
        '''Look a key up.

        Args:
            key: what to look for.
            limit: most entries to return.
        '''

Arguments after the star are the tool's; their annotations (str, int, float, bool, Literal[…], list[…] of these, and
`| None`) become the schema, and those without a default are required.
"""  # noqa: D214 - the sections belong to the example

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from agentgym.turn import InvalidAction

Method = TypeVar("Method", bound=Callable[..., Any])

_NAMES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_TYPES: dict[str, type] = {name: kind for kind, name in _NAMES.items()}
_ARG_LINE = re.compile(r"^\s{2,}(\w+):\s*(.+)$")


def tool(method: Method) -> Method:
    """Mark a world's method as a tool that the agent may call."""
    method.__agentgym_tool__ = True  # type: ignore[attr-defined]
    return method


@dataclass(frozen=True)
class ToolSpec:
    """A tool as the agent sees it.

    Attributes:
        name: the method's name.
        description: the first paragraph of its docstring.
        parameters: JSON schema of the arguments.
        single_text: the argument's name where the tool takes exactly one, a text; else None.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    single_text: str | None

    def schema(self) -> dict[str, Any]:
        """Return a fresh OpenAI-style function schema."""
        properties = {name: dict(prop) for name, prop in self.parameters["properties"].items()}
        parameters = {**self.parameters, "properties": properties, "required": list(self.parameters["required"])}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments, integers widened where a number is asked for.

        Raises:
            InvalidAction: a missing, extra or wrongly typed argument; the message names it.
        """
        properties = self.parameters["properties"]
        for name in arguments:
            if name not in properties:
                allowed = ", ".join(properties) or "none"
                raise InvalidAction(f"args: {self.name} has no argument {str(name)[:60]!r}; it takes: {allowed}")
        for name in self.parameters["required"]:
            if name not in arguments:
                raise InvalidAction(f"args: {self.name} needs the argument {name!r}")
        return {name: _coerce(value, properties[name], f"{self.name}.{name}") for name, value in arguments.items()}


def tools_of(world: type) -> dict[str, ToolSpec]:
    """Return the tools of a world class by name, in the order of their definition."""
    found: dict[str, ToolSpec] = {}
    for owner in reversed(world.__mro__):
        for name, member in vars(owner).items():
            if getattr(member, "__agentgym_tool__", False):
                found[name] = _spec(name, member)
    return found


def _spec(name: str, method: Callable[..., Any]) -> ToolSpec:
    hints = typing.get_type_hints(method)
    described = _described(method.__doc__ or "")
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        if parameter.name not in hints:
            raise TypeError(f"tool {name}: annotate the argument {parameter.name!r}")
        properties[parameter.name] = _property(hints[parameter.name], f"tool {name}, argument {parameter.name!r}")
        if parameter.name in described:
            properties[parameter.name]["description"] = described[parameter.name]
        if parameter.default is parameter.empty:
            required.append(parameter.name)
    first = inspect.cleandoc(method.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    only = list(properties) if len(properties) == 1 else []
    single = only[0] if only and properties[only[0]].get("type") == "string" else None
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return ToolSpec(name, first, schema, single)


def _described(doc: str) -> dict[str, str]:
    _, found, body = inspect.cleandoc(doc).partition("Args:\n")
    if not found:
        return {}
    section = re.split(r"\n\S", body)[0]
    return {match[1]: match[2] for line in section.splitlines() if (match := _ARG_LINE.match(line))}


def _property(hint: Any, where: str) -> dict[str, Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint in _NAMES:
        return {"type": _NAMES[hint]}
    if origin is Literal:
        return {"type": "string", "enum": list(args)}
    if origin is list and len(args) == 1:
        return {"type": "array", "items": _property(args[0], where)}
    if origin in (typing.Union, types.UnionType) and type(None) in args and len(args) == 2:
        inner = _property(next(arg for arg in args if arg is not type(None)), where)
        return {**inner, "nullable": True}
    raise TypeError(f"{where}: {hint!r} is not one of str, int, float, bool, Literal, list of these, or X | None")


def _coerce(value: Any, prop: Mapping[str, Any], where: str) -> Any:
    kind: str = prop["type"]
    if value is None and prop.get("nullable"):
        return None
    if kind == "array" and type(value) is list:
        return [_coerce(item, prop["items"], f"{where}[{index}]") for index, item in enumerate(value)]
    if kind == "number" and type(value) is int and abs(value) < 2**63:
        return float(value)
    if type(value) is not _TYPES.get(kind) or (type(value) is int and not -(2**63) <= value < 2**63):
        raise InvalidAction(f"args: {where} must be a {kind}, not {type(value).__name__} ({str(value)[:40]!r})")
    if "enum" in prop and value not in prop["enum"]:
        raise InvalidAction(f"args: {where} must be one of {', '.join(prop['enum'])}, not {str(value)[:60]!r}")
    return value
