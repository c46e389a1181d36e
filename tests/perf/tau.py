"""Stand-ins for tau2 and tau-bench: the same tools on plain dicts, hashed, reset and scored as those programs do it.

Written from what they do, not from their code. tau2 parses and validates the database three times for a reset, and for
the score makes two more, replays the talk in one and the right calls in the other, and compares hashes: the models of
the whole database as plain values, these as JSON with sorted keys, SHA-256 of that. Such a hash is taken here at the
end of every step too, as ours gives one.
tau-bench reads the database again for a reset, has no hash in a step, and for the score makes nested tuples of the
whole database, hashes their text, reads the database again, replays the right calls and hashes that.

Neither has a customer here, nor reads an agent's text, nor starts threads, nor reads its tasks again, so the ratios
understate: of the programs themselves longer times were measured once (docs/performance.md). Validation is a check of
every field's type in plain Python, and models are copies; tau2 has pydantic for both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from agentgym.envs.customer_service.domain import Desk, Domain, Refused
from agentgym.envs.customer_service.sheet import AGENT, Call, Sheet

Action = Call | str
"""A call, or a message, which these programs hand to a model that plays the customer."""


class Records(dict[str, dict[str, Any]]):
    """Tables of plain dicts that are changed in place, as far as the tools of a domain look at a `Database`."""

    def __init__(self, tables: Mapping[str, dict[str, Any]], kept: dict[str, Any]) -> None:
        super().__init__(tables)
        self.kept = kept  # indexes, kept for all episodes: these programs look through whole tables instead

    def set(self, name: str, key: str, record: Any) -> Records:
        self[name][key] = record
        return self

    def rows(self, name: str) -> Iterator[str]:
        return iter(self[name])

    def index(self, name: str, build: Callable[[Any], Any]) -> Any:
        if name not in self.kept:
            self.kept[name] = build(self)
        return self.kept[name]

    def text(self, slot: str, key: str, record: Any, render: Callable[[Any], str]) -> str:
        return render(record)


class Program:
    """One of these programs with one task.

    Args:
        domain: whose tools are called.
        text: the database as JSON, indented as the files of these programs are.
        sheet: the task.
    """

    def __init__(self, domain: Domain, text: str, sheet: Sheet) -> None:
        self.domain, self.text, self.sheet = domain, text, sheet
        self.kept: dict[str, Any] = {}
        self.right = [*sheet.identify, *sheet.gold]
        self.taken: list[Action] = []
        self.records = Records({}, {})

    def fresh(self) -> Records:
        """Return the database as the task begins, read from its text."""
        records = Records(json.loads(self.text), self.kept)
        for table, key, fields in self.sheet.setup:
            records[table][key].update(fields)
        return records

    def reset(self) -> None:
        self.records, self.taken = self.fresh(), []

    def step(self, action: Action) -> str:
        """Return what a call comes to, "" for a message."""
        self.taken.append(action)
        return self.call(self.records, action) if isinstance(action, Call) else ""

    def call(self, records: Records, call: Call) -> str:
        tool = self.domain.tools[call.name]
        if tool.side != AGENT:
            return ""
        desk: Any = Desk(records, self.domain.clock)  # type: ignore[arg-type]
        try:
            found = tool.run(desk, **call.arguments)
        except Refused as error:
            return f"Error: {error}"
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

    def replayed(self, actions: Sequence[Action]) -> Records:
        """Return a database made anew after the calls among some actions."""
        records = self.fresh()
        for action in actions:
            if isinstance(action, Call):
                self.call(records, action)
        return records

    def said(self) -> bool:
        """Whether everything was said that had to be said."""
        messages = [action.lower().replace(",", "") for action in self.taken if isinstance(action, str)]
        wanted = [tell.text.lower().replace(",", "") for goal in self.sheet.all_goals for tell in goal.tells]
        return all(any(text in message for message in messages) for text in wanted)


class TauBench(Program):
    """tau-bench's way."""

    def score(self) -> bool:
        return nested(self.records) == nested(self.replayed(self.right)) and self.said()


class Tau2(Program):
    """tau2's way."""

    def __init__(self, domain: Domain, text: str, sheet: Sheet) -> None:
        super().__init__(domain, text, sheet)
        self.shapes = {name: shape(list(table.values())) for name, table in json.loads(text).items()}

    def fresh(self) -> Records:
        records = super().fresh()
        for name, table in records.items():
            for key, record in table.items():
                table[key] = validated(record, self.shapes[name], name)
        return records

    def reset(self) -> None:
        for _ in range(3):
            super().reset()

    def step(self, action: Action) -> str:
        found = super().step(action)
        self.hash = dumped(self.records)
        return found

    def score(self) -> bool:
        return dumped(self.replayed(self.taken)) == dumped(self.replayed(self.right)) and self.said()


def dumped(records: Records) -> str:
    """Return the SHA-256 of a database as JSON with sorted keys, made of a copy of it."""
    return sha256(json.dumps(_copied(records), sort_keys=True, default=str).encode()).hexdigest()


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def nested(records: Records) -> str:
    """Return the SHA-256 of the text of a database as nested tuples."""
    return sha256(str(_hashable(records)).encode()).hexdigest()


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, _hashable(item)) for key, item in sorted(value.items()))
    if isinstance(value, list):
        return tuple(_hashable(item) for item in value)
    return value


Shape = tuple[frozenset[type], Any]
"""The types of a value, and the shapes of what it holds: by field of a dict, one for all items of a list."""


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
