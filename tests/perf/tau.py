"""Stand-ins for tau2 and tau-bench: the same tools on plain dicts, hashed, reset and scored as those programs do it.

Written from what they do, not from their code. tau2 makes three environments for a reset, for the agent, the user and
the one that is played, and three for the score: one to see what kind each tool is, one in which the talk is replayed,
one for the right calls. An environment reads the whole database and validates every record; tools are described by
models made anew whenever they are listed, for the agent at a reset and at a score. The whole task list is read and
validated again three times for a reset and once a step, twice in the last one, and every turn copies the messages so
far. The hash is that of the models of the whole database as plain values, these as JSON with sorted keys, SHA-256 of
that: twice for the score and not once in a step. Ours gives a hash in every step, so the stand-in may be asked to.
tau-bench reads the database again for a reset, has no hash in a step, and for the score makes nested tuples of the
whole database, hashes their text, reads the database again, replays the right calls and hashes that.

Neither has a customer here, nor reads an agent's text, nor starts threads or waits for them, nor logs, so the ratios
understate: of the programs themselves longer times were measured once (docs/performance.md). tau2 validates with
pydantic, and so does this where it is installed; else validation is a check of every field's type in plain Python, and
a dump is a copy.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from hashlib import sha256
from typing import Any

from agentgym.envs.customer_service.domain import Desk, Domain, Refused
from agentgym.envs.customer_service.sheet import AGENT, Call, Sheet
from tests.perf.tau_models import described, model_of

Action = Call | str
"""A call, or a message, which these programs hand to a model that plays the customer."""

Message = dict[str, Any]


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


class Validated(Records):
    """Such tables beside their models, which a write keeps equal to them.

    Args:
        tables: the tables.
        kept: indexes.
        models: table → model of its records, and key → record's model in it.
    """

    def __init__(
        self,
        tables: Mapping[str, dict[str, Any]],
        kept: dict[str, Any],
        models: Mapping[str, tuple[Any, dict[str, Any]]],
    ) -> None:
        super().__init__(tables, kept)
        self.models = models

    def set(self, name: str, key: str, record: Any) -> Records:
        model, found = self.models[name]
        found[key] = model.read(record)
        return super().set(name, key, record)

    def dump(self) -> dict[str, dict[str, Any]]:
        """Return the models as plain values."""
        return {
            name: {key: model.dump(record) for key, record in found.items()}
            for name, (model, found) in self.models.items()
        }


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
        return Records(self.read(), self.kept)

    def read(self) -> dict[str, dict[str, Any]]:
        tables: dict[str, dict[str, Any]] = json.loads(self.text)
        for table, key, fields in self.sheet.setup:
            tables[table][key].update(fields)
        return tables

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
    """tau2's way.

    Args:
        domain, text, sheet: as of a Program.
        tasks: the task list as JSON.
        hashing: whether every step ends with a hash, as ours gives one; tau2 itself takes none.
    """

    def __init__(self, domain: Domain, text: str, sheet: Sheet, tasks: str, *, hashing: bool = False) -> None:
        super().__init__(domain, text, sheet)
        self.tasks, self.hashing, self.hash = tasks, hashing, ""
        self.messages: list[Message] = []
        self.models = {name: model_of(list(table.values())) for name, table in json.loads(text).items()}
        self.task_model = model_of(json.loads(tasks))

    def fresh(self) -> Records:
        tables = self.read()
        models = {
            name: (self.models[name], {key: self.models[name].read(record) for key, record in table.items()})
            for name, table in tables.items()
        }
        return Validated(tables, self.kept, models)

    def listed(self) -> list[Any]:
        """Return the descriptions of the tools."""
        return [
            described(name, inspect.signature(tool.run), tool.run.__doc__ or "")
            for name, tool in self.domain.tools.items()
        ]

    def task(self) -> list[Any]:
        """Return the task list, read and validated."""
        return [self.task_model.read(task) for task in json.loads(self.tasks)]

    def reset(self) -> None:
        self.fresh()  # the agent's environment
        self.listed()
        self.fresh()  # the user's
        self.task()
        super().reset()
        self.task()
        self.messages = []
        self.task()

    def step(self, action: Action) -> str:
        found = super().step(action)
        asked = {"role": "assistant", "content": action if isinstance(action, str) else str(action)}
        self.messages += [asked, {"role": "tool" if isinstance(action, Call) else "user", "content": found}]
        self.observation = deepcopy(self.messages)
        self.task()
        if self.hashing:
            self.hash = dumped(self.records)
        return found

    def score(self) -> bool:
        self.task()
        self.fresh()
        self.listed()
        return dumped(self.replayed(self.taken)) == dumped(self.replayed(self.right)) and self.said()


def dumped(records: Records) -> str:
    """Return the SHA-256 of a database as JSON with sorted keys, made of the plain values of its models."""
    plain = records.dump() if isinstance(records, Validated) else records
    return sha256(json.dumps(plain, sort_keys=True, default=str).encode()).hexdigest()


def nested(records: Records) -> str:
    """Return the SHA-256 of the text of a database as nested tuples."""
    return sha256(str(_hashable(records)).encode()).hexdigest()


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, _hashable(item)) for key, item in sorted(value.items()))
    if isinstance(value, list):
        return tuple(_hashable(item) for item in value)
    return value
