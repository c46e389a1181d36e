"""What occurs in a domain's scenarios: writes by intent, values of arguments and facts. Near misses are made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.sheet import Call, Sheet
from agentgym.rng import TurnRng

SAMPLES: Final = 6
"""Sheets of each family that are looked at."""

TRIES: Final = 150
"""Customers that a family is offered at most."""


@dataclass(frozen=True)
class Catalog:
    """What occurs in some sheets of each family of a domain.

    Attributes:
        writes: intent → the calls that fulfil it.
        reads: the calls that look something up, one of each tool.
        values: (tool, argument) → values, distinct, in the order in which they came.
        facts: fact → what customers say.
        tells: topic → what is told.
    """

    writes: Mapping[str, tuple[Call, ...]]
    reads: tuple[Call, ...]
    values: Mapping[tuple[str, str], tuple[Any, ...]]
    facts: Mapping[str, tuple[str, ...]]
    tells: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=32)
def catalog(domain: Domain) -> Catalog:
    """Return what occurs in a domain; drawn once."""
    writes: dict[str, dict[str, Call]] = {}
    reads: dict[str, Call] = {}
    values: dict[tuple[str, str], dict[str, Any]] = {}
    facts: dict[str, dict[str, None]] = {}
    tells: dict[str, dict[str, None]] = {}
    for sheet in samples(domain):
        for fact, value in sheet.facts.items():
            facts.setdefault(fact, {})[value] = None
        for goal in sheet.all_goals:
            for fact, value in goal.facts.items():
                facts.setdefault(fact, {})[value] = None
            for tell in goal.tells:
                tells.setdefault(tell.topic, {})[tell.text] = None
            for call in goal.gold:
                writes.setdefault(goal.intent, {})[call.name] = call
        for call in _calls(sheet):
            for name, value in call.arguments.items():
                values.setdefault((call.name, name), {})[json.dumps(value, sort_keys=True)] = value
            if domain.tools[call.name].tag == "read":
                reads.setdefault(call.name, call)
    return Catalog(
        {intent: tuple(calls.values()) for intent, calls in writes.items()},
        tuple(reads.values()),
        {place: tuple(found.values()) for place, found in values.items()},
        {fact: tuple(found) for fact, found in facts.items()},
        {topic: tuple(found) for topic, found in tells.items()},
    )


def samples(domain: Domain) -> Iterator[Sheet]:
    """Yield a few sheets of each family, about customers from all over the table."""
    keys = list(domain.database[domain.customers])
    for family in domain.families:
        rng = TurnRng(0, stream=f"catalog {domain.name} {family.name}")
        found = 0
        for key in rng.shuffled(keys)[:TRIES]:
            sheet = family.draw(domain.database, key, rng)
            if sheet is not None:
                yield sheet
                found += 1
            if found == SAMPLES:
                break


def _calls(sheet: Sheet) -> Iterator[Call]:
    """Yield every call of a sheet."""
    yield from sheet.identify
    for goal in sheet.all_goals:
        yield from goal.reads
        yield from goal.gold


def tables_of(database: Database) -> Mapping[str, str]:
    """Return key of a record → its table; of the base."""
    return database.index("tables of keys", _tables_of)


def _tables_of(database: Database) -> dict[str, str]:
    return {key: name for name in sorted(database, reverse=True) for key in database[name]}


def keys_of(database: Database) -> Mapping[str, Sequence[str]]:
    """Return table → the keys of its records; of the base."""
    return database.index("keys of tables", lambda base: {name: tuple(base[name]) for name in base})
