"""Domain: a service with its database, tools, policy, clock, customers' words and scenario families.

A domain is a subclass with methods marked by `serves`. What a method refuses is a `Refused`; then nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeVar

from agentgym.digest import json_writer
from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.sheet import AGENT, Call, Goal, Sheet
from agentgym.envs.customer_service.voice import Voice
from agentgym.errors import unknown
from agentgym.rng import TurnRng
from agentgym.tool import ToolSpec, function_spec
from agentgym.turn import InvalidAction

Tag = Literal["read", "write", "generic"]
_NAMED: Final = re.compile(r"`([a-z][a-z0-9]*_[a-z0-9_]*)(?:\([^`]*\))?`")
Method = TypeVar("Method", bound=Callable[..., Any])


_written = json_writer(ensure_ascii=False)


class Refused(Exception):
    """A tool refuses: the text says what was wrong and what is allowed."""


class Reply(NamedTuple):
    """What a call came to: the database after it, what the caller reads, and whether it failed."""

    database: Database
    text: str
    error: bool


class Desk:
    """The database while one call writes to it; what a refused call wrote is dropped.

    Attributes:
        database: as written so far.
        clock: the time of the world, "YYYY-MM-DD HH:MM:SS".
    """

    __slots__ = ("clock", "database")

    def __init__(self, database: Database, clock: str) -> None:
        self.database = database
        self.clock = clock

    def find(self, table: str, key: str, what: str) -> Record:
        """Return a record; Refused, naming `what` and the key, if there is none."""
        found = self.database[table].get(key)
        if found is None:
            raise Refused(f"there is no {what} {key}")
        return found

    def set(self, table: str, key: str, record: Record) -> None:
        """Write a record."""
        self.database = self.database.set(table, key, record)

    def change(self, table: str, key: str, **fields: Any) -> Record:
        """Write some fields of a record, and return it."""
        record = {**self.database[table][key], **fields}
        self.database = self.database.set(table, key, record)
        return record


def serves(tag: Tag, side: str = AGENT) -> Callable[[Method], Method]:
    """Mark a method `name(self, desk, *, …)` as a tool: it reads, writes, or neither, for the agent or the customer.

    It returns plain JSON, or a text, which the caller reads. Annotations and docstring are those of `agentgym.tool`.
    """

    def mark(method: Method) -> Method:
        method.__service__ = tag, side  # type: ignore[attr-defined]
        return method

    return mark


@dataclass(frozen=True, slots=True)
class ServiceTool:
    """A tool of a domain: how its caller sees it, whether it reads or writes, whose it is, and what runs it."""

    spec: ToolSpec
    tag: Tag
    side: str
    run: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of scenario.

    Attributes:
        name: unique in its domain.
        draw: (database, key of the customer's record, rng) → a sheet about this customer, or None where none fits.
    """

    name: str
    draw: Callable[[Database, str, TurnRng], Sheet | None]


class Domain:
    """A service.

    Attributes:
        name: such as "retail".
        title: who the agent works for, such as "the online shop Larder & Loom".
        clock: the time of the world.
        customers: the table of customers.
        words: what customers say and listen for.
        voice: what the expert says.
        families: the scenario families.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    clock: ClassVar[str]
    customers: ClassVar[str] = "customers"
    words: ClassVar[CustomerWords]
    voice: ClassVar[Voice]
    families: ClassVar[Sequence[Family]] = ()

    @cached_property
    def database(self) -> Database:
        """The base, which all tasks of the domain share."""
        raise NotImplementedError

    @cached_property
    def policy(self) -> str:
        """What an agent has to keep to, Markdown."""
        folder = resources.files("agentgym.envs.customer_service") / "data" / "policies"
        return (folder / f"{self.name}.md").read_text("utf-8")

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """What the policy names that is not there: words in backticks with an underscore, no tool nor value."""
        properties = [prop for tool in self.tools.values() for prop in tool.spec.parameters["properties"].items()]
        known = {*self.tools, *(text for name, prop in properties for text in (name, *prop.get("enum", ())))}
        named = dict.fromkeys(_NAMED.findall(self.policy))
        where = f"the policy of {self.name}: "
        return tuple(where + unknown("tool", name, self.tools) for name in named if name not in known)

    @cached_property
    def tools(self) -> Mapping[str, ServiceTool]:
        """Tools of both sides by name, in the order of their definition."""
        found = {}
        for owner in reversed(type(self).__mro__):
            for name, method in vars(owner).items():
                if hasattr(method, "__service__"):
                    tag, side = method.__service__
                    found[name] = ServiceTool(function_spec(name, method), tag, side, getattr(self, name))
        return found

    def checked(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments of a tool that is there, as it takes them.

        Raises:
            InvalidAction: a missing, extra or wrongly typed argument; the message names it.
        """
        return self.tools[name].spec.check(arguments)

    def owner(self, database: Database, text: str) -> str:
        """Return the customer whose record `text` is the key of; "" where it is nobody's, or no key."""
        name = database.holder(text)
        if not name:
            return ""
        return text if name == self.customers else str(database[name][text].get("customer", ""))

    def call(self, database: Database, call: Call) -> Reply:
        """Run a call; a refused one, or one with wrong arguments, changes nothing.

        The text of an error begins with "Error: " and names the argument or the record.
        """
        tool = self.tools.get(call.name)
        if tool is None or tool.side != call.side:
            return Reply(database, f"Error: there is no tool {call.name}", True)
        try:
            arguments = self.checked(call.name, call.arguments)
        except InvalidAction as error:
            return Reply(database, f"Error: {error}", True)
        return self.run(database, Call(call.name, arguments, call.side))

    def run(self, database: Database, call: Call) -> Reply:
        """Run a call of a tool that is there, its arguments checked (`checked`); as `call`."""
        desk = Desk(database, self.clock)
        try:
            found = self.tools[call.name].run(desk, **call.arguments)
            text = found if isinstance(found, str) else _written(found)
        except Refused as error:
            return Reply(database, f"Error: {error}", True)
        except Exception as error:
            error.add_note(f"in the tool {call.name} of the domain {self.name}")
            raise
        return Reply(desk.database, text, False)

    def start(self, sheet: Sheet) -> Database:
        """Return the database when the talk of a sheet begins.

        Raises:
            KeyError: the sheet prepares a record that is not there.
        """
        database = self.database
        for table, key, fields in sheet.setup:
            database = database.set(table, key, {**database[table][key], **fields})
        return database

    def violations(self, sheet: Sheet, goal: Goal, before: Database, call: Call) -> Sequence[str]:
        """Return the names of this domain's own rules that a write breaks; the common ones are the world's affair."""
        return ()
