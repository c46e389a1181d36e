"""The official domains by name: models, tools, dump, and the official hash of a database."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.official import (
    airline_data,
    airline_v1,
    airline_writes,
    device_writes,
    retail_data,
    retail_writes,
    telecom,
    telecom_data,
)
from agentgym.envs.customer_service.official.toolkit import Outcome, Toolkit
from agentgym.envs.customer_service.official.values import Check
from agentgym.turn import copy_json

Build = Callable[[dict[str, dict[str, Record]]], Database]


@dataclass(frozen=True, slots=True)
class Official:
    """An official domain.

    Attributes:
        name: airline, retail or telecom.
        models: table → the check of its records, in the order in which files hold them.
        keys: table → the field that its records are keyed by, where files hold it as a list.
        user_models: record → check of the table `user`, the customer's side.
        build: table → key → checked record, to a database.
        dump: a database in the shape of the official dump.
        tools: the agent's tools.
        user_tools: the customer's own, or None.
    """

    name: str
    models: Mapping[str, Check]
    build: Build
    dump: Callable[[Database], dict[str, Any]]
    tools: Toolkit
    user_tools: Toolkit | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    user_models: Mapping[str, Check] = field(default_factory=dict)

    def call(self, database: Database, name: str, arguments: Mapping[str, Any], side: str = "assistant") -> Outcome:
        """Run a tool of one side; the other side's tools are not found."""
        kit = self.tools if side == "assistant" else self.user_tools or _NONE
        return kit.call(database, name, arguments)

    def official_hash(self, database: Database) -> str:
        """Return the official hash of a database, 64 hex digits: slow, and only to compare with what was published."""
        text = json.dumps(self.dump(database), sort_keys=True, default=str)
        return sha256(text.encode()).hexdigest()


_NONE: Final = Toolkit()


def _airline(tables: dict[str, dict[str, Record]]) -> Database:
    flights = airline_data.split(tables["flights"])
    return Database({**flights, "users": tables["users"], "reservations": tables["reservations"]})


DOMAINS: Final[Mapping[str, Official]] = {
    "airline": Official("airline", airline_data.MODELS, _airline, airline_data.dump, airline_writes.TOOLS),
    "retail": Official("retail", retail_data.MODELS, Database, retail_data.dump, retail_writes.TOOLS),
    "telecom": Official(
        "telecom",
        telecom_data.MODELS,
        Database,
        telecom_data.dump,
        telecom.TOOLS,
        device_writes.TOOLS,
        telecom_data.KEYS,
        telecom_data.USER_MODELS,
    ),
}


def _kept(check: Check, without: str = "") -> Check:
    """Return a check after which a record stays as the file has it, but for one field."""

    def kept(value: Any) -> Any:
        check(value)
        return copy_json({name: item for name, item in value.items() if name != without})

    return kept


_V1: Final = Official(
    "airline",
    {
        "flights": _kept(airline_data.FLIGHT),
        "users": _kept(airline_data.USER, "user_id"),  # which tau2 repeats
        "reservations": _kept(airline_data.RESERVATION),
    },
    _airline,
    airline_data.dump,
    airline_v1.TOOLS,
)
_FIRST: Final[Mapping[str, Official]] = {**DOMAINS, "airline": _V1}


def officials(kind: str) -> Mapping[str, Official]:
    """Return the official domains of a kind of set: tau-bench's airline has tools of its own."""
    return _FIRST if kind == "tau-bench" else DOMAINS
