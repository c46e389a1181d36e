"""Toolkit: official tools by name, and how one call is answered.

A tool is a function over a `Draft`, the database while a call writes to it. What it refuses is a `Refusal`, whose text
is part of the contract; what its models refuse is `values.Invalid`; and it has accidents, since arguments are not
checked: then the text is ours. Nothing is taken back in any of these cases.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, TypeVar

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.official.values import Invalid
from agentgym.tool import ToolSpec, function_spec

Tag = Literal["read", "write", "generic"]
Kind = Literal["ok", "domain_error", "argument_error", "validation_error", "internal_error"]
Run = TypeVar("Run", bound=Callable[..., str])

ACCIDENTS: Final = (
    TypeError,
    AttributeError,
    ValueError,
    LookupError,
    ArithmeticError,
    SyntaxError,
    RecursionError,
    MemoryError,
)
"""What an unchecked argument can bring about."""


class Refusal(Exception):
    """The tool refuses; the text is the official one, without "Error: "."""


class Outcome(NamedTuple):
    """What a call came to.

    Attributes:
        database: after the call; a call that fails may have written.
        text: what the caller reads; begins with "Error: " where `error` is set.
        error: whether the call failed.
        kind: why: "domain_error" (the text is the official one), or an argument's name, a model, an accident.
    """

    database: Database
    text: str
    error: bool
    kind: Kind


class Draft:
    """The database of one call while the call writes to it."""

    __slots__ = ("database",)

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, table: str, key: Any, missing: str) -> Record:
        """Return a record; Refusal(missing) if there is none, TypeError if the key is a list or an object."""
        try:
            return self.database[table][key]
        except KeyError:
            raise Refusal(missing) from None

    def set(self, table: str, key: str, record: Record) -> None:
        """Write a record."""
        self.database = self.database.set(table, key, record)

    def change(self, table: str, key: str, **fields: Any) -> Record:
        """Write some fields of a record, and return it."""
        record = {**self.database[table][key], **fields}
        self.database = self.database.set(table, key, record)
        return record


def shown(draft: Draft, table: str, key: str) -> str:
    """Return a record, which must be there, as tools show it: JSON, its keys in the record's order."""
    return draft.database.text(table, key, draft.database[table][key], json.dumps)


@dataclass(frozen=True, slots=True)
class OfficialTool:
    """A tool: its spec, its tag, and the function that runs it."""

    spec: ToolSpec
    tag: Tag
    run: Callable[..., str]
    required: frozenset[str]
    allowed: frozenset[str]


class Toolkit:
    """The tools of one side of a domain.

    Args:
        after: what happens after every call that writes, as part of it.
        unknown: what is said where there is no tool of the name {name}.
    """

    def __init__(
        self, after: Callable[[Draft], None] | None = None, unknown: str = "Error: Tool '{name}' not found."
    ) -> None:
        self.tools: dict[str, OfficialTool] = {}
        self._after, self._unknown = after, unknown

    def with_tools(self, tools: Mapping[str, OfficialTool]) -> Toolkit:
        """Add tools that were made for another side, and return this one."""
        self.tools.update(tools)
        return self

    def tool(self, tag: Tag, **schemas: Mapping[str, Any]) -> Callable[[Run], Run]:
        """Add the decorated function `run(draft, *, …)` under its own name.

        Args:
            tag: whether it reads, writes, or neither.
            schemas: argument → its JSON schema, where the annotation cannot say it.
        """

        def add(run: Run) -> Run:
            spec = function_spec(run.__name__, run)
            properties = {
                name: {**known, **schemas.get(name, {})} for name, known in spec.parameters["properties"].items()
            }
            spec = replace(spec, parameters={**spec.parameters, "properties": properties})
            required = frozenset(spec.parameters["required"])
            self.tools[spec.name] = OfficialTool(spec, tag, run, required, frozenset(properties))
            return run

        return add

    def call(self, database: Database, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Run a tool; never raises, whatever the arguments are."""
        tool = self.tools.get(name)
        if tool is None:
            return Outcome(database, self._unknown.format(name=name), True, "domain_error")
        if arguments.keys() != tool.allowed:
            wrong = _misnamed(tool, arguments)
            if wrong:
                return Outcome(database, f"Error: {wrong}", True, "argument_error")
        draft = Draft(database)
        try:
            text = tool.run(draft, **arguments)
            if self._after is not None and draft.database is not database:
                self._after(draft)
        except Refusal as error:
            return Outcome(draft.database, f"Error: {error}", True, "domain_error")
        except Invalid as error:
            return Outcome(draft.database, f"Error: {error}", True, "validation_error")
        except ACCIDENTS as error:
            return Outcome(draft.database, f"Error: {type(error).__name__}: {error}", True, "internal_error")
        return Outcome(draft.database, text, False, "ok")


def _misnamed(tool: OfficialTool, arguments: Mapping[str, Any]) -> str:
    missing, extra = sorted(tool.required - arguments.keys()), sorted(arguments.keys() - tool.allowed)
    if extra:
        return f"{tool.spec.name}() got an unexpected keyword argument '{extra[0]}'"
    return f"{tool.spec.name}() lacks the argument '{missing[0]}'" if missing else ""
