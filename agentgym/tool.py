"""@tool methods: one definition gives the JSON schema, the argument check and the dispatch.

    @tool
    def lookup(self, state: State, rng: TurnRng, *, key: str, limit: int = 5) -> Turn[State]:
        '''Look a key up.

        Args:
            key: what to look for.
            limit: most entries to return.
        '''

Arguments after the star are the tool's; their annotations (str, int, float, bool, Literal["…"], list[…] and
dict[str, …] of these, and `| None`) become the schema, defaults among it, and those without a default are required. A
subclass changes a tool by defining the method again, and removes it with `lookup = None`.
"""  # noqa: D214 - the sections belong to the example

from __future__ import annotations

import inspect
import marshal
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

from agentgym.turn import InvalidAction, safe_name

Method = TypeVar("Method", bound=Callable[..., Any])

_NAMES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_TYPES: dict[str, type] = {name: kind for kind, name in _NAMES.items()}
_ARG_LINE = re.compile(r"^( +)(\w+)(?: \([^)]*\))?:\s*(.*)$")


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

    @property
    def text_argument(self) -> str | None:
        """The argument that a bare text can stand for: the only one, or the only one without a default, if a text."""
        required: list[str] = self.parameters["required"]
        if len(required) == 1 and _kind(self.parameters["properties"][required[0]]) == "string":
            return required[0]
        return self.single_text

    def schema(self) -> dict[str, Any]:
        """Return a fresh OpenAI-style function schema."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        fresh: dict[str, Any] = marshal.loads(marshal.dumps({"type": "function", "function": function}))
        return fresh

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments, integers widened where a number is asked for.

        Raises:
            InvalidAction: a missing, extra or wrongly typed argument; the message names it.
        """
        properties = self.parameters["properties"]
        for name in arguments:
            if name not in properties:
                allowed = ", ".join(properties) or "none"
                raise InvalidAction(f"args: {self.name} has no argument {safe_name(name)}; it takes: {allowed}")
        for name in self.parameters["required"]:
            if name not in arguments:
                raise InvalidAction(f"args: {self.name} needs the argument {name!r}")
        checked: dict[str, Any] = {}
        for name, value in arguments.items():
            prop = properties[name]
            free_text = type(value) is str and prop["type"] == "string" and "enum" not in prop
            checked[name] = value if free_text else _coerce(value, prop, f"{self.name}.{name}")
        return checked


class Tools(dict[str, ToolSpec]):
    """Tools by name, in the order in which they are offered; never changed, so that texts can be kept by them."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def schemas(self) -> list[dict[str, Any]]:
        """Return a fresh schema of each tool, in order; every first info holds them."""
        wholes, places = self._schemas
        fresh: list[Any] = [whole.copy() for whole in wholes]
        for parent, key, child in places:
            fresh[parent][key] = fresh[child]
        found: list[dict[str, Any]] = fresh[0]
        return found

    @cached_property
    def _schemas(self) -> tuple[list[Any], list[tuple[int, Any, int]]]:
        """The lists and dicts of all schemas, and where each stands: number of its holder, key, own number.

        To copy them one by one and put each in its place takes a third of the time of a deep copy.
        """
        wholes: list[Any] = [[spec.schema() for spec in self.values()]]
        places: list[tuple[int, Any, int]] = []
        for parent, whole in enumerate(wholes):  # which grows meanwhile
            for key, value in whole.items() if type(whole) is dict else enumerate(whole):
                if type(value) in (dict, list):
                    places.append((parent, key, len(wholes)))
                    wholes.append(value)
        return wholes, places


def tools_of(world: type) -> Tools:
    """Return the tools of a world class by name, in the order of their definition.

    Raises:
        TypeError: a tool whose arguments cannot become a schema; the message names both.
    """
    found: dict[str, ToolSpec] = {}
    for owner in reversed(world.__mro__):
        for name, member in vars(owner).items():
            if getattr(member, "__agentgym_tool__", False) or name in found and callable(member):
                found[name] = _spec(name, member)
            else:
                found.pop(name, None)
    return Tools(found)


def _spec(name: str, method: Callable[..., Any]) -> ToolSpec:
    _, *others = inspect.signature(method).parameters.values() if callable(method) else [None]
    keywords = [parameter for parameter in others if parameter.kind is parameter.KEYWORD_ONLY]
    open_ended = any(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in others)
    if len(others) - len(keywords) != 2 or open_ended:
        raise TypeError(f"tool {name}: define it as {name}(self, state, rng, *, …), its own arguments after the star")
    return function_spec(name, method)


def function_spec(name: str, method: Callable[..., Any]) -> ToolSpec:
    """Return the spec of a function whose keyword-only arguments are the tool's; for tools that are no methods.

    Raises:
        TypeError: an argument that cannot become a schema; the message names it.
    """
    parameters = inspect.signature(method).parameters.values()
    keywords = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    described = _described(method.__doc__ or "")
    properties: dict[str, Any] = {}
    for parameter in keywords:
        where = f"tool {name}, argument {parameter.name!r}"
        properties[parameter.name] = _property(_hint(parameter, method, where), where)
        if parameter.name in described:
            properties[parameter.name]["description"] = described[parameter.name]
        if parameter.default is not parameter.empty and parameter.default is not None:
            properties[parameter.name]["default"] = _default(parameter.default, properties[parameter.name], where)
    required = [parameter.name for parameter in keywords if parameter.default is parameter.empty]
    summary = inspect.cleandoc(method.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    only = list(properties) if len(properties) == 1 else []
    single = only[0] if only and _kind(properties[only[0]]) == "string" else None
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return ToolSpec(name, summary, schema, single)


def _hint(parameter: inspect.Parameter, method: Callable[..., Any], where: str) -> Any:
    """Return the annotation of one argument; those of state, rng and the result are never looked at."""
    if parameter.annotation is parameter.empty:
        raise TypeError(f"{where}: annotate it")
    alone = types.SimpleNamespace(__annotations__={"hint": parameter.annotation})
    try:
        return typing.get_type_hints(alone, getattr(method, "__globals__", {}))["hint"]
    except NameError as error:
        raise TypeError(f"{where}: {error}; its annotation must be importable when the class is defined") from error


def _described(doc: str) -> dict[str, str]:
    """Return what the docstring's section Args says of each argument; a deeper indented line goes on with the last."""
    _, found, body = inspect.cleandoc(doc).partition("Args:\n")
    said: dict[str, str] = {}
    last, margin = "", 0
    for line in re.split(r"\n\S", body)[0].splitlines() if found else ():
        match = _ARG_LINE.match(line)
        if match and (not last or len(match[1]) <= margin):
            margin, last = len(match[1]), match[2]
            said[last] = match[3].strip()
        elif last and line.strip():
            said[last] = f"{said[last]} {line.strip()}".strip()
    return said


def _property(hint: Any, where: str) -> dict[str, Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint in _NAMES:
        return {"type": _NAMES[hint]}
    if origin is Literal and args and all(type(arg) is str for arg in args):
        return {"type": "string", "enum": list(args)}
    if origin is list and len(args) == 1:
        return {"type": "array", "items": _property(args[0], where)}
    if origin is dict and len(args) == 2 and args[0] is str:
        return {"type": "object", "additionalProperties": _property(args[1], where)}
    if origin in (typing.Union, types.UnionType) and type(None) in args and len(args) == 2:
        inner = _property(next(arg for arg in args if arg is not type(None)), where)
        if "enum" in inner:
            inner["enum"].append(None)
        return {**inner, "type": [inner["type"], "null"]}
    raise TypeError(
        f"{where}: {hint!r} is not one of str, int, float, bool, Literal of texts, "
        "list[…] or dict[str, …] of these, X | None"
    )


def _kind(prop: Mapping[str, Any]) -> str:
    """Return the type of what is not null."""
    kind: str = prop["type"] if isinstance(prop["type"], str) else prop["type"][0]
    return kind


def _default(value: Any, prop: Mapping[str, Any], where: str) -> Any:
    """Return a default as the schema shows it, having checked that it is of the argument's type."""
    try:
        return _coerce(list(value) if type(value) is tuple else value, prop, "the default")
    except InvalidAction as error:
        raise TypeError(f"{where}: {error}") from None


def _coerce(value: Any, prop: Mapping[str, Any], where: str) -> Any:
    kind = _kind(prop)
    if value is None and kind != prop["type"]:
        return None
    if kind == "array" and type(value) is list:
        return [_coerce(item, prop["items"], f"{where}[{index}]") for index, item in enumerate(value)]
    if kind == "object" and type(value) is dict:
        inner = prop["additionalProperties"]
        return {name: _coerce(item, inner, f"{where}[{safe_name(name)}]") for name, item in value.items()}
    widened = kind == "number" and type(value) is int
    if type(value) is not _TYPES.get(kind) and not widened:
        shown = safe_name(str(value)[:41])
        shown = f" ({shown})" if shown[0] == "'" else ""
        raise InvalidAction(f"args: {where} must be of type {kind}, not {type(value).__name__}{shown}")
    if type(value) is int and not -(2**63) <= value < 2**63 or type(value) is float and not math.isfinite(value):
        raise InvalidAction(f"number: {where} must be finite and fit into 64 bits")
    if "enum" in prop and value not in prop["enum"]:
        allowed = ", ".join(item for item in prop["enum"] if item is not None)
        raise InvalidAction(f"args: {where} must be one of {allowed}, not {safe_name(value)}")
    return float(value) if widened else value
