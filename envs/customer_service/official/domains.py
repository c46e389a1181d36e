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
    airline_writes,
    device_writes,
    retail_data,
    retail_writes,
    telecom,
    telecom_data,
)
from agentgym.envs.customer_service.official.toolkit import Outcome, Toolkit
from agentgym.envs.customer_service.official.values import Check

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
