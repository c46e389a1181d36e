"""The official domains by name: models, tools, dump, and the official hash of a database."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.official import airline_data, airline_writes, retail_data, retail_writes
from agentgym.envs.customer_service.official.toolkit import Toolkit
from agentgym.envs.customer_service.official.values import Check


@dataclass(frozen=True, slots=True)
class Official:
    """An official domain.

    Attributes:
        name: retail or airline.
        models: table → the check of its records, which `build` takes the results of.
        build: table → key → checked record, to a database.
        dump: a database in the shape of the official dump.
        tools: the agent's tools.
    """

    name: str
    models: Mapping[str, Check]
    build: Callable[[dict[str, dict[str, Record]]], Database]
    dump: Callable[[Database], dict[str, Any]]
    tools: Toolkit

    def official_hash(self, database: Database) -> str:
        """Return the official hash of a database, 64 hex digits: slow, and only to compare with what was published."""
        text = json.dumps(self.dump(database), sort_keys=True, default=str)
        return sha256(text.encode()).hexdigest()


def _airline(tables: dict[str, dict[str, Record]]) -> Database:
    flights = airline_data.split(tables["flights"])
    return Database({**flights, "users": tables["users"], "reservations": tables["reservations"]})


DOMAINS: Final[Mapping[str, Official]] = {
    "airline": Official("airline", airline_data.MODELS, _airline, airline_data.dump, airline_writes.TOOLS),
    "retail": Official("retail", retail_data.MODELS, Database, retail_data.dump, retail_writes.TOOLS),
}
